"""Curves of wrong bits as an SVG that is readable on light and dark ground.

Text and lines have the colour of what is around them; opened by itself, the file asks the viewer
which ground there is. The axis of inputs holds both signs and every positive number of float32;
it is logarithmic, and wider around 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from math import copysign, expm1, isnan, log1p, log10
from typing import Final

BITS: Final = 24
_BEYOND: Final = 28
"""Where a result that is NaN or infinite is drawn."""
_SMALLEST, _LARGEST = 1.2e-38, 3.4e38
_WIDTH, _HEIGHT, _LEFT, _RIGHT = 720, 160, 46, 10
_TOP, _GAP = 72, 58
_TICKS: Final = {1e-10: "10⁻¹⁰", 1e-3: "10⁻³", 1.0: "1", 1e3: "10³", 1e10: "10¹⁰", 1e30: "10³⁰"}
_COLOURS: Final = {"before": "#d95f02", "after": "#1f7fc4"}
_WIDTHS: Final = {"before": 4, "after": 1.5}
"""Both can be seen where they are one."""


@dataclass(frozen=True, slots=True)
class Curve:
    """Wrong bits at inputs in ascending order.

    Infinite where the result is NaN or infinite; NaN where there is no finite true value.
    """

    inputs: Sequence[float]
    bits: Sequence[float]


@dataclass(frozen=True, slots=True)
class Panel:
    title: str
    before: Curve
    after: Curve


def drawn(title: str, names: tuple[str, str], setting: str, panels: Sequence[Panel]) -> str:
    """The picture as the text of an SVG file.

    `names` are what was run before and after, and `setting` says where, and with which inputs.
    """
    height = _TOP + len(panels) * (_HEIGHT + _GAP)
    body = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" '
        'font-family="sans-serif" font-size="12" fill="currentColor">',
        f"<title>{escape(title)}</title>",
        f'<text x="{_WIDTH - _RIGHT}" y="{_TOP - 6}" text-anchor="end">{escape(setting)}</text>',
        "<style>svg:root { color: #222 } "
        "@media (prefers-color-scheme: dark) { svg:root { color: #ddd } }</style>",
        *_legend(names),
    ]
    for index, panel in enumerate(panels):
        body += _panel(panel, _TOP + index * (_HEIGHT + _GAP))
    return "\n".join([*body, "</svg>"]) + "\n"


def place(x: float) -> float:
    """Where an input stands, from -1 to 1.

    >>> place(3.4e38), place(-1.2e-38)
    (1.0, -0.0)
    """
    return copysign((_stretch(abs(x)) - _LOW) / (_HIGH - _LOW), x)


def input_at(position: float) -> float:
    """The inverse of `place`."""
    stretched = _LOW + abs(position) * (_HIGH - _LOW)
    return float(copysign(10 ** copysign(expm1(abs(stretched)), stretched), position))


def _stretch(magnitude: float) -> float:
    decades = log10(magnitude)
    return copysign(log1p(abs(decades)), decades)


_LOW: Final = _stretch(_SMALLEST)
_HIGH: Final = _stretch(_LARGEST)


def _legend(names: tuple[str, str]) -> list[str]:
    lines = []
    for index, (name, (style, colour)) in enumerate(zip(names, _COLOURS.items(), strict=True)):
        y = 16 + 18 * index
        stroke = f'stroke="{colour}" stroke-width="{_WIDTHS[style]}"'
        lines.append(_line(_LEFT, y, _LEFT + 24, y, stroke))
        text = f"{style}: {name}"
        lines.append(f'<text x="{_LEFT + 30}" y="{y + 4}">{escape(text)}</text>')
    return lines


def _panel(panel: Panel, top: float) -> list[str]:
    lines = [f'<text x="{_LEFT}" y="{top - 6}">{escape(panel.title)}: wrong bits</text>']
    for bits in (*range(0, BITS + 1, 8), _BEYOND):
        y = _row(bits, top)
        label = "NaN" if bits == _BEYOND else bits
        lines.append(_line(_LEFT, y, _WIDTH - _RIGHT, y, 'stroke="currentColor" opacity="0.25"'))
        lines.append(f'<text x="{_LEFT - 6}" y="{y + 4}" text-anchor="end">{label}</text>')
    ticks = {_SMALLEST: "0"} | _TICKS | {-x: f"−{text}" for x, text in _TICKS.items()}
    for tick, text in ticks.items():
        x, bottom = _column(tick), top + _HEIGHT
        lines.append(_line(x, bottom, x, bottom + 5, 'stroke="currentColor"'))
        lines.append(f'<text x="{x}" y="{bottom + 18}" text-anchor="middle">{text}</text>')
    for curve, (name, colour) in zip((panel.before, panel.after), _COLOURS.items(), strict=True):
        style = f'class="{name}" fill="none" stroke="{colour}" stroke-width="{_WIDTHS[name]}"'
        lines += [
            f'<polyline {style} points="{" ".join(points)}"/>' for points in _strokes(curve, top)
        ]
    return lines


def _strokes(curve: Curve, top: float) -> list[list[str]]:
    """The points of each unbroken piece, without those in the middle of a level stretch."""
    pieces = []
    both = zip(curve.inputs, curve.bits, strict=True)
    for (missing, _), group in groupby(both, lambda each: (isnan(each[1]), each[0] > 0)):
        points = [(_column(x), _row(bits, top)) for x, bits in group] if not missing else []
        kept = [
            point
            for index, point in enumerate(points)
            if not 0 < index < len(points) - 1
            or not points[index - 1][1] == point[1] == points[index + 1][1]
        ]
        if kept:
            pieces.append([f"{x},{y}" for x, y in kept])
    return pieces


def _column(x: float) -> float:
    width = _WIDTH - _LEFT - _RIGHT
    return round(_LEFT + width * (place(x) + 1) / 2, 1)


def _row(bits: float, top: float) -> float:
    return round(top + _HEIGHT * (1 - min(bits, _BEYOND) / _BEYOND), 1)


def _line(x1: float, y1: float, x2: float, y2: float, style: str) -> str:
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" {style}/>'
