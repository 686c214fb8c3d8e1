"""What intervals lose and terms keep: source, then the range and the points of what is logged."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from mllint_nan.domains.truth import Truth
from mllint_nan.domains.value import Value
from tests.flow.analysed import JAX, NUMPY, TENSORFLOW, TORCH, value_logged

LOG = {TORCH: "torch.log", TENSORFLOW: "tf.math.log", JAX: "jnp.log", NUMPY: "np.log"}


def value_of(source: str) -> Value:
    """The value logged, in the framework whose name the source uses; `; ` ends a line."""
    imports = next(key for key, log in LOG.items() if f"{log.partition('.')[0]}." in source)
    return value_logged(source.replace("; ", "\n"), imports)


def check(source: str, lo: float, hi: float, attained: set[float] | None) -> None:
    """`None`: no evidence is asked for."""
    value = value_of(source)
    assert (value.lo, value.hi) == (lo, hi)
    assert attained is None or value.attained == attained


MAXIMA = [
    "m = x.max(dim=-1, keepdim=True)[0]; torch.log(S(torch.exp(x - m), -1))",
    "m, _ = x.max(dim=-1, keepdim=True); torch.log(S(torch.exp(x - m), -1))",
    "m, i = torch.max(x, -1, keepdim=True); torch.log(S(torch.exp(x - m), -1))",
    "m = x.max(dim=-1, keepdim=True).values.detach(); torch.log(S(torch.exp(x - m), -1))",
    "m = x.detach().max(dim=-1, keepdim=True).values; torch.log(S(torch.exp(x - m), -1))",
    "m = torch.amax(x, -1, keepdim=True); torch.log(S((x - m).exp(), -1))",
    "m = x.amax(1).unsqueeze(1); torch.log(S(torch.exp(x - m), 1))",
    "m = x.max(1)[0][:, None]; torch.log(S(torch.exp(x - m), 1))",
    "m = x.max(1).values.view(-1, 1).expand_as(x); torch.log(S(torch.exp(x - m), 1))",
    "x = x - x.max(); x = x.exp(); torch.log(x.sum())",
    "x -= x.max(dim=1, keepdim=True)[0]; torch.log(S(torch.exp(x), 1))",
    "m = torch.max(x).item(); torch.log(torch.exp(x - m).sum())",
    "e = torch.exp((x - x.max()) / t); torch.log(e.sum())",
    "e = torch.exp(t * (x - x.max())); torch.log(e.sum())",
    "m = tf.reduce_max(x, axis=-1, keepdims=True); tf.math.log(tf.reduce_sum(tf.exp(x - m), -1))",
    "m = tf.reduce_max(x, 0, keep_dims=True); tf.log(tf.reduce_sum(tf.exp(tf.subtract(x, m)), 0))",
    "m = tf.stop_gradient(tf.reduce_max(x)); tf.math.log(tf.reduce_sum(tf.exp(x - m)))",
    "m = tf.expand_dims(tf.math.reduce_max(x, 1), 1); tf.math.log(tf.reduce_sum(tf.exp(x - m), 1))",
    "m = jnp.max(x, axis=-1, keepdims=True); jnp.log(jnp.sum(jnp.exp(x - m), -1))",
    "m = jax.lax.stop_gradient(x.max(-1, keepdims=True)); jnp.log(jnp.exp(x - m).sum(-1))",
    "m = jnp.max(jax.lax.stop_gradient(x)); jnp.log(jnp.exp(x - m).sum())",
    "m = np.max(x, axis=1, keepdims=True); np.log(np.sum(np.exp(x - m), 1))",
    "m = x.max(1)[:, np.newaxis]; np.log(np.exp(x - m).sum(1))",
    "m = np.amax(x); np.log(np.sum(np.exp(np.subtract(x, m))))",
    "m = max(x); np.log(sum(np.exp(x - m)))",
]


@pytest.mark.parametrize("source", MAXIMA)
def test_sum_of_shifted_exponentials_is_at_least_one(source: str) -> None:
    value = value_of(source.replace("S(", "torch.sum("))
    assert value.lo == 1.0
    assert value.can_be(1.0) is Truth.YES


@pytest.mark.parametrize(
    "source",
    [
        "m = x.max(0)[0]; torch.log(torch.exp(x - m).sum(1))",
        "m = x.max(1, keepdim=True)[0]; torch.log(torch.exp(x - m).sum(0))",
        "m = x.max(); torch.log(torch.exp(x - m).sum(1))",
        "m = y.max(); torch.log(torch.exp(x - m).sum())",
        "m = x.min(); torch.log(torch.exp(m - x).sum(1))",
        "m = x[0].max(); torch.log(torch.exp(x - m).sum())",
    ],
)
def test_maximum_of_something_else_or_along_another_axis_is_no_shift(source: str) -> None:
    assert value_of(source).can_be(0.0) is not Truth.NO


def test_global_maximum_lets_a_row_underflow() -> None:
    x = np.array([[0.0, 0.0], [1000.0, 0.0]], "float32")
    assert np.exp(x - x.max()).sum(1)[0] == 0.0


def test_mean_of_shifted_exponentials_is_above_zero() -> None:
    assert value_logged("torch.log((x - x.max()).exp().mean())").lo > 0.0


SPANS = [
    ("torch.log(x - x.max())", -inf, 0.0),
    ("torch.log(x.max() - x)", 0.0, inf),
    ("torch.log(x - x.min())", 0.0, inf),
    ("torch.log(x - x.min(dim=1, keepdim=True)[0])", 0.0, inf),
    ("torch.log(x.min() - x)", -inf, 0.0),
    ("torch.log(x.max() - x.min())", 0.0, inf),
    ("torch.log(x.min() - x.max())", -inf, 0.0),
    ("torch.log(torch.amax(x, 1) - torch.amin(x, 1))", 0.0, inf),
    ("torch.log(x.max(1)[0] - x.min(1)[0])", 0.0, inf),
    ("torch.log(x.max(1)[0].detach() - x.view(-1).min())", 0.0, inf),
    ("tf.math.log(x - tf.reduce_max(x, -1, keepdims=True))", -inf, 0.0),
    ("tf.math.log(tf.reduce_max(x) - tf.reduce_min(x))", 0.0, inf),
    ("jnp.log(x.max() - x.min())", 0.0, inf),
    ("jnp.log(x - jnp.min(x))", 0.0, inf),
    ("np.log(np.max(x) - np.min(x))", 0.0, inf),
    ("np.log(x - x.min(0))", 0.0, inf),
]


@pytest.mark.parametrize(("source", "lo", "hi"), SPANS)
def test_difference_from_an_extremum_has_a_sign_and_a_zero(
    source: str, lo: float, hi: float
) -> None:
    check(source, lo, hi, {0.0})


@pytest.mark.parametrize("square", ["x * x", "x**2", "y * y", "x**4", "(x + y)**2", "(x - y)**2"])
@pytest.mark.parametrize("log", LOG.values())
def test_even_power_is_not_negative_and_attains_zero(square: str, log: str) -> None:
    check(f"{log}({square})", 0.0, inf, {0.0})


@pytest.mark.parametrize(
    "source",
    [
        "torch.log(torch.square(x).sum())",
        "torch.log(torch.pow(x, 2).mean())",
        "torch.log((x - y).pow(2).sum(-1))",
        "tf.math.log(tf.reduce_sum(tf.square(x)))",
        "tf.math.log(tf.reduce_sum(tf.math.squared_difference(x, y)))",
        "jnp.log(jnp.sum(x**2))",
        "np.log(np.sum(np.square(x)))",
    ],
)
def test_sum_of_squares_attains_zero(source: str) -> None:
    check(source, 0.0, inf, {0.0})


@pytest.mark.parametrize(
    "source",
    [
        "torch.log(1 + torch.exp(x))",
        "torch.log(x.exp().add(1))",
        "torch.log(torch.exp(x) + torch.ones_like(x))",
        "tf.math.log(1.0 + tf.exp(-x))",
        "jnp.log(jnp.exp(x) + 1)",
        "np.log(1 + np.exp(x))",
    ],
)
def test_one_plus_an_exponential_is_at_least_one(source: str) -> None:
    check(source, 1.0, inf, set())


SHARES = [
    "a = torch.relu(x); b = y**2; torch.log(a / (a + b))",
    "a = torch.relu(x); b = y**2; torch.log(a / (b + a + 1e-6))",
    "a = torch.relu(x); torch.log(a / a.sum())",
    "a = torch.exp(x); torch.log(a / a.sum(-1, keepdim=True))",
    "a = torch.exp(x); torch.log(a / (torch.sum(a) + 1e-8))",
    "a = x**2; torch.log(a / (1 + a))",
    "a = x.abs(); torch.log(1 - a / (a + 1))",
    "a = tf.exp(x); tf.math.log(a / tf.reduce_sum(a, -1, keepdims=True))",
    "a = jnp.abs(x); jnp.log(a / (a + jnp.abs(y)))",
    "a = np.exp(x); np.log(a / np.sum(a))",
]


@pytest.mark.parametrize("source", SHARES)
def test_share_of_what_is_not_negative_is_at_most_one(source: str) -> None:
    check(source, 0.0, 1.0, None)


@pytest.mark.parametrize("source", ["torch.log(x / (x + y))", "torch.log(x / x.sum())"])
def test_share_of_signed_parts_is_not(source: str) -> None:
    assert value_of(source).hi > 1e30


@pytest.mark.parametrize(
    ("source", "lo"),
    [
        ("torch.log(torch.softmax(x, 1).sum(1))", 0.99),
        ("torch.log(F.softmax(x, dim=-1).sum(dim=-1, keepdim=True))", 0.99),
        ("torch.log(torch.softmax(x, 1).sum())", 0.99),
        ("torch.log(torch.softmax(x, 1).sum(0))", 0.0),
        ("torch.log(torch.softmax(x, 1)[:, :2].sum(1))", 0.0),
        ("tf.math.log(tf.reduce_sum(tf.nn.softmax(x), -1))", 0.99),
        ("tf.math.log(tf.reduce_sum(tf.nn.softmax(x), 0))", 0.0),
        ("jnp.log(jax.nn.softmax(x).sum(-1))", 0.99),
    ],
)
def test_softmax_sums_up_to_one_along_its_axis(source: str, lo: float) -> None:
    assert value_of(source).lo == lo


@pytest.mark.parametrize(
    ("source", "is_zero"),
    [
        ("torch.log(torch.softmax(x, 1).mean(0))", True),
        ("torch.log(torch.softmax(x, 1).double().sum((0, 2)))", True),
        ("torch.log(torch.softmax(x, -1).mean(dim=1))", True),
        ("torch.log(torch.softmax(x, -1).sum(dim=1, keepdim=True))", False),
        ("torch.log(torch.softmax(x, 1).sum(1))", False),
        ("torch.log(torch.softmax(x, 1).sum((0, 1)))", False),
        ("torch.log(torch.softmax(x, 1).sum())", False),
        ("torch.log(torch.softmax(x, d).sum(0))", False),
        ("torch.log(torch.softmax(x.clamp(-1, 1), 1).sum(0))", False),
        ("tf.math.log(tf.reduce_mean(tf.nn.softmax(x), -2))", True),
        ("tf.math.log(tf.reduce_mean(tf.nn.softmax(x), -1))", False),
        ("jnp.log(jax.nn.softmax(x, axis=1).mean(0))", True),
    ],
)
def test_sum_over_rows_of_a_softmax_is_zero_in_some_places(source: str, is_zero: bool) -> None:
    value = value_of(source)
    assert (0.0 in value.attained) == is_zero
    assert 0.0 not in value.together


@pytest.mark.parametrize(
    ("source", "lo"),
    [
        ("torch.log((x == torch.amax(x, 1, keepdim=True)).float().sum(1))", 1.0),
        ("torch.log((x.max() == x).float().sum())", 1.0),
        ("torch.log(torch.where(x >= x.amax(), 1.0, 0.0).sum())", 1.0),
        ("torch.log((x.amin() >= x).float().sum())", 1.0),
        ("tf.math.log(tf.reduce_sum(tf.cast(tf.equal(x, tf.reduce_min(x)), tf.float32)))", 1.0),
        ("jnp.log((x == x.max(axis=-1, keepdims=True)).astype(jnp.float32).sum(-1))", 1.0),
        ("torch.log((x == torch.amax(x, 1, keepdim=True)).float().sum(0))", 0.0),
        ("torch.log((y == x.max()).float().sum())", 0.0),
        ("torch.log((x > x.max()).float().sum())", 0.0),
        ("torch.log((x <= x.max() - 1).float().sum())", 0.0),
        ("torch.log(torch.where(x == x.max(), 0.0, 1.0).sum())", 0.0),
    ],
)
def test_some_element_is_the_maximum(source: str, lo: float) -> None:
    assert value_of(source).lo == lo


VARIANCES = [
    "torch.log((x**2).mean() - x.mean()**2)",
    "torch.log(torch.mean(x * x, 1) - torch.mean(x, 1) * torch.mean(x, 1))",
    "tf.math.log(tf.reduce_mean(tf.square(x)) - tf.square(tf.reduce_mean(x)))",
    "jnp.log(jnp.mean(x**2) - jnp.mean(x)**2)",
    "np.log((x**2).mean() - x.mean()**2)",
]


@pytest.mark.parametrize("source", VARIANCES)
def test_variance_by_cancellation_attains_zero_and_a_little_less(source: str) -> None:
    value = value_of(source)
    assert value.can_be(0.0) is value.can_be_negative() is Truth.YES
    assert min(value.attained) > -1e-6


def test_variance_by_cancellation_is_a_little_less_in_numpy() -> None:
    x = np.full(3, 1.1, "float32")
    variances = [(y**2).mean() - y.mean() ** 2 for y in (x * np.float32(k) for k in range(1, 60))]
    assert 0.0 in variances
    assert min(variances) < 0.0


@pytest.mark.parametrize(
    "source",
    [
        "torch.log((x**2).mean() - y.mean()**2)",
        "torch.log((x**2).mean(0) - x.mean(1)**2)",
        "torch.log((x**2).sum() - x.mean()**2)",
    ],
)
def test_difference_of_other_moments_shows_nothing(source: str) -> None:
    assert not value_of(source).attained


@pytest.mark.parametrize(
    "source",
    [
        "torch.log(torch.abs(x) + 2.0**-20)",
        "torch.log(abs(x) + 2.0**-20)",
        "tf.math.log(tf.abs(x) + 2.0**-20)",
        "jnp.log(jnp.abs(x) + 2.0**-20)",
        "np.log(np.abs(x) + 2.0**-20)",
    ],
)
def test_magnitude_with_an_epsilon_is_at_least_the_epsilon(source: str) -> None:
    assert value_of(source).lo == 2.0**-20


COUNTS = [
    ("if mask.any():\n  torch.log(mask.sum())", TORCH),
    ("if torch.any(mask):\n  torch.log(mask.float().sum())", TORCH),
    ("if not mask.any():\n  raise E\ntorch.log(torch.count_nonzero(mask))", TORCH),
    ("if mask.any().item():\n  torch.log(mask.sum())", TORCH),
    ("if mask.all():\n  torch.log(mask.sum())", TORCH),
    ("if mask.sum() > 0:\n  torch.log(mask.sum())", TORCH),
    ("if mask.sum() > 0:\n  torch.log(mask.float().sum())", TORCH),
    ("n = mask.sum()\nif n:\n  torch.log(n)", TORCH),
    ("n = mask.sum()\nif n == 0:\n  raise E\ntorch.log(n)", TORCH),
    ("n = mask.sum()\nif mask.any():\n  torch.log(n)", TORCH),
    ("n = mask.sum() if mask.any() else 1\ntorch.log(n)", TORCH),
    ("if np.any(mask):\n  np.log(np.sum(mask))", NUMPY),
    ("if mask.any():\n  np.log(np.count_nonzero(mask))", NUMPY),
    ("if jnp.any(mask):\n  jnp.log(mask.sum())", JAX),
    (
        "if tf.reduce_any(mask):\n  tf.math.log(tf.reduce_sum(tf.cast(mask, tf.float32)))",
        TENSORFLOW,
    ),
]


@pytest.mark.parametrize(("text", "imports"), COUNTS)
def test_count_of_a_mask_that_was_tested_is_at_least_one(text: str, imports: str) -> None:
    assert value_logged(f"mask = x > 0\n{text}", imports).lo == 1.0


@pytest.mark.parametrize(
    "text",
    [
        "torch.log(mask.sum())",
        "if other.any():\n  torch.log(mask.sum())",
        "if mask.any():\n  torch.log(mask.sum(1))",
        "if mask.any(1):\n  torch.log(mask.sum(0))",
        "if mask.any():\n  pass\ntorch.log(mask.sum())",
    ],
)
def test_count_of_another_mask_attains_zero(text: str) -> None:
    assert value_logged(f"mask = x > 0\n{text}").can_be(0.0) is Truth.YES


@pytest.mark.parametrize(
    ("source", "lo", "hi"),
    [
        ("torch.log(2.0 * x * x)", 0.0, inf),
        ("torch.log(x * 2.0 * y * y * x)", 0.0, inf),
        ("torch.log(-1.0 * x * x)", -inf, 0.0),
        ("torch.log(x * x * y)", -inf, inf),
    ],
)
def test_product_of_pairs_has_the_sign_of_its_number(source: str, lo: float, hi: float) -> None:
    value = value_of(source)
    assert (value.lo, value.hi) == (lo, hi)


def test_product_of_two_draws_has_either_sign() -> None:
    assert value_of("torch.log(torch.randn(3) * torch.randn(3))").lo < 0.0


@pytest.mark.parametrize(
    "target",
    [
        "F.one_hot(y, 3)",
        "torch.eye(3)[y]",
        "torch.zeros(4, 3).scatter_(1, y, 1)",
        "torch.zeros_like(p).scatter(1, y, 1.0)",
        "torch.zeros(4, 3).index_put_((i, y), torch.ones(4))",
        "torch.scatter(torch.zeros(4, 3), 1, y, 1)",
        "F.one_hot(y, 3).float().to(x.device)",
    ],
)
def test_sum_with_one_hot_rows_is_an_element(target: str) -> None:
    value = value_of(f"p = F.softmax(x, 1); torch.log((p * {target}).sum(1))")
    assert 0.0 in value.attained
    floored = value_of(f"p = F.softmax(x, 1) + 1e-6; torch.log((p * {target}).sum(1))")
    assert 0.0 not in floored.attained


@pytest.mark.parametrize(
    "written",
    [
        "h = torch.zeros(4, 3); h.scatter_(1, y, 1); torch.log((p * h).sum(1))",
        "h = torch.zeros(4, 3); h[i, y] = 1; torch.log((p * h).sum(1))",
        "h = torch.zeros(4, 3); h.fill_diagonal_(1); torch.log((p * h).sum(1))",
        "h = torch.ones(4, 3); h.scatter_(1, y, 1); torch.log((p * h).sum(1))",
        "h = torch.zeros(4, 3); h.scatter_(1, y, w); torch.log((p * h).sum(1))",
    ],
)
def test_ones_are_written_into_zeros(written: str) -> None:
    is_one_hot = "zeros" in written and ", w)" not in written
    assert (0.0 in value_of(f"p = F.softmax(x, 1); {written}").attained) == is_one_hot


@pytest.mark.parametrize(
    "source",
    [
        "h = tf.one_hot(y, 3); tf.math.log(tf.reduce_sum(tf.nn.softmax(x) * h, 1))",
        "h = tf.scatter_nd(y, tf.ones(3), [4]); tf.math.log(tf.reduce_sum(tf.nn.softmax(x) * h))",
        "h = jax.nn.one_hot(y, 3); jnp.log(jnp.sum(jax.nn.softmax(x) * h, -1))",
        "h = jnp.zeros((4, 3)).at[i, y].set(1); jnp.log(jnp.sum(jax.nn.softmax(x) * h, -1))",
    ],
)
def test_one_hot_rows_of_other_frameworks(source: str) -> None:
    assert 0.0 in value_of(source).attained


def test_set_elements_are_those_before_or_those_given() -> None:
    value = value_of("h = torch.zeros(4).scatter_(0, y, 2.0); torch.log(h)")
    assert (value.lo, value.hi) == (0.0, 2.0)


@pytest.mark.parametrize(
    ("quotient", "is_one"),
    [
        ("a / (a + b)", True),
        ("(a + 1) / (a + 0.7 * b + 1)", True),
        ("a / (a + b + 1e-3)", False),
        ("(a + 1) / (a + 2)", False),
    ],
)
def test_share_is_one_where_nothing_else_is_there(quotient: str, is_one: bool) -> None:
    value = value_of(f"a = torch.relu(x); b = torch.relu(y); torch.log({quotient})")
    assert (value.lo, 1.0 in value.attained) == (0.0, is_one)


@pytest.mark.parametrize(
    ("ratio", "is_one"),
    [
        ("(2 * (p * t).sum() + 1) / (p.sum() + t.sum() + 1)", True),
        ("2 * (p * t).sum() / (p.sum() + t.sum())", True),
        ("2 * (p * t).sum() / ((p * p).sum() + (t * t).sum())", True),
        ("2 * (p * t).sum() / ((p + t).sum() + eps)", True),
        ("(p * t).sum() / (p.sum() + t.sum())", False),
        ("2 * (p * t).sum() / (p.sum() + u.sum())", False),
        ("2 * (u * t).sum() / (u.sum() + t.sum())", False),
    ],
)
def test_overlap_with_what_saturates_reaches_one(ratio: str, is_one: bool) -> None:
    value = value_of(f"p = torch.sigmoid(x); torch.log({ratio})")
    assert (1.0 in value.attained) == is_one


def test_logistic_formula_has_both_ends() -> None:
    value = value_of("torch.log(1 / (1 + torch.exp(-x)))")
    assert (value.lo, value.hi, value.attained) == (0.0, 1.0, {0.0, 1.0})


UNIT_ROWS = "u = torch.relu(x); u = u / torch.norm(u, dim=-1, keepdim=True); "
WHOLE = [
    UNIT_ROWS + "torch.log(u.mean(0).norm())",
    UNIT_ROWS + "torch.log(torch.norm(u.sum(dim=0), p=2))",
    UNIT_ROWS + "torch.log(torch.norm(u.mean(1), dim=-1, keepdim=True))",
    UNIT_ROWS + "torch.log(u.detach().cpu().mean(0).norm())",
    "u = x ** 2; u = u / u.norm(p=2, dim=1, keepdim=True); torch.log(u.mean(0).norm())",
    "u = np.abs(x); u = u / np.linalg.norm(u, axis=1, keepdims=True); "
    "np.log(np.linalg.norm(np.mean(u, axis=0), 2))",
]
"""Means and sums of vectors of length 1 without a negative component."""
MAY_VANISH = [
    UNIT_ROWS.replace("torch.relu(x)", "torch.tanh(x)") + "torch.log(u.mean(0).norm())",
    UNIT_ROWS + "torch.log(u.mean(1).norm(dim=0))",
    UNIT_ROWS + "torch.log(u[x > 0].sum(0).norm())",
    UNIT_ROWS + "torch.log(u.mean(0).norm(p=-float('inf')))",
    UNIT_ROWS.replace("keepdim=True)", "keepdim=True) + 1") + "torch.log(u.half().mean(0).norm())",
    "u = torch.relu(x); u = F.normalize(u, dim=-1); torch.log(u.mean(0).norm())",
]


@pytest.mark.parametrize("source", WHOLE)
def test_unit_vectors_on_one_side_do_not_cancel(source: str) -> None:
    assert value_of(source).lo > 0


@pytest.mark.parametrize("source", MAY_VANISH)
def test_what_may_cancel_or_be_left_out_is_not_kept_from_zero(source: str) -> None:
    assert value_of(source).lo <= 0
