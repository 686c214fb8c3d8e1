"""Lowers LibCST nodes to a program: a site is the node, by which its text is found and edited."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

import libcst as cst

from mllint_nan.ir import program as ir
from mllint_nan.syntax.lowering import (
    EXPRESSIONS,
    LIBCST,
    SIGNS,
    STATEMENTS,
    Branches,
    Clause,
    ExpressionHandler,
    Lowering,
    Node,
    Parameter,
    StatementHandler,
    by_type,
)

_PLAIN: Final = re.compile(r"'[^'\\]*'|\"[^\"\\]*\"")
"""A string without escapes or a prefix; all others are evaluated by Python itself."""
_KEYWORD_CONSTANTS: Final = {"True": True, "False": False, "None": None}


def lower_module(module: cst.Module) -> ir.Block:
    """The whole module as one block."""
    return _Lowering().block(module)


class _Lowering(Lowering):
    def __init__(self) -> None:
        super().__init__(cst)
        self._alone = False
        """Whether the current statement has its line to itself."""

    def expression(self, node: Node) -> ir.Expression:
        return _EXPRESSIONS.get(type(node), Lowering._unknown)(self, node, node)

    def block(self, body: Node) -> ir.Block:
        if body is None:
            return ()
        if isinstance(body, cst.If):  # an `elif`
            return self._rows([body])
        if isinstance(body, cst.Else | cst.Finally):
            return self.block(body.body)
        return self._rows([body] if isinstance(body, cst.SimpleStatementSuite) else body.body)

    def _rows(self, rows: Iterable[Node]) -> ir.Block:
        statements: list[ir.Statement | None] = []
        for row in rows:
            if isinstance(row, cst.SimpleStatementLine | cst.SimpleStatementSuite):
                for small in row.body:
                    self._alone = isinstance(row, cst.SimpleStatementLine) and len(row.body) == 1
                    handler = _STATEMENTS.get(type(small), _Lowering.other_statement)
                    statements.append(handler(self, small, small))
            else:
                handler = _STATEMENTS.get(type(row), Lowering._nothing)
                statements.append(handler(self, row, row))
        return tuple([statement for statement in statements if statement is not None])

    # Expressions

    def name(self, node: Node, site: ir.Site) -> ir.Expression:
        if node.value in _KEYWORD_CONSTANTS:
            return ir.Constant(site, _KEYWORD_CONSTANTS[node.value])
        return ir.Name(site, node.value)

    def number(self, node: Node, site: ir.Site) -> ir.Expression:
        try:
            return ir.Constant(site, node.evaluated_value)
        except (ValueError, SyntaxError):  # more digits than the interpreter converts
            return ir.Unknown(site, ())

    def string(self, node: Node, site: ir.Site) -> ir.Expression:
        if _PLAIN.fullmatch(node.value):
            return ir.Constant(site, node.value[1:-1])
        return self.number(node, site)

    def formatted(self, node: Node, site: ir.Site) -> ir.Expression:
        return ir.Unknown(site, self.expressions(self.contained(node)), "call format")

    def concatenated(self, node: Node, site: ir.Site) -> ir.Expression:
        """Adjacent strings are one string in Python; if one of them is formatted, all are."""
        pieces, last = [node.left], node.right
        while isinstance(last, cst.ConcatenatedString):
            pieces.append(last.left)
            last = last.right
        parts = self.expressions((*pieces, last))
        values = [part.value for part in parts if isinstance(part, ir.Constant)]
        texts = [value for value in values if isinstance(value, str)]
        octets = [value for value in values if isinstance(value, bytes)]
        if len(texts) == len(parts):
            return ir.Constant(site, "".join(texts))
        if len(octets) == len(parts):
            return ir.Constant(site, b"".join(octets))
        known = [part.children for part in parts if isinstance(part, ir.Unknown)]
        inserted = tuple([child for children in known for child in children])
        return ir.Unknown(site, inserted, "call format")

    def dict_display(self, node: Node, site: ir.Site) -> ir.Expression:
        """The keys and values, alternating."""
        has_star = any(isinstance(element, cst.StarredDictElement) for element in node.elements)
        children = self.expressions(self.contained(node))
        return ir.Unknown(site, children, "unknown" if has_star else "dict")

    # Parts

    def text_of(self, name: Node) -> str:
        return str(name.value)

    def contained(self, node: Node) -> Iterable[Node]:
        found: list[Node] = []
        for child in node.children:
            if isinstance(child, cst.BaseExpression):
                found.append(child)
            elif not isinstance(child, cst.BaseParenthesizableWhitespace | cst.Comma):
                found.extend(self.contained(child))
        return found

    def sign(self, node: Node) -> str:
        return _SIGNS[type(node.operator)]

    def chain(self, node: Node, site: ir.Site) -> tuple[Node, Branches]:
        links, kind = [node], type(node)
        while isinstance(links[-1].left, kind):
            links.append(links[-1].left)
        return links[-1].left, [(link, self.sign(link), link.right) for link in reversed(links)]

    def operand(self, node: Node) -> Node:
        return node.expression

    def comparisons(self, node: Node) -> Iterable[tuple[str, Node]]:
        return [(_SIGNS[type(one.operator)], one.comparator) for one in node.comparisons]

    def arguments(self, node: Node) -> tuple[ir.Argument, ...]:
        return tuple(
            [
                ir.Argument(
                    self.expression(one.value),
                    one.keyword.value if one.keyword is not None else None,
                    one.star,
                )
                for one in node.args
            ]
        )

    def indices(self, node: Node) -> Iterable[Node]:
        first = node.slice[0]
        if len(node.slice) == 1 and not isinstance(first.comma, cst.Comma):
            inside = first.slice.value if isinstance(first.slice, cst.Index) else None
            if isinstance(inside, cst.Tuple) and inside.elements:  # a[(b, c)] is a[b, c]
                return [element.value for element in inside.elements]
        parts = [element.slice for element in node.slice]
        return [part.value if isinstance(part, cst.Index) else part for part in parts]

    def elements(self, node: Node) -> Iterable[Node]:
        return [one.value if isinstance(one, cst.Element) else one for one in node.elements]

    def clauses(self, node: Node) -> Iterable[Clause]:
        found: list[Clause] = []
        clause = node.for_in
        while clause is not None:
            found.append((clause.target, clause.iter, [one.test for one in clause.ifs]))
            clause = clause.inner_for_in
        return found

    def parameters(self, node: Node) -> Iterable[Parameter]:
        given = node.params
        result = [_parameter(one) for one in (*given.posonly_params, *given.params)]
        if isinstance(given.star_arg, cst.Param):
            result.append(_parameter(given.star_arg, "*"))
        elif isinstance(given.star_arg, cst.ParamStar):
            result.append(("", None, "*", None))
        result += [_parameter(one) for one in given.kwonly_params]
        if given.star_kwarg is not None:
            result.append(_parameter(given.star_kwarg, "**"))
        return result

    def target(self, node: Node) -> ir.Target:
        if isinstance(node, cst.StarredElement):
            return ir.Starred(self.target(node.value))
        return super().target(node)

    # Statements

    def other_statement(self, node: Node, site: ir.Site) -> ir.Statement | None:
        return ir.Evaluate(site, ir.Unknown(site, self.expressions(self.contained(node))))

    def targets(self, node: Node) -> Iterable[Node]:
        if isinstance(node, cst.Del):
            return [node.target]
        return [target.target for target in node.targets]

    def is_alone(self, node: Node) -> bool:
        return self._alone

    def bindings(self, node: Node) -> Iterable[tuple[str, str]]:
        is_from = isinstance(node, cst.ImportFrom)
        prefix = "." * len(node.relative) + _dotted(node.module) if is_from else ""
        if isinstance(node.names, cst.ImportStar):
            return [("*", prefix)]
        joint = "" if not prefix or prefix.endswith(".") else "."
        bound: list[tuple[str, str]] = []
        for alias in node.names:
            path = _dotted(alias.name)
            if alias.asname is not None:
                bound.append((alias.asname.name.value, f"{prefix}{joint}{path}"))
            elif is_from:
                bound.append((path, f"{prefix}{joint}{path}"))
            else:
                root = path.partition(".")[0]
                bound.append((root, root))
        return bound

    def shared_names(self, node: Node) -> Iterable[str]:
        return [item.name.value for item in node.names]

    def entered(self, node: Node) -> Iterable[tuple[Node, Node | None]]:
        return [
            (one.item, one.asname.name if one.asname is not None else None) for one in node.items
        ]

    def caught_as(self, handler: Node) -> str | None:
        return str(handler.name.name.value) if handler.name is not None else None

    def pattern_names(self, pattern: Node) -> Iterable[str]:
        names: list[str] = []
        if isinstance(pattern, cst.MatchAs | cst.MatchStar) and pattern.name is not None:
            names.append(pattern.name.value)
        if isinstance(pattern, cst.MatchMapping) and pattern.rest is not None:
            names.append(pattern.rest.value)
        for child in pattern.children:
            names.extend(self.pattern_names(child))
        return names

    def decorators(self, node: Node) -> Iterable[Node]:
        return [item.decorator for item in node.decorators]

    def returned_type(self, node: Node) -> Node | None:
        return node.returns.annotation if node.returns is not None else None

    def bases(self, node: Node) -> Iterable[Node]:
        return [argument.value for argument in node.bases]

    def annotation(self, node: Node) -> Node:
        return node.annotation.annotation

    def fields(self, node: Node) -> Iterable[tuple[str, Node]]:
        body = node.body
        rows = [body] if isinstance(body, cst.SimpleStatementSuite) else body.body
        return [
            (part.target.value, part.annotation.annotation)
            for row in rows
            if isinstance(row, cst.SimpleStatementLine | cst.SimpleStatementSuite)
            for part in row.body
            if isinstance(part, cst.AnnAssign) and isinstance(part.target, cst.Name)
        ]


def _parameter(node: cst.Param, star: str = "") -> Parameter:
    annotation = node.annotation.annotation if node.annotation is not None else None
    return node.name.value, node.default, star, annotation


def _dotted(node: Any) -> str:
    """The text of a dotted name; empty if there is none."""
    if isinstance(node, cst.Attribute):
        return f"{_dotted(node.value)}.{node.attr.value}"
    return str(node.value) if node is not None else ""


_SIGNS: Final[Mapping[type, str]] = by_type(SIGNS, cst, LIBCST)
_EXPRESSIONS: Final[Mapping[type, ExpressionHandler]] = {
    **by_type(EXPRESSIONS, cst, LIBCST),
    cst.Name: _Lowering.name,
    cst.Integer: _Lowering.number,
    cst.Float: _Lowering.number,
    cst.Imaginary: _Lowering.number,
    cst.SimpleString: _Lowering.string,
    cst.FormattedString: _Lowering.formatted,
    cst.ConcatenatedString: _Lowering.concatenated,
    cst.Dict: _Lowering.dict_display,
}
_STATEMENTS: Final[Mapping[type, StatementHandler]] = by_type(STATEMENTS, cst, LIBCST)
