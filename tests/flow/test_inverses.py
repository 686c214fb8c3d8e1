"""What a bound on a result leaves of the operand holds of every number that gives such a result."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Final

import pytest

from mllint_nan.domains.dtype import round_to
from mllint_nan.domains.interval import Interval
from mllint_nan.domains.restriction import Restriction
from mllint_nan.flow.inverses import inverted
from mllint_nan.ir.canonical import Builder
from mllint_nan.ir.ops import operation
from mllint_nan.ir.term import INPUT, Term

BUILD: Final = Builder()
X: Final = BUILD.leaf(INPUT, "x")


def _with(name: str, number: float, *, first: bool = False) -> Term:
    constant = BUILD.constant(number)
    operands = (constant, X) if first else (X, constant)
    return Term(operation(name), operands, BUILD.fresh(), None, {}, "torch", None)


def _of(name: str) -> Term:
    return Term(operation(name), (X,), BUILD.fresh(), None, {}, "torch", None)


CASES: Final[dict[str, tuple[Term, Callable[[float], float]]]] = {
    "sqrt": (_of("sqrt"), math.sqrt),
    "square": (_of("square"), lambda x: x * x),
    "sigmoid": (_of("sigmoid"), lambda x: 1 / (1 + math.exp(-x))),
    "tanh": (_of("tanh"), math.tanh),
    "exp": (_of("exp"), math.exp),
    "neg": (_of("neg"), lambda x: -x),
    "x * 3": (_with("mul", 3.0), lambda x: x * 3.0),
    "-0.25 * x": (_with("mul", -0.25, first=True), lambda x: -0.25 * x),
    "x / -7": (_with("div", -7.0), lambda x: x / -7.0),
    "x + 1e-6": (_with("add", 1e-6), lambda x: x + 1e-6),
    "1000 + x": (_with("add", 1000.0, first=True), lambda x: 1000.0 + x),
    "x - 0.1": (_with("sub", 0.1), lambda x: x - 0.1),
    "1 - x": (_with("sub", 1.0, first=True), lambda x: 1.0 - x),
}


def _operands(name: str) -> list[float]:
    chosen = random.Random(name)
    drawn = [chosen.uniform(-1, 1) * 10.0 ** chosen.uniform(-8, 2) for _ in range(200)]
    drawn += [0.0, 1.0, -1.0, 1e-30, 0.1, 1000.0, -1000.0, *(chosen.gauss(0, 1) for _ in range(99))]
    if name == "sqrt":
        return [abs(x) for x in drawn]
    return [min(x, 80.0) for x in drawn] if name in ("exp", "sigmoid") else drawn


@pytest.mark.parametrize(
    ("name", "format_"),
    [
        *((name, "float32") for name in CASES),
        *((name, "bfloat16") for name in CASES if name not in ("sigmoid", "tanh", "exp")),
    ],
)
def test_no_operand_is_left_out(name: str, format_: str) -> None:
    term, function = CASES[name]
    pairs = []
    for number in _operands(name):
        x = round_to(max(number, -80.0) if name == "sigmoid" else number, format_)
        pairs.append((x, round_to(function(x), format_)))
    bounds = [result for _, result in pairs[::9]]
    for bound in bounds:
        for interval in (Interval(bound, math.inf), Interval(-math.inf, bound)):
            for holes in (frozenset[float](), frozenset({0.0})):
                found = inverted(term, Restriction(interval, holes, number=True))
                assert found is not None
                left = found[1]
                for x, result in pairs:
                    if interval.lo <= result <= interval.hi and result not in holes:
                        assert left.interval.lo <= x <= left.interval.hi, (x, result, bound)
                        assert x not in left.holes, (x, result, bound)


def test_something_is_left_out() -> None:
    """Each row says something: a bound in the middle of its results is one of its operand."""
    for name, (term, function) in CASES.items():
        bound = function(0.5)
        found = inverted(term, Restriction(Interval(bound, math.inf), number=True))
        assert found is not None
        interval = found[1].interval
        assert name == "square" or interval.lo > -math.inf or interval.hi < math.inf, name


def test_a_root_that_may_be_nan_bounds_nothing_from_below() -> None:
    found = inverted(_of("sqrt"), Restriction(Interval(0.5, math.inf)))
    assert found is not None
    assert found[1].interval.lo == -math.inf
    assert 0.0 in found[1].holes
