"""Ranges as rules write them, and the lists of names as data."""

from __future__ import annotations

import ast
import re
from collections import Counter
from math import inf
from pathlib import Path

import pytest

import mllint_nan
from mllint_nan.domains.value import constant
from mllint_nan.naming import names, tables
from mllint_nan.rulebook.predicates.values import Range, range_of

PACKAGE = Path(mllint_nan.__file__).parent


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(0, 1]", Range(0.0, 1.0, False, True)),
        ("[-1.5, inf)", Range(-1.5, inf, True, True)),
        ("(-inf, 2.5e-8)", Range(-inf, 2.5e-8, True, False)),
        ("[-exp, exp]", Range(-11.0, 11.0, True, True)),
        ("[0, inf) whole", Range(0.0, inf, True, True, True)),
    ],
)
def test_range_is_read(text: str, expected: Range) -> None:
    assert range_of(text, "float16") == expected


def test_named_end_depends_on_the_format() -> None:
    assert range_of("(-inf, exp]", "float64").high > range_of("(-inf, exp]", "float32").high


@pytest.mark.parametrize("text", ["0, 1", "(0, 1", "(0,1)", "(a, b)", ""])
def test_what_is_no_range_is_an_error(text: str) -> None:
    with pytest.raises(ValueError):
        range_of(text, "float32")


@pytest.mark.parametrize(
    ("text", "holds"),
    [("(0, inf)", False), ("[0, inf)", True), ("[0, 1]", True), ("[0, 1)", False)],
)
def test_an_open_end_leaves_its_number_out(text: str, holds: bool) -> None:
    value = constant(0.0).join(constant(1.0))
    assert range_of(text, "float32").holds(value) is holds


def test_whole_numbers_are_asked_for() -> None:
    whole = range_of("[0, inf) whole", "float32")
    assert whole.holds(constant(2.0))
    assert not whole.holds(constant(2.5))


def test_every_list_of_names_says_why() -> None:
    for kind, table in tables().items():
        assert table.keys() - {"ignores_case"} == {"reason", "pattern"}, kind
        assert table["reason"].endswith("."), kind
        assert isinstance(names(kind), re.Pattern)


def test_every_list_of_names_is_asked_in_one_place() -> None:
    asked = Counter(
        node.args[0].value
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "names"
        and isinstance(node.args[0], ast.Constant)
    )
    assert asked == Counter(tables().keys())
