"""Curves over an input as an SVG that is readable on light and dark backgrounds.

Text and lines have the colour of the surrounding text; opened by itself, the file asks the
viewer for the colour scheme.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from math import inf, isnan
from typing import Final

from handbook.scales import BEYOND, Scale

_WIDTH, _HEIGHT, _LEFT, _RIGHT = 720, 160, 48, 14
_TOP, _GAP, _ABOVE = 78, 80, 12
_COLOURS: Final = {"before": "#d95f02", "after": "#1f7fc4"}
_WIDTHS: Final = {"before": 4, "after": 1.5}
"""So that both are visible where they coincide."""
_RADII: Final = {"before": 5, "after": 2.5}


@dataclass(frozen=True, slots=True)
class Curve:
    """Heights at inputs in ascending order.

    A height is infinite if the result is NaN or infinite, and NaN if it is unknown.
    """

    inputs: Sequence[float]
    heights: Sequence[float]


@dataclass(frozen=True, slots=True)
class Panel:
    title: str
    upward: Scale
    before: Curve
    after: Curve | None
    """None if there is no repair."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """`told` is the picture in words; `setting` says where and with which inputs the code ran.

    `by` names the horizontal axis.
    """

    title: str
    told: str
    before: str
    after: str
    setting: str
    across: Scale
    panels: Sequence[Panel]
    by: str = "t"


def drawn(drawing: Drawing) -> str:
    """Return the picture as the text of an SVG file."""
    height = _TOP + len(drawing.panels) * (_HEIGHT + _GAP)
    body = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" '
        'font-family="sans-serif" font-size="12" fill="currentColor">',
        f"<title>{escape(drawing.title)}</title>",
        f"<desc>{escape(drawing.told)}</desc>",
        _text(_WIDTH - _RIGHT, _TOP - _ABOVE, drawing.setting, "end"),
        "<style>svg:root { color: #222 } "
        "@media (prefers-color-scheme: dark) { svg:root { color: #ddd } }</style>",
        *_legend(drawing),
    ]
    for index, panel in enumerate(drawing.panels):
        body += _panel(panel, drawing, _TOP + index * (_HEIGHT + _GAP))
    return "\n".join([*body, "</svg>"]) + "\n"


def _legend(drawing: Drawing) -> list[str]:
    lines = []
    is_repaired = any(panel.after for panel in drawing.panels)
    names = {"before": drawing.before, "after": drawing.after}
    for index, (style, colour) in enumerate(_COLOURS.items()):
        y = 16 + 18 * index
        if style == "before" or is_repaired:
            stroke = f'stroke="{colour}" stroke-width="{_WIDTHS[style]}"'
            lines.append(_line(_LEFT, y, _LEFT + 24, y, stroke))
        lines.append(_text(_LEFT + 30, y + 4, f"{style}: {names[style]}"))
    return lines


def _panel(panel: Panel, drawing: Drawing, top: float) -> list[str]:
    across = drawing.across
    lines = [_text(_LEFT, top - _ABOVE, panel.title)]
    for height, label in {**panel.upward.ticks, inf: "NaN"}.items():
        y = _row(panel.upward.place(height), top)
        lines.append(_line(_LEFT, y, _WIDTH - _RIGHT, y, 'stroke="currentColor" opacity="0.25"'))
        lines.append(_text(_LEFT - 6, y + 4, label, "end"))
    bottom = top + _HEIGHT
    for tick, label in across.ticks.items():
        x = _column(across.place(tick))
        lines.append(_line(x, bottom, x, bottom + 5, 'stroke="currentColor"'))
        lines.append(_text(x, bottom + 18, label, "middle"))
    name = f"{drawing.by}, {across.text}"
    lines.append(_text((_LEFT + _WIDTH - _RIGHT) / 2, bottom + 36, name, "middle"))
    for curve, style in zip((panel.before, panel.after), _COLOURS, strict=True):
        lines += [_stroke(points, style) for points in _strokes(panel, across, curve, top)]
    return lines


def _strokes(
    panel: Panel, across: Scale, curve: Curve | None, top: float
) -> list[list[tuple[float, float]]]:
    """Return the points of each unbroken piece, without those inside level stretches."""
    pieces = []
    both = zip(curve.inputs, curve.heights, strict=True) if curve else ()
    for (missing, _), group in groupby(both, lambda each: (isnan(each[1]), across.part(each[0]))):
        if missing:
            continue
        points = [
            (_column(across.place(x)), _row(panel.upward.place(height), top)) for x, height in group
        ]
        pieces.append(
            [
                point
                for index, point in enumerate(points)
                if not 0 < index < len(points) - 1
                or not points[index - 1][1] == point[1] == points[index + 1][1]
            ]
        )
    return pieces


def _stroke(points: Sequence[tuple[float, float]], style: str) -> str:
    """Return a line, or a dot for a single point."""
    colour = _COLOURS[style]
    if len(points) == 1:
        ((x, y),) = points
        return f'<circle class="{style}" fill="{colour}" cx="{x}" cy="{y}" r="{_RADII[style]}"/>'
    stroke = f'fill="none" stroke="{colour}" stroke-width="{_WIDTHS[style]}"'
    listed = " ".join(f"{x},{y}" for x, y in points)
    return f'<polyline class="{style}" {stroke} points="{listed}"/>'


def _column(place: float) -> float:
    return round(_LEFT + (_WIDTH - _LEFT - _RIGHT) * place, 1)


def _row(place: float, top: float) -> float:
    return round(top + _HEIGHT * (1 - place / BEYOND), 1)


def _line(x1: float, y1: float, x2: float, y2: float, style: str) -> str:
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" {style}/>'


def _text(x: float, y: float, text: str, anchor: str = "start") -> str:
    end = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text x="{x}" y="{y}"{end}>{escape(text)}</text>'
