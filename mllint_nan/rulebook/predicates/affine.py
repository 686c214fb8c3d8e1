"""Terms read as affine functions of a common term, and what a comparison tests of one."""

from __future__ import annotations

from mllint_nan.ir.term import Term, behind_views, number_of
from mllint_nan.rulebook.predicates.context import through_views


def affine(term: Term) -> tuple[Term, float, float]:
    """The term as `scale * core + offset`, with numbers for both."""
    scale, offset = 1.0, 0.0
    core = behind_views(term)
    while core.operation.name in ("add", "sub", "mul", "div", "neg") and core.operands:
        name = core.operation.name
        if name == "neg":
            scale, core = -scale, behind_views(core.operands[0])
            continue
        left, right = core.operands
        a, b = number_of(left), number_of(right)
        if b is not None and (name != "div" or b != 0):
            match name:
                case "add":
                    offset += scale * b
                case "sub":
                    offset -= scale * b
                case "mul":
                    scale *= b
                case "div":
                    scale /= b
            core = behind_views(left)
        elif a is not None and name != "div":
            match name:
                case "add":
                    offset += scale * a
                case "sub":
                    offset += scale * a
                    scale = -scale
                case "mul":
                    scale *= a
            core = behind_views(right)
        else:
            break
        if scale == 0:
            break
    return core, scale or 1.0, offset


def tested_in(side: Term, keys: set[int]) -> tuple[float, float] | None:
    """The scale and offset with which a side of a comparison tests one of these terms."""
    for tested in (side, _inside_absolute(side)):
        core, scale, offset = affine(tested)
        if any(inner.key in keys for inner in through_views(core)):
            return scale, offset
    return None


def _inside_absolute(term: Term) -> Term:
    """The x that `abs(x) < eps` or `x**2 > 0` tests; any other term itself."""
    inner = behind_views(term)
    return inner.operands[0] if inner.operation.name in ("abs", "square") else term
