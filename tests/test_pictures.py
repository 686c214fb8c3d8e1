"""The pictures of the handbook are what running the fixtures gives, and can be read."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from handbook.drawing import Curve, Panel, drawn, input_at, place
from handbook.rule_pages import PICTURES, rule_page
from mllint_nan.rulebook.load import load_rules
from mllint_nan.rulebook.rule import Rule
from tests import pictures
from tests.pictures import LINES, UNDRAWN, measured, rule_named

SVG = "{http://www.w3.org/2000/svg}"
BEYOND = {
    "sqrt-at-zero": 1.8e19,
    "norm-at-zero": 1.8e19,
    "std-at-constant": 1.8e19,
    "division-by-norm": 1.8e19,
    "log-of-cdf": 46000.0,
}
"""Where the repair breaks too: it squares the operand; PyTorch's derivative of log_ndtr is no
finite number for some of these."""

each_line = pytest.mark.parametrize("name", LINES)


@each_line
def test_flaw_is_seen_before(name: str) -> None:
    hazards = {case.hazard for case in rule_named(name).cases}
    before = measured(name, repaired=False)
    assert any(np.isinf(before.bits[hazard]).any() for hazard in hazards)


@each_line
def test_repair_is_finite_wherever_the_truth_is(name: str) -> None:
    after = measured(name, repaired=True)
    for bits in after.bits.values():
        broken = np.abs(after.inputs[np.isinf(bits)])
        assert (broken > BEYOND.get(name, np.inf)).all()


@each_line
def test_picture_is_what_a_run_gives(name: str) -> None:
    """Up to a bit: libraries differ in the last places of their functions."""
    committed = _heights((PICTURES / f"{name}.svg").read_text(encoding="utf-8"))
    now = _heights(pictures.picture(name))
    assert committed.keys() == now.keys()
    for curve, heights in now.items():
        moved = np.abs(heights - committed[curve]) > 12  # two bits
        assert moved.mean() < 0.02, curve


def _heights(svg: str) -> dict[str, np.ndarray]:
    """The curves of a picture, top to bottom, at every second unit of its width."""
    root = ElementTree.fromstring(svg)
    found: dict[str, np.ndarray] = {}
    for index, line in enumerate(root.iter(f"{SVG}polyline")):
        points = np.array([point.split(",") for point in line.attrib["points"].split()], float)
        assert (np.diff(points[:, 0]) >= 0).all()
        across = np.arange(points[0, 0], points[-1, 0], 2)
        found[f"{index} {line.attrib['class']}"] = np.interp(across, points[:, 0], points[:, 1])
    return found


@each_line
def test_page_shows_its_picture(name: str) -> None:
    page = rule_page(rule_named(name))
    (figure,) = re.findall(r"<figure>\n(.*)\n</figure>", page, re.DOTALL)
    assert f"{figure}\n" == (PICTURES / f"{name}.svg").read_text(encoding="utf-8")
    assert "\n\n" not in figure  # a blank line would end the block of HTML


def test_every_picture_has_a_line_of_inputs() -> None:
    assert {path.stem for path in PICTURES.iterdir()} == set(LINES)


@pytest.mark.parametrize("rule", load_rules(), ids=lambda rule: rule.name)
def test_rule_has_a_picture_or_a_reason_why_not(rule: Rule) -> None:
    assert (rule.name in LINES) is not (rule.name in UNDRAWN)
    is_unrepaired = UNDRAWN.get(rule.name) == pictures.UNREPAIRED
    assert is_unrepaired is not bool(rule.fixes)


def test_only_rules_are_left_undrawn() -> None:
    assert set(UNDRAWN) <= {rule.name for rule in load_rules()}


def test_unknown_rule_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert pictures.main(["sqrt-at-nothing"]) == 2
    assert capsys.readouterr().err == "no line of inputs for sqrt-at-nothing\n"


@pytest.mark.parametrize("x", [1.2e-38, 1e-20, 0.5, 1.0, 88.7, 3e38])
def test_place_is_undone_by_input_at(x: float) -> None:
    assert input_at(place(x)) == pytest.approx(x, rel=1e-9)
    assert input_at(place(-x)) == pytest.approx(-x, rel=1e-9)


def test_places_are_in_the_order_of_inputs() -> None:
    places = [place(x) for x in (-3e38, -1.0, -1e-30, 1e-30, 0.5, 1.0, 2.0, 3e38)]
    assert places == sorted(places)
    assert places[0] >= -1 and places[-1] <= 1


def test_curve_is_broken_where_there_is_no_truth() -> None:
    whole = Curve([1.0, 2.0, 3.0, 4.0], [0.0, 0.0, 0.0, 1.0])
    broken = Curve([1.0, 2.0, 3.0, 4.0], [0.0, float("nan"), float("inf"), 24.0])
    root = ElementTree.fromstring(
        drawn("a < b", ("a < b", "b > a"), "", [Panel("value", whole, broken)])
    )
    lines = [line.attrib for line in root.iter(f"{SVG}polyline")]
    assert [line["class"] for line in lines] == ["before", "after", "after"]
    first, *_, above, below = [float(each.split(",")[1]) for each in _points(lines)]
    assert above < below < first  # NaN is drawn above all bits, and no bit at the bottom


def _points(lines: list[dict[str, str]]) -> list[str]:
    return [point for line in lines for point in line["points"].split()]


def test_colours_suit_light_and_dark() -> None:
    """Three to one on white and on near black, as WCAG asks of graphics."""
    svg = (PICTURES / "sqrt-at-zero.svg").read_text(encoding="utf-8")
    colours = set(re.findall(r'stroke="(#\w{6})"', svg))
    assert len(colours) == 2
    for colour in colours:
        for ground in ("#ffffff", "#1e2129"):
            assert _contrast(colour, ground) >= 3
    assert 'fill="currentColor"' in svg and "prefers-color-scheme: dark" in svg


def _contrast(one: str, other: str) -> float:
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    """Relative luminance of sRGB, by WCAG 2.2."""
    parts = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
