"""A picture in sentences, for who cannot see it: its axes, and where its curves break."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

import numpy as np

from handbook.drawing import Curve, Panel
from mllint_nan.domains.dtype import FORMATS
from tests.picture_lines import Course, Line

_RUNS_TOLD: Final = 3
_TEACHES: Final = 1e-3
"""A gradient that is not that of a sample which is right."""


def told(line: Line | Course, panels: Sequence[Panel]) -> Iterator[str]:
    """The picture in sentences: its axes, and where each curve breaks."""
    if isinstance(line, Line):
        yield (
            f"How many of the {FORMATS[line.dtype].precision} bits of a {line.dtype} are wrong, "
            "compared with exact arithmetic; no bit is wrong where the error is half a "
            "unit in the last place or less."
        )
    else:
        yield (
            "The last entry of the result, and the largest of its derivatives, as they were "
            "computed; the axis has both signs, and is logarithmic."
        )
    yield "The uppermost line is NaN or infinite."
    yield f"The horizontal axis is t, {line.axis.scale.text}."
    if isinstance(line, Line) and 0 in line.axis.inputs:
        yield "Where the true result at 0 is not finite, a finite result is drawn at the bottom."
    if line.axis.together > 1:
        yield f"Each point is the worst of {line.axis.together} inputs."
    is_finite = not any(np.isinf(panel.before.heights).any() for panel in panels)
    for panel in panels:
        named = {"before": panel.before, "after": panel.after}
        drawn = {name: each for name, each in named.items() if each is not None}
        sides = [f"{name}, {_broken(each)}" for name, each in drawn.items()]
        if is_finite and isinstance(line, Line):
            digits = FORMATS[line.dtype].precision
            sides = [f"{name}, {_inaccurate(each, digits)}" for name, each in drawn.items()]
        elif is_finite and panel.title != "value":
            sides += _where_cut_off(panel)
        yield f"{panel.title.partition(':')[0].capitalize()}: {'; '.join(sides)}."


def _broken(curve: Curve) -> str:
    found = _runs(curve.inputs, np.isinf(curve.heights))
    return f"NaN or infinite at t = {found}" if found else "finite throughout"


def _inaccurate(curve: Curve, digits: int) -> str:
    """Where more than half of the digits are wrong, or else how many bits are."""
    heights = np.array(curve.heights)
    found = _runs(curve.inputs, heights > digits / 2)
    if found:
        return f"more than half of the bits are wrong at t = {found}"
    return f"at most {np.ceil(np.nanmax(heights)):.0f} bits are wrong"


def _where_cut_off(panel: Panel) -> Iterator[str]:
    """Where the gradient is 0 and that of the repair is not; where there is none, all zeros."""
    heights = np.array(panel.before.heights)
    lost = heights == 0
    if panel.after is not None:
        lost &= np.abs(panel.after.heights) > _TEACHES
    found = _runs(panel.before.inputs, lost)
    if found:
        yield f"before is 0 at t = {found}"


def _runs(inputs: Sequence[float], holds: np.ndarray) -> str:
    """The inputs at which something holds, as far as they lie together."""
    pairs = zip(inputs, holds, strict=True)
    runs = [[x for x, _ in run] for held, run in groupby(pairs, lambda pair: pair[1]) if held]
    if len(runs) > _RUNS_TOLD:
        return f"{_span([runs[0][0], runs[-1][-1]])}, not everywhere between"
    return " and ".join(map(_span, runs))


def _span(run: Sequence[float]) -> str:
    first, last = (f"{x:.3g}".replace("-", "−") for x in (run[0], run[-1]))
    return first if first == last else f"{first} to {last}"
