"""The negation of a text as a person writes it: the minus moves into an operand where it can.

Rounding to nearest is the same on both sides of 0, so every way that is taken here has the value
of `-(...)` to the last bit; only a difference of equal numbers gets the other sign of its zero.

>>> negated("gain * (cutoff - image)")
'gain * (image - cutoff)'
>>> negated("-x / scale")
'x / scale'
>>> negated("a + b")
'-(a + b)'
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

import libcst as cst

from mllint_nan.syntax.source import children

_ORDERED: Final = (cst.Call, cst.Await, cst.Yield, cst.NamedExpr)
"""Nodes that may have side effects, so that their order has to be kept."""
_PRODUCTS: Final = (cst.Multiply, cst.Divide, cst.MatrixMultiply)
_MODULE: Final = cst.Module([])

Known: TypeAlias = Callable[[str], bool]
"""Whether a call with this text only computes."""


def negated(code: str, computes: Known = lambda call: False) -> str:
    """The text of `-(code)`; two calls are reordered only if at least one of them just computes."""
    free = without_minus(code, computes)
    if free is not None:
        return free
    node = _parsed(code)
    if node is None:
        return f"-({code})"
    return f"-{code}" if _binds(node) or _begins_with_number(node) else f"-({code})"


def is_product(node: cst.BinaryOperation) -> bool:
    """Whether the sign of an operand is the sign of the whole."""
    return isinstance(node.operator, _PRODUCTS)


def without_minus(code: str, computes: Known = lambda call: False) -> str | None:
    """The text of `-(code)` without an additional minus, or `None` if there is none."""
    node = _parsed(code)
    better = None if node is None else _negated(node, computes)
    return None if better is None else _code(_bare(better))


def _parsed(code: str) -> cst.BaseExpression | None:
    """The tree of a text on one line without comments; `None` for any other text."""
    if "\n" in code or "#" in code:
        return None
    try:
        return cst.parse_expression(code)
    except cst.ParserSyntaxError:
        return None


def _negated(node: cst.BaseExpression, computes: Known) -> cst.BaseExpression | None:
    """The negation of a node without an additional minus, or `None` if there is none."""
    match node:
        case cst.UnaryOperation(operator=cst.Minus()):
            return node.expression
        case cst.BinaryOperation() if isinstance(node.operator, _PRODUCTS):
            return _product(node, computes)
        case cst.BinaryOperation(operator=cst.Add() | cst.Subtract()):
            bare = _bare(node)
            assert isinstance(bare, cst.BinaryOperation)
            return _sum(bare, computes)
        case _:
            return None


def _begins_with_number(node: cst.BaseExpression) -> bool:
    """Whether a product begins with a number; a mask in its place could not be negated."""
    while isinstance(node, cst.BinaryOperation) and not node.lpar:
        if not isinstance(node.operator, _PRODUCTS):
            return False
        node = node.left
    return isinstance(node, cst.BaseNumber)


def _product(node: cst.BinaryOperation, computes: Known) -> cst.BaseExpression | None:
    """The product with one factor negated: one that has a minus, else one that is a difference."""
    for only_minus in (True, False):
        found = _with_negated_factor(node, computes, only_minus=only_minus)
        if found is not None:
            return found
    return None


def _with_negated_factor(
    node: cst.BaseExpression, computes: Known, *, only_minus: bool
) -> cst.BaseExpression | None:
    is_product = isinstance(node, cst.BinaryOperation) and isinstance(
        node.operator, cst.Multiply | cst.Divide
    )
    if not is_product:
        is_negative = isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus)
        if is_negative != only_minus:
            return None
        inner = _negated(node, computes)
        return None if inner is None else _factor(inner)
    assert isinstance(node, cst.BinaryOperation)
    left = _with_negated_factor(node.left, computes, only_minus=only_minus)
    if left is not None:
        return node.with_changes(left=left)
    if isinstance(node.operator, cst.Divide):
        return None  # a zero divisor's sign is the quotient's, and integers have only one zero
    right = _with_negated_factor(node.right, computes, only_minus=only_minus)
    return None if right is None else node.with_changes(right=_parenthesized(right, right_of=True))


def _sum(node: cst.BinaryOperation, computes: Known) -> cst.BaseExpression | None:
    """`-a + b` as `a - b`, `a - b + c` as `b - a - c`, `a + b - c` as `c - (a + b)`."""
    return _leading_minus(node) or _exchanged(node, computes) or _difference(node, computes)


def _leading_minus(node: cst.BaseExpression) -> cst.BaseExpression | None:
    """The sum with every sign turned, if the first summand has a minus to drop."""
    if isinstance(node, cst.BinaryOperation) and not node.lpar and _is_sum(node):
        left = _leading_minus(node.left)
        return None if left is None else node.with_changes(left=left, operator=_turned(node))
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
        return node.expression
    if isinstance(node, cst.BinaryOperation) and not node.lpar and not _is_sum(node):
        left = _leading_minus(node.left)
        if left is None or not isinstance(node.operator, _PRODUCTS):
            return None
        return node.with_changes(left=_factor(left))
    return None


def _exchanged(node: cst.BaseExpression, computes: Known) -> cst.BaseExpression | None:
    """The sum with every sign turned, if the second summand has a minus and can go first."""
    if not isinstance(node, cst.BinaryOperation) or not _is_sum(node):
        return None
    inner = node.left
    if isinstance(inner, cst.BinaryOperation) and _is_sum(inner) and not inner.lpar:
        left = _exchanged(inner, computes)
        return None if left is None else node.with_changes(left=left, operator=_turned(node))
    return _difference(node, computes)


def _difference(node: cst.BinaryOperation, computes: Known) -> cst.BaseExpression | None:
    """`b - a` for `a - b`, unless that reorders calls that may do more than compute."""
    if not isinstance(node.operator, cst.Subtract):
        return None
    if _acts(node.left, computes) and _acts(node.right, computes):
        return None
    right = node.left if _binds(node.left, cst.Multiply) else _in_parentheses(node.left)
    return node.with_changes(left=_bare(node.right), right=right)


def _is_sum(node: cst.BinaryOperation) -> bool:
    return isinstance(node.operator, cst.Add | cst.Subtract)


def _turned(node: cst.BinaryOperation) -> cst.Add | cst.Subtract:
    operator = node.operator
    other = cst.Subtract if isinstance(operator, cst.Add) else cst.Add
    return other(operator.whitespace_before, operator.whitespace_after)  # type: ignore[attr-defined]


def _acts(node: cst.CSTNode, computes: Known) -> bool:
    """Whether evaluating the node may do more than compute."""
    return any(
        isinstance(part, _ORDERED)
        and not (isinstance(part, cst.Call) and computes(_code(_bare(part))))
        for part in _descendants(node)
    )


def _descendants(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    pending = [node]
    while pending:
        current = pending.pop()
        yield current
        pending.extend(children(current))


def _factor(node: cst.BaseExpression) -> cst.BaseExpression:
    """A node as a factor of a product, in parentheses if it needs them."""
    return node if _binds(node, cst.Multiply) else _in_parentheses(node)


def _parenthesized(node: cst.BaseExpression, *, right_of: bool) -> cst.BaseExpression:
    """The right factor, in parentheses if it is a product itself."""
    is_product = isinstance(node, cst.BinaryOperation) and not isinstance(node.operator, cst.Power)
    return _in_parentheses(node) if right_of and is_product and not node.lpar else node


def _in_parentheses(node: cst.BaseExpression) -> cst.BaseExpression:
    if node.lpar:
        return node
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def _bare(node: cst.BaseExpression) -> cst.BaseExpression:
    """The node without its parentheses, except a tuple's or a generator's, which belong to it."""
    if isinstance(node, cst.Tuple | cst.GeneratorExp):
        return node
    if isinstance(node, cst.BinaryOperation | cst.UnaryOperation | cst.Call | cst.Name):
        return node.with_changes(lpar=[], rpar=[])
    return node


def _binds(node: cst.BaseExpression, operator: type[cst.CSTNode] | None = None) -> bool:
    """Whether a node needs no parentheses behind a minus, or beside this operator."""
    if node.lpar:
        return True
    match node:
        case cst.BinaryOperation():
            if isinstance(node.operator, cst.Power):
                return True
            return operator is cst.Multiply and isinstance(node.operator, _PRODUCTS)
        case cst.UnaryOperation():
            return not isinstance(node.operator, cst.Not | cst.Minus)
        case cst.BooleanOperation() | cst.Comparison() | cst.IfExp() | cst.Lambda():
            return False
        case cst.NamedExpr() | cst.Yield() | cst.GeneratorExp() | cst.Tuple():
            return False
        case _:
            return True


def _code(node: cst.BaseExpression) -> str:
    return _MODULE.code_for_node(node)
