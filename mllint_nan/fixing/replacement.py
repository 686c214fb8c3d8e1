"""The edit that replaces an expression by a text: parentheses, and signs that merge."""

from __future__ import annotations

import re
from typing import Final

import libcst as cst

from mllint_nan.findings import Edit, Span
from mllint_nan.syntax.negation import is_product
from mllint_nan.syntax.precedence import ATOM, POWER, PRODUCT, SIGN, Text, level_of
from mllint_nan.syntax.source import Source, comments_in

_SIGN: Final = re.compile(r"[ \t]*(?P<sign>[+-])(?P<rest>=?[ \t]*)")
"""The operator of a sum or a difference, or `+=` or `-=`, with the blanks around it."""


def _leads_with_minus(node: cst.BaseExpression) -> bool:
    """Whether a product begins with a minus that applies to all of it."""
    while isinstance(node, cst.BinaryOperation) and not node.lpar and is_product(node):
        node = node.left
    return (
        isinstance(node, cst.UnaryOperation)
        and isinstance(node.operator, cst.Minus)
        and not node.lpar
    )


def replacement(source: Source, node: cst.BaseExpression, text: Text) -> Edit:
    """Return the edit that replaces `node` by `text`, without parentheses no longer needed."""
    if text.has_minus and "\n" not in text.code and not _leads_with_minus(node):
        merged = _merged(source, node, text.without_minus())
        if merged is not None:
            return merged
    whole, inside = source.outside_parentheses(node), source.span(node)
    before = source.text[max(whole.start - 1, 0) : whole.start]
    around = source.text[whole.start : inside.start] + source.text[inside.end : whole.end]
    if (
        node.lpar
        and text.level >= ATOM
        and not around.strip("() \t\r\n\\")  # there is a comment in between
        and not (before.isalnum() or before == "_")
    ):
        return edit_at(source, whole, text.code)
    return edit_at(source, inside, _fitted(source, node, text))


def _merged(source: Source, node: cst.BaseExpression, opposite: Text) -> Edit | None:
    """Return the edit where `-opposite` follows a sign: `- -x` is `+ x`, and `-(-x)` is `x`."""
    parent = source.parent(node)
    if isinstance(parent, cst.UnaryOperation) and isinstance(parent.operator, cst.Minus):
        return None if comments_in(parent) else replacement(source, parent, opposite)
    if isinstance(parent, cst.BinaryOperation) and is_product(parent):
        return _merged_product(source, node, parent, opposite)
    whole = source.outside_parentheses(node)
    if isinstance(parent, cst.BinaryOperation) and parent.right is node:
        before = source.outside_parentheses(parent.left).end
    elif isinstance(parent, cst.AugAssign):
        before = source.outside_parentheses(parent.target).end
    else:
        return None
    sign = _SIGN.fullmatch(source.text, before, whole.start)
    if sign is None:
        return None
    turned = "-" if sign["sign"] == "+" else "+"
    text = f"{turned}{sign['rest']}{opposite.at(PRODUCT)}"
    return edit_at(source, Span(sign.start("sign"), whole.end), text)


def _merged_product(
    source: Source, node: cst.BaseExpression, product: cst.BinaryOperation, opposite: Text
) -> Edit | None:
    """Return the edit for a product with the factor `-opposite`, merged with another minus."""
    span = source.span(product)
    if comments_in(product) or "\n" in source.slice(span):
        return None
    factor = source.outside_parentheses(node)
    text = opposite.at(PRODUCT + (product.right is node))
    after = f"{text}{source.text[factor.end : span.end]}"
    before = source.text[span.start : factor.start]
    if product.right is node and _leads_with_minus(product.left):
        return edit_at(source, span, f"{before[1:].lstrip()}{after}")
    return _merged(source, product, Text(before + after, PRODUCT))


def _fitted(source: Source, node: cst.BaseExpression, text: Text) -> str:
    """Return the text, with parentheses where its place requires them."""
    if text.level >= ATOM or node.lpar or text.level >= level_of(node):
        return text.code
    parent = source.parent(node)
    if isinstance(parent, cst.BinaryOperation) and parent.right is node:
        level = level_of(parent)
        return text.at(SIGN if level == POWER else level + 1)
    if isinstance(parent, cst.BinaryOperation) and level_of(parent) != POWER:
        return text.at(level_of(parent))
    if isinstance(
        parent,
        cst.Arg
        | cst.Assign
        | cst.AnnAssign
        | cst.AugAssign
        | cst.Return
        | cst.Expr
        | cst.Index
        | cst.Element,
    ):
        return text.code
    return f"({text.code})"


def edit_at(source: Source, span: Span, content: str) -> Edit:
    lines = source.lines
    return Edit(span, content, lines.position(span.start), lines.position(span.end))
