"""Predicates about the ranges that a class declares for its arguments, as distributions do.

`arg_constraints` declares the parameters of a distribution, and `support` the points at which its
densities are evaluated. PyTorch, Pyro and NumPyro check both when they validate.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Final

from mllint_nan.domains.interval import Interval
from mllint_nan.domains.truth import Truth
from mllint_nan.flow.state import Scope
from mllint_nan.ir import program as ir
from mllint_nan.ir.term import ATTRIBUTE, INPUT, Term, number_of, peel
from mllint_nan.rulebook.predicates.context import Context, is_self, known, predicate
from mllint_nan.rulebook.predicates.roles import options_of

_PARAMETERS: Final = "arg_constraints"
_SUPPORT: Final = "support"
_DENSITIES: Final = frozenset(("log_prob", "prob", "cdf", "log_cdf"))
"""Methods of a distribution whose first argument is a point of its support."""
_CLOSED: Final = {
    "real": Interval(-inf, inf),
    "real_vector": Interval(-inf, inf),
    "unit_interval": Interval(0.0, 1.0),
    "nonnegative": Interval(0.0, inf),
    "nonnegative_integer": Interval(0.0, inf),
    "simplex": Interval(0.0, 1.0),
    "boolean": Interval(0.0, 1.0),
    "one_hot": Interval(0.0, 1.0),
}
"""Constraints that include their bounds."""
_SELECTING: Final = frozenset(("gather", "element", "boolean_mask", "subscript"))
_DEEPEST: Final = 6


@predicate
def is_declared_to_be(context: Context, x: Term, number: float) -> Truth:
    """x can be number within the declared range of an argument, bounds included."""
    return known(_attains(context, x, float(number), _DEEPEST))


def _attains(context: Context, x: Term, number: float, depth: int) -> bool:
    inner = _arranged(x)
    declared = _declared(context, inner)
    if declared is not None:
        return declared.contains(number)
    if depth == 0:
        return False
    options = options_of(inner)
    if options:  # it is enough if x is the argument itself on one path
        return any(_attains(context, option, number, depth - 1) for option in options)
    match inner.operation.name:
        case "neg":
            return _attains(context, inner.operands[0], -number, depth - 1)
        case "square" | "sqrt" | "abs" if number == 0:
            return _attains(context, inner.operands[0], 0.0, depth - 1)
        case "mul" if number == 0:
            return any(_attains(context, part, 0.0, depth - 1) for part in inner.operands)
        case "sub":
            left, right = inner.operands
            shift = number_of(left)
            if isinstance(shift, int | float):
                return _attains(context, right, shift - number, depth - 1)
    return False


def _arranged(x: Term) -> Term:
    """The term all of whose elements x has: a selection may leave out those at a bound."""
    inner = peel(x)
    while inner.operation.kind == "view" and inner.operation.name not in _SELECTING:
        inner = peel(inner.operands[0])
    return inner


def _declared(context: Context, term: Term) -> Interval | None:
    """The closed range that is declared for an attribute of `self` or for an argument."""
    owner = context.occurrence.scope.owner
    if owner is None:
        return None
    if term.operation is ATTRIBUTE and is_self(term.operands[0]):
        return next((_range(said) for said in _constraints(owner, str(term.detail))), None)
    scope = context.occurrence.scope
    if term.operation is INPUT and scope.name in _DENSITIES and scope.parent is owner:
        is_first = scope.parameters[1:2] == (term.detail,)
        return next(map(_range, _assigned(owner, _SUPPORT)), None) if is_first else None
    return None


def _constraints(owner: Scope, name: str) -> Iterator[ir.Expression]:
    """Yield the constraints that `arg_constraints` gives for a parameter."""
    for said in _assigned(owner, _PARAMETERS):
        if isinstance(said, ir.Unknown) and said.what == "dict":
            for key, constraint in zip(said.children[::2], said.children[1::2], strict=False):
                if isinstance(key, ir.Constant) and key.value == name:
                    yield constraint


def _assigned(owner: Scope, name: str) -> Iterator[ir.Expression]:
    """Yield the values that the body of a class assigns to a name."""
    if isinstance(owner.node, ir.Class):
        for statement in owner.node.body:
            match statement:
                case ir.Assign(targets=(ir.Name(name=target),), value=value) if target == name:
                    yield value
                case _:
                    pass


def _range(constraint: ir.Expression) -> Interval | None:
    """The numbers that a constraint admits, if it includes its bounds; else `None`."""
    match constraint:
        case ir.Attribute(name=name) | ir.Name(name=name):
            return _CLOSED.get(name)
        case ir.Call(callee=ir.Attribute(name=name) | ir.Name(name=name), arguments=arguments):
            bounds = [_number(argument.value) for argument in arguments]
        case _:
            return None
    match name, bounds:
        case "greater_than_eq", [float(low)]:
            return Interval(low, inf)
        case "less_than_eq", [float(high)]:
            return Interval(-inf, high)
        case "interval" | "closed_interval" | "integer_interval", [low, high]:
            return Interval(-inf if low is None else low, inf if high is None else high)
        case "half_open_interval", [float(low), _]:
            return Interval(low, inf)
    return None


def _number(expression: ir.Expression) -> float | None:
    match expression:
        case ir.Constant(value=int() | float() as number):
            return float(number)
        case ir.Unary(operator="-", operand=ir.Constant(value=int() | float() as number)):
            return -float(number)
        case _:
            return None
