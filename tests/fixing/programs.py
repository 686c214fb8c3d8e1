"""Small programs, repaired and executed: what they give before and after."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from textwrap import dedent
from typing import Any, Final

import numpy as np
import pytest

from mllint_nan.findings import Confidence
from mllint_nan.linter import Settings, fix_bytes

_IMPORTS: Final = {
    "torch": "import torch\nimport torch.nn.functional as F\n",
    "numpy": "import numpy as np\n",
    "jax": "import jax.numpy as jnp\n",
    "tensorflow": "import tensorflow as tf\n",
}
EVERYTHING: Final = Settings(min_confidence=Confidence.POSSIBLE, unsafe_fixes=True)


def whole(framework: str, text: str) -> str:
    """A program with the import of its framework."""
    pytest.importorskip(framework)  # no TensorFlow is installed on Python 3.14 and on macOS
    return f"{_IMPORTS[framework]}\n\n{dedent(text).strip()}\n"


def repaired(program: str, settings: Settings = EVERYTHING) -> str:
    """The program after all fixes, which a second run leaves alone."""
    once = fix_bytes(program.encode(), "program.py", settings).data
    assert fix_bytes(once, "program.py", settings).data == once
    return once.decode()


def defined(program: str) -> Callable[..., Any]:
    """The last function that a program defines."""
    names: dict[str, Any] = {"__name__": "program"}
    exec(compile(program, "program.py", "exec"), names)
    made = [one for one in names.values() if getattr(one, "__module__", "") == "program"]
    return made[-1]  # type: ignore[no-any-return]


def value(framework: str, program: str, *given: object) -> Any:
    """What the program's function returns, as an array, or the name of what it raises."""
    function = defined(program)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            result = function(*(tensor(framework, one) for one in given))
        except (AssertionError, ValueError) as error:
            return type(error).__name__
    return [np.asarray(_plain(part)) for part in _several(result)]


def gradient(framework: str, program: str, *given: object) -> Any:
    """The derivative of the sum of the results by the first input."""
    function = defined(program)
    inputs = [tensor(framework, one) for one in given]
    if framework == "torch":
        first = inputs[0].requires_grad_()
        result = function(first, *inputs[1:])
        result.sum().backward()
        return np.asarray(first.grad)
    if framework == "jax":
        import jax

        return np.asarray(jax.grad(lambda x: function(x, *inputs[1:]).sum())(inputs[0]))
    import tensorflow as tf

    with tf.GradientTape() as tape:
        tape.watch(inputs[0])
        result = tf.reduce_sum(function(*inputs))
    return np.asarray(tape.gradient(result, inputs[0]))


def tensor(framework: str, given: object) -> Any:
    """An input in single precision, as the framework has it."""
    array = np.asarray(given, dtype=np.float32)
    match framework:
        case "torch":
            import torch

            return torch.tensor(array)
        case "jax":
            import jax.numpy as jnp

            return jnp.asarray(array)
        case "tensorflow":
            import tensorflow as tf

            return tf.constant(array)
        case _:
            return array


def _several(result: Any) -> tuple[Any, ...]:
    return result if isinstance(result, tuple) else (result,)


def _plain(result: Any) -> Any:
    return result.detach().numpy() if hasattr(result, "detach") else result
