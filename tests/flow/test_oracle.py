"""What is known of a value: by its construction, by its name, and by the conditions around it."""

from __future__ import annotations

import pytest

from mllint_nan.domains.truth import Truth
from tests.flow.analysed import value_logged

LARGEST = 1e300


def test_unknown_input_is_unbounded_and_attains_nothing() -> None:
    value = value_logged("torch.log(x)")
    assert value.lo < -LARGEST and value.hi > LARGEST
    assert not value.attained


def test_call_that_is_not_understood_attains_nothing() -> None:
    value = value_logged("torch.log(mystery(x))")
    assert value.can_be(0.0) is not Truth.NO
    assert not value.attained


def test_difference_from_the_maximum_is_at_most_zero() -> None:
    value = value_logged("torch.log(x - x.max(dim=-1, keepdim=True).values)")
    assert value.hi == 0.0
    assert 0.0 in value.attained


def test_difference_from_the_maximum_of_something_else_is_not() -> None:
    assert value_logged("torch.log(x - y.max())").hi > LARGEST


def test_sum_of_shifted_exponentials_is_at_least_one() -> None:
    value = value_logged("e = torch.exp(x - x.max())\ntorch.log(e.sum())")
    assert value.lo == 1.0


def test_sum_of_plain_exponentials_can_be_zero() -> None:
    value = value_logged("torch.log(torch.exp(x).sum())")
    assert value.can_be(0.0) is not Truth.NO


def test_share_of_a_sum_lies_between_zero_and_one() -> None:
    value = value_logged("a = x.exp()\nb = y.exp()\ntorch.log(a / (a + b))")
    assert (value.lo, value.hi) == (0.0, 1.0)


def test_share_of_signed_parts_is_unbounded() -> None:
    assert value_logged("torch.log(x / (x + y))").lo < -LARGEST


def test_where_shows_each_branch_under_its_condition() -> None:
    assert value_logged("torch.log(torch.where(x > 2, x, 5.0))").lo > 2
    assert value_logged("torch.log(torch.where(x > 2, 5.0, x))").lo < -LARGEST


def test_where_of_another_condition_shows_nothing() -> None:
    assert value_logged("torch.log(torch.where(y > 2, x, 5.0))").lo < -LARGEST


def test_boolean_mask_keeps_where_it_holds() -> None:
    assert value_logged("torch.log(x[x > 0])").can_be(0.0) is Truth.NO
    assert value_logged("torch.log(x[y > 0])").can_be(0.0) is not Truth.NO


def test_counts_of_values_are_at_least_one_and_places_of_values_are_not() -> None:
    counts = value_logged("_, n = torch.unique(x, return_counts=True)\ntorch.log(n)")
    assert counts.lo == 1.0
    both = "torch.unique(x, return_inverse=True, return_counts=True)"
    assert value_logged(f"_, at, n = {both}\ntorch.log(n)").lo == 1.0
    assert value_logged(f"_, at, n = {both}\ntorch.log(at)").can_be(0.0) is not Truth.NO
    flag = value_logged("_, at = torch.unique(x, return_inverse=True)\ntorch.log(at)")
    assert flag.can_be(0.0) is not Truth.NO


@pytest.mark.parametrize("name", ["eps", "epsilon", "EPS", "log_eps", "eps1", "smooth", "tiny"])
def test_epsilon_is_positive(name: str) -> None:
    assert value_logged(f"torch.log({name})").lo > 0


@pytest.mark.parametrize("name", ["steps", "epoch", "deps", "smoothed"])
def test_name_that_only_resembles_epsilon_is_not(name: str) -> None:
    assert value_logged(f"torch.log({name})").lo < -LARGEST


@pytest.mark.parametrize(
    ("default", "answer"), [("1e-8", Truth.NO), ("0.0", Truth.YES), ("None", Truth.NO)]
)
def test_parameter_named_epsilon_is_zero_by_a_default_of_zero(default: str, answer: Truth) -> None:
    value = value_logged(f"def f(x, eps={default}):\n    torch.log(torch.relu(x) + eps)")
    assert value.can_be(0.0) is answer


def test_attribute_named_epsilon_is_positive() -> None:
    assert value_logged("def f(self):\n    torch.log(self.eps)").lo > 0


def test_square_attains_zero_and_square_plus_epsilon_does_not() -> None:
    assert value_logged("torch.log(x * x)").can_be(0.0) is Truth.YES
    assert value_logged("torch.log(x * x + 1e-3)").can_be(0.0) is Truth.NO


@pytest.mark.parametrize(
    "guard",
    [
        "x > 0",
        "0 < x",
        "x >= 1",
        "x == 2",
        "x > 0 and y",
        "not x <= 0",
        "0 < x < 1",
        "x.min() > 0",
        "(x > 0) & y",
    ],
)
def test_guard_that_excludes_zero(guard: str) -> None:
    assert value_logged(f"if {guard}:\n    torch.log(x)").can_be(0.0) is Truth.NO


@pytest.mark.parametrize(
    "guard", ["x >= 0", "x > 0 or y", "x.max() > 0", "y > 0", "x != 2", "x > y", "x.any()"]
)
def test_guard_that_does_not_exclude_zero(guard: str) -> None:
    assert value_logged(f"if {guard}:\n    torch.log(x)").can_be(0.0) is not Truth.NO


def test_else_refines_by_the_negation() -> None:
    assert value_logged("if x <= 0:\n    pass\nelse:\n    torch.log(x)").lo > 0


def test_guard_of_a_conditional_expression_refines() -> None:
    assert value_logged("y = torch.log(x) if x > 0 else 0").lo > 0


def test_guard_before_and_refines() -> None:
    assert value_logged("y = x > 0 and torch.log(x) > 1").lo > 0


def test_condition_of_a_comprehension_refines() -> None:
    assert value_logged("y = [torch.log(x) for x in xs if x > 0]").lo > 0


def test_guard_of_an_old_value_says_nothing_of_the_new_one() -> None:
    assert value_logged("if x > 0:\n    x = g(x)\n    torch.log(x)").lo < -LARGEST


def test_choice_joins_its_branches() -> None:
    value = value_logged("if c:\n    y = 1.0\nelse:\n    y = 3.0\ntorch.log(y)")
    assert (value.lo, value.hi) == (1.0, 3.0)


def test_value_carried_by_a_loop_is_unknown() -> None:
    assert value_logged("y = 1.0\nwhile c:\n    y = y - 1\ntorch.log(y)").lo < -LARGEST
