"""Aliases: whether a write into one variable may be visible in another."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from mllint_nan.flow.environment import Environment
from mllint_nan.flow.queries import expressions, is_in_place, targets
from mllint_nan.flow.state import Closure
from mllint_nan.flow.storage import SHARING, is_part, roots
from mllint_nan.ir import program as ir
from mllint_nan.ir.blocks import own_statements
from mllint_nan.ir.term import Term
from mllint_nan.syntax.source import descendants


def may_share(written: cst.BaseExpression, read: Term, environment: Environment) -> bool:
    """Whether a write into `written` may change what `read` reads."""
    target = path_of(written)
    if not target or not isinstance(read.site, cst.CSTNode):
        return True
    roots = _roots(environment.lookup(target))
    return bool(roots & _roots(read)) or any(
        target == path
        or target.startswith(f"{path}.")
        or path.startswith(f"{target}.")
        or roots & _roots(environment.lookup(path))
        for path in _paths(read.site)
    )


def path_of(node: cst.CSTNode) -> str:
    """The variable, dotted or not, that an expression is a view of: `x.w` for `x.w.data[0]`."""
    while True:
        match node:
            case cst.Subscript(value=value):
                node = value
            case cst.Call(func=cst.Attribute(value=value)):
                node = value
            case cst.Attribute(value=value, attr=cst.Name(value=name)) if name in SHARING:
                node = value
            case cst.Attribute(value=value, attr=cst.Name(value=name)):
                inner = path_of(value)
                return f"{inner}.{name}" if inner else ""
            case cst.Name(value=name):
                return name
            case _:
                return ""


def written_names(closure: Closure) -> frozenset[str]:
    """The parameters and outer variables that a call of a function of this file writes into."""
    if not isinstance(closure.body, tuple):
        return frozenset()
    names: set[str] = set()
    own: set[str] = set()
    for statement in own_statements(closure.body):
        names.update(map(_root, _written_by(statement)))
        if not isinstance(statement, ir.Augment):
            places = (place for target in targets(statement) for place in ir.targets_of(target))
            own.update(place.name for place in places if isinstance(place, ir.Name))
    given = {one.name for one in closure.parameters}
    return frozenset(name for name in names if name and (name in given or name not in own))


def _written_by(statement: ir.Statement) -> Iterator[ir.Expression]:
    """Yield the expressions whose values a statement may write into."""
    for target in targets(statement):
        for place in ir.targets_of(target):
            if isinstance(statement, ir.Augment) or isinstance(place, ir.Subscript):
                yield place
    for expression in expressions(statement):
        match expression:
            case ir.Call(_, callee, arguments):
                yield from (one.value for one in arguments if one.keyword == "out")
                if isinstance(callee, ir.Attribute | ir.Name) and is_in_place(callee.name):
                    yield from (one.value for one in arguments[:1])
                    if isinstance(callee, ir.Attribute):
                        yield callee.base
            case _:
                pass


def _root(expression: ir.Expression) -> str:
    """The variable that an expression is a view of."""
    while True:
        match expression:
            case ir.Call(_, ir.Attribute(_, base)) | ir.Subscript(_, base) | ir.Attribute(_, base):
                expression = base
            case ir.Name(_, name):
                return name
            case _:
                return ""


def _paths(node: cst.CSTNode) -> Iterator[str]:
    for inner in descendants(node):
        if isinstance(inner, cst.Name | cst.Attribute):
            path = path_of(inner)
            if path:
                yield path


def _roots(term: Term | None) -> frozenset[int]:
    """The keys of the values whose elements a term may share."""
    return roots(term, _may_be_part)


def _may_be_part(term: Term) -> bool:
    """Whether a term is, or may be, a part of its operand: a cast to the same format shares it."""
    is_in_place = isinstance(term.site, cst.AugAssign)
    return is_in_place or term.operation.name == "cast" or is_part(term)
