"""Runs a function as it was and as its fixes leave it: all that it leaves behind must be alike."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from mllint_nan.findings import Confidence
from mllint_nan.linter import Settings, fix_bytes

MOST = Settings(unsafe_fixes=True, min_confidence=Confidence.POSSIBLE)
"""Everything that could be applied is applied."""
_RELATIVE = 1e-3
"""How far an epsilon moves what is far from it."""


@dataclass(frozen=True, slots=True)
class Left:
    """What a call leaves behind, the caller's own arguments and the result among it."""

    arrays: Mapping[str, Any]
    """By each name: the elements, in double precision."""
    formats: Mapping[str, str]
    shared: frozenset[tuple[str, str]]
    """The names, in pairs, whose elements are the same memory."""
    gradients: Mapping[str, Any]
    raised: str


def module_of(body: str, imports: str, parameters: str) -> str:
    """A module with a function of that body, which gives back all its variables."""
    inside = textwrap.indent(textwrap.dedent(body).strip(), "    ")
    return f"{imports}\n\n\ndef f({parameters}):\n{inside}\n    return locals()\n"


def fixed(source: str, settings: Settings = MOST) -> str:
    return fix_bytes(source.encode(), "program.py", settings).data.decode()


def left_by_numpy(source: str, given: Callable[[], dict[str, Any]]) -> Left:
    """What `f` leaves, called with these arrays."""
    arguments = given()
    found, raised = _called(source, arguments)
    variables = {name: value for name, value in found.items() if isinstance(value, np.ndarray)}
    return Left(
        {name: _doubles(value) for name, value in found.items() if _is_number(value)},
        {name: str(value.dtype) for name, value in variables.items()},
        _shared(variables, np.shares_memory),
        {},
        raised,
    )


def left_by_torch(
    source: str,
    given: Callable[[], dict[str, Any]],
    *,
    learns: bool,
    known: Collection[str] | None = None,
) -> Left:
    """What `f` leaves, called with these tensors; `learns`: made from others with gradients.

    The gradient is that of the sum of all variables, or of those that are `known`.
    """
    import torch

    leaves = given()
    arguments = dict(leaves)
    if learns:
        for name, leaf in leaves.items():
            if isinstance(leaf, torch.Tensor) and leaf.is_floating_point():
                arguments[name] = leaf.requires_grad_() * 1
    found, raised = _called(source, arguments)
    variables = {name: value for name, value in found.items() if isinstance(value, torch.Tensor)}
    gradients: dict[str, Any] = {}
    outputs = [
        value
        for name, value in variables.items()
        if value.requires_grad and (known is None or name in known)
    ]
    if outputs:
        try:
            sum(value.sum() for value in outputs).backward()
        except RuntimeError as error:
            raised = raised or type(error).__name__
        else:
            gradients = {
                name: leaf.grad.numpy()
                for name, leaf in leaves.items()
                if isinstance(leaf, torch.Tensor) and leaf.grad is not None
            }

    def overlap(one: torch.Tensor, other: torch.Tensor) -> bool:
        return one.untyped_storage().data_ptr() == other.untyped_storage().data_ptr()

    return Left(
        {name: _doubles(value) for name, value in found.items() if _is_number(value)},
        {name: str(value.dtype) for name, value in variables.items()},
        _shared(variables, overlap),
        gradients,
        raised,
    )


def _called(source: str, arguments: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """All variables by name, those of the caller and of objects among them."""
    namespace: dict[str, Any] = {}
    exec(compile(source, "program.py", "exec"), namespace)
    raised, found = "", {}
    try:
        found = namespace["f"](**arguments)
    except (RuntimeError, TypeError, ValueError, AttributeError) as error:
        raised = type(error).__name__
    every = {f"given {name}": value for name, value in arguments.items()}
    every.update(found)
    for name, value in list(every.items()):
        for attribute, part in getattr(value, "__dict__", {}).items():
            every[f"{name}.{attribute}"] = part
    return every, raised


def _is_number(value: object) -> bool:
    return isinstance(value, (bool, int, float, np.ndarray, np.generic)) or hasattr(value, "numpy")


def _doubles(value: Any) -> Any:
    array = value.detach().numpy() if hasattr(value, "detach") else value
    return np.array(array, dtype=np.float64)


def _shared(
    variables: Mapping[str, Any], overlap: Callable[[Any, Any], bool]
) -> frozenset[tuple[str, str]]:
    return frozenset(
        (one, other)
        for one, other in combinations(sorted(variables), 2)
        if overlap(variables[one], variables[other])
    )


def assert_alike(before: Left, after: Left) -> None:
    """The same variables, of the same formats, in the same memory, with the same gradients."""
    assert after.raised in ("", before.raised)
    assert after.arrays.keys() >= before.arrays.keys()  # a fix may name an operand
    for name, value in before.arrays.items():
        np.testing.assert_allclose(after.arrays[name], value, _RELATIVE, 1e-6, err_msg=name)
    known = before.arrays.keys()
    assert {name: after.formats[name] for name in before.formats} == before.formats
    assert {pair for pair in after.shared if known >= set(pair)} == before.shared
    assert after.gradients.keys() >= before.gradients.keys()
    for name, value in before.gradients.items():
        np.testing.assert_allclose(
            after.gradients[name], value, _RELATIVE, 1e-5, err_msg=f"gradient of {name}"
        )
