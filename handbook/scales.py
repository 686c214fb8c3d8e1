"""The axes of a picture: the places of numbers, from 0 to 1, and the labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import copysign, expm1, isinf, log, log1p, log10
from typing import Final

BEYOND: Final = 7 / 6
"""The place above all numbers, where a result that is NaN or infinite is drawn."""
_SMALLEST, _LARGEST = 1.2e-38, 3.4e38
_POWERS: Final = {1e-10: "10⁻¹⁰", 1e-3: "10⁻³", 1.0: "1", 1e3: "10³", 1e10: "10¹⁰", 1e30: "10³⁰"}
_ALONE: Final = 0.06
"""The share of the axis for a number with a column of its own."""


def _together(number: float) -> float:
    return 0.0


def _by_sign(number: float) -> float:
    return copysign(1.0, number)


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis; `place` is increasing.

    Numbers with the same `part` are joined by a curve.
    """

    text: str
    """A description of the axis, which follows the name of the quantity."""
    place: Callable[[float], float]
    ticks: Mapping[float, str]
    part: Callable[[float], float] = _together


def place(x: float) -> float:
    """Return the place of a float32 number, from -1 to 1; all below the smallest are at 0.

    >>> place(3.4e38), place(-1.2e-38), place(0.0)
    (1.0, -0.0, 0.0)
    """
    magnitude = min(max(abs(x), _SMALLEST), _LARGEST)
    return copysign((_stretch(magnitude) - _LOW) / (_HIGH - _LOW), x)


def input_at(position: float) -> float:
    """Return the inverse of `place`."""
    stretched = _LOW + abs(position) * (_HIGH - _LOW)
    return float(copysign(10 ** copysign(expm1(abs(stretched)), stretched), position))


def _stretch(magnitude: float) -> float:
    decades = log10(magnitude)
    return copysign(log1p(abs(decades)), decades)


_LOW: Final = _stretch(_SMALLEST)
_HIGH: Final = _stretch(_LARGEST)

WHOLE_RANGE: Final = Scale(
    "from one end of float32 to the other, logarithmic and wider around 1",
    lambda x: (place(x) + 1) / 2,
    {0.0: "0"} | _POWERS | {-x: f"−{text}" for x, text in _POWERS.items()},
    _by_sign,
)


def from_zero(low: float, high: float, ticks: Mapping[float, str]) -> Scale:
    """A scale with exactly 0 at the left, apart; then `low` to `high`, logarithmic."""

    def place(x: float) -> float:
        if x == 0:
            return _ALONE / 4
        return _ALONE + (1 - _ALONE) * log(x / low) / log(high / low)

    return Scale(
        "exactly 0 by itself, then logarithmic", place, {0.0: "0", **ticks}, lambda x: float(x > 0)
    )


def linear(low: float, high: float, step: float) -> Scale:
    """A linear scale from `low` to `high`, with a label at every `step`."""
    steps = range(round((high - low) / step) + 1)
    ticks = {low + index * step: f"{low + index * step:g}".replace("-", "−") for index in steps}
    return Scale("linear", lambda x: (x - low) / (high - low), ticks)


def counts(most: int) -> Scale:
    """A scale for the number of selected entries: whole numbers from 0."""
    ticks = {float(count): str(count) for count in range(most + 1)}
    return Scale(
        f"how many of {most} entries are selected",
        lambda x: (x + 0.5) / (most + 1),
        ticks,
        lambda x: x,
    )


def wrong_bits(precision: int) -> Scale:
    """A scale for the number of wrong bits in a number."""
    every = 8 if precision > 16 else 4
    ticks = {float(bits): str(bits) for bits in (*range(0, precision - 1, every), precision)}
    return Scale("wrong bits", _or_beyond(lambda bits: bits / precision), ticks)


def losses(most: int) -> Scale:
    """A scale for losses from 0 on, with at most ten labels."""
    ticks = {float(loss): str(loss) for loss in range(0, most + 1, 10 ** (len(str(most)) - 1))}
    return Scale("loss", _or_beyond(lambda loss: loss / most), ticks)


def _or_beyond(place: Callable[[float], float]) -> Callable[[float], float]:
    return lambda number: BEYOND if isinf(number) else place(number)


RESULTS: Final = Scale(
    "",
    _or_beyond(WHOLE_RANGE.place),
    {-1e30: "−10³⁰", -1.0: "−1", 0.0: "0", 1.0: "1", 1e30: "10³⁰"},
)
