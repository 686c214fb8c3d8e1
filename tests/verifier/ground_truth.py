"""What is swept at which inputs, and what is true there: both terms in exact arithmetic."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from mpmath import mp, mpf

from mllint_nan.domains.dtype import FORMATS, Format
from mllint_nan.ir.term import Term
from tests.verifier.oracle import Exact, Numbers, Oracle, Unknown
from tests.verifier.points import Density, inputs_of, layout
from tests.verifier.samples import Sample
from tests.verifier.units import Split

_GROUND_TRUTHS: Final[dict[tuple[Any, ...], tuple[GroundTruth, ...]]] = {}
"""What was computed once, which takes the most time of all."""
_AGREE_BITS: Final = 60
_SPARE_BITS: Final = 400


@dataclass(frozen=True, slots=True, eq=False)
class GroundTruth:
    """Inputs by name, and the truth about the original and the fixed term at them."""

    inputs: Mapping[str, np.ndarray]
    rows: int | None
    weights: np.ndarray
    before: Exact
    after: Exact | None
    """None where the oracle does not know an operation of it."""

    def has_value(self, value: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        """Of entries of inputs or results: whether the results of their row are finite."""
        return ~in_rows([~np.isfinite(value)], self.rows, shape)


def ground_truths_of(sample: Sample, dtype: str, density: Density) -> tuple[GroundTruth, ...]:
    """Of a sample, or of one in another framework that is the same term."""
    parts = sample.cut
    key = (
        str(parts.before),
        str(parts.after),
        parts.variables,
        layout(sample),
        sample.has_gradient,
    )
    key += (str(sample.repair.tolerance), dtype, density)
    if key not in _GROUND_TRUTHS:
        _GROUND_TRUTHS[key] = tuple(ground_truths(sample, FORMATS[dtype], density))
    return _GROUND_TRUTHS[key]


def ground_truths(sample: Sample, form: Format, density: Density) -> Iterator[GroundTruth]:
    """At all points of a sweep, all at once where rows are independent of each other."""
    oracle = Oracle(form)
    _, rows = layout(sample)
    for inputs in inputs_of(sample, form, density):
        yield ground_truth(sample, oracle, inputs, rows)


def weights_of(shape: tuple[int, ...]) -> np.ndarray:
    """Powers of two, so that they add no error; not all equal, so that sums show."""
    return np.ldexp(1.0, -(np.arange(math.prod(shape)) % 3)).reshape(shape)


def ground_truth(
    sample: Sample,
    oracle: Oracle,
    inputs: Mapping[str, np.ndarray],
    rows: int | None,
    weigh: Callable[[tuple[int, ...]], np.ndarray] = weights_of,
) -> GroundTruth:
    """`weigh` says what each entry of a result counts in the sum that is differentiated."""
    exact = {name: oracle.numbers(array) for name, array in inputs.items()}
    watched = tuple(
        variable.name
        for variable in sample.cut.variables
        if variable.is_differentiable and sample.has_gradient
    )

    def of(term: Term, oracle: Oracle = oracle) -> Exact:
        return oracle.exact(term, exact, rows, weigh, watched)

    before = of(sample.cut.before)
    try:
        after = of(sample.cut.after)
    except Unknown:
        after = None
    if after is not None and not _agree(before, after):
        refined = of(sample.cut.before, replace(oracle, spare=_SPARE_BITS))
        tolerance = sample.repair.tolerance
        before = _settled(before, refined, after, not (tolerance.shift or tolerance.below))
    return GroundTruth(inputs, rows, weigh(before.value.shape), before, after)


def equals(sample: Sample, term: Term, density: Density) -> bool:
    """Whether a term and the fix are the same function in exact arithmetic, at all points."""
    twin = replace(sample, cut=replace(sample.cut, before=sample.cut.after, after=term))
    return all(
        ground_truth.after is not None and bool(np.all(pair))
        for ground_truth in ground_truths_of(twin, "float32", density)
        for pair in _differences(ground_truth)
    )


def repairs(sample: Sample, term: Term, density: Density) -> bool:
    """Whether a term is the original in exact arithmetic wherever that is finite."""
    twin = replace(sample, cut=replace(sample.cut, after=term))
    return all(
        ground_truth.after is not None and bool(np.all(pair))
        for ground_truth in ground_truths_of(twin, "float32", density)
        for pair in _departures(ground_truth)
    )


def _differences(ground_truth: GroundTruth) -> Iterator[np.ndarray]:
    """Of value and gradients: which entries are the same, or defined for neither.

    Beside a value in which the steps of both sides are absorbed, one of them may find a slope of 0
    and the other none; where the values differ, that shows elsewhere.
    """
    for one, other in _pairs(ground_truth):
        is_same = _same(one, other) | ~_is_finite(one) & ~_is_finite(other)
        if one is not ground_truth.before.value:
            is_same |= _has_no_slope(one, other) | _has_no_slope(other, one)
        yield is_same


def _has_no_slope(one: Numbers, other: Numbers) -> np.ndarray:
    """Which derivatives could not be told of one term, and are 0 of the other."""
    has_none, slope = np.isnan(Split.of(one).high), Split.of(other).high
    return np.asarray(has_none & (slope == 0), dtype=bool)


def _departures(ground_truth: GroundTruth) -> Iterator[np.ndarray]:
    """Likewise: which entries are the same, or were not finite."""
    for one, other in _pairs(ground_truth):
        yield _same(one, other) | ~_is_finite(one)


def _is_finite(numbers: Numbers) -> np.ndarray:
    return np.isfinite(Split.of(numbers).high)


def _pairs(ground_truth: GroundTruth) -> Iterator[tuple[Numbers, Numbers]]:
    """Value and gradients before and after; a pair that differs where the shapes do."""
    if (
        ground_truth.after is None
        or ground_truth.before.value.shape != ground_truth.after.value.shape
    ):
        yield np.array(mpf(0), dtype=object), np.array(mpf(1), dtype=object)
        return
    yield ground_truth.before.value, ground_truth.after.value
    for name, part in ground_truth.before.gradients.items():
        yield part, ground_truth.after.gradients[name]


def _agree(one: Exact, other: Exact) -> bool:
    if one.value.shape != other.value.shape:
        return False
    pairs = [(one.value, other.value)]
    pairs += [(one.gradients[name], other.gradients[name]) for name in one.gradients]
    return all(bool(_same(*pair).all()) for pair in pairs)


def _settled(before: Exact, refined: Exact, after: Exact, is_equal: bool) -> Exact:
    """The original's truth; where more digits change it, its cancellation hides it from mpmath too,
    and what the fixed term is stands for it."""

    def settled(name: str) -> Numbers:
        mine, more, other = (
            each.value if not name else each.gradients[name] for each in (before, refined, after)
        )
        if mine.shape != other.shape:
            return mine
        return np.where(_same(mine, more), mine, other if is_equal else more)

    return Exact(settled(""), {name: settled(name) for name in before.gradients})


def _same(one: Numbers, other: Numbers) -> np.ndarray:
    def same(x: mpf, y: mpf) -> bool:
        if not (mp.isfinite(x) and mp.isfinite(y)):
            return False
        return bool(abs(x - y) <= mpf(2) ** -_AGREE_BITS * max(abs(x), abs(y)))

    return np.asarray(np.frompyfunc(same, 2, 1)(one, other), dtype=bool)


def in_rows(flags: list[np.ndarray], rows: int | None, shape: tuple[int, ...]) -> np.ndarray:
    """Of entries of results or inputs: whether any flag of their row is set."""
    if rows is None:
        return np.full(shape, any(bool(flag.any()) for flag in flags))
    moved = [np.moveaxis(flag, rows % flag.ndim, 0) for flag in flags]
    any_of = np.any([flag.reshape(len(flag), -1).any(axis=1) for flag in moved], axis=0)
    index: list[Any] = [None] * len(shape)
    index[rows % len(shape)] = slice(None)
    found: np.ndarray = np.broadcast_to(any_of[tuple(index)], shape)
    return found
