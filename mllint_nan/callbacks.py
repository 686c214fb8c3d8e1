"""The probe as a callback: `fit(..., callbacks=[KerasProbe()])`, `Trainer(callbacks=[...])`.

A framework is imported when its class is asked for, and not before.
"""

from __future__ import annotations

import importlib
import sys
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from mllint_nan.within import Probe

if TYPE_CHECKING:
    KerasProbe: Any
    LightningProbe: Any

__all__ = ["KerasProbe", "LightningProbe"]


def __getattr__(name: str) -> Any:
    """Return the callback class of a framework, which takes the arguments of `mllint_nan.probe`."""
    made = {"KerasProbe": _keras, "LightningProbe": _lightning}.get(name)
    if made is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return made()


@lru_cache(1)
def _keras() -> type:
    base: Any = importlib.import_module("keras").callbacks.Callback

    class KerasProbe(base):  # type: ignore[misc]
        """Watches the suspects of the program from the beginning of `fit` to its end."""

        def __init__(self, entry: str | None = None, **options: Any) -> None:
            super().__init__()
            self.probe = Probe(entry, **options)

        def on_train_begin(self, logs: Any = None) -> None:
            self.probe.__exit__(None, None, None)  # if the last `fit` ended with an exception
            self.probe.__enter__()
            self.probe.count_steps()

        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            self.probe.step()

        def on_train_end(self, logs: Any = None) -> None:
            self.probe.__exit__(None, None, None)

    return KerasProbe


@lru_cache(1)
def _lightning() -> type:
    is_old = "pytorch_lightning" in sys.modules and "lightning" not in sys.modules
    name = "pytorch_lightning" if is_old else "lightning.pytorch"
    try:
        base: Any = importlib.import_module(name).Callback
    except ModuleNotFoundError as error:
        if error.name != "lightning":
            raise
        base = importlib.import_module("pytorch_lightning").Callback

    class LightningProbe(base):  # type: ignore[misc]
        """Watches the suspects of the program while a trainer fits."""

        def __init__(self, entry: str | None = None, **options: Any) -> None:
            super().__init__()
            self.probe = Probe(entry, **options)

        def on_fit_start(self, trainer: Any, pl_module: Any) -> None:
            self.probe.__enter__()

        def on_fit_end(self, trainer: Any, pl_module: Any) -> None:
            self.probe.__exit__(None, None, None)

        def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
            self.probe.__exit__(type(exception), exception, None)

    return LightningProbe
