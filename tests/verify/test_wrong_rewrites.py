"""Wrong rewrites of all kinds, none of which the verifier of users may call proved."""

from __future__ import annotations

import pytest

from mllint_nan.findings import Hazard, Proof, Verified
from mllint_nan.ir.canonical import Builder
from mllint_nan.ir.ops import operation
from mllint_nan.ir.term import Term
from mllint_nan.verify.cut import Cut
from mllint_nan.verify.variables import Variable
from mllint_nan.verify.verifier import Verifier

pytestmark = pytest.mark.slow

FULL = (-1e38, 1e38)


BUILD = Builder()


def call(name: str, *operands: Term | float, **settings: float | bool | None) -> Term:
    parts = tuple(o if isinstance(o, Term) else BUILD.constant(o) for o in operands)
    given = {key: BUILD.constant(value) for key, value in settings.items()}
    return Term(operation(name), parts, BUILD.fresh(), None, given)


X, Y = BUILD.variable("x"), BUILD.variable("y")
LAST = {"axis": -1}
LOG_SOFTMAX = call("log", call("softmax", X, **LAST))
CUT_GRADIENTS = [
    (LOG_SOFTMAX, call("detach", call("log_softmax", X, **LAST))),
    (call("mul", X, Y), call("mul", X, call("detach", Y))),
    (call("mul", X, Y), call("mul", call("detach", X), Y)),
    (call("sub", X, Y), call("sub", X, call("detach", Y))),
    (call("add", X, Y), call("add", call("detach", X), Y)),
    (call("exp", X), call("detach", call("exp", X))),
    (call("maximum", X, Y), call("maximum", X, call("detach", Y))),
    (call("sum", X, **LAST), call("sum", call("detach", X), **LAST)),
]
OFF_AT_A_DECADE = [
    (call("div", 1.0, X), call("div", X, call("add", call("mul", X, X), 1e-12))),
    (call("div", 1.0, X), call("div", X, call("clip", call("mul", X, X), min=1e-16))),
    (call("div", Y, X), call("div", Y, call("clip", X, min=1e-9))),
    (call("log", call("abs", X)), call("log", call("add", call("abs", X), 1e-14))),
    (call("sqrt", call("abs", X)), call("sqrt", call("clip", call("abs", X), min=1e-7))),
    (call("div", 1.0, X), call("div", 1.0, call("add", X, 1e-9))),
    (call("mul", X, X), call("mul", X, call("clip", X, max=3e8))),
    (call("log", call("abs", X)), call("log", call("clip", call("abs", X), max=1e15))),
    (call("log1p", call("abs", X)), call("log1p", call("clip", call("abs", X), max=1e12))),
    (call("abs", X), call("maximum", X, call("mul", X, -0.999))),
]


def judged(
    verifier: Verifier, framework: str, before: Term, after: Term, hazard: Hazard = Hazard.VALUE
) -> Proof:
    names = ("x", "y") if "y" in f"{before}{after}" else ("x",)
    variables = tuple(Variable(name, *FULL) for name in names)
    parts = Cut(framework, "float32", before, after, None, 0.0, variables, ())
    return verifier.proof_of(parts, hazard, is_safe=True)


@pytest.mark.parametrize("framework", ["torch", "tensorflow", "jax"])
@pytest.mark.parametrize(("before", "after"), CUT_GRADIENTS, ids=repr)
def test_cut_gradient_is_refuted(
    verifier: Verifier, framework: str, before: Term, after: Term
) -> None:
    proof = judged(verifier, framework, before, after)
    assert proof.fix is Verified.REFUTED, proof.summary
    assert "the gradient" in proof.summary


@pytest.mark.parametrize("framework", ["torch", "jax", "numpy"])
@pytest.mark.parametrize(("before", "after"), OFF_AT_A_DECADE, ids=repr)
def test_fault_at_one_decade_is_refuted(
    verifier: Verifier, framework: str, before: Term, after: Term
) -> None:
    proof = judged(verifier, framework, before, after)
    assert proof.fix is Verified.REFUTED, proof.summary
