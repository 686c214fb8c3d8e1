"""Syntax becomes a program of few shapes; what has no numerical meaning keeps its parts."""

from __future__ import annotations

import pytest

from mllint_nan.ir import program as ir
from mllint_nan.syntax.lower import lower_module
from mllint_nan.syntax.source import Source


def lowered(text: str) -> ir.Block:
    return lower_module(Source(text).module)


def expression(text: str) -> ir.Expression:
    (statement,) = lowered(text)
    assert isinstance(statement, ir.Evaluate)
    return statement.value


def names(value: ir.Expression) -> list[str]:
    """The names directly inside an unknown expression."""
    assert isinstance(value, ir.Unknown | ir.Suspension)
    return [child.name for child in value.children if isinstance(child, ir.Name)]


@pytest.mark.parametrize(
    ("text", "value"),
    [("1_0", 10), ("0x1f", 31), ("1e3", 1000.0), ("'a'", "a"), ("b'a'", b"a"), ("None", None)],
)
def test_literal_is_its_value(text: str, value: object) -> None:
    constant = expression(text)
    assert isinstance(constant, ir.Constant)
    assert constant.value == value
    assert type(constant.value) is type(value)


def test_true_is_a_boolean_constant() -> None:
    constant = expression("True")
    assert isinstance(constant, ir.Constant)
    assert constant.value is True


def test_operator_chain_grows_to_the_left() -> None:
    outer = expression("a - b + c")
    assert isinstance(outer, ir.Binary)
    assert outer.operator == "+"
    assert isinstance(outer.left, ir.Binary)
    assert outer.left.operator == "-"


def test_chained_comparison_is_a_conjunction() -> None:
    both = expression("a < b <= c")
    assert isinstance(both, ir.Boolean)
    first, second = both.left, both.right
    assert isinstance(first, ir.Compare) and isinstance(second, ir.Compare)
    assert (first.operator, both.operator, second.operator) == ("<", "and", "<=")
    assert first.right is second.left


def test_arguments_keep_keywords_and_stars() -> None:
    call = expression("f(a, *b, c=d, **e)")
    assert isinstance(call, ir.Call)
    found = [(argument.keyword, argument.star) for argument in call.arguments]
    assert found == [(None, ""), (None, "*"), ("c", ""), (None, "**")]


def test_slice_keeps_the_parts_that_are_there_at_their_places() -> None:
    subscript = expression("a[1:, :1, ::2, :, b]")
    assert isinstance(subscript, ir.Subscript)
    *slices, last = subscript.indices
    found = []
    for one in slices:
        assert isinstance(one, ir.Slice)
        assert all(isinstance(part, ir.Constant) for part in one.parts)
        found.append([part.value for part in one.parts if isinstance(part, ir.Constant)])
    assert found == [[1], [None, 1], [None, None, 2], []]
    assert isinstance(last, ir.Name)


@pytest.mark.parametrize("text", ["f'{a} {b:>{c}}'", "{a: b, **c}", "f'{a}' f'{b}' f'{c}'"])
def test_expression_without_meaning_keeps_what_it_contains(text: str) -> None:
    def inside(value: ir.Expression) -> list[str]:
        assert isinstance(value, ir.Unknown)
        below = [
            name
            for child in value.children
            if isinstance(child, ir.Unknown)
            for name in inside(child)
        ]
        return names(value) + below

    assert sorted(inside(expression(text))) == ["a", "b", "c"]


def test_await_is_a_suspension_around_its_operand() -> None:
    (function,) = lowered("async def f():\n    await a\n")
    assert isinstance(function, ir.Function)
    (statement,) = function.body
    assert isinstance(statement, ir.Evaluate)
    assert names(statement.value) == ["a"]


def test_nested_comprehension_has_a_clause_for_each_loop() -> None:
    comprehension = expression("[a for b in c if d if e for f in g]")
    assert isinstance(comprehension, ir.Comprehension)
    first, second = comprehension.clauses
    assert (len(first.conditions), len(second.conditions)) == (2, 0)


def test_targets_are_read_from_left_to_right() -> None:
    (statement,) = lowered("a, (b.c, *d), e[0] = f")
    assert isinstance(statement, ir.Assign)
    places = ir.targets_of(statement.targets[0])
    assert [type(place) for place in places] == [ir.Name, ir.Attribute, ir.Name, ir.Subscript]


@pytest.mark.parametrize(
    ("text", "alone"), [("a = b\n", True), ("a = b; c\n", False), ("if c: a = b\n", False)]
)
def test_assignment_knows_whether_it_has_its_line_to_itself(text: str, alone: bool) -> None:
    statement = lowered(text)[0]
    if isinstance(statement, ir.If):
        statement = statement.body[0]
    assert isinstance(statement, ir.Assign)
    assert statement.alone is alone


@pytest.mark.parametrize(
    ("text", "bindings"),
    [
        ("import a", [("a", "a")]),
        ("import a.b.c", [("a", "a")]),
        ("import a.b as c, d", [("c", "a.b"), ("d", "d")]),
        ("from a.b import c, d as e", [("c", "a.b.c"), ("e", "a.b.d")]),
        ("from . import a", [("a", ".a")]),
        ("from ..a import b", [("b", "..a.b")]),
        ("from a import *", [("*", "a")]),
    ],
)
def test_imports_bind_names_to_what_they_stand_for(
    text: str, bindings: list[tuple[str, str]]
) -> None:
    (statement,) = lowered(text)
    assert isinstance(statement, ir.Import)
    assert list(statement.bindings) == bindings


def test_parameters_keep_order_stars_and_defaults() -> None:
    (function,) = lowered("def f(a, /, b: int = 1, *c, d=2, **e): pass")
    assert isinstance(function, ir.Function)
    found = [(p.name, p.star, p.default is not None) for p in function.parameters]
    assert found == [
        ("a", "", False),
        ("b", "", True),
        ("c", "*", False),
        ("d", "", True),
        ("e", "**", False),
    ]


def test_bare_star_takes_a_place_without_a_name() -> None:
    (function,) = lowered("def f(*, a): pass")
    assert isinstance(function, ir.Function)
    assert [(p.name, p.star) for p in function.parameters] == [("", "*"), ("a", "")]


def test_elif_is_an_if_in_the_else() -> None:
    (statement,) = lowered("if a: pass\nelif b: c\nelse: d\n")
    assert isinstance(statement, ir.If)
    (inner,) = statement.orelse
    assert isinstance(inner, ir.If)
    assert len(inner.body) == len(inner.orelse) == 1


def test_case_binds_every_name_of_its_pattern() -> None:
    text = "match a:\n    case [b, *c] | {'d': b, **c} if e: f\n    case G(h=i) as j: k\n"
    (statement,) = lowered(text)
    assert isinstance(statement, ir.Match)
    first, second = statement.cases
    assert set(first.names) == {"b", "c"}
    assert set(second.names) == {"i", "j"}
    assert isinstance(first.guard, ir.Name)
    assert not first.takes_all and not second.takes_all


def test_case_of_a_number_keeps_it() -> None:
    (statement,) = lowered("match a:\n    case 0: b\n    case c if d: e\n    case _: f\n")
    assert isinstance(statement, ir.Match)
    assert [isinstance(case.value, ir.Constant) for case in statement.cases] == [True, False, False]
    assert [case.takes_all for case in statement.cases] == [False, True, True]
    assert statement.cases[1].names == ("c",)


def test_handlers_keep_their_names() -> None:
    (statement,) = lowered("try: a\nexcept B as c: d\nexcept E: f\nelse: g\nfinally: h\n")
    assert isinstance(statement, ir.Try)
    assert [name for name, _ in statement.handlers] == ["c", None]
    assert len(statement.orelse) == len(statement.finalbody) == 1


def test_pass_is_nothing() -> None:
    assert lowered("pass") == ()
