"""Operands of other kinds: of fewer entries or axes, a number of Python, integers.

A fix takes each that the original takes, and returns what it does. Labels are such operands: a loss
written out takes integers, a plain 1.0, and what broadcasts; some of the libraries' losses do not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final

import numpy as np

from mllint_nan.ir.term import Term
from mllint_nan.verify.variables import Variable
from tests.verifier.frameworks import adapter
from tests.verifier.observation import Inputs, Mode, Observed, Way
from tests.verifier.points import layout
from tests.verifier.samples import Sample
from tests.verifier.sweep import functions

_USUAL: Final = "float32"
_LINEAR: Final = ("multiply", "add", "subtract", "negate", "sum", "mean")
_KINDS: Final[Mapping[str, Callable[[np.ndarray], Any]]] = {
    "one row": lambda entries: entries[:1],
    "one column": lambda entries: entries[..., :1],
    "no axis": lambda entries: entries.reshape(-1)[0],
    "a number": lambda entries: entries.reshape(-1)[0].item(),
    "integers": lambda entries: np.rint(entries).astype(np.int64),
    "an integer": lambda entries: round(entries.reshape(-1)[0].item()),
}


def refused(sample: Sample, device: str) -> Iterator[str]:
    """The kinds of an input that only the original takes, or of which the fix makes another."""
    if layout(sample)[0] == "single":
        return
    framework = adapter(sample.framework)
    usual = {
        variable.name: _entries(variable, place)
        for place, variable in enumerate(sample.cut.variables)
    }

    def observed(function: Callable[..., Any], name: str, other: Any) -> Observed:
        inputs: Inputs = usual | {name: other}
        if not isinstance(other, np.ndarray | np.generic):
            function = partial(function, **{name: other})
            inputs = {key: entries for key, entries in usual.items() if key != name}
        way = Way(Mode.EAGER, _USUAL)
        return framework.runner(function, framework.place(device), way)(inputs)

    old, new = functions(sample, _USUAL)
    for variable in sample.cut.variables:
        for kind, made in _kinds_of(variable, sample):
            other = made(usual[variable.name])
            try:
                was = observed(old, variable.name, other)
            except Exception:  # the original refuses it too
                continue
            try:
                now = observed(new, variable.name, other)
            except Exception as error:
                yield f"{variable.name}, {kind}: {type(error).__name__}: {error}"
            else:
                yield from (f"{variable.name}, {kind}: {each}" for each in _unlike(was, now))


def _entries(variable: Variable, place: int) -> np.ndarray:
    """Nine ordinary numbers of the input's range, in a square."""
    lo, hi = max(variable.lo, -2.0), min(variable.hi, 2.0)
    entries = np.random.default_rng(place).uniform(
        lo + 0.2 * (hi - lo), hi - 0.2 * (hi - lo), (3, 3)
    )
    if variable.is_boolean:
        return entries > (lo + hi) / 2
    return np.ceil(entries) if variable.is_integer else entries


def _kinds_of(
    variable: Variable, sample: Sample
) -> Iterator[tuple[str, Callable[[np.ndarray], Any]]]:
    if variable.is_number:
        return
    for kind, made in _KINDS.items():
        if "integer" not in kind or _is_linear_in(sample.cut.before, variable.name):
            yield kind, made


def _is_linear_in(term: Term, name: str) -> bool:
    """Whether only sums and products lead to the input: no function is asked of its format."""
    children = [child for child in term.children() if _occurs_in(child, name)]
    return not children or (
        term.operation.name in _LINEAR and all(_is_linear_in(child, name) for child in children)
    )


def _occurs_in(term: Term, name: str) -> bool:
    return str(term) == name or any(_occurs_in(child, name) for child in term.children())


def _unlike(was: Observed, now: Observed) -> Iterator[str]:
    for mine, yours in zip(was.values, now.values, strict=True):
        before, after = mine.entries, yours.entries
        if before.shape != after.shape:
            yield f"{list(before.shape)} became {list(after.shape)}"
            continue
        finite = np.isfinite(before)
        if not np.allclose(before[finite], after[finite], rtol=1e-3, atol=1e-4):
            yield f"{before.tolist()} became {after.tolist()}"
