"""Classes derived from `Sequential`: the layers that their constructor hands to its base.

    class Head(nn.Sequential):
        def __init__(self, size):
            super().__init__(nn.Linear(size, 1), nn.Sigmoid())

calls these one after the other, as if it set an attribute to `nn.Sequential(...)` and called that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mllint_nan.ir import program as ir

_SEQUENTIAL: Final = "Sequential"
LAYERS: Final = "super"
"""The attribute that such an object is understood to have; a word that the class contains."""


def applied_in_turn(bases: Sequence[ir.Expression], methods: Sequence[str]) -> ir.Expression | None:
    """The base of a class that calls its layers in turn, and does not say otherwise itself."""
    if len(bases) != 1 or any(name in methods for name in ir.CALLED_BY_NAME):
        return None
    match bases[0]:
        case ir.Name(_, name) | ir.Attribute(_, _, name) if name == _SEQUENTIAL:
            return bases[0]
        case _:
            return None


def keeping_layers(constructor: ir.Function, base: ir.Expression) -> ir.Function | None:
    """A constructor that keeps what it hands to its base; `None` if it hands nothing to it."""
    body: list[ir.Statement] = []
    for statement in constructor.body:
        body.append(statement)
        match statement:
            case ir.Evaluate(
                site,
                ir.Call(_, ir.Attribute(_, ir.Call(_, ir.Name(_, "super")), "__init__"), given),
            ):
                kept = ir.Attribute(None, ir.Name(None, "self"), LAYERS)
                body.append(ir.Assign(site, (kept,), ir.Call(None, base, given), alone=False))
    if len(body) != len(constructor.body) + 1:
        return None
    return ir.Function(
        constructor.site,
        constructor.name,
        constructor.parameters,
        tuple(body),
        constructor.decorators,
        constructor.returns,
    )


def calling_layers(site: ir.Site) -> ir.Function:
    """The method that calls the layers in turn."""
    kept = ir.Attribute(None, ir.Name(None, "self"), LAYERS)
    called = ir.Call(None, kept, (ir.Argument(ir.Name(None, "input")),))
    parameters = (ir.Parameter("self"), ir.Parameter("input"))
    return ir.Function(site, ir.CALLED_BY_NAME[0], parameters, (ir.Return(None, called),), ())


def with_layers(body: ir.Block, bases: Sequence[ir.Expression], site: ir.Site) -> ir.Block:
    """The body of a class, with such a constructor and method if it calls its layers in turn."""
    methods = [item.name for item in body if isinstance(item, ir.Function)]
    base = applied_in_turn(bases, methods)
    if base is None:
        return body
    found: list[ir.Statement] = []
    is_kept = False
    for item in body:
        keeping: ir.Function | None = None
        if isinstance(item, ir.Function) and item.name == ir.FIRST_METHODS[0]:
            keeping = keeping_layers(item, base)
        found.append(keeping or item)
        is_kept = is_kept or keeping is not None
    return (*found, calling_layers(site)) if is_kept else body
