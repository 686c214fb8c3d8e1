"""A runnable program that shows the results at one input."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from mllint_nan.verify.variables import Variable


class Inputs(Protocol):
    """The part of an executed task that describes its inputs."""

    @property
    def framework(self) -> str: ...
    @property
    def dtype(self) -> str: ...
    @property
    def variables(self) -> tuple[Variable, ...]: ...
    @property
    def has_gradient(self) -> bool: ...


def snippet(
    cut: Inputs, imports: tuple[str, ...], expressions: tuple[str, ...], point: Mapping[str, Any]
) -> str:
    """Return Python source that evaluates expressions at an input, and prints the results."""
    statement, array, evaluated = _FORMS[cut.framework]
    lines = [*dict.fromkeys((*statement.splitlines(), *imports)), ""]
    for variable in cut.variables:
        value = _literal(point[variable.name])
        made = value if variable.is_number else array(cut, variable, value)
        lines.append(f"{variable.name} = {made}")
    watched = [variable.name for variable in cut.variables if variable.is_differentiable]
    for text in expressions:
        lines += evaluated(text, watched if cut.has_gradient else [])
    return "\n".join(lines) + "\n"


def _literal(value: Any) -> str:
    """Nested lists of numbers as Python source."""
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    return repr(value)


_Array = Callable[[Inputs, Variable, str], str]
_Evaluated = Callable[[str, list[str]], list[str]]


def _kind(cut: Inputs, variable: Variable, module: str, boolean: str) -> str:
    return f"{module}.{boolean if variable.is_boolean else cut.dtype}"


def _torch_array(cut: Inputs, variable: Variable, value: str) -> str:
    watched = ", requires_grad=True" if variable.is_differentiable else ""
    return f"torch.tensor({value}, dtype={_kind(cut, variable, 'torch', 'bool')}{watched})"


def _torch_evaluated(text: str, watched: list[str]) -> list[str]:
    lines = [f"value = {text}", "print(value)"]
    if watched:
        names = ", ".join(watched)
        lines.append(f"print(torch.autograd.grad(value.sum(), [{names}], allow_unused=True))")
    return lines


def _tensorflow_array(cut: Inputs, variable: Variable, value: str) -> str:
    return f"tf.constant({value}, dtype={_kind(cut, variable, 'tf', 'bool')})"


def _tensorflow_evaluated(text: str, watched: list[str]) -> list[str]:
    if not watched:
        return [f"print({text})"]
    names = ", ".join(watched)
    return [
        "with tf.GradientTape() as tape:",
        f"    tape.watch([{names}])",
        f"    value = {text}",
        "print(value)",
        f"print(tape.gradient(value, [{names}]))",
    ]


def _jax_array(cut: Inputs, variable: Variable, value: str) -> str:
    return f"jnp.asarray({value}, dtype={_kind(cut, variable, 'jnp', 'bool_')})"


def _jax_evaluated(text: str, watched: list[str]) -> list[str]:
    if not watched:
        return [f"print({text})"]
    names = ", ".join(watched)
    return [
        f"def function({names}):",
        f"    return {text}",
        f"print(function({names}))",
        f"positions = {tuple(range(len(watched)))}",
        f"gradient = jax.grad(lambda *a: function(*a).sum(), positions)({names})",
        "print(gradient)",
    ]


def _numpy_array(cut: Inputs, variable: Variable, value: str) -> str:
    return f"np.asarray({value}, dtype={_kind(cut, variable, 'np', 'bool_')})"


def _printed(text: str, watched: list[str]) -> list[str]:
    return [f"print({text})"]


_FORMS: Final[Mapping[str, tuple[str, _Array, _Evaluated]]] = {
    "torch": ("import torch", _torch_array, _torch_evaluated),
    "tensorflow": ("import tensorflow as tf", _tensorflow_array, _tensorflow_evaluated),
    "keras": ("import tensorflow as tf", _tensorflow_array, _tensorflow_evaluated),
    "jax": ("import jax\nimport jax.numpy as jnp", _jax_array, _jax_evaluated),
    "numpy": ("import numpy as np", _numpy_array, _printed),
    "math": ("import math", lambda _, __, value: value, _printed),
}
