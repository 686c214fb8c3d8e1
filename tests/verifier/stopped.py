"""Errors with which a framework's own checks for NaN stop a run, and what turns the checks off."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from tests.verifier.observation import Inputs, Observed

_NAMES_IT: Final = re.compile(r"\b(nan|inf|non-?finite)\b", re.IGNORECASE)


def observed(run: Callable[[Inputs], Observed], inputs: Inputs, framework: str) -> Observed:
    """What is returned, or the name of the error that speaks of NaN; no check is left on."""
    if framework == "jax":
        _forget_what_jax_compiled()
    try:
        return run(inputs)
    except Exception as error:
        if not _NAMES_IT.search(str(error)):
            raise
        return Observed(raised=type(error).__name__)
    finally:
        _TURN_OFF.get(framework, _nothing)()


def _forget_what_jax_compiled() -> None:
    """What was compiled without a check is run without it."""
    import jax

    jax.clear_caches()


def _turn_off_torch() -> None:
    import torch

    torch.autograd.set_detect_anomaly(False)


def _turn_off_jax() -> None:
    import jax

    jax.config.update("jax_debug_nans", False)
    jax.config.update("jax_debug_infs", False)


def _turn_off_tensorflow() -> None:
    import tensorflow as tf

    tf.debugging.disable_check_numerics()


def _nothing() -> None:
    """The others have no checks that could be left on."""


_TURN_OFF: Final[Mapping[str, Callable[[], None]]] = {
    "torch": _turn_off_torch,
    "jax": _turn_off_jax,
    "tensorflow": _turn_off_tensorflow,
}
