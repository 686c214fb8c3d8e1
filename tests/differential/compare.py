"""Calls before and after, and what differs between them that may not."""

from __future__ import annotations

import copy
import inspect
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tests.differential.arguments import Plan, Scenario
from tests.differential.frameworks import NumPy, leaves

_ROUNDING: Final = 2e-4
"""Of the largest number of a result: rounding in float32, and the epsilons that rules document."""
_OF_GRADIENTS: Final = 5e-3
_LOST: Final = "loses its gradient"
_STEEPEST: Final = 1e4
"""A gradient beyond it stands at an edge, where epsilons are meant to show."""
_CHANGED_WHOLLY: Final = 0.5
"""What not even a fix that may change finite results explains at ordinary arguments."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a call came to: an exception, or arrays and their kinds."""

    exception: str | None
    values: tuple[np.ndarray[Any, Any], ...] = ()
    kinds: tuple[str, ...] = ()
    written: tuple[np.ndarray[Any, Any], ...] = ()
    """The arguments afterwards."""
    gradients: tuple[np.ndarray[Any, Any], ...] | None = None


@dataclass(frozen=True, slots=True)
class Violation:
    """A difference between both versions of a function."""

    what: str
    scenario: str
    detail: str


def seen(function: Callable[..., Any], plan: Plan, scenario: Scenario, framework: NumPy) -> Seen:
    """One call, its effects and its gradients."""
    arguments = plan.drawn(framework, scenario)
    framework.seed()
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            result = _called(function, arguments)
            found = [leaf for leaf in leaves(result) if _is_shown(leaf, framework)]
            values = tuple(framework.numbers(leaf) for leaf in found)
        except Exception as error:
            return Seen(f"{type(error).__name__}: {str(error)[:160]}")
        written = tuple(
            framework.numbers(each) for each in arguments.values() if framework.is_array(each)
        )
        gradients = _gradients(function, plan, scenario, framework)
    return Seen(None, values, tuple(_kind(leaf, framework) for leaf in found), written, gradients)


def _called(function: Callable[..., Any], arguments: Mapping[str, Any]) -> Any:
    result = function(**arguments)
    return list(result) if inspect.isgenerator(result) else result


def _is_shown(leaf: Any, framework: NumPy) -> bool:
    return isinstance(leaf, bool | int | float) or (
        framework.is_array(leaf) and framework.numbers(leaf).dtype.kind in "biuf"
    )


def _kind(leaf: Any, framework: NumPy) -> str:
    if not framework.is_array(leaf):
        return type(leaf).__name__
    dtype = str(leaf.dtype).removeprefix("torch.")
    return f"array {dtype} {tuple(framework.numbers(leaf).shape)}"


def _gradients(
    function: Callable[..., Any], plan: Plan, scenario: Scenario, framework: NumPy
) -> tuple[np.ndarray[Any, Any], ...] | None:
    arguments = plan.drawn(framework, scenario)
    names = [name for name, kind in plan.kinds.items() if kind == "array"]
    others = {name: each for name, each in arguments.items() if name not in names}

    def call(arrays: Any) -> Any:
        framework.seed()
        passed = dict(zip(names, arrays, strict=True))
        return _called(function, {**copy.copy(others), **passed})

    try:
        found = framework.gradients(call, [arguments[name] for name in names])
    except Exception:  # no gradient flows there; the value has been compared
        return None
    return None if found is None else tuple(found)


def differences(
    before: Seen, after: Seen, scenario: Scenario, *, is_safe: bool
) -> Iterator[Violation]:
    """What a fix may not do; one that is not safe may change finite results."""
    name = scenario.name
    if before.exception is not None:
        return
    if after.exception is not None:
        yield Violation("raises", name, after.exception)
        return
    if before.kinds != after.kinds:
        yield Violation("returns another kind", name, f"{before.kinds} -> {after.kinds}")
        return
    pairs = [("value", *pair) for pair in zip(before.values, after.values, strict=True)]
    if len(before.written) == len(after.written):
        both = zip(before.written, after.written, strict=True)
        pairs += [("argument", *pair) for pair in both]
    for side, old, new in pairs:
        yield from _differing(side, old, new, scenario, _ROUNDING, is_safe=is_safe)
    yield from _of_gradients(before, after, scenario, is_safe=is_safe)


def is_nearer(wrong: Violation, exact: Seen, before: Seen, after: Seen) -> bool:
    """Whether a number that changed is nearer to that of double precision than it was.

    So is a gradient of 0 where nothing but rounding was left of it before.
    """
    if wrong.what not in ("value changes", "gradient changes", _LOST):
        return False
    is_value = wrong.what.startswith("value")
    if not is_value and (exact.gradients is None or after.gradients is None):
        return False
    sides = [each.values if is_value else each.gradients for each in (exact, before, after)]
    errors = [0.0, 0.0]
    for true, *others in zip(*(side or () for side in sides), strict=False):
        for place, other in enumerate(others):
            if true.shape != other.shape:
                return False
            with np.errstate(all="ignore"):
                apart = np.abs(true.astype(np.float64) - other.astype(np.float64))
            kept = apart[np.isfinite(true) & np.isfinite(others[0])]
            errors[place] = max(errors[place], float(kept.max(initial=0.0)))
    return errors[1] <= errors[0]


def _of_gradients(
    before: Seen, after: Seen, scenario: Scenario, *, is_safe: bool
) -> Iterator[Violation]:
    if before.gradients is None:
        return
    if not all(np.isfinite(each).all() for each in (*before.gradients, *before.values)):
        return  # there is something to repair
    if after.gradients is None:
        if any(each.any() for each in before.gradients):
            yield Violation(_LOST, scenario.name, _text(before.gradients[0]))
        return
    for old, new in zip(before.gradients, after.gradients, strict=False):
        if scenario.is_ordinary and old.any() and not new.any():
            detail = f"{_text(old)} -> {_text(new)}"
            yield Violation(_LOST, scenario.name, detail)
        elif not np.isfinite(new).all():
            detail = f"{_text(old)} -> {_text(new)}"
            yield Violation("gradient no longer finite", scenario.name, detail)
        elif scenario.is_ordinary and np.abs(old).max(initial=0.0) < _STEEPEST:
            yield from _differing("gradient", old, new, scenario, _OF_GRADIENTS, is_safe=is_safe)


def _differing(
    side: str,
    old: np.ndarray[Any, Any],
    new: np.ndarray[Any, Any],
    scenario: Scenario,
    tolerance: float,
    *,
    is_safe: bool,
) -> Iterator[Violation]:
    if old.shape != new.shape:
        yield Violation(f"{side} of another shape", scenario.name, f"{old.shape} -> {new.shape}")
        return
    first, second = old.astype(np.float64), new.astype(np.float64)
    is_finite = np.isfinite(first)
    if (is_finite & ~np.isfinite(second)).any():
        detail = f"{_text(old)} -> {_text(new)}"
        yield Violation(f"{side} no longer finite", scenario.name, detail)
        return
    largest = np.abs(first[is_finite]).max(initial=0.0)
    with np.errstate(all="ignore"):
        apart = np.abs(first - second)[is_finite].max(initial=0.0)
    detail = f"{_text(old)} -> {_text(new)}"
    if is_safe and apart > tolerance * max(largest, 1.0):
        yield Violation(f"{side} changes", scenario.name, detail)
    elif not is_safe and scenario.is_ordinary and apart > _CHANGED_WHOLLY * max(largest, 1e-3):
        yield Violation(f"{side} becomes another", scenario.name, detail)


def _text(numbers: np.ndarray[Any, Any]) -> str:
    shown = [f"{float(one):.5g}" for one in np.ravel(numbers)[:5]]
    return f"[{', '.join(shown)}{', ...' if numbers.size > 5 else ''}]"
