"""The picture of a training run is what the programs of its page give."""

from __future__ import annotations

import re
from functools import cache
from math import isfinite
from xml.etree import ElementTree

import pytest

from handbook import training

pytestmark = pytest.mark.slow

SVG = "{http://www.w3.org/2000/svg}"


@cache
def losses() -> tuple[list[float], list[float]]:
    return training.losses()


def test_loss_breaks_before_and_is_finite_and_less_after() -> None:
    before, after = losses()
    step = training.first_nan(before)
    assert 1 < step < len(before) / 2
    assert not any(map(isfinite, before[step - 1 :]))
    assert len(after) == len(before)
    assert all(map(isfinite, after))
    assert sum(after[-20:]) < sum(after[:20])
    assert after[: step - 1] == pytest.approx(before[: step - 1], rel=1e-3)


def test_picture_is_what_a_run_gives() -> None:
    """Up to what a processor does to the last bits, which training enlarges."""
    committed = training.PICTURE.read_text(encoding="utf-8")
    before, _ = losses()
    now = training.picture(*losses())
    curves = _curves(committed), _curves(now)
    assert curves[0]["before"] == pytest.approx(curves[1]["before"], abs=2)
    assert curves[0]["after"][:8] == pytest.approx(curves[1]["after"][:8], abs=2)
    assert f"NaN from step {training.first_nan(before)} on" in committed


def test_nan_is_above_all_numbers() -> None:
    root = ElementTree.fromstring(training.picture([1.0, float("inf")], [1.0, 0.5]))
    before, after = (line.attrib["points"] for line in root.iter(f"{SVG}polyline"))
    rows = [float(y) for y in re.findall(r",([\d.]+)", f"{before} {after}")]
    first, nan, same, less = rows
    assert nan < first == same < less


def _curves(svg: str) -> dict[str, list[float]]:
    """The places of the points, by the class of their line."""
    return {
        line.attrib["class"]: [float(x) for x in re.findall(r"[\d.]+", line.attrib["points"])]
        for line in ElementTree.fromstring(svg).iter(f"{SVG}polyline")
    }
