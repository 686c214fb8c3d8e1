"""v ∈ γ(a) ⇒ f(v) ∈ γ(f#(a)), against NumPy, SciPy and PyTorch in each float format."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Callable
from functools import cache
from math import inf, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mllint_nan.domains import value as values
from mllint_nan.domains.dtype import FORMATS, round_to, step
from mllint_nan.domains.interval import Interval
from mllint_nan.domains.transfer import TRANSFER, transfer
from mllint_nan.domains.truth import Truth
from mllint_nan.domains.value import Value, constant, free
from mllint_nan.ir.ops import CATALOGUE
from tests.of_each import of_each
from tests.on_demand import installed

torch = installed("torch")

special = pytest.importorskip("scipy.special")

Array = Any
FLOATS = ["float16", "float32", "float64"]
FREE = free()
COUNT = int(os.environ.get("EXAMPLES", "25"))
EXAMPLES = settings(max_examples=COUNT, deadline=None)
SHARED = settings(max_examples=2 * COUNT, deadline=None)
"""Of tests that ask every row about each example: to draw one takes longer than to ask them all."""


def run(name: str, *operands: Value, dtype: str = "float32", **arguments: object) -> Value:
    """f# in `dtype`; of an operation that has such a setting, `dtype` is that setting"""
    if "dtype" in CATALOGUE[name].parameters and name not in ("softmax", "log_softmax"):
        arguments["dtype"] = dtype
    return transfer(CATALOGUE[name], operands, arguments, dtype)


# What NumPy computes, element by element. Constants take the format of the operand.


def relu(x: Array) -> Array:
    return np.maximum(x, x.dtype.type(0))


def sigmoid(x: Array) -> Array:
    return special.expit(x)


def softplus(x: Array) -> Array:
    return np.logaddexp(x, x.dtype.type(0))


def leaky_relu(x: Array) -> Array:
    return np.where(x > 0, x, x.dtype.type(0.01) * x)


def by_torch(name: str) -> Callable[[Array], Array]:
    """A function of `torch.nn.functional`, of arrays."""

    def function(x: Array) -> Array:
        tensor = torch.from_numpy(np.ascontiguousarray(x))
        return getattr(torch.nn.functional, name)(tensor).numpy()

    return function


def zero_where(condition: Array, x: Array) -> Array:
    return np.where(condition, x.dtype.type(0), x)


UNARY: dict[str, Callable[[Array], Array]] = {
    "neg": np.negative,
    "abs": np.abs,
    "sign": np.sign,
    "square": np.square,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: x.dtype.type(1) / np.sqrt(x),
    "cbrt": np.cbrt,
    "floor": np.floor,
    "ceil": np.ceil,
    "round": np.round,
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "log1p": np.log1p,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "erf": special.erf,
    "erfc": special.erfc,
    "erfinv": special.erfinv,
    "ndtr": special.ndtr,
    "ndtri": special.ndtri,
    "log_ndtr": special.log_ndtr,
    "lgamma": special.gammaln,
    "digamma": special.psi,
    "logit": special.logit,
    "sigmoid": sigmoid,
    "log_sigmoid": by_torch("logsigmoid"),
    "relu": relu,
    "relu6": lambda x: np.minimum(relu(x), x.dtype.type(6)),
    "silu": by_torch("silu"),
    "gelu": by_torch("gelu"),
    "elu": by_torch("elu"),
    "leaky_relu": leaky_relu,
    "hard_sigmoid": by_torch("hardsigmoid"),
    "softplus": softplus,
    "logical_not": lambda x: np.logical_not(x).astype(x.dtype),
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
    "nan_to_num": np.nan_to_num,
}

BINARY: dict[str, Callable[[Array, Array], Array]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "floordiv": np.floor_divide,
    "mod": np.remainder,
    "pow": np.power,
    "atan2": np.arctan2,
    "copysign": np.copysign,
    "hypot": np.hypot,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "logaddexp": np.logaddexp,
    "xlogy": special.xlogy,
    "xlog1py": special.xlog1py,
    "divide_no_nan": lambda x, y: zero_where(y == 0, x / y),
    "multiply_no_nan": lambda x, y: zero_where(y == 0, x * y),
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
}

# Rows that other tests below speak of.
ELSEWHERE = {"clip", "where"}


def test_every_elementwise_row_is_sampled() -> None:
    rows = {
        name
        for name, operation in CATALOGUE.items()
        if operation.kind in ("elementwise", "comparison") and name in TRANSFER
    }
    sampled = set(UNARY) | set(BINARY) | ELSEWHERE | {"sigmoid_cross_entropy"}
    assert not rows - sampled, "without a function in UNARY or BINARY of this file"
    assert not sampled - rows, "without a row in mllint_nan/domains"


@cache
def landmarks(dtype: str) -> list[float]:
    form = FORMATS[dtype]
    positive = [form.smallest, form.tiny, form.eps, 0.5, 1.0 - form.eps, 1.0, 1.0 + form.eps]
    positive += [2.0, 3.0, 17.5, 90.0, 105.0, math.sqrt(form.max), form.max, inf]
    rounded = [round_to(number, dtype) for number in positive]
    return [0.0, *rounded, *(-number for number in rounded)]


@cache
def members(dtype: str) -> st.SearchStrategy[float]:
    width = {"float16": 16, "float32": 32, "float64": 64}[dtype]
    small = st.floats(-8, 8, width=width)
    return st.sampled_from(landmarks(dtype)) | small | st.floats(width=width, allow_nan=False)


@cache
def several(dtype: str) -> st.SearchStrategy[list[float]]:
    return st.lists(members(dtype), max_size=6)


@st.composite
def abstractions(draw: st.DrawFn, dtype: str) -> tuple[Value, list[float]]:
    """A value and some of its elements."""
    number = members(dtype)
    lo = draw(number)
    hi = lo if draw(st.integers(0, 3)) == 0 else draw(number)
    interval = Interval(min(lo, hi), max(lo, hi))
    inside = [p for p in landmarks(dtype) if interval.contains(p)]
    inside += [p for p in draw(several(dtype)) if interval.contains(p)]
    inside += [interval.lo, interval.hi]
    inside += [-0.0] if interval.contains(0.0) else []
    inside += [p for p in (step(lo, dtype, 1), step(lo, dtype, -1)) if interval.contains(p)]
    is_nonzero = interval.lo < 0.0 < interval.hi and draw(st.integers(0, 3)) == 0
    inside = [p for p in inside if p != 0.0 or not is_nonzero]
    may_be_nan = draw(st.integers(0, 7)) == 0
    attained = draw(st.sets(st.sampled_from(inside), max_size=3))
    value = Value(
        interval,
        may_be_nan,
        frozenset(p + 0.0 for p in attained),
        integer=all(map(float.is_integer, inside)) and interval.is_point,
        dtype=draw(st.sampled_from([None, dtype])),
        free=draw(st.booleans()) and interval.is_finite,
        nonzero=is_nonzero,
    )
    return value, inside + ([nan] if may_be_nan else [])


def check(abstract: Value, results: Array, what: object) -> None:
    outside = [float(y) for y in np.ravel(results) if not abstract.contains(float(y))]
    assert not outside, f"{outside[:4]} not in {abstract} for {what}"
    assert all(map(abstract.interval.contains, abstract.attained)), abstract
    assert abstract.scattered <= abstract.attained


def test_cube_root_below_one_may_be_beyond_one() -> None:
    """By an ulp, in the C library that NumPy calls."""
    unit = Value(Interval(0.0, 1.0), False)
    assert run("cbrt", unit, dtype="float64").contains(math.nextafter(1.0, 2.0))


@pytest.mark.parametrize("dtype", FLOATS)
@SHARED
@given(data=st.data())
def test_unary_rows_are_sound(dtype: str, data: st.DataObject) -> None:
    value, elements = data.draw(abstractions(dtype))
    for name, function in UNARY.items():
        with np.errstate(all="ignore"):
            results = function(np.array(elements, dtype)).astype(dtype)
        check(run(name, value, dtype=dtype), results, (name, value))


@pytest.mark.parametrize("dtype", FLOATS)
@SHARED
@given(data=st.data())
def test_binary_rows_are_sound(dtype: str, data: st.DataObject) -> None:
    first, xs = data.draw(abstractions(dtype))
    second, ys = data.draw(abstractions(dtype))
    x, y = np.meshgrid(np.array(xs, dtype), np.array(ys, dtype))
    for name, function in BINARY.items():
        with np.errstate(all="ignore"):
            results = function(x, y).astype(dtype)
        check(run(name, first, second, dtype=dtype), results, (name, first, second))


@pytest.mark.parametrize("dtype", FLOATS)
@SHARED
@given(data=st.data(), number=st.floats(-1e6, 1e6))
def test_python_constants_may_round_first_or_last(
    dtype: str, data: st.DataObject, number: float
) -> None:
    """NumPy rounds a Python number to the format, torch computes in a wider one."""
    value, elements = data.draw(abstractions(dtype))
    x = np.array(elements, dtype)
    for name in ("add", "sub", "mul", "div", "pow", "maximum", "floordiv", "mod"):
        result = run(name, value, constant(number), dtype=dtype)
        with np.errstate(all="ignore"):
            narrow = BINARY[name](x, np.array(number).astype(dtype))
            check(result, narrow, (name, value, number))
            if name in ("add", "sub", "mul", "div"):
                wide = BINARY[name](x.astype("float64"), number).astype(dtype)
                check(result, wide, (name, value, number))


@pytest.mark.parametrize("dtype", FLOATS)
@EXAMPLES
@given(data=st.data())
def test_clip_is_sound(dtype: str, data: st.DataObject) -> None:
    value, elements = data.draw(abstractions(dtype))
    low, high = data.draw(members(dtype)), data.draw(members(dtype))
    x = np.array(elements, dtype)
    for lower, upper in ((low, high), (low, None), (None, high)):
        results = x if lower is None else np.maximum(x, np.array(lower, dtype))
        results = results if upper is None else np.minimum(results, np.array(upper, dtype))
        check(run("clip", value, min=lower, max=upper, dtype=dtype), results, value)


@pytest.mark.parametrize("dtype", FLOATS)
@EXAMPLES
@given(data=st.data())
def test_where_is_sound(dtype: str, data: st.DataObject) -> None:
    first, xs = data.draw(abstractions(dtype))
    second, ys = data.draw(abstractions(dtype))
    check(run("where", values.TOP, first, second, dtype=dtype), np.array(xs + ys), first)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("threshold", [0, 20])
@pytest.mark.parametrize("beta", [0.5, 1, 3])
@EXAMPLES
@given(data=st.data())
def test_softplus_is_sound(beta: float, threshold: float, dtype: str, data: st.DataObject) -> None:
    value, elements = data.draw(abstractions(dtype))
    results = torch.nn.functional.softplus(
        torch.tensor(elements, dtype=getattr(torch, dtype)), beta, threshold
    )
    check(
        run("softplus", value, beta=beta, threshold=threshold, dtype=dtype), results.numpy(), value
    )


CASTS = ["float16", "float32", "float64", "int8", "int32", "int64", "uint8", "bool"]


@pytest.mark.parametrize("dtype", FLOATS)
@SHARED
@given(data=st.data())
def test_cast_is_sound(dtype: str, data: st.DataObject) -> None:
    value, elements = data.draw(abstractions(dtype))
    for target in CASTS:
        with np.errstate(all="ignore"):
            results = np.array(elements, dtype).astype(target).astype("float64")
        result = transfer(CATALOGUE["cast"], [value], {"dtype": target}, dtype)
        check(result, results, (target, value))
        assert result.dtype == target


# Reductions, on arrays whose elements lie in the interval.


def accurate(function: Callable[[Array], Array]) -> Callable[[Array], Array]:
    return lambda x: np.asarray(function(torch.from_numpy(x)))


REDUCTIONS: dict[str, Callable[[Array], Array]] = {
    "sum": np.sum,
    "mean": np.mean,
    "prod": np.prod,
    "max": np.max,
    "min": np.min,
    "median": np.median,
    "any": lambda x: np.any(x).astype(float),
    "all": lambda x: np.all(x).astype(float),
    "logsumexp": accurate(lambda x: torch.logsumexp(x, 0)),
    "count_nonzero": np.count_nonzero,
    "argmax": np.argmax,
    "argmin": np.argmin,
    "var": np.var,
    "std": np.std,
    "norm": np.linalg.norm,
    "size": np.size,
    "cumsum": np.cumsum,
    "cumprod": np.cumprod,
    "sort": np.sort,
    "topk": lambda x: np.sort(x)[::-1],
    "softmax": accurate(lambda x: torch.softmax(x, 0)),
    "log_softmax": accurate(lambda x: torch.log_softmax(x, 0)),
    "normalize": accurate(lambda x: torch.nn.functional.normalize(x, dim=0)),
}


@pytest.mark.parametrize("dtype", FLOATS)
@SHARED
@given(data=st.data())
def test_reductions_are_sound(dtype: str, data: st.DataObject) -> None:
    value, elements = data.draw(abstractions(dtype))
    chosen = data.draw(st.lists(st.sampled_from(elements), min_size=1, max_size=40))
    for name, function in REDUCTIONS.items():
        with np.errstate(all="ignore"):
            results = np.asarray(function(np.array(chosen, dtype)))
        check(run(name, value, dtype=dtype), results, (name, value, chosen))


@pytest.mark.filterwarnings("ignore:.*degrees of freedom")
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("correction", [0, 1])
@pytest.mark.parametrize("name", ["var", "std"])
@EXAMPLES
@given(data=st.data())
def test_corrected_moments_are_sound(
    name: str, correction: int, dtype: str, data: st.DataObject
) -> None:
    value, elements = data.draw(abstractions(dtype))
    chosen = data.draw(st.lists(st.sampled_from(elements), min_size=1, max_size=9))
    tensor = torch.tensor(chosen, dtype=getattr(torch, dtype))
    result = getattr(torch, name)(tensor, dim=0, correction=correction).numpy()
    check(run(name, value, correction=correction, dtype=dtype), result, (value, chosen))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("order", [None, 1, 2, inf, 3])
@EXAMPLES
@given(data=st.data())
def test_norms_are_sound(order: float | None, dtype: str, data: st.DataObject) -> None:
    value, elements = data.draw(abstractions(dtype))
    chosen = data.draw(st.lists(st.sampled_from(elements), min_size=1, max_size=9))
    with np.errstate(all="ignore"):
        result = np.linalg.norm(np.array(chosen, dtype), order)
    check(run("norm", value, ord=order, dtype=dtype), result, (value, chosen))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["dot", "distance", "cosine_similarity", "mse", "l1", "smooth_l1"])
@EXAMPLES
@given(data=st.data())
def test_products_are_sound(name: str, dtype: str, data: st.DataObject) -> None:
    functions = {
        "dot": torch.dot,
        "distance": torch.dist,
        "cosine_similarity": lambda x, y: torch.nn.functional.cosine_similarity(x, y, dim=0),
        "mse": torch.nn.functional.mse_loss,
        "l1": torch.nn.functional.l1_loss,
        "smooth_l1": torch.nn.functional.smooth_l1_loss,
    }
    first, xs = data.draw(abstractions(dtype))
    second, ys = data.draw(abstractions(dtype))
    pairs = st.tuples(st.sampled_from(xs), st.sampled_from(ys))
    chosen = data.draw(st.lists(pairs, min_size=1, max_size=9))
    x, y = (torch.tensor(part, dtype=getattr(torch, dtype)) for part in zip(*chosen, strict=True))
    result = functions[name](x, y).numpy()
    check(run(name, first, second, dtype=dtype), result, (first, second, chosen))


@given(st.integers(-9, 9), st.integers(-9, 9), st.integers(2, 5))
def test_linspace_is_sound(start: float, stop: float, count: int) -> None:
    elements = np.linspace(start, stop, count)
    check(run("linspace", start=start, stop=stop, num=count), elements, (start, stop, count))


@given(st.integers(-5, 5), st.integers(-5, 5), st.integers(1, 3), st.booleans())
def test_arange_is_sound(start: int, stop: int, stride: int, falls: bool) -> None:
    stride = -stride if falls else stride
    elements = np.arange(start, stop, stride)
    check(run("arange", start=start, stop=stop, step=stride), elements, (start, stop, stride))
    check(run("arange", start=start), np.arange(start), start)


def test_draws_are_sound() -> None:
    rng = np.random.default_rng(0)
    check(run("uniform", low=-2.0, high=3.0), rng.uniform(-2.0, 3.0, 10_000), "uniform")
    check(run("normal", mean=1.0, std=2.0), rng.normal(1.0, 2.0, 10_000), "normal")


# Views, collections and constants.

VIEWS: dict[str, Callable[[Array], Array]] = {
    "reshape": lambda x: x.reshape(-1, 1),
    "squeeze": lambda x: x[None].squeeze(0),
    "expand_dims": lambda x: x[:, None],
    "transpose": lambda x: x[:, None].T,
    "broadcast": lambda x: np.broadcast_to(x, (2, *x.shape)),
    "flatten": np.ravel,
    "gather": lambda x: np.take(x, [0, -1]),
    "subscript": lambda x: x[::2],
    "diagonal": lambda x: np.diagonal(np.tile(x, (len(x), 1))),
    "boolean_mask": lambda x: x[x > 0],
    "identity": np.copy,
    "detach": np.copy,
    "without_nan": lambda x: x[~np.isnan(x)],
    "element": lambda x: x[0],
    "split": lambda x: x[:1],
}
COLLECTIONS: dict[str, Callable[[Array, Array], Array]] = {
    "concat": lambda x, y: np.concatenate([x, y]),
    "stack": lambda x, y: np.stack([x, x]),
    "collect": lambda x, y: np.array([x[0], y[0]]),
}


@pytest.mark.parametrize("dtype", FLOATS)
@SHARED
@given(data=st.data())
def test_views_are_sound(dtype: str, data: st.DataObject) -> None:
    value, elements = data.draw(abstractions(dtype))
    for name, function in VIEWS.items():
        others = [values.TOP] * (CATALOGUE[name].operands - 1)
        with np.errstate(all="ignore"):
            results = function(np.array(elements, dtype))
        check(run(name, value, *others, dtype=dtype), results, (name, value))


@pytest.mark.parametrize("dtype", FLOATS)
@SHARED
@given(data=st.data())
def test_collections_are_sound(dtype: str, data: st.DataObject) -> None:
    first, xs = data.draw(abstractions(dtype))
    second, ys = data.draw(abstractions(dtype))
    for name, function in COLLECTIONS.items():
        results = function(np.array(xs, dtype), np.array(ys, dtype))
        check(run(name, first, second, dtype=dtype), results, (name, first, second))


CONSTANTS: dict[str, Callable[[str], Array]] = {
    "zeros": lambda dtype: np.zeros(3, dtype),
    "ones": lambda dtype: np.ones(3, dtype),
    "zeros_like": lambda dtype: np.zeros_like(np.ones(3, dtype)),
    "ones_like": lambda dtype: np.ones_like(np.zeros(3, dtype)),
    "full": lambda dtype: np.full(3, 0.1, dtype),
    "full_like": lambda dtype: np.full_like(np.zeros(3, dtype), 0.1),
    "eye": np.eye(3).astype,
    "one_hot": np.eye(3)[[0, 2]].astype,
    "finfo_eps": lambda dtype: np.finfo(dtype).eps,
    "finfo_tiny": lambda dtype: np.finfo(dtype).tiny,
    "finfo_max": lambda dtype: np.finfo(dtype).max,
    "finfo_min": lambda dtype: np.finfo(dtype).min,
    "shape": lambda dtype: np.array(np.zeros((2, 3), dtype).shape),
}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", CONSTANTS)
def test_constants_are_sound(name: str, dtype: str) -> None:
    operands = [FREE] * CATALOGUE[name].operands
    arguments = {"value": 0.1} if "value" in CATALOGUE[name].parameters else {}
    result = run(name, *operands, dtype=dtype, **arguments)
    check(result, CONSTANTS[name](dtype), (name, dtype))


# Products, draws and losses, by PyTorch.


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["matmul", "einsum", "trace", "logcumsumexp", "gumbel_softmax"])
@EXAMPLES
@given(data=st.data())
def test_rows_of_tensors_are_sound(name: str, dtype: str, data: st.DataObject) -> None:
    functions = {
        "matmul": torch.matmul,
        "einsum": lambda x, y: torch.einsum("ij,jk->ik", x, y),
        "trace": lambda x, y: torch.trace(x),
        "logcumsumexp": lambda x, y: torch.logcumsumexp(x, 0),
        "gumbel_softmax": lambda x, y: torch.nn.functional.gumbel_softmax(x, dim=1),
    }
    first, xs = data.draw(abstractions(dtype))
    second, ys = data.draw(abstractions(dtype))
    x, y = (
        torch.tensor(
            data.draw(st.lists(st.sampled_from(part), min_size=9, max_size=9)),
            dtype=getattr(torch, dtype),
        ).reshape(3, 3)
        for part in (xs, ys)
    )
    operands = {1: [first], 2: [first, second], 3: [values.TOP, first, second]}
    result = run(name, *operands[CATALOGUE[name].operands], dtype=dtype)
    check(result, functions[name](x, y).numpy(), (first, second, x, y))


LOSSES: dict[str, Callable[[Array, Array, Array, str], Array]] = {
    "cross_entropy": lambda x, p, k, r: torch.nn.functional.cross_entropy(x, k, reduction=r),
    "nll_loss": lambda x, p, k, r: torch.nn.functional.nll_loss(x, k, reduction=r),
    "binary_cross_entropy": lambda x, p, k, r: torch.nn.functional.binary_cross_entropy(
        x.sigmoid(), p, reduction=r
    ),
    "binary_cross_entropy_with_logits": (
        lambda x, p, k, r: torch.nn.functional.binary_cross_entropy_with_logits(x, p, reduction=r)
    ),
    "softmax_cross_entropy": lambda x, p, k, r: torch.nn.functional.cross_entropy(
        x, p, reduction="none"
    ),
    "sigmoid_cross_entropy": (
        lambda x, p, k, r: torch.nn.functional.binary_cross_entropy_with_logits(
            x, p, reduction="none"
        )
    ),
}


@SHARED
@given(data=st.data())
def test_losses_are_sound(data: st.DataObject) -> None:
    value, elements = data.draw(abstractions("float32").filter(lambda drawn: not drawn[0].nan))
    drawn = data.draw(st.lists(st.sampled_from(elements), min_size=6, max_size=6))
    logits = torch.tensor(drawn, dtype=torch.float32).reshape(2, 3)
    shares = data.draw(st.lists(st.floats(0, 1, width=32), min_size=6, max_size=6))
    targets = torch.tensor(shares, dtype=torch.float32).reshape(2, 3)
    labels = torch.tensor([0, 2])
    for name, reduction in itertools.product(LOSSES, ("none", "mean", "sum")):
        result = LOSSES[name](logits, targets, labels, reduction).numpy()
        share = Value(Interval(0.0, 1.0))
        scores = run("sigmoid", value) if name == "binary_cross_entropy" else value
        parameters = CATALOGUE[name].parameters
        operands = (share, scores) if parameters[0] == "labels" else (scores, share)
        settings = {"reduction": reduction} if "reduction" in parameters else {}
        what = (name, reduction, value, logits, targets)
        check(run(name, *operands, **settings), result, what)


def test_every_row_is_sampled() -> None:
    """By the tables here, or by a test above that names it."""
    tables = (UNARY, BINARY, REDUCTIONS, VIEWS, COLLECTIONS, CONSTANTS, LOSSES)
    named = {"dot", "distance", "cosine_similarity", "mse", "linspace", "arange", "uniform"}
    named |= {
        "l1",
        "smooth_l1",
        "normal",
        "cast",
        "matmul",
        "einsum",
        "trace",
        "logcumsumexp",
        "gumbel_softmax",
    }
    assert set(TRANSFER) == ELSEWHERE | named | {name for table in tables for name in table}


# Evidence: what is attained by a free input, and the input that does it, in float32.

POINTS: dict[str, dict[float, float]] = {
    "relu": {0.0: -1.0},
    "relu6": {0.0: -1.0, 6.0: 7.0},
    "abs": {0.0: 0.0},
    "square": {0.0: 0.0},
    "sigmoid": {0.0: -200.0, 1.0: 200.0},
    "log_sigmoid": {0.0: 200.0},
    "tanh": {-1.0: -200.0, 1.0: 200.0},
    "erf": {-1.0: -200.0, 1.0: 200.0},
    "erfc": {0.0: 200.0, 2.0: -200.0},
    "ndtr": {0.0: -200.0, 1.0: 200.0},
    "hard_sigmoid": {0.0: -200.0, 1.0: 200.0},
    "softplus": {0.0: -200.0},
    "elu": {-1.0: -200.0},
    "isnan": {0.0: 1.0, 1.0: nan},
    "isinf": {0.0: 1.0},
    "isfinite": {0.0: nan, 1.0: 1.0},
    "logical_not": {0.0: 1.0, 1.0: 0.0},
}


@pytest.mark.parametrize("name", UNARY)
def test_points_of_a_free_operand_are_attained(name: str) -> None:
    shown = POINTS.get(name, {})
    assert run(name, FREE).attained == set(shown)
    for point, witness in shown.items():
        with np.errstate(all="ignore"):
            assert float(UNARY[name](np.array([witness], "float32"))[0]) == point


@of_each(itertools.product(UNARY, [-200.0, -1.0, 0.0, 0.5, 1.0, 200.0, inf]))
def test_points_are_carried_over(row: tuple[str, float]) -> None:
    """An attained point of the result is the image of one of the operand, or due to freedom."""
    name, number = row
    value = Value(Interval(-300.0, inf), attained=frozenset({number}))
    with np.errstate(all="ignore"):
        image = float(UNARY[name](np.array([number], "float32")).astype("float32")[0])
    for point in run(name, value).attained - {0.0, 1.0}:
        assert point == pytest.approx(image, rel=1e-5)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "maximum", "minimum", "pow", "mod"])
@EXAMPLES
@given(data=st.data())
def test_points_are_carried_over_a_constant(name: str, dtype: str, data: st.DataObject) -> None:
    value, _ = data.draw(abstractions(dtype).filter(lambda drawn: not drawn[0].nan))
    number = data.draw(members(dtype)) + 0.0
    result = run(name, value, constant(number), dtype=dtype)
    points = np.array([*value.attained, *([0.0] if value.interval.contains(0.0) else [])], dtype)
    with np.errstate(all="ignore"):
        images = BINARY[name](points, np.array(number, dtype)) if len(points) else points
    reached = {*(float(y) for y in images), number}
    for point in result.attained:
        assert any(math.isclose(point, y, rel_tol=1e-2) or point == y for y in reached), result


def test_softmax_is_not_all_zero() -> None:
    probabilities = run("softmax", FREE)
    assert probabilities.attained == {0.0, 1.0}
    assert torch.softmax(torch.tensor([0.0, 200.0]), 0).tolist() == [0.0, 1.0]
    assert run("sum", probabilities).can_be(0.0) is Truth.UNKNOWN
    assert run("max", probabilities).attained == {1.0}
    masked = run("mul", probabilities, run("gt", FREE, FREE))
    assert run("sum", masked).can_be(0.0) is Truth.YES


@pytest.mark.parametrize("name", ["relu", "square", "abs"])
@pytest.mark.parametrize("reduction", ["sum", "mean", "max", "min", "prod", "norm", "median"])
def test_all_elements_vanish_at_once(name: str, reduction: str) -> None:
    assert run(reduction, run(name, FREE)).can_be(0.0) is Truth.YES


@pytest.mark.parametrize("name", ["norm", "var", "std"])
def test_a_free_vector_may_be_constant_or_zero(name: str) -> None:
    assert run(name, FREE).attained == {0.0}


@pytest.mark.parametrize("name", ["exp", "log", "sum", "mean", "max", "logsumexp", "sqrt"])
def test_no_evidence_where_only_the_range_admits_it(name: str) -> None:
    assert run(name, FREE).attained == set()


def test_differences_of_free_inputs_are_free() -> None:
    difference = run("sub", FREE, FREE)
    assert difference.free and not difference.attained
    assert run("add", FREE, constant(1.0)).free
    assert run("sum", run("square", difference)).can_be(0.0) is Truth.YES
    assert not run("exp", FREE).free
    assert not run("sub", FREE, values.TOP).free


def test_clip_attains_its_bounds() -> None:
    clipped = run("clip", FREE, min=0.25, max=0.75)
    assert clipped.attained == {0.25, 0.75}
    assert clipped.interval == Interval(0.25, 0.75)
    assert run("maximum", FREE, constant(2.0)).attained == {2.0}
    assert run("clip", run("exp", FREE), max=4.0).attained == set()


@pytest.mark.parametrize("name", ["gt", "lt", "ge", "eq", "ne"])
def test_comparisons_attain_both_outcomes(name: str) -> None:
    mask = run(name, FREE, constant(0.0))
    assert (mask.attained, mask.integer, mask.dtype) == ({0.0, 1.0}, True, "bool")
    assert run("sum", mask).can_be(0.0) is Truth.YES
    assert run("cast", mask, dtype="float32").attained == {0.0, 1.0}


def test_comparisons_are_decided_by_disjoint_ranges() -> None:
    assert run("gt", run("exp", FREE), constant(-1.0)).interval == Interval(1.0, 1.0)
    assert run("eq", constant(3.0), constant(4.0)).interval == Interval(0.0, 0.0)


# Epsilons.


@pytest.mark.parametrize(
    ("dtype", "epsilon", "answer"),
    [
        ("float32", 1e-8, Truth.NO),
        ("float32", 1e-40, Truth.UNKNOWN),
        ("float32", 1e-46, Truth.YES),
        ("float16", 1e-8, Truth.YES),
        ("float16", 1e-7, Truth.NO),
        ("bfloat16", 1e-8, Truth.NO),
    ],
)
def test_an_epsilon_guards_if_the_format_keeps_it(
    dtype: str, epsilon: float, answer: Truth
) -> None:
    squares = run("sum", run("square", FREE, dtype=dtype), dtype=dtype)
    assert run("add", squares, constant(epsilon), dtype=dtype).can_be(0.0) is answer
    assert run("clip", FREE, min=epsilon, dtype=dtype).can_be(0.0) is answer or answer is (
        Truth.UNKNOWN
    )


def test_an_epsilon_does_not_guard_either_sign() -> None:
    assert run("add", FREE, constant(1e-8)).can_be(0.0) is Truth.UNKNOWN


@pytest.mark.parametrize(("dtype", "epsilon"), [("float32", 1e-10), ("float16", 1e-4)])
def test_one_minus_an_absorbed_epsilon_is_one(dtype: str, epsilon: float) -> None:
    upper = run("sub", constant(1.0), constant(epsilon), dtype=dtype)
    assert upper.interval == Interval(1.0, 1.0)
    p = run("clip", run("sigmoid", FREE, dtype=dtype), min=epsilon, max=upper, dtype=dtype)
    assert run("sub", constant(1.0), p, dtype=dtype).can_be(0.0) is Truth.YES


def test_the_operand_shows_the_format() -> None:
    half = run("relu", free("float16"))
    assert half.dtype == "float16"
    assert run("add", half, constant(1e-8)).can_be(0.0) is Truth.YES
    assert run("add", run("cast", half, dtype="torch.float32"), constant(1e-8)).lo > 0.0
    assert run("add", half, free("bfloat16")).dtype == "float32"


# The rest.


@pytest.mark.parametrize("name", sorted(set(CATALOGUE) - set(TRANSFER)))
def test_an_operation_without_a_row_is_unknown(name: str) -> None:
    operands = [FREE] * CATALOGUE[name].operands
    assert transfer(CATALOGUE[name], operands, {}) == values.TOP


@of_each(
    itertools.product(
        sorted(TRANSFER), [values.TOP, FREE, constant(nan), constant(2.0), constant(-inf)]
    )
)
def test_every_row_accepts_every_operand(row: tuple[str, Value]) -> None:
    name, value = row
    operation = CATALOGUE[name]
    result = transfer(operation, [value] * operation.operands, {"value": 1.0})
    assert not result.is_bottom
    assert all(map(result.interval.contains, result.attained))
    strange = dict.fromkeys(operation.parameters[operation.operands :], object())
    assert not transfer(operation, [value] * operation.operands, strange).is_bottom
    if operation.operands:
        assert transfer(operation, [], {"value": 1.0}) == values.TOP
        unreachable = [values.BOTTOM] * operation.operands
        assert transfer(operation, unreachable, {"value": 1.0}) == values.BOTTOM


@pytest.mark.parametrize(
    ("result", "lo", "hi"),
    [
        (run("exp", run("minimum", FREE, constant(0.0))), 0.0, 1.0),
        (run("add", run("exp", FREE), constant(1.0)), 1.0, inf),
        (run("log", constant(0.0)), -inf, -inf),
        (run("pow", FREE, constant(2.0)), 0.0, inf),
        (run("mean", run("sigmoid", FREE)), 0.0, 1.0),
        (run("prod", run("sigmoid", FREE)), 0.0, 1.0),
        (run("mul", run("sigmoid", FREE), run("sigmoid", FREE)), 0.0, 1.0),
        (run("size", FREE), 1.0, 2.0**48),
        (run("finfo_eps", dtype="float16"), 2.0**-10, 2.0**-10),
        (run("square", run("div", constant(1.0), FREE)), 0.0, inf),
        (run("mod", run("size", FREE), constant(2.0)), 0.0, 2.0),
    ],
)
def test_ranges(result: Value, lo: float, hi: float) -> None:
    assert result.interval == Interval(lo, hi)
