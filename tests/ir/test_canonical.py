"""Two terms have one key exactly where they compute the same number."""

from __future__ import annotations

from math import nan

import pytest

from mllint_nan.ir.canonical import Builder
from mllint_nan.ir.term import Term, number_of, peel

build = Builder()
x, y, z = map(build.variable, "xyz")
apply, constant = build.apply, build.constant


def test_squares_are_one_term() -> None:
    keys = {
        apply("pow", x, constant(2)).key,
        apply("pow", x, constant(2.0)).key,
        apply("mul", x, x).key,
        apply("square", x).key,
    }
    assert len(keys) == 1


@pytest.mark.parametrize(
    ("exponent", "name"), [(0.5, "sqrt"), (-0.5, "rsqrt"), (-1, "div"), (3, "pow")]
)
def test_power_is_named_by_its_exponent(exponent: float, name: str) -> None:
    assert apply("pow", x, constant(exponent)).operation.name == name


def test_first_power_is_the_base() -> None:
    assert apply("pow", x, constant(1)) is x


@pytest.mark.parametrize("name", ["add", "mul", "maximum", "eq", "logical_and"])
def test_commutative_operands_may_be_swapped(name: str) -> None:
    assert apply(name, x, y).key == apply(name, y, x).key


@pytest.mark.parametrize("name", ["sub", "div", "pow", "matmul", "gt"])
def test_other_operands_may_not_be_swapped(name: str) -> None:
    assert apply(name, x, y).key != apply(name, y, x).key


def test_swapped_operands_keep_their_written_order() -> None:
    assert apply("add", y, x).operands == (y, x)


def test_sums_of_other_operands_differ() -> None:
    assert apply("add", x, y).key != apply("add", x, z).key


def test_numbers_are_folded() -> None:
    folded = apply("add", constant(1), apply("mul", constant(2), constant(3)))
    assert number_of(folded) == 7
    assert folded.key == constant(7).key


@pytest.mark.parametrize(
    "folded",
    [
        apply("div", constant(1), constant(0)),
        apply("pow", constant(-8), constant(1 / 3)),
        apply("pow", constant(10), constant(10**9)),
    ],
)
def test_what_has_no_number_is_not_folded(folded: Term) -> None:
    assert number_of(folded) is None


def test_booleans_are_not_folded() -> None:
    assert number_of(apply("add", constant(True), constant(1))) is None


def test_double_negation_vanishes() -> None:
    assert apply("neg", apply("neg", x)) is x


def test_factor_of_minus_one_is_a_negation() -> None:
    negated = apply("neg", x).key
    assert apply("mul", constant(-1), x).key == negated
    assert apply("mul", x, constant(-1)).key == negated


def test_negated_number_is_a_number() -> None:
    assert number_of(apply("neg", constant(2))) == -2


def test_less_is_greater_the_other_way_round() -> None:
    assert apply("lt", x, y).key == apply("gt", y, x).key
    assert apply("le", x, y).key == apply("ge", y, x).key
    assert apply("lt", x, y).key != apply("gt", x, y).key
    assert apply("lt", x, y).key != apply("le", x, y).key


def test_negated_condition_swaps_the_branches() -> None:
    condition = apply("gt", x, constant(0))
    swapped = apply("where", apply("logical_not", condition), y, z)
    assert swapped.key == apply("where", condition, z, y).key


def test_default_settings_are_dropped() -> None:
    written = apply("sum", x, axis=constant(None), keepdims=constant(False))
    assert not written.settings
    assert written.key == apply("sum", x).key


def test_zero_is_the_default_false() -> None:
    assert apply("sum", x, keepdims=constant(0)).key == apply("sum", x).key


def test_other_settings_tell_terms_apart() -> None:
    first, last = apply("sum", x, axis=constant(0)), apply("sum", x, axis=constant(-1))
    assert len({first.key, last.key, apply("sum", x).key}) == 3


def test_order_of_settings_does_not_count() -> None:
    axis, keepdims = constant(1), constant(True)
    one = apply("sum", x, axis=axis, keepdims=keepdims)
    assert one.key == apply("sum", x, keepdims=keepdims, axis=axis).key


def test_one_and_one_point_zero_are_one_number_and_true_is_not() -> None:
    assert constant(1).key == constant(1.0).key
    assert constant(1).key != constant(True).key


def test_text_is_not_a_number() -> None:
    assert constant("1").key != constant(1).key


def test_nan_is_one_constant() -> None:
    assert constant(nan).key == constant(-nan).key


def test_draws_are_never_equal() -> None:
    assert apply("uniform").key != apply("uniform").key


def test_product_of_two_draws_is_no_square() -> None:
    product = apply("mul", apply("normal"), apply("normal"))
    assert product.operation.name == "mul"


def test_product_of_one_draw_with_itself_is_not_taken_for_a_square() -> None:
    draw = apply("normal")
    assert apply("mul", draw, draw).operation.name == "mul"


def test_what_folds_to_an_operand_stays_an_occurrence_at_its_site() -> None:
    site = object()
    term = build.build(apply("pow", x, y).operation, (x, constant(1)), site=site)
    assert term.site is site
    assert peel(term) is x


def test_framework_of_a_mixed_operation_is_not_that_of_plain_numbers() -> None:
    operands = [
        Term(x.operation, (), build.fresh(), framework=framework, detail="v")
        for framework in ("math", "torch")
    ]
    assert apply("add", *operands).framework == "torch"
