"""How wrong a fix is, and was the original: in units in the last place of the true result."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from mllint_nan.domains.dtype import Format
from mllint_nan.findings import Hazard
from mllint_nan.rulebook.rule import Tolerance
from tests.verifier.ground_truth import GroundTruth, in_rows
from tests.verifier.observation import Observed
from tests.verifier.oracle import Numbers
from tests.verifier.samples import Sample, parts_of
from tests.verifier.units import Split, spacing

ALLOWED: Final = 8.0
"""By how many ulps any fix may be worse: the class B of a safe rewrite."""
_FLUSHING: Final = ("tensorflow", "keras", "jax")
"""Subnormal numbers are 0 to them, now and then; so they are left out."""
_NEAR_THE_END: Final = 8
"""What is so near to the largest number may overflow on the way."""
_ROUNDED: Final = 1 + 1e-6


@dataclass(slots=True)
class Errors:
    """Of one side, value or gradient, over all entries whose true result the format has."""

    compared: int = 0
    """Entries that are finite before and after."""
    broken_before: int = 0
    broken_after: int = 0
    """Entries that are not finite, though the true result is."""
    before: float = 0.0
    after: float = 0.0
    """Largest errors in ulps of those compared."""
    mended: int = 0
    """Entries that are not finite before, and finite after."""
    eps: float = 0.0
    """Largest absolute error, in epsilons, of those that are worse by more than eight ulps."""
    shift: float = 0.0
    """By how much the two terms differ at those that differ so much because of an epsilon."""
    complaint: str = ""
    """The first entry at which the fix is worse than its rule admits."""
    unfixed: str = ""
    """The first entry that is not finite after, though the fixed term has a value there."""


def compare(
    errors: Mapping[Hazard, Errors],
    sample: Sample,
    ground_truth: GroundTruth,
    seen: tuple[Observed, Observed],
    form: Format,
) -> None:
    old, new = seen
    value = old.values[0].entries if old.values else np.array(np.nan)
    if old.values and new.values:
        after = None if ground_truth.after is None else ground_truth.after.value
        entries = old.values[0].entries, new.values[0].entries
        truths = ground_truth.before.value, after
        _judge(errors[Hazard.VALUE], sample, ground_truth, "value", entries, truths, value, form)
    for name, truth in ground_truth.before.gradients.items():
        after = None if ground_truth.after is None else ground_truth.after.gradients[name]
        entries = old.gradients[name].entries, new.gradients[name].entries
        truths = truth, after
        _judge(
            errors[Hazard.GRADIENT],
            sample,
            ground_truth,
            f"d/d{name}",
            entries,
            truths,
            value,
            form,
        )


def _judge(
    errors: Errors,
    sample: Sample,
    ground_truth: GroundTruth,
    side: str,
    entries: tuple[np.ndarray, np.ndarray],
    truths: tuple[Numbers, Numbers | None],
    old_value: np.ndarray,
    form: Format,
) -> None:
    """Entry by entry; what is worse by more than `ALLOWED` ulps has to have a reason."""
    tolerance = sample.repair.tolerance
    old, new = (each.astype(np.float64) for each in entries)
    true = Split.of(truths[0])
    shape = true.high.shape
    least = tolerance.below
    if sample.framework in _FLUSHING:
        least = max(least, form.tiny)
    absent = _is_absent(ground_truth, least, tolerance.above, shape)
    fits = (np.abs(true.high) <= form.max) & ~absent
    was, now = np.isfinite(old), np.isfinite(new)
    both = fits & was & now
    errors.compared += int(both.sum())
    errors.broken_before += int((fits & ~was).sum())
    errors.broken_after += int((fits & ~now).sum())
    errors.mended += int((~was & now).sum())
    with np.errstate(invalid="ignore"):
        errors_old, errors_new = (
            np.where(both & (np.abs(each - true.high) > 2 * form.tiny), true.ulps(each, form), 0.0)
            for each in (old, new)
        )
        distance = np.abs(new - true.high) / form.eps
    errors.before = max(errors.before, float(errors_old.max(initial=0.0)))
    errors.after = max(errors.after, float(errors_new.max(initial=0.0)))
    worse = both & (errors_new > errors_old * _ROUNDED + ALLOWED)
    fixed = None if truths[1] is None else Split.of(truths[1])
    if fixed is not None and tolerance.shift:
        worse &= ~_is_shifted(errors, side, new, true, fixed, tolerance, form, worse)
    apart = np.where(worse, distance, 0.0)
    errors.eps = max(errors.eps, float(apart.max(initial=0.0)))
    is_far = np.abs(true.high) <= form.max / _NEAR_THE_END
    broken = was & ground_truth.has_value(old_value, shape)
    is_moderate = _is_moderate(ground_truth, form, shape)
    if _is_ill_conditioned(sample):
        is_moderate &= False
    broken |= is_moderate
    if fixed is not None and not errors.unfixed:
        unfixed = ~now & (np.abs(fixed.high) <= form.max / _NEAR_THE_END) & is_moderate & ~absent
        if unfixed.any():
            errors.unfixed = _shown(ground_truth, unfixed, side, old, new, fixed.high)
    wrong = (apart > tolerance.eps) | (fits & is_far & ~now & broken)
    if wrong.any() and not errors.complaint:
        worst = wrong & (~now | (apart == np.where(wrong, apart, 0.0).max()))
        errors.complaint = _shown(
            ground_truth, worst if worst.any() else wrong, side, old, new, true.high
        )


def _is_shifted(
    errors: Errors,
    side: str,
    new: np.ndarray,
    true: Split,
    fixed: Split,
    tolerance: Tolerance,
    form: Format,
    where: np.ndarray,
) -> np.ndarray:
    """Entries that are off because the fix is another function there, in the way it may be."""
    allowed = np.maximum(ALLOWED * spacing(fixed.high, form), tolerance.eps * form.eps)
    with np.errstate(invalid="ignore"):
        is_exact = np.abs(new - fixed.high) <= allowed
        moved = np.where(where & is_exact, np.abs(fixed.high - true.high), 0.0)
        if side == "value":
            is_admitted = moved <= tolerance.shift * _ROUNDED
            errors.shift = max(
                errors.shift, float(np.where(is_admitted, moved, 0.0).max(initial=0))
            )
        else:
            is_admitted = (fixed.high * true.high >= 0) & (np.abs(fixed.high) <= np.abs(true.high))
    return is_exact & is_admitted


def _is_absent(
    ground_truth: GroundTruth, least: float, largest: float, shape: tuple[int, ...]
) -> np.ndarray:
    """Entries in whose row is an input that does not occur."""
    tested = [
        (array != 0) & (np.abs(array) < least) | (np.abs(array) > largest)
        for array in _floats(ground_truth)
    ]
    return in_rows(tested, ground_truth.rows, shape)


def _is_moderate(ground_truth: GroundTruth, form: Format, shape: tuple[int, ...]) -> np.ndarray:
    """Entries whose inputs are so that neither their squares nor those' inverses overflow."""
    limit = math.sqrt(form.max) / 8
    tested = [
        (np.abs(array) > limit) | ((array != 0) & (np.abs(array) < 1 / limit))
        for array in _floats(ground_truth)
    ]
    return ~in_rows(tested, ground_truth.rows, shape)


def _floats(ground_truth: GroundTruth) -> list[np.ndarray]:
    return [array for array in ground_truth.inputs.values() if array.dtype.kind == "f"]


def _is_ill_conditioned(sample: Sample) -> bool:
    """Whether rounding alone can make a value singular: the determinant of a regular matrix 0."""
    return any(part.operation.name == "det" for part in parts_of(sample.cut.before))


def _shown(
    ground_truth: GroundTruth,
    where: np.ndarray,
    side: str,
    old: np.ndarray,
    new: np.ndarray,
    true: np.ndarray,
) -> str:
    place = tuple(int(each[0]) for each in np.nonzero(np.atleast_1d(where)))
    if where.ndim == 0:
        place = ()
    row: tuple[Any, ...] = (...,)
    if ground_truth.rows == 0 and place:
        row = (place[0],)
    elif ground_truth.rows == 1:
        row = (..., place[-1])
    given = ", ".join(
        f"{name} = {array[row].tolist()}" for name, array in ground_truth.inputs.items()
    )
    return f"{side} at {given}: {old[place]:.9g} became {new[place]:.9g}, truly {true[place]:.9g}"
