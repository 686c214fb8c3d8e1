"""Lowers a parser's nodes to a program: structure only, no names resolved, nothing computed.

CPython's own parser and LibCST name most nodes alike. One table says which kinds correspond and how
they are lowered; `lower_ast` and `lower` say where each parser keeps the parts of a node. A node
without numerical meaning becomes `Unknown` around what it contains, never an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import ModuleType
from typing import Any, Final, TypeAlias

from mllint_nan.ir import program as ir
from mllint_nan.syntax.layers_in_turn import with_layers

Node: TypeAlias = Any
"""A node of either parser."""
Branches: TypeAlias = Sequence[tuple[ir.Site, str, Node]]
"""The operands after the first one: the site of each operation, its operator, and the operand."""
Clause: TypeAlias = tuple[Node, Node, Iterable[Node]]
Parameter: TypeAlias = tuple[str, "Node | None", str, "Node | None"]
"""The name, default, star and annotation of a parameter."""


class Lowering:
    """Lowers the nodes of one parser; `nodes` is the module with their classes."""

    def __init__(self, nodes: ModuleType) -> None:
        self.nodes: Any = nodes

    def expression(self, node: Node) -> ir.Expression:
        raise NotImplementedError

    def block(self, body: Node) -> ir.Block:
        """The statements of a body, which may be missing."""
        raise NotImplementedError

    def expressions(self, nodes: Iterable[Node]) -> tuple[ir.Expression, ...]:
        return tuple([self.expression(node) for node in nodes])

    def optional(self, node: Node | None) -> ir.Expression | None:
        return self.expression(node) if node is not None else None

    # Where a parser keeps the parts of a node

    def text_of(self, name: Node) -> str:
        """The text of a name."""
        raise NotImplementedError

    def contained(self, node: Node) -> Iterable[Node]:
        """The nearest expressions below a node."""
        raise NotImplementedError

    def sign(self, node: Node) -> str:
        """The operator of an operation."""
        raise NotImplementedError

    def chain(self, node: Node, site: ir.Site) -> tuple[Node, Branches]:
        """The first operand of a left-associative chain of any length, and the others."""
        raise NotImplementedError

    def operand(self, node: Node) -> Node:
        raise NotImplementedError

    def comparisons(self, node: Node) -> Iterable[tuple[str, Node]]:
        raise NotImplementedError

    def arguments(self, node: Node) -> tuple[ir.Argument, ...]:
        raise NotImplementedError

    def indices(self, node: Node) -> Iterable[Node]:
        raise NotImplementedError

    def elements(self, node: Node) -> Iterable[Node]:
        """The elements of a display, or of targets."""
        raise NotImplementedError

    def clauses(self, node: Node) -> Iterable[Clause]:
        raise NotImplementedError

    def parameters(self, node: Node) -> Iterable[Parameter]:
        """The parameters of a function; a lone star has no name."""
        raise NotImplementedError

    def targets(self, node: Node) -> Iterable[Node]:
        raise NotImplementedError

    def is_alone(self, node: Node) -> bool:
        """Whether an assignment is known to have its line to itself."""
        raise NotImplementedError

    def bindings(self, node: Node) -> Iterable[tuple[str, str]]:
        """The names that an import binds, and what they stand for."""
        raise NotImplementedError

    def shared_names(self, node: Node) -> Iterable[str]:
        raise NotImplementedError

    def entered(self, node: Node) -> Iterable[tuple[Node, Node | None]]:
        """What a `with` statement enters, and the target of each."""
        raise NotImplementedError

    def caught_as(self, handler: Node) -> str | None:
        raise NotImplementedError

    def pattern_names(self, pattern: Node) -> Iterable[str]:
        raise NotImplementedError

    def decorators(self, node: Node) -> Iterable[Node]:
        raise NotImplementedError

    def annotation(self, node: Node) -> Node:
        """The annotation in an assignment."""
        raise NotImplementedError

    def returned_type(self, node: Node) -> Node | None:
        raise NotImplementedError

    def bases(self, node: Node) -> Iterable[Node]:
        raise NotImplementedError

    def fields(self, node: Node) -> Iterable[tuple[str, Node]]:
        """The names that a class annotates, and their annotations."""
        raise NotImplementedError

    # Expressions

    def _unknown(self, node: Node, site: ir.Site) -> ir.Expression:
        return ir.Unknown(site, self.expressions(self.contained(node)))

    def _attribute(self, node: Node, site: ir.Site) -> ir.Expression:
        return ir.Attribute(site, self.expression(node.value), self.text_of(node.attr))

    def _call(self, node: Node, site: ir.Site) -> ir.Expression:
        return ir.Call(site, self.expression(node.func), self.arguments(node))

    def _binary(self, node: Node, site: ir.Site) -> ir.Expression:
        first, branches = self.chain(node, site)
        result = self.expression(first)
        for at, sign, operand in branches:
            result = ir.Binary(at, sign, result, self.expression(operand))
        return result

    def _boolean(self, node: Node, site: ir.Site) -> ir.Expression:
        first, branches = self.chain(node, site)
        result = self.expression(first)
        for at, sign, operand in branches:
            result = ir.Boolean(at, sign, result, self.expression(operand))
        return result

    def _unary(self, node: Node, site: ir.Site) -> ir.Expression:
        return ir.Unary(site, self.sign(node), self.expression(self.operand(node)))

    def _comparison(self, node: Node, site: ir.Site) -> ir.Expression:
        left = self.expression(node.left)
        result: ir.Expression | None = None
        for sign, comparator in self.comparisons(node):
            right = self.expression(comparator)
            link = ir.Compare(site, sign, left, right)
            result = link if result is None else ir.Boolean(site, "and", result, link)
            left = right
        assert result is not None
        return result

    def _conditional(self, node: Node, site: ir.Site) -> ir.Expression:
        test, body = self.expression(node.test), self.expression(node.body)
        return ir.Conditional(site, test, body, self.expression(node.orelse))

    def _subscript(self, node: Node, site: ir.Site) -> ir.Expression:
        indices = self.expressions(self.indices(node))
        return ir.Subscript(site, self.expression(node.value), indices)

    def _slice(self, node: Node, site: ir.Site) -> ir.Expression:
        parts = [node.lower, node.upper, node.step]
        while parts and parts[-1] is None:
            parts.pop()
        missing = ir.Constant(site, None)
        given = [missing if part is None else self.expression(part) for part in parts]
        return ir.Slice(site, tuple(given))

    def _tuple(self, node: Node, site: ir.Site) -> ir.Expression:
        return ir.Sequence(site, "tuple", self.expressions(self.elements(node)))

    def _list(self, node: Node, site: ir.Site) -> ir.Expression:
        return ir.Sequence(site, "list", self.expressions(self.elements(node)))

    def _set(self, node: Node, site: ir.Site) -> ir.Expression:
        return ir.Sequence(site, "set", self.expressions(self.elements(node)))

    def _starred(self, node: Node, site: ir.Site) -> ir.Expression:
        value = self.expression(node.value)
        return ir.Unknown(value.site, (value,))

    def _list_comprehension(self, node: Node, site: ir.Site) -> ir.Expression:
        element = self.expression(node.elt)
        return ir.Comprehension(site, "list", element, self._clauses(node))

    def _set_comprehension(self, node: Node, site: ir.Site) -> ir.Expression:
        element = self.expression(node.elt)
        return ir.Comprehension(site, "set", element, self._clauses(node))

    def _generator(self, node: Node, site: ir.Site) -> ir.Expression:
        element = self.expression(node.elt)
        return ir.Comprehension(site, "generator", element, self._clauses(node))

    def _dict_comprehension(self, node: Node, site: ir.Site) -> ir.Expression:
        element = ir.Unknown(site, self.expressions((node.key, node.value)))
        return ir.Comprehension(site, "dict", element, self._clauses(node))

    def _clauses(self, node: Node) -> tuple[ir.Clause, ...]:
        return tuple(
            [
                ir.Clause(
                    self.target(target), self.expression(iterable), self.expressions(conditions)
                )
                for target, iterable, conditions in self.clauses(node)
            ]
        )

    def _lambda(self, node: Node, site: ir.Site) -> ir.Expression:
        return ir.Lambda(site, self._parameters(node), self.expression(node.body))

    def _named(self, node: Node, site: ir.Site) -> ir.Expression:
        name = self.text_of(node.target)
        return ir.NamedExpression(site, name, self.expression(node.value))

    def _suspension(self, node: Node, site: ir.Site) -> ir.Expression:
        return ir.Suspension(site, self.expressions(self.contained(node)))

    # Targets and parameters

    def target(self, node: Node) -> ir.Target:
        if isinstance(node, (self.nodes.Tuple, self.nodes.List)):
            return ir.Targets(tuple([self.target(element) for element in self.elements(node)]))
        expression = self.expression(node)
        if isinstance(expression, (ir.Name, ir.Attribute, ir.Subscript)):
            return expression
        return ir.Unknown(expression.site, (expression,))

    def _parameters(self, node: Node) -> tuple[ir.Parameter, ...]:
        return tuple(
            [
                ir.Parameter(name, self.optional(default), star, self.optional(annotation))
                for name, default, star, annotation in self.parameters(node)
            ]
        )

    # Statements

    def _nothing(self, node: Node, site: ir.Site) -> ir.Statement | None:
        """`pass`, type aliases, and statements of a later Python: nothing."""
        return None

    def _assign(self, node: Node, site: ir.Site) -> ir.Statement | None:
        targets = tuple([self.target(target) for target in self.targets(node)])
        return ir.Assign(site, targets, self.expression(node.value), self.is_alone(node))

    def _annotated(self, node: Node, site: ir.Site) -> ir.Statement | None:
        if node.value is None:
            return None
        target, value = self.target(node.target), self.expression(node.value)
        annotated_as = self.expression(self.annotation(node))
        return ir.Assign(site, (target,), value, self.is_alone(node), annotated_as)

    def _augmented(self, node: Node, site: ir.Site) -> ir.Statement | None:
        target, sign = self.target(node.target), self.sign(node)
        return ir.Augment(site, target, sign, self.expression(node.value))

    def _evaluated(self, node: Node, site: ir.Site) -> ir.Statement | None:
        return ir.Evaluate(site, self.expression(node.value))

    def _returned(self, node: Node, site: ir.Site) -> ir.Statement | None:
        return ir.Return(site, self.optional(node.value))

    def _raised(self, node: Node, site: ir.Site) -> ir.Statement | None:
        return ir.Raise(site, self.expressions(self.contained(node)))

    def _asserted(self, node: Node, site: ir.Site) -> ir.Statement | None:
        return ir.Assert(site, self.expression(node.test))

    def _jump(self, node: Node, site: ir.Site) -> ir.Statement | None:
        return ir.Jump(site, isinstance(node, self.nodes.Break))

    def _deleted(self, node: Node, site: ir.Site) -> ir.Statement | None:
        places = [one for part in self.targets(node) for one in ir.targets_of(self.target(part))]
        return ir.Delete(site, tuple(places))

    def _imported(self, node: Node, site: ir.Site) -> ir.Statement | None:
        return ir.Import(site, tuple(self.bindings(node)))

    def _shared(self, node: Node, site: ir.Site) -> ir.Statement | None:
        return ir.Global(site, tuple(self.shared_names(node)))

    def _if(self, node: Node, site: ir.Site) -> ir.Statement | None:
        test = self.expression(node.test)
        return ir.If(site, test, self.block(node.body), self.block(node.orelse))

    def _while(self, node: Node, site: ir.Site) -> ir.Statement | None:
        test = self.expression(node.test)
        return ir.While(site, test, self.block(node.body), self.block(node.orelse))

    def _for(self, node: Node, site: ir.Site) -> ir.Statement | None:
        target, iterable = self.target(node.target), self.expression(node.iter)
        return ir.For(site, target, iterable, self.block(node.body), self.block(node.orelse))

    def _with(self, node: Node, site: ir.Site) -> ir.Statement | None:
        items = tuple(
            [
                (self.expression(item), self.target(place) if place is not None else None)
                for item, place in self.entered(node)
            ]
        )
        return ir.With(site, items, self.block(node.body))

    def _try(self, node: Node, site: ir.Site) -> ir.Statement | None:
        handlers = tuple([(self.caught_as(one), self.block(one.body)) for one in node.handlers])
        body, orelse = self.block(node.body), self.block(node.orelse)
        return ir.Try(site, body, handlers, orelse, self.block(node.finalbody))

    def _match(self, node: Node, site: ir.Site) -> ir.Statement | None:
        cases = tuple([self._case(case) for case in node.cases])
        return ir.Match(site, self.expression(node.subject), cases)

    def _case(self, node: Node) -> ir.Case:
        pattern = node.pattern
        is_value = isinstance(pattern, self.nodes.MatchValue)
        value = self.expression(pattern.value) if is_value else None
        takes_all = isinstance(pattern, self.nodes.MatchAs) and pattern.pattern is None
        names = tuple(self.pattern_names(pattern))
        return ir.Case(names, value, takes_all, self.optional(node.guard), self.block(node.body))

    def _function(self, node: Node, site: ir.Site) -> ir.Statement | None:
        decorators = self.expressions(self.decorators(node))
        name, parameters = self.text_of(node.name), self._parameters(node)
        body, returns = self.block(node.body), self.optional(self.returned_type(node))
        return ir.Function(site, name, parameters, body, decorators, returns)

    def _class(self, node: Node, site: ir.Site) -> ir.Statement | None:
        bases = self.expressions(self.bases(node))
        decorators = self.expressions(self.decorators(node))
        name, body = self.text_of(node.name), with_layers(self.block(node.body), bases, site)
        known = _annotated_in(body)
        written = list(self.fields(node))
        fields = tuple([field for field, _ in written])
        annotations = tuple([known.get(field) or self.expression(one) for field, one in written])
        return ir.Class(site, name, bases, body, decorators, fields, annotations)


def _annotated_in(body: ir.Block) -> dict[str, ir.Expression]:
    """The annotations, by name, of the variables that a block annotates and assigns."""
    return {
        target.name: item.annotated_as
        for item in body
        if isinstance(item, ir.Assign) and item.annotated_as is not None
        for target in item.targets
        if isinstance(target, ir.Name)
    }


ExpressionHandler: TypeAlias = Callable[[Any, Node, ir.Site], ir.Expression]
StatementHandler: TypeAlias = Callable[[Any, Node, ir.Site], "ir.Statement | None"]

AST: Final = 0
LIBCST: Final = 1
"""The columns of the tables: the names of a node in CPython and in LibCST."""
EXPRESSIONS: Final[Sequence[tuple[str, str, ExpressionHandler]]] = (
    ("Attribute", "Attribute", Lowering._attribute),
    ("Call", "Call", Lowering._call),
    ("BinOp", "BinaryOperation", Lowering._binary),
    ("BoolOp", "BooleanOperation", Lowering._boolean),
    ("UnaryOp", "UnaryOperation", Lowering._unary),
    ("Compare", "Comparison", Lowering._comparison),
    ("IfExp", "IfExp", Lowering._conditional),
    ("Subscript", "Subscript", Lowering._subscript),
    ("Slice", "Slice", Lowering._slice),
    ("Tuple", "Tuple", Lowering._tuple),
    ("List", "List", Lowering._list),
    ("Set", "Set", Lowering._set),
    ("Starred", "StarredElement", Lowering._starred),
    ("ListComp", "ListComp", Lowering._list_comprehension),
    ("SetComp", "SetComp", Lowering._set_comprehension),
    ("GeneratorExp", "GeneratorExp", Lowering._generator),
    ("DictComp", "DictComp", Lowering._dict_comprehension),
    ("Lambda", "Lambda", Lowering._lambda),
    ("NamedExpr", "NamedExpr", Lowering._named),
    ("Await", "Await", Lowering._suspension),
    ("Yield YieldFrom", "Yield", Lowering._suspension),
)
STATEMENTS: Final[Sequence[tuple[str, str, StatementHandler]]] = (
    ("Assign", "Assign", Lowering._assign),
    ("AnnAssign", "AnnAssign", Lowering._annotated),
    ("AugAssign", "AugAssign", Lowering._augmented),
    ("Expr", "Expr", Lowering._evaluated),
    ("Return", "Return", Lowering._returned),
    ("Raise", "Raise", Lowering._raised),
    ("Assert", "Assert", Lowering._asserted),
    ("Break Continue", "Break Continue", Lowering._jump),
    ("Delete", "Del", Lowering._deleted),
    ("Import ImportFrom", "Import ImportFrom", Lowering._imported),
    ("Global Nonlocal", "Global Nonlocal", Lowering._shared),
    ("Pass TypeAlias", "Pass TypeAlias", Lowering._nothing),
    ("If", "If", Lowering._if),
    ("While", "While", Lowering._while),
    ("For AsyncFor", "For", Lowering._for),
    ("With AsyncWith", "With", Lowering._with),
    ("Try TryStar", "Try TryStar", Lowering._try),
    ("Match", "Match", Lowering._match),
    ("FunctionDef AsyncFunctionDef", "FunctionDef", Lowering._function),
    ("ClassDef", "ClassDef", Lowering._class),
)
SIGNS: Final[Sequence[tuple[str, str, str]]] = (
    ("Add", "Add AddAssign", "+"),
    ("Sub", "Subtract SubtractAssign", "-"),
    ("Mult", "Multiply MultiplyAssign", "*"),
    ("Div", "Divide DivideAssign", "/"),
    ("FloorDiv", "FloorDivide FloorDivideAssign", "//"),
    ("Mod", "Modulo ModuloAssign", "%"),
    ("Pow", "Power PowerAssign", "**"),
    ("MatMult", "MatrixMultiply MatrixMultiplyAssign", "@"),
    ("BitAnd", "BitAnd BitAndAssign", "&"),
    ("BitOr", "BitOr BitOrAssign", "|"),
    ("BitXor", "BitXor BitXorAssign", "^"),
    ("LShift", "LeftShift LeftShiftAssign", "<<"),
    ("RShift", "RightShift RightShiftAssign", ">>"),
    ("USub", "Minus", "-"),
    ("UAdd", "Plus", "+"),
    ("Invert", "BitInvert", "~"),
    ("Not", "Not", "not"),
    ("And", "And", "and"),
    ("Or", "Or", "or"),
    ("Eq", "Equal", "=="),
    ("NotEq", "NotEqual", "!="),
    ("Lt", "LessThan", "<"),
    ("LtE", "LessThanEqual", "<="),
    ("Gt", "GreaterThan", ">"),
    ("GtE", "GreaterThanEqual", ">="),
    ("Is", "Is", "is"),
    ("IsNot", "IsNot", "is not"),
    ("In", "In", "in"),
    ("NotIn", "NotIn", "not in"),
)


def by_type(
    rows: Iterable[tuple[str, str, Any]], nodes: ModuleType, column: int
) -> Mapping[type, Any]:
    """A table by the classes of one parser, as far as this version of it has them."""
    return {
        getattr(nodes, name): row[2]
        for row in rows
        for name in (row[LIBCST] if column == LIBCST else row[AST]).split()
        if hasattr(nodes, name)
    }
