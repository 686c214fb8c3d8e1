"""The pictures of the handbook are what running the fixtures gives, and can be read."""

from __future__ import annotations

import re
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest

from handbook import scales
from handbook.drawing import Curve, Drawing, Panel, drawn
from handbook.rule_pages import PICTURES, rule_page
from handbook.scales import Scale, input_at, place
from handbook.symptoms import TEACHES_NOTHING
from mllint_nan.domains.dtype import FORMATS
from mllint_nan.findings import Hazard
from mllint_nan.rulebook.load import load_rules
from mllint_nan.rulebook.rule import Rule
from tests import pictures
from tests.picture_lines import COURSES, LINES, UNDRAWN, Line
from tests.pictures import line_of, measured, rule_named

pytestmark = pytest.mark.slow

SVG = "{http://www.w3.org/2000/svg}"
DRAWN = [*LINES, *COURSES]
BEYOND = {
    "sqrt-at-zero": (0, 1.8e19),
    "norm-at-zero": (0, 1.8e19),
    "std-at-constant": (0, 1.8e19),
    "division-by-norm": (0, 1.8e19),
    "log-of-cdf": (0, 46000.0),
    "atan2-at-origin": (6e-20, np.inf),
}
"""Where the repair breaks too: it squares the operand; PyTorch's derivative of log_ndtr is no
finite number for some of these."""

_FEW_BITS = 4
_WITH_ZERO = [
    name for name in DRAWN if 0 in line_of(name).axis.inputs and not rule_named(name).off_by_default
]
"""What only loses digits does not break at 0."""

each_picture = pytest.mark.parametrize("name", DRAWN)


@each_picture
def test_flaw_is_seen_before(name: str) -> None:
    """NaN or infinity; or a gradient of 0 where the repair has one, or where all is finite; or a
    value most of whose bits are wrong, and few of the repair's."""
    rule = rule_named(name)
    hazards = {case.hazard for case in rule.cases}
    before, after = measured(name)
    broken = (before.heights[each] for each in hazards if each is not Hazard.ACCURACY)
    is_broken = any(np.isinf(heights).any() for heights in broken)
    if TEACHES_NOTHING.can_come_from(rule):
        assert name in COURSES and not is_broken
        gradient = before.heights[Hazard.GRADIENT]
        wanted = np.ones(len(gradient)) if after is None else after.heights[Hazard.GRADIENT]
        assert ((gradient == 0) & (np.abs(wanted) > 0.5)).sum() > 10
    elif Hazard.ACCURACY in hazards:
        assert isinstance(line := line_of(name), Line) and after is not None and not is_broken
        wrong, left = (np.nan_to_num(each.heights[Hazard.VALUE]) for each in (before, after))
        assert (wrong > FORMATS[line.dtype].precision / 2).sum() > 10
        assert left.max() <= _FEW_BITS
    else:
        assert is_broken


@pytest.mark.parametrize("name", _WITH_ZERO)
def test_single_inputs_that_break_have_a_column_of_their_own(name: str) -> None:
    """Not so along logits, among which 0 is one of many."""
    line, (before, _) = line_of(name), measured(name)
    is_alone = line.axis.scale.part(0.0) != line.axis.scale.part(1.0)
    assert is_alone == (line.axis.inputs[0] == 0)
    if is_alone:
        assert any(np.isinf(heights[0]) for heights in before.heights.values())


@each_picture
def test_repair_is_finite_wherever_the_truth_is(name: str) -> None:
    _, after = measured(name)
    assert (after is None) is (not rule_named(name).fixes)
    if after is None:
        return
    low, high = BEYOND.get(name, (0, np.inf))
    for heights in after.heights.values():
        broken = np.abs(after.inputs[np.isinf(heights)])
        assert (((broken < low) & (broken > 0)) | (broken > high)).all()


@each_picture
def test_picture_is_what_a_run_gives(name: str) -> None:
    """Up to a bit: libraries differ in the last places of their functions."""
    committed = _heights((PICTURES / f"{name}.svg").read_text(encoding="utf-8"))
    now = _heights(pictures.picture(name))
    assert committed.keys() == now.keys()
    for curve, heights in now.items():
        moved = np.abs(heights - committed[curve]) > 12  # two bits
        assert moved.mean() < 0.02, curve


def _heights(svg: str) -> dict[str, np.ndarray]:
    """The curves and dots of a picture, top to bottom, at every second unit of its width."""
    root = ElementTree.fromstring(svg)
    found: dict[str, np.ndarray] = {}
    for index, line in enumerate(root.iter(f"{SVG}polyline")):
        points = np.array([point.split(",") for point in line.attrib["points"].split()], float)
        assert (np.diff(points[:, 0]) >= 0).all()
        across = np.arange(points[0, 0], points[-1, 0], 2)
        found[f"{index} {line.attrib['class']}"] = np.interp(across, points[:, 0], points[:, 1])
    for index, dot in enumerate(root.iter(f"{SVG}circle")):
        found[f"dot {index} {dot.attrib['class']}"] = np.array([float(dot.attrib["cy"])])
    return found


@each_picture
def test_texts_of_a_picture_are_apart(name: str) -> None:
    """No two in one place, and none beyond an edge, with letters as wide as sans-serif has them."""
    root = ElementTree.parse(PICTURES / f"{name}.svg").getroot()
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    boxes = [_box(text) for text in root.iter(f"{SVG}text")]
    for left, right, y in boxes:
        assert left >= 0 and right <= width and 10 < y < height
    for (left, right, y), (other_left, other_right, other_y) in combinations(boxes, 2):
        assert abs(y - other_y) >= 8 or right <= other_left or other_right <= left


def _box(text: ElementTree.Element) -> tuple[float, float, float]:
    """Left, right and base line; letters of 12 units are 6.2 wide, high ones 4."""
    words = "".join(text.itertext())
    long = sum(4.0 if letter in "⁰¹²³⁴⁵⁶⁷⁸⁹⁻.,()[] " else 6.2 for letter in words)
    x, anchor = float(text.attrib["x"]), text.attrib.get("text-anchor", "start")
    left = x - {"start": 0.0, "middle": long / 2, "end": long}[anchor]
    return left, left + long, float(text.attrib["y"])


@each_picture
def test_picture_tells_in_words_what_it_shows(name: str) -> None:
    root = ElementTree.parse(PICTURES / f"{name}.svg").getroot()
    told = root.findtext(f"{SVG}desc", "")
    assert f"t, {line_of(name).axis.scale.text}." in told
    shown = ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]
    titles = [each.partition(":")[0] for each in shown if re.match("value|gradient", each)]
    assert titles and all(f" {title.capitalize()}: before, " in told for title in titles)
    assert f"t, {line_of(name).axis.scale.text}" in shown
    is_broken = any(np.isinf(each).any() for each in measured(name)[0].heights.values())
    assert ("before, NaN or infinite at t = " in told) is is_broken
    lost = "before, more than half of the bits are wrong at t = "
    assert is_broken or "before is 0 at t = " in told or lost in told


@each_picture
def test_page_shows_its_picture(name: str) -> None:
    page = rule_page(rule_named(name))
    ((title, shown),) = re.findall(r"^!\[(.*)\]\((.*)\)$", page, re.MULTILINE)
    assert shown == f"../pictures/{name}.svg"
    assert f"<title>{title}</title>" in (PICTURES / f"{name}.svg").read_text(encoding="utf-8")


def test_every_picture_has_a_line_of_inputs() -> None:
    assert {path.stem for path in PICTURES.iterdir()} == set(DRAWN)


@pytest.mark.parametrize("rule", load_rules(), ids=lambda rule: rule.name)
def test_rule_has_a_picture_or_a_reason_why_not(rule: Rule) -> None:
    rows = [rule.name in each for each in (LINES, COURSES, UNDRAWN)].count(True)
    assert rows == 1, "give it one row in LINES, COURSES or UNDRAWN of tests/picture_lines.py"


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


@pytest.mark.parametrize(
    "scale",
    [scales.WHOLE_RANGE, scales.wrong_bits(24), scales.wrong_bits(11), scales.RESULTS]
    + [line_of(name).axis.scale for name in ("acos-at-edge", "exp-overflow", "mean-of-empty")],
)
def test_ticks_of_a_scale_are_on_it_and_in_order(scale: Scale) -> None:
    places = [scale.place(number) for number in sorted(scale.ticks)]
    assert places == sorted(set(places))
    assert places[0] >= 0 and places[-1] <= 1


def test_curve_is_broken_where_there_is_no_truth() -> None:
    whole = Curve([1.0, 2.0, 3.0, 4.0], [0.0, 0.0, 0.0, 1.0])
    broken = Curve([1.0, 2.0, 3.0, 4.0], [0.0, float("nan"), float("inf"), 24.0])
    root = _drawn(whole, broken)
    assert [line.attrib["class"] for line in root.iter(f"{SVG}polyline")] == ["before", "after"]
    (dot,) = root.iter(f"{SVG}circle")
    bottom = float(dot.attrib["cy"])
    above, below = (
        float(point.split(",")[1])
        for line in root.iter(f"{SVG}polyline")
        if line.attrib["class"] == "after"
        for point in line.attrib["points"].split()
    )
    assert above < below < bottom  # NaN is drawn above all bits, and no bit at the bottom


def test_without_a_repair_there_is_one_curve() -> None:
    curve = Curve([1.0, 2.0], [0.0, 24.0])
    assert len(list(_drawn(curve, None).iter(f"{SVG}polyline"))) == 1


def _drawn(before: Curve, after: Curve | None) -> ElementTree.Element:
    panel = Panel("value", scales.wrong_bits(24), before, after)
    return ElementTree.fromstring(
        drawn(Drawing("a < b", "", "a < b", "b > a", "", scales.WHOLE_RANGE, [panel]))
    )


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
