"""A pattern that cannot mean anything is refused with the word that was probably meant."""

from __future__ import annotations

import pytest

from mllint_nan.rulebook.pattern import Pattern, PatternError


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("log(", "is not an expression"),
        ("", "is not an expression"),
        ("lgo(x)", "`lgo` is not a canonical operation; did you mean `log`?"),
        ("witin(x)", "did you mean `within`?"),
        ("qqqqqq(x)", "`qqqqqq` is not a canonical operation in"),
        ("softmax(x, axes=a)", "`softmax` has no setting `axes`; did you mean `axis`?"),
        ("softmax(x, qqqq=a)", "`softmax` has no setting `qqqq` in"),
        ("log(x, y)", "`log` takes 1 operand(s)"),
        ("div(x)", "`div` takes 2 operand(s)"),
        ("view(x, y)", "`view` takes 1 operand(s)"),
        ("view(x, axis=a)", "`view` takes 1 operand(s)"),
        ("through(v)", "`through` takes 2 operand(s)"),
        ("log(x, **f(k))", "`**` takes a variable"),
        ("x.log()", "has no meaning"),
        ("x and y", "`x and y` has no meaning in a pattern"),
        ("x < y < z", "has no meaning"),
        ("x % y", "`x % y` has no meaning in a pattern"),
        ("lambda: x", "has no meaning"),
        ("(x.y := z)", "is not an expression"),
    ],
)
def test_error_says_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(PatternError) as error:
        Pattern.parse(text)
    assert message in str(error.value)
    assert repr(text) in str(error.value)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("x * x", "square(x)"),
        ("x ** 2", "pow(x, 2)"),
        ("x ** 0.5", "sqrt(x)"),
        ("x < y", "y > x"),
        ("x + y", "add(y, x)"),
        ("1 + 1", "2"),
        ("--x", "x"),
        ("sum(x, keepdims=False)", "sum(x)"),
    ],
)
def test_spellings_of_one_pattern_are_one_term(first: str, second: str) -> None:
    assert Pattern.parse(first).term.key == Pattern.parse(second).term.key


@pytest.mark.parametrize(
    ("text", "roots"),
    [
        ("log(x)", {"log"}),
        ("view(log(x))", {"log"}),
        ("(e := log(x))", {"log"}),
        ("log(x) | log1p(y)", {"log", "log1p"}),
        ("x + y", {"add", "sub"}),
        ("x - y", {"add", "sub"}),
        ("add(x, y, *rest)", {"add", "sub"}),
    ],
)
def test_roots_are_where_a_match_can_start(text: str, roots: set[str]) -> None:
    assert Pattern.parse(text).roots() == roots


def test_variables_are_what_a_match_binds() -> None:
    pattern = Pattern.parse("add(v := softmax(x, axis=a, **k), _, *rest)")
    assert pattern.variables() == {"v", "x", "a", "k", "rest"}


def test_operations_are_those_of_the_catalogue() -> None:
    pattern = Pattern.parse("log(view(softmax(x) | 1))")
    assert pattern.operations() == {"log", "softmax"}


def test_uses_count_every_place_of_a_variable() -> None:
    pattern = Pattern.parse("where(x > 0, x, y)")
    assert (pattern.uses("x"), pattern.uses("y"), pattern.uses("z")) == (2, 1, 0)
