"""Nodes of CPython's own parser to a program, as `lower` makes one of LibCST's nodes.

It takes a small part of the time, and tells no place in a text: a site is a handle that nothing
finds again, and no assignment is known to have its line to itself.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from mllint_nan.ir import program as ir

_BINARY: Final[dict[type[ast.AST], str]] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}
_UNARY: Final[dict[type[ast.AST], str]] = {
    ast.USub: "-",
    ast.UAdd: "+",
    ast.Invert: "~",
    ast.Not: "not",
}
_COMPARISONS: Final[dict[type[ast.AST], str]] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}


def lower_module(module: ast.Module) -> ir.Block:
    """The whole module as one block; it keeps no node, so that the tree can go."""
    return _WITH_SITES.block(module.body)


def lower_statement(node: ast.stmt) -> ir.Block:
    """A statement of another text, of which none is shown: it has no sites."""
    return _WITHOUT_SITES.block((node,))


def lower_calls(node: ast.stmt) -> ir.Block:
    """A statement of another text: only its calls have sites, and these are rows."""
    return _WITH_ROWS.block((node,))


def lower_expressions(nodes: Iterable[ast.expr]) -> tuple[ir.Expression, ...]:
    """Expressions of another text, without sites."""
    return _WITHOUT_SITES.expressions(nodes)


class _Lowering:
    def __init__(self, *, keeps_sites: bool, keeps_rows: bool = False) -> None:
        self._keeps_sites = keeps_sites
        self._keeps_rows = keeps_rows

    def site(self) -> ir.Site:
        return object() if self._keeps_sites else None

    def expression(self, node: ast.expr) -> ir.Expression:
        site = object() if self._keeps_sites else None
        if type(node) is ast.Name:  # as nearly half of them are
            return ir.Name(site, node.id)
        handler = _EXPRESSIONS.get(type(node), _Lowering.unknown)
        return handler(self, node, site)

    def expressions(self, nodes: Iterable[ast.expr]) -> tuple[ir.Expression, ...]:
        return tuple([self.expression(node) for node in nodes])

    def optional(self, node: ast.expr | None) -> ir.Expression | None:
        return self.expression(node) if node is not None else None

    def block(self, body: Iterable[ast.stmt]) -> ir.Block:
        statements: list[ir.Statement] = []
        for node in body:
            handler = _STATEMENTS.get(type(node), _Lowering.nothing)
            statement = handler(self, node, object() if self._keeps_sites else None)
            if statement is not None:
                statements.append(statement)
        return tuple(statements)

    # Expressions

    def unknown(self, node: ast.expr, site: ir.Site) -> ir.Expression:
        """What a later Python has."""
        contained = ast.iter_child_nodes(node)
        return ir.Unknown(site, self.expressions(c for c in contained if isinstance(c, ast.expr)))

    def name(self, node: ast.Name, site: ir.Site) -> ir.Expression:
        return ir.Name(site, node.id)

    def constant(self, node: ast.Constant, site: ir.Site) -> ir.Expression:
        if node.value is ...:
            return ir.Unknown(site, ())
        return ir.Constant(site, node.value)

    def formatted(self, node: Any, site: ir.Site) -> ir.Expression:
        return ir.Unknown(site, self.expressions(_inserted(node)), "call format")

    def template(self, node: Any, site: ir.Site) -> ir.Expression:
        return ir.Unknown(site, self.expressions(_inserted(node)))

    def attribute(self, node: ast.Attribute, site: ir.Site) -> ir.Expression:
        return ir.Attribute(site, self.expression(node.value), node.attr)

    def call(self, node: ast.Call, site: ir.Site) -> ir.Expression:
        positional, keywords = node.args, node.keywords
        given: list[ast.expr | ast.keyword] = [*positional, *keywords]
        if keywords and any(isinstance(argument, ast.Starred) for argument in positional):
            given.sort(key=lambda argument: (argument.lineno, argument.col_offset))
        if self._keeps_rows:
            site = node.lineno
        return ir.Call(
            site, self.expression(node.func), tuple([self.argument(one) for one in given])
        )

    def argument(self, node: ast.expr | ast.keyword) -> ir.Argument:
        if isinstance(node, ast.keyword):
            return ir.Argument(
                self.expression(node.value), node.arg, "**" if node.arg is None else ""
            )
        if isinstance(node, ast.Starred):
            return ir.Argument(self.expression(node.value), None, "*")
        return ir.Argument(self.expression(node))

    def binary(self, node: ast.BinOp, site: ir.Site) -> ir.Expression:
        """Operator chains grow to the left and to any length: no recursion along them."""
        chain = [node]
        while isinstance(left := chain[-1].left, ast.BinOp):
            chain.append(left)
        result = self.expression(chain[-1].left)
        while chain:
            link = chain.pop()
            at = self.site() if chain else site
            result = ir.Binary(at, _BINARY[type(link.op)], result, self.expression(link.right))
        return result

    def boolean(self, node: ast.BoolOp, site: ir.Site) -> ir.Expression:
        operator = "and" if isinstance(node.op, ast.And) else "or"
        *inner, last = node.values
        result = self.expression(inner[0])
        for value in inner[1:]:
            result = ir.Boolean(self.site(), operator, result, self.expression(value))
        return ir.Boolean(site, operator, result, self.expression(last))

    def unary(self, node: ast.UnaryOp, site: ir.Site) -> ir.Expression:
        return ir.Unary(site, _UNARY[type(node.op)], self.expression(node.operand))

    def comparison(self, node: ast.Compare, site: ir.Site) -> ir.Expression:
        left = self.expression(node.left)
        result: ir.Expression | None = None
        for operator, comparator in zip(node.ops, node.comparators, strict=True):
            right = self.expression(comparator)
            link = ir.Compare(site, _COMPARISONS[type(operator)], left, right)
            result = link if result is None else ir.Boolean(site, "and", result, link)
            left = right
        assert result is not None
        return result

    def conditional(self, node: ast.IfExp, site: ir.Site) -> ir.Expression:
        return ir.Conditional(
            site,
            self.expression(node.test),
            self.expression(node.body),
            self.expression(node.orelse),
        )

    def subscript(self, node: ast.Subscript, site: ir.Site) -> ir.Expression:
        index = node.slice
        parts = index.elts if isinstance(index, ast.Tuple) and index.elts else [index]
        indices = tuple(
            [
                self.expression(part.value if isinstance(part, ast.Starred) else part)
                for part in parts
            ]
        )
        return ir.Subscript(site, self.expression(node.value), indices)

    def slice_(self, node: ast.Slice, site: ir.Site) -> ir.Expression:
        parts = (node.lower, node.upper, node.step)
        return ir.Slice(site, self.expressions(part for part in parts if part is not None))

    def tuple_display(self, node: ast.Tuple, site: ir.Site) -> ir.Expression:
        return ir.Sequence(site, "tuple", self.expressions(node.elts))

    def list_display(self, node: ast.List, site: ir.Site) -> ir.Expression:
        return ir.Sequence(site, "list", self.expressions(node.elts))

    def set_display(self, node: ast.Set, site: ir.Site) -> ir.Expression:
        return ir.Sequence(site, "set", self.expressions(node.elts))

    def starred(self, node: ast.Starred, site: ir.Site) -> ir.Expression:
        value = self.expression(node.value)
        return ir.Unknown(value.site, (value,))

    def dict_display(self, node: ast.Dict, site: ir.Site) -> ir.Expression:
        children = self.expressions(
            part
            for pair in zip(node.keys, node.values, strict=True)
            for part in pair
            if part is not None
        )
        return ir.Unknown(site, children, "unknown" if None in node.keys else "dict")

    def list_comprehension(self, node: ast.ListComp, site: ir.Site) -> ir.Expression:
        element = self.expression(node.elt)
        return ir.Comprehension(site, "list", element, self.clauses(node.generators))

    def set_comprehension(self, node: ast.SetComp, site: ir.Site) -> ir.Expression:
        element = self.expression(node.elt)
        return ir.Comprehension(site, "set", element, self.clauses(node.generators))

    def generator(self, node: ast.GeneratorExp, site: ir.Site) -> ir.Expression:
        element = self.expression(node.elt)
        return ir.Comprehension(site, "generator", element, self.clauses(node.generators))

    def dict_comprehension(self, node: ast.DictComp, site: ir.Site) -> ir.Expression:
        element = ir.Unknown(site, self.expressions((node.key, node.value)))
        return ir.Comprehension(site, "dict", element, self.clauses(node.generators))

    def clauses(self, generators: Iterable[ast.comprehension]) -> tuple[ir.Clause, ...]:
        return tuple(
            [
                ir.Clause(
                    self.target(one.target), self.expression(one.iter), self.expressions(one.ifs)
                )
                for one in generators
            ]
        )

    def function_expression(self, node: ast.Lambda, site: ir.Site) -> ir.Expression:
        return ir.Lambda(site, self.parameters(node.args), self.expression(node.body))

    def named(self, node: ast.NamedExpr, site: ir.Site) -> ir.Expression:
        return ir.NamedExpression(site, node.target.id, self.expression(node.value))

    def suspension(
        self, node: ast.Await | ast.Yield | ast.YieldFrom, site: ir.Site
    ) -> ir.Expression:
        return ir.Suspension(site, (self.expression(node.value),) if node.value else ())

    # Targets and parameters

    def target(self, node: ast.expr) -> ir.Target:
        match node:
            case ast.Tuple(elements) | ast.List(elements):
                return ir.Targets(tuple([self.target(element) for element in elements]))
            case ast.Starred(value):
                return ir.Starred(self.target(value))
            case _:
                expression = self.expression(node)
                assert isinstance(expression, (ir.Name, ir.Attribute, ir.Subscript))
                return expression

    def parameters(self, node: ast.arguments) -> tuple[ir.Parameter, ...]:
        plain = (*node.posonlyargs, *node.args)
        defaults = (*[None] * (len(plain) - len(node.defaults)), *node.defaults)
        result = [self.parameter(*one) for one in zip(plain, defaults, strict=True)]
        if node.vararg is not None:
            result.append(self.parameter(node.vararg, None, "*"))
        elif node.kwonlyargs:
            result.append(ir.Parameter("", None, "*"))
        result += [
            self.parameter(*one) for one in zip(node.kwonlyargs, node.kw_defaults, strict=True)
        ]
        if node.kwarg is not None:
            result.append(self.parameter(node.kwarg, None, "**"))
        return tuple(result)

    def parameter(self, node: ast.arg, default: ast.expr | None, star: str = "") -> ir.Parameter:
        return ir.Parameter(node.arg, self.optional(default), star, self.optional(node.annotation))

    # Statements

    def assign(self, node: ast.Assign, site: ir.Site) -> ir.Statement:
        targets = tuple([self.target(target) for target in node.targets])
        return ir.Assign(site, targets, self.expression(node.value), alone=False)

    def annotated(self, node: ast.AnnAssign, site: ir.Site) -> ir.Statement | None:
        if node.value is None:
            return None
        target = self.target(node.target)
        return ir.Assign(site, (target,), self.expression(node.value), alone=False)

    def augmented(self, node: ast.AugAssign, site: ir.Site) -> ir.Statement:
        operator = _BINARY[type(node.op)]
        return ir.Augment(site, self.target(node.target), operator, self.expression(node.value))

    def evaluated(self, node: ast.Expr, site: ir.Site) -> ir.Statement:
        return ir.Evaluate(site, self.expression(node.value))

    def returned(self, node: ast.Return, site: ir.Site) -> ir.Statement:
        return ir.Return(site, self.optional(node.value))

    def raised(self, node: ast.Raise, site: ir.Site) -> ir.Statement:
        parts = (node.exc, node.cause)
        return ir.Raise(site, self.expressions(part for part in parts if part is not None))

    def asserted(self, node: ast.Assert, site: ir.Site) -> ir.Statement:
        return ir.Assert(site, self.expression(node.test))

    def jump(self, node: ast.Break | ast.Continue, site: ir.Site) -> ir.Statement:
        return ir.Jump(site, isinstance(node, ast.Break))

    def deleted(self, node: ast.Delete, site: ir.Site) -> ir.Statement:
        places = [place for target in node.targets for place in ir.targets_of(self.target(target))]
        return ir.Delete(site, tuple(places))

    def imported(self, node: ast.Import, site: ir.Site) -> ir.Statement:
        bindings = []
        for alias in node.names:
            root = alias.name.partition(".")[0]
            bindings.append((alias.asname, alias.name) if alias.asname else (root, root))
        return ir.Import(site, tuple(bindings))

    def imported_from(self, node: ast.ImportFrom, site: ir.Site) -> ir.Statement:
        prefix = "." * node.level + (node.module or "")
        if node.names[0].name == "*":
            return ir.Import(site, (("*", prefix),))
        joint = "" if not prefix or prefix.endswith(".") else "."
        bindings = [
            (alias.asname or alias.name, f"{prefix}{joint}{alias.name}") for alias in node.names
        ]
        return ir.Import(site, tuple(bindings))

    def shared(self, node: ast.Global | ast.Nonlocal, site: ir.Site) -> ir.Statement:
        return ir.Global(site, tuple(node.names))

    def nothing(self, node: ast.stmt, site: ir.Site) -> None:
        """`pass`, what a type is called, and what a later Python has."""

    def branch(self, node: ast.If, site: ir.Site) -> ir.Statement:
        test = self.expression(node.test)
        return ir.If(site, test, self.block(node.body), self.block(node.orelse))

    def while_loop(self, node: ast.While, site: ir.Site) -> ir.Statement:
        test = self.expression(node.test)
        return ir.While(site, test, self.block(node.body), self.block(node.orelse))

    def for_loop(self, node: ast.For | ast.AsyncFor, site: ir.Site) -> ir.Statement:
        target, iterable = self.target(node.target), self.expression(node.iter)
        return ir.For(site, target, iterable, self.block(node.body), self.block(node.orelse))

    def with_block(self, node: ast.With | ast.AsyncWith, site: ir.Site) -> ir.Statement:
        items = tuple(
            [
                (
                    self.expression(item.context_expr),
                    self.target(item.optional_vars) if item.optional_vars is not None else None,
                )
                for item in node.items
            ]
        )
        return ir.With(site, items, self.block(node.body))

    def tried(self, node: Any, site: ir.Site) -> ir.Statement:
        handlers = tuple([(one.name, self.block(one.body)) for one in node.handlers])
        body, orelse = self.block(node.body), self.block(node.orelse)
        return ir.Try(site, body, handlers, orelse, self.block(node.finalbody))

    def matched(self, node: ast.Match, site: ir.Site) -> ir.Statement:
        cases = tuple([self.case(case) for case in node.cases])
        return ir.Match(site, self.expression(node.subject), cases)

    def case(self, node: ast.match_case) -> ir.Case:
        pattern = node.pattern
        value = self.expression(pattern.value) if isinstance(pattern, ast.MatchValue) else None
        takes_all = isinstance(pattern, ast.MatchAs) and pattern.pattern is None
        names = tuple(_pattern_names(pattern))
        return ir.Case(names, value, takes_all, self.optional(node.guard), self.block(node.body))

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, site: ir.Site) -> ir.Function:
        decorators = self.expressions(node.decorator_list)
        parameters = self.parameters(node.args)
        body, returns = self.block(node.body), self.optional(node.returns)
        return ir.Function(site, node.name, parameters, body, decorators, returns)

    def class_(self, node: ast.ClassDef, site: ir.Site) -> ir.Class:
        bases = tuple(
            [
                self.expression(base.value if isinstance(base, ast.Starred) else base)
                for base in node.bases
            ]
        )
        decorators = self.expressions(node.decorator_list)
        found = [
            (item.target.id, self.expression(item.annotation))
            for item in node.body
            if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
        ]
        fields = tuple([name for name, _ in found])
        annotations = tuple([annotation for _, annotation in found])
        body = self.block(node.body)
        return ir.Class(site, node.name, bases, body, decorators, fields, annotations)


_EXPRESSIONS: Final[dict[type[ast.AST], Callable[..., ir.Expression]]] = {
    ast.Name: _Lowering.name,
    ast.Constant: _Lowering.constant,
    ast.JoinedStr: _Lowering.formatted,
    ast.Attribute: _Lowering.attribute,
    ast.Call: _Lowering.call,
    ast.BinOp: _Lowering.binary,
    ast.BoolOp: _Lowering.boolean,
    ast.UnaryOp: _Lowering.unary,
    ast.Compare: _Lowering.comparison,
    ast.IfExp: _Lowering.conditional,
    ast.Subscript: _Lowering.subscript,
    ast.Slice: _Lowering.slice_,
    ast.Tuple: _Lowering.tuple_display,
    ast.List: _Lowering.list_display,
    ast.Set: _Lowering.set_display,
    ast.Starred: _Lowering.starred,
    ast.Dict: _Lowering.dict_display,
    ast.ListComp: _Lowering.list_comprehension,
    ast.SetComp: _Lowering.set_comprehension,
    ast.GeneratorExp: _Lowering.generator,
    ast.DictComp: _Lowering.dict_comprehension,
    ast.Lambda: _Lowering.function_expression,
    ast.NamedExpr: _Lowering.named,
    ast.Await: _Lowering.suspension,
    ast.Yield: _Lowering.suspension,
    ast.YieldFrom: _Lowering.suspension,
}
_STATEMENTS: Final[dict[type[ast.AST], Callable[..., ir.Statement | None]]] = {
    ast.Assign: _Lowering.assign,
    ast.AnnAssign: _Lowering.annotated,
    ast.AugAssign: _Lowering.augmented,
    ast.Expr: _Lowering.evaluated,
    ast.Return: _Lowering.returned,
    ast.Raise: _Lowering.raised,
    ast.Assert: _Lowering.asserted,
    ast.Break: _Lowering.jump,
    ast.Continue: _Lowering.jump,
    ast.Delete: _Lowering.deleted,
    ast.Import: _Lowering.imported,
    ast.ImportFrom: _Lowering.imported_from,
    ast.Global: _Lowering.shared,
    ast.Nonlocal: _Lowering.shared,
    ast.Pass: _Lowering.nothing,
    ast.If: _Lowering.branch,
    ast.While: _Lowering.while_loop,
    ast.For: _Lowering.for_loop,
    ast.AsyncFor: _Lowering.for_loop,
    ast.With: _Lowering.with_block,
    ast.AsyncWith: _Lowering.with_block,
    ast.Try: _Lowering.tried,
    ast.Match: _Lowering.matched,
    ast.FunctionDef: _Lowering.function,
    ast.AsyncFunctionDef: _Lowering.function,
    ast.ClassDef: _Lowering.class_,
}
# What the oldest Python that runs this does not know.
if hasattr(ast, "TryStar"):
    _STATEMENTS[ast.TryStar] = _Lowering.tried
if hasattr(ast, "TemplateStr"):
    _EXPRESSIONS[ast.TemplateStr] = _Lowering.template

_WITH_SITES: Final = _Lowering(keeps_sites=True)
_WITHOUT_SITES: Final = _Lowering(keeps_sites=False)
_WITH_ROWS: Final = _Lowering(keeps_sites=False, keeps_rows=True)


def _inserted(node: Any) -> Iterator[ast.expr]:
    """What stands between the braces of a string, and between those of its formats."""
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
