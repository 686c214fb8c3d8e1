"""What is an instance of a pattern, what is not, and what its variables then stand for."""

from __future__ import annotations

import pytest

from mllint_nan.ir.term import Term
from mllint_nan.rulebook.match import Matcher, Substitution
from mllint_nan.rulebook.pattern import Pattern
from tests.flow.analysed import analysed, spelled


def matches(pattern: str, text: str) -> list[Substitution]:
    """Every match of a pattern with what the module assigns to `y` last."""
    interpreter = analysed(text)
    term = interpreter.state.environment.lookup("y")
    assert term is not None
    return list(Matcher(interpreter.build).match(Pattern.parse(pattern).term, term))


def bound(pattern: str, text: str) -> dict[str, str]:
    """What the variables stand for in the first match; {} if there is none."""
    found = matches(pattern, text)
    terms: dict[str, Term | None] = dict(found[0].terms) if found else {}
    return {name: spelled(term) if term is not None else "None" for name, term in terms.items()}


def test_variable_is_bound() -> None:
    assert bound("log(x)", "y = torch.log(a * b)") == {"x": "mul(a, b)"}


def test_other_operation_does_not_match() -> None:
    assert not matches("log(x)", "y = torch.exp(a)")


def test_repeated_variable_needs_equal_values() -> None:
    assert matches("x / x", "b = a + 1\ny = b / (1 + a)")
    assert not matches("x / x", "y = a / b")


def test_anything_may_differ() -> None:
    assert bound("_ / _", "y = a / b") == {}
    assert matches("_ / _", "y = a / b")


def test_commutative_operands_match_both_ways() -> None:
    assert bound("exp(x) * z", "y = a * torch.exp(b)") == {"x": "b", "z": "a"}
    assert len(matches("x * z", "y = a * b")) == 2


def test_other_operands_match_one_way() -> None:
    assert not matches("exp(x) / z", "y = a / torch.exp(b)")


@pytest.mark.parametrize("number", ["1", "1.0", "torch.ones_like(a)"])
def test_number_matches_in_any_form(number: str) -> None:
    assert matches("1 / x", f"y = {number} / a")


@pytest.mark.parametrize("number", ["2", "True", "'1'", "b"])
def test_number_matches_nothing_else(number: str) -> None:
    assert not matches("1 / x", f"y = {number} / a")


# Sums


@pytest.mark.parametrize(
    "text",
    [
        "y = torch.exp(a) - b + 1",
        "y = 1 + torch.exp(a) - b",
        "y = 1 - b + torch.exp(a)",
        "y = -b + (1 + torch.exp(a))",
        "y = 1 - (b - torch.exp(a))",
        "y = torch.exp(a) - (-1 + b)",
    ],
)
def test_sum_matches_in_any_order(text: str) -> None:
    assert bound("1 + exp(x) - z", text) == {"x": "a", "z": "b"}


@pytest.mark.parametrize(
    "text",
    ["y = 1 - torch.exp(a)", "y = torch.exp(a) - 1", "y = 1 + torch.exp(a) + b", "y = 1 + a"],
)
def test_sum_needs_the_same_signs_and_summands(text: str) -> None:
    assert not matches("1 + exp(x)", text)


def test_product_with_a_negated_factor_is_a_negative_summand() -> None:
    assert bound("x - z * w", "y = a + (-b) * c") == {"x": "a", "z": "b", "w": "c"}


def test_rest_takes_the_other_summands_with_their_signs() -> None:
    found = matches("add(exp(x), *rest)", "y = a - b + torch.exp(c)")
    rest = {(sign, spelled(part)) for sign, part in found[0].rest["rest"]}
    assert rest == {("1", "a"), ("-1", "b")}


def test_rest_may_be_empty() -> None:
    found = matches("add(exp(x), z, *rest)", "y = a + torch.exp(c)")
    assert found[0].rest["rest"] == ()


def test_variable_that_holds_a_sum_is_a_summand_first_and_then_opened() -> None:
    text = "s = a + b\ny = s + c"
    assert bound("x + z", text) == {"x": "add(a, b)", "z": "c"}
    assert bound("x + z + w", text).keys() == {"x", "z", "w"}


def test_sum_written_in_place_is_always_opened() -> None:
    assert not matches("x + z", "y = (a + b) + c")


def test_long_sum_is_left_alone() -> None:
    assert not matches("add(exp(x), *rest)", "y = torch.exp(a)" + " + b" * 20)


# Views, paths, alternatives


@pytest.mark.parametrize(
    "views",
    ["{}", "{}.view(-1)", "{}[0]", "{}.t().reshape(2)", "{}.float()", "torch.stack([b, {}])"],
)
def test_view_looks_through_what_moves_elements(views: str) -> None:
    text = f"y = torch.log({views.format('torch.exp(a)')})"
    assert bound("log(view(exp(x)))", text) == {"x": "a"}


def test_view_does_not_look_through_a_computation() -> None:
    assert not matches("log(view(exp(x)))", "y = torch.log(torch.exp(a) + 1)")


def test_each_looks_through_what_computes_every_element_by_itself() -> None:
    text = "y = (torch.abs(a[a > 0] - 1.0) ** 2).mean()"
    assert bound("mean(each(boolean_mask(x, m)))", text)["x"] == "a"


@pytest.mark.parametrize("other", ["torch.cat([a[a > 0], b])", "torch.cumsum(a[a > 0], 0)"])
def test_each_stops_where_elements_meet(other: str) -> None:
    assert not matches("mean(each(boolean_mask(x, m)))", f"y = torch.mean({other})")


def test_within_looks_through_computations() -> None:
    text = "y = torch.where(c, 1 + 2 * torch.log(a).sum(), 0.0)"
    assert bound("where(c, within(log(x)), b)", text)["x"] == "a"


@pytest.mark.parametrize(
    "stop",
    ["torch.log(a).detach()", "torch.where(d, torch.log(a), 0.0)", "torch.log(a) > 0", "g(a)"],
)
def test_within_stops_where_no_gradient_passes(stop: str) -> None:
    assert not matches("where(c, within(log(x)), b)", f"y = torch.where(c, 2 * ({stop}), 0.0)")


def test_either_matches_both_alternatives() -> None:
    assert bound("exp(x) | log(x)", "y = torch.exp(a)") == {"x": "a"}
    assert bound("exp(x) | log(x)", "y = torch.log(a)") == {"x": "a"}
    assert not matches("exp(x) | log(x)", "y = torch.sqrt(a)")


def test_named_place_is_bound_with_all_its_occurrences() -> None:
    found = matches("(e := exp(x)) / sum(e)", "y = torch.exp(a) / torch.exp(a).sum()")
    assert spelled(found[0].terms["e"]) == "exp(a)"  # type: ignore[arg-type]
    first, second = found[0].places["e"]
    assert first.site is not second.site


def test_reference_that_was_looked_through_is_kept() -> None:
    found = matches("log(exp(x))", "e = torch.exp(a)\ny = torch.log(e)")
    assert [reference.detail for reference in found[0].references] == ["e"]
    assert [term.operation.name for term in found[0].passed] == ["log", "exp"]


def test_choice_matches_by_one_option_and_says_so() -> None:
    text = "e = torch.exp(a)\nif c:\n    e = a\ny = torch.log(e)"
    assert [found.through_choice for found in matches("log(exp(x))", text)] == [True]
    assert not matches("log(exp(x))", "e = torch.exp(a)\ny = torch.log(e)")[0].through_choice


# Settings


def test_setting_is_bound() -> None:
    assert bound("softmax(x, axis=a)", "y = torch.softmax(b, dim=1)") == {"x": "b", "a": "1"}


def test_missing_setting_is_bound_to_none() -> None:
    assert bound("sum(x, axis=a)", "y = b.sum()") == {"x": "b", "a": "None"}


def test_missing_setting_is_not_a_literal() -> None:
    assert not matches("sum(x, axis=0)", "y = b.sum()")


def test_setting_that_is_shared_must_agree() -> None:
    pattern = "sum(x, axis=a) / mean(z, axis=a)"
    assert matches(pattern, "y = b.sum(1) / c.mean(1)")
    assert matches(pattern, "y = b.sum() / c.mean()")
    assert not matches(pattern, "y = b.sum(1) / c.mean(0)")
    assert not matches(pattern, "y = b.sum(1) / c.mean()")


def test_setting_that_the_pattern_does_not_name_is_refused() -> None:
    assert not matches("sum(x, axis=a)", "y = b.sum(1, keepdim=True)")


def test_setting_with_its_default_value_is_no_setting() -> None:
    assert matches("sum(x, axis=a)", "y = b.sum(1, keepdim=False)")


def test_rest_of_the_settings_is_kept() -> None:
    found = matches("sum(x, axis=a, **k)", "y = b.sum(1, keepdim=True)")
    assert [(name, spelled(term)) for name, term in found[0].rest["k"]] == [("keepdims", "True")]
