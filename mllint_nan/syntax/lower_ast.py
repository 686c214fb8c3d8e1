"""Lowers nodes of CPython's own parser to a program, as `lower` does those of LibCST.

This takes a fraction of the time, and keeps no positions: a site is a handle that nothing finds
again, and no assignment is known to have its line to itself.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from mllint_nan.ir import program as ir
from mllint_nan.syntax.lowering import (
    AST,
    EXPRESSIONS,
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


def lower_module(module: ast.Module) -> ir.Block:
    """Lower the whole module as one block; no node is kept, so the tree can be freed."""
    return _WITH_SITES.block(module.body)


def lower_plainly(module: ast.Module) -> ir.Block:
    """Lower a whole module of another text, which is never shown: it has no sites."""
    return _WITHOUT_SITES.block(module.body)


def lower_statement(node: ast.stmt) -> ir.Block:
    """Lower a statement of another text, which is never shown: it has no sites."""
    return _WITHOUT_SITES.block((node,))


def lower_calls(node: ast.stmt) -> ir.Block:
    """Lower a statement of another text: only its calls have sites, which are rows."""
    return _WITH_ROWS.block((node,))


def lower_expressions(nodes: Iterable[ast.expr]) -> tuple[ir.Expression, ...]:
    """Lower expressions of another text, without sites."""
    return _WITHOUT_SITES.expressions(nodes)


class _Lowering(Lowering):
    def __init__(self, *, keeps_sites: bool, keeps_rows: bool = False) -> None:
        super().__init__(ast)
        self._keeps_sites = keeps_sites
        self._keeps_rows = keeps_rows

    def expression(self, node: Node) -> ir.Expression:
        site: ir.Site = object() if self._keeps_sites else None
        if type(node) is ast.Name:  # as nearly half of them are
            return ir.Name(site, node.id)
        if self._keeps_rows and type(node) is ast.Call:
            site = node.lineno
        handler = _EXPRESSIONS.get(type(node), Lowering._unknown)
        return handler(self, node, site)

    def block(self, body: Node) -> ir.Block:
        statements: list[ir.Statement] = []
        for node in body:
            handler = _STATEMENTS.get(type(node), Lowering._nothing)
            statement = handler(self, node, object() if self._keeps_sites else None)
            if statement is not None:
                statements.append(statement)
        return tuple(statements)

    # Expressions

    def constant(self, node: Node, site: ir.Site) -> ir.Expression:
        if node.value is ...:
            return ir.Unknown(site, ())
        return ir.Constant(site, node.value)

    def formatted(self, node: Node, site: ir.Site) -> ir.Expression:
        return ir.Unknown(site, self.expressions(_inserted(node)), "call format")

    def template(self, node: Node, site: ir.Site) -> ir.Expression:
        return ir.Unknown(site, self.expressions(_inserted(node)))

    def dict_display(self, node: Node, site: ir.Site) -> ir.Expression:
        pairs = zip(node.keys, node.values, strict=True)
        children = self.expressions(part for pair in pairs for part in pair if part is not None)
        return ir.Unknown(site, children, "unknown" if None in node.keys else "dict")

    # Parts

    def text_of(self, name: Node) -> str:
        return str(name.id) if isinstance(name, ast.Name) else str(name)

    def contained(self, node: Node) -> Iterable[Node]:
        return [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]

    def sign(self, node: Node) -> str:
        return _SIGNS[type(node.op)]

    def chain(self, node: Node, site: ir.Site) -> tuple[Node, Branches]:
        parts: list[tuple[str, Node]] = []
        if isinstance(node, ast.BoolOp):
            first, *others = node.values
            parts = [(self.sign(node), other) for other in others]
        else:
            first = node
            while isinstance(first, ast.BinOp):
                parts.append((self.sign(first), first.right))
                first = first.left
            parts.reverse()
        last = len(parts) - 1
        return first, [
            (site if place == last else object() if self._keeps_sites else None, sign, operand)
            for place, (sign, operand) in enumerate(parts)
        ]

    def operand(self, node: Node) -> Node:
        return node.operand

    def comparisons(self, node: Node) -> Iterable[tuple[str, Node]]:
        return zip([_SIGNS[type(one)] for one in node.ops], node.comparators, strict=True)

    def arguments(self, node: Node) -> tuple[ir.Argument, ...]:
        positional, keywords = node.args, node.keywords
        given: list[ast.expr | ast.keyword] = [*positional, *keywords]
        if keywords and any(isinstance(argument, ast.Starred) for argument in positional):
            given.sort(key=lambda argument: (argument.lineno, argument.col_offset))
        return tuple([self._argument(one) for one in given])

    def _argument(self, node: ast.expr | ast.keyword) -> ir.Argument:
        if isinstance(node, ast.keyword):
            return ir.Argument(
                self.expression(node.value), node.arg, "**" if node.arg is None else ""
            )
        if isinstance(node, ast.Starred):
            return ir.Argument(self.expression(node.value), None, "*")
        return ir.Argument(self.expression(node))

    def indices(self, node: Node) -> Iterable[Node]:
        index = node.slice
        parts = index.elts if isinstance(index, ast.Tuple) and index.elts else [index]
        return [part.value if isinstance(part, ast.Starred) else part for part in parts]

    def elements(self, node: Node) -> Iterable[Node]:
        elements: list[ast.expr] = node.elts
        return elements

    def clauses(self, node: Node) -> Iterable[Clause]:
        return [(one.target, one.iter, one.ifs) for one in node.generators]

    def parameters(self, node: Node) -> Iterable[Parameter]:
        given = node.args
        plain = (*given.posonlyargs, *given.args)
        defaults = (*[None] * (len(plain) - len(given.defaults)), *given.defaults)
        result: list[Parameter] = [
            (one.arg, default, "", one.annotation)
            for one, default in zip(plain, defaults, strict=True)
        ]
        if given.vararg is not None:
            result.append((given.vararg.arg, None, "*", given.vararg.annotation))
        elif given.kwonlyargs:
            result.append(("", None, "*", None))
        named = zip(given.kwonlyargs, given.kw_defaults, strict=True)
        result += [(one.arg, default, "", one.annotation) for one, default in named]
        if given.kwarg is not None:
            result.append((given.kwarg.arg, None, "**", given.kwarg.annotation))
        return result

    def target(self, node: Node) -> ir.Target:
        if type(node) is ast.Starred:
            return ir.Starred(self.target(node.value))
        return super().target(node)

    # Statements

    def targets(self, node: Node) -> Iterable[Node]:
        targets: list[ast.expr] = node.targets
        return targets

    def is_alone(self, node: Node) -> bool:
        return False

    def bindings(self, node: Node) -> Iterable[tuple[str, str]]:
        prefix, joint = "", ""
        if isinstance(node, ast.ImportFrom):
            prefix = "." * node.level + (node.module or "")
            if node.names[0].name == "*":
                return [("*", prefix)]
            joint = "" if not prefix or prefix.endswith(".") else "."
        bound: list[tuple[str, str]] = []
        for alias in node.names:
            root = alias.name.partition(".")[0]
            if alias.asname or isinstance(node, ast.ImportFrom):
                bound.append((alias.asname or alias.name, f"{prefix}{joint}{alias.name}"))
            else:
                bound.append((root, root))
        return bound

    def shared_names(self, node: Node) -> Iterable[str]:
        names: list[str] = node.names
        return names

    def entered(self, node: Node) -> Iterable[tuple[Node, Node | None]]:
        return [(item.context_expr, item.optional_vars) for item in node.items]

    def caught_as(self, handler: Node) -> str | None:
        return str(handler.name) if handler.name is not None else None

    def pattern_names(self, pattern: Node) -> Iterable[str]:
        return _pattern_names(pattern)

    def decorators(self, node: Node) -> Iterable[Node]:
        decorators: list[ast.expr] = node.decorator_list
        return decorators

    def returned_type(self, node: Node) -> Node | None:
        return node.returns

    def bases(self, node: Node) -> Iterable[Node]:
        return [base.value if isinstance(base, ast.Starred) else base for base in node.bases]

    def annotation(self, node: Node) -> Node:
        return node.annotation

    def fields(self, node: Node) -> Iterable[tuple[str, Node]]:
        return [
            (item.target.id, item.annotation)
            for item in node.body
            if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
        ]


_SIGNS: Final[Mapping[type, str]] = by_type(SIGNS, ast, AST)
_EXPRESSIONS: Final[dict[type, ExpressionHandler]] = {
    **by_type(EXPRESSIONS, ast, AST),
    ast.Constant: _Lowering.constant,
    ast.JoinedStr: _Lowering.formatted,
    ast.Dict: _Lowering.dict_display,
}
_STATEMENTS: Final[Mapping[type, StatementHandler]] = by_type(STATEMENTS, ast, AST)
if hasattr(ast, "TemplateStr"):  # missing in the oldest Python that runs this
    _EXPRESSIONS[ast.TemplateStr] = _Lowering.template

_WITH_SITES: Final = _Lowering(keeps_sites=True)
_WITHOUT_SITES: Final = _Lowering(keeps_sites=False)
_WITH_ROWS: Final = _Lowering(keeps_sites=False, keeps_rows=True)


def _inserted(node: Any) -> Iterator[ast.expr]:
    """Yield the expressions in a formatted string, including those in its format specifications."""
    for part in node.values:
        if not isinstance(part, ast.Constant):
            yield part.value
            if part.format_spec is not None:
                yield from _inserted(part.format_spec)


def _pattern_names(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.MatchAs(_, str(name)) | ast.MatchStar(str(name)):
            yield name
        case ast.MatchMapping(rest=str(name)):
            yield name
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.pattern):
            yield from _pattern_names(child)
