"""LibCST nodes to a program: structure only, no names resolved, nothing computed.

A node without numerical meaning becomes `Unknown` around what it contains, never an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import libcst as cst

from mllint_nan.ir import program as ir

_BINARY: dict[type[cst.CSTNode], str] = {
    cst.Add: "+",
    cst.Subtract: "-",
    cst.Multiply: "*",
    cst.Divide: "/",
    cst.FloorDivide: "//",
    cst.Modulo: "%",
    cst.Power: "**",
    cst.MatrixMultiply: "@",
    cst.BitAnd: "&",
    cst.BitOr: "|",
    cst.BitXor: "^",
    cst.LeftShift: "<<",
    cst.RightShift: ">>",
}
_AUGMENTED: dict[type[cst.CSTNode], str] = {
    cst.AddAssign: "+",
    cst.SubtractAssign: "-",
    cst.MultiplyAssign: "*",
    cst.DivideAssign: "/",
    cst.FloorDivideAssign: "//",
    cst.ModuloAssign: "%",
    cst.PowerAssign: "**",
    cst.MatrixMultiplyAssign: "@",
    cst.BitAndAssign: "&",
    cst.BitOrAssign: "|",
    cst.BitXorAssign: "^",
    cst.LeftShiftAssign: "<<",
    cst.RightShiftAssign: ">>",
}
_UNARY: dict[type[cst.CSTNode], str] = {
    cst.Minus: "-",
    cst.Plus: "+",
    cst.BitInvert: "~",
    cst.Not: "not",
}
_COMPARISONS: dict[type[cst.CSTNode], str] = {
    cst.Equal: "==",
    cst.NotEqual: "!=",
    cst.LessThan: "<",
    cst.LessThanEqual: "<=",
    cst.GreaterThan: ">",
    cst.GreaterThanEqual: ">=",
    cst.Is: "is",
    cst.IsNot: "is not",
    cst.In: "in",
    cst.NotIn: "not in",
}
_PLAIN = re.compile(r"'[^'\\]*'|\"[^\"\\]*\"")
"""A string that is what stands between its quotes; for the others Python itself is asked."""
_KEYWORD_CONSTANTS = {"True": True, "False": False, "None": None}


def lower_module(module: cst.Module) -> ir.Block:
    """The whole module as one block."""
    return _block(module.body)


# Expressions


def _expression(node: cst.CSTNode) -> ir.Expression:
    handler = _EXPRESSIONS.get(type(node))
    return handler(node) if handler is not None else _unknown(node)


def _unknown(node: cst.CSTNode) -> ir.Unknown:
    return ir.Unknown(node, tuple(_expression(child) for child in _contained(node)))


def _formatted(node: cst.FormattedString) -> ir.Unknown:
    return ir.Unknown(node, _unknown(node).children, "call format")


def _concatenated(node: cst.ConcatenatedString) -> ir.Expression:
    """Strings in a row are one string to Python; if one of them is formatted, all are."""
    pieces: list[cst.BaseString] = [node.left]
    last = node.right
    while isinstance(last, cst.ConcatenatedString):
        pieces.append(last.left)
        last = last.right
    parts = [_expression(piece) for piece in (*pieces, last)]
    values = [part.value for part in parts if isinstance(part, ir.Constant)]
    texts = [value for value in values if isinstance(value, str)]
    octets = [value for value in values if isinstance(value, bytes)]
    if len(texts) == len(parts):
        return ir.Constant(node, "".join(texts))
    if len(octets) == len(parts):
        return ir.Constant(node, b"".join(octets))
    inserted = [child for part in parts if isinstance(part, ir.Unknown) for child in part.children]
    return ir.Unknown(node, tuple(inserted), "call format")


def _contained(node: cst.CSTNode) -> Iterable[cst.CSTNode]:
    """The nearest expressions below a node that is not understood."""
    for child in node.children:
        if isinstance(child, cst.BaseExpression):
            yield child
        elif not isinstance(child, cst.BaseParenthesizableWhitespace | cst.Comma):
            yield from _contained(child)


def _name(node: cst.Name) -> ir.Expression:
    if node.value in _KEYWORD_CONSTANTS:
        return ir.Constant(node, _KEYWORD_CONSTANTS[node.value])
    return ir.Name(node, node.value)


def _number(node: cst.Integer | cst.Float | cst.Imaginary) -> ir.Expression:
    try:
        return ir.Constant(node, node.evaluated_value)
    except (ValueError, SyntaxError):  # an integer of more digits than the interpreter converts
        return ir.Unknown(node, ())


def _string(node: cst.SimpleString) -> ir.Expression:
    if _PLAIN.fullmatch(node.value):
        return ir.Constant(node, node.value[1:-1])
    try:
        return ir.Constant(node, node.evaluated_value)
    except (ValueError, SyntaxError):
        return ir.Unknown(node, ())


def _attribute(node: cst.Attribute) -> ir.Expression:
    return ir.Attribute(node, _expression(node.value), node.attr.value)


def _call(node: cst.Call) -> ir.Expression:
    arguments = tuple(
        ir.Argument(
            _expression(argument.value),
            argument.keyword.value if argument.keyword is not None else None,
            argument.star,
        )
        for argument in node.args
    )
    return ir.Call(node, _expression(node.func), arguments)


def _left_deep(
    node: cst.BinaryOperation | cst.BooleanOperation,
    build: Callable[[cst.CSTNode, cst.CSTNode, ir.Expression, ir.Expression], ir.Expression],
) -> ir.Expression:
    """Operator chains grow to the left and to any length: no recursion along them."""
    chain = [node]
    while isinstance(chain[-1].left, type(node)):
        chain.append(chain[-1].left)
    result = _expression(chain[-1].left)
    for link in reversed(chain):
        result = build(link, link.operator, result, _expression(link.right))
    return result


def _binary(node: cst.BinaryOperation) -> ir.Expression:
    return _left_deep(
        node,
        lambda link, operator, left, right: ir.Binary(link, _BINARY[type(operator)], left, right),
    )


def _boolean(node: cst.BooleanOperation) -> ir.Expression:
    return _left_deep(
        node,
        lambda link, operator, left, right: ir.Boolean(
            link, "and" if isinstance(operator, cst.And) else "or", left, right
        ),
    )


def _unary(node: cst.UnaryOperation) -> ir.Expression:
    return ir.Unary(node, _UNARY[type(node.operator)], _expression(node.expression))


def _comparison(node: cst.Comparison) -> ir.Expression:
    left = _expression(node.left)
    result: ir.Expression | None = None
    for target in node.comparisons:
        right = _expression(target.comparator)
        link = ir.Compare(node, _COMPARISONS[type(target.operator)], left, right)
        result = link if result is None else ir.Boolean(node, "and", result, link)
        left = right
    assert result is not None
    return result


def _conditional(node: cst.IfExp) -> ir.Expression:
    return ir.Conditional(
        node, _expression(node.test), _expression(node.body), _expression(node.orelse)
    )


def _subscript(node: cst.Subscript) -> ir.Expression:
    match node.slice:
        case [cst.SubscriptElement(cst.Index(cst.Tuple(elements)), comma)] if (
            elements and not isinstance(comma, cst.Comma)
        ):  # a[(b, c)] is a[b, c]
            indices = tuple(_expression(element.value) for element in elements)
        case _:
            indices = tuple(_index(element.slice) for element in node.slice)
    return ir.Subscript(node, _expression(node.value), indices)


def _index(node: cst.BaseSlice) -> ir.Expression:
    if isinstance(node, cst.Index):
        return _expression(node.value)
    assert isinstance(node, cst.Slice)
    parts = tuple(
        _expression(part) for part in (node.lower, node.upper, node.step) if part is not None
    )
    return ir.Slice(node, parts)


def _display(kind: str) -> Callable[[cst.Tuple | cst.List | cst.Set], ir.Expression]:
    def lower(node: cst.Tuple | cst.List | cst.Set) -> ir.Expression:
        elements = tuple(
            _expression(element.value) if isinstance(element, cst.Element) else _expression(element)
            for element in node.elements
        )
        return ir.Sequence(node, kind, elements)

    return lower


def _starred(node: cst.StarredElement) -> ir.Expression:
    return ir.Unknown(node.value, (_expression(node.value),))


def _dict(node: cst.Dict) -> ir.Expression:
    """Keys and values in turn."""
    if any(isinstance(element, cst.StarredDictElement) for element in node.elements):
        return _unknown(node)
    return ir.Unknown(node, _unknown(node).children, "dict")


def _comprehension(kind: str) -> Callable[[cst.BaseSimpleComp], ir.Expression]:
    def lower(node: cst.BaseSimpleComp) -> ir.Expression:
        clauses = []
        clause: cst.CompFor | None = node.for_in
        while clause is not None:
            conditions = tuple(_expression(condition.test) for condition in clause.ifs)
            clauses.append(ir.Clause(_target(clause.target), _expression(clause.iter), conditions))
            clause = clause.inner_for_in
        return ir.Comprehension(node, kind, _expression(node.elt), tuple(clauses))

    return lower


def _dict_comprehension(node: cst.DictComp) -> ir.Expression:
    clauses = []
    clause: cst.CompFor | None = node.for_in
    while clause is not None:
        conditions = tuple(_expression(condition.test) for condition in clause.ifs)
        clauses.append(ir.Clause(_target(clause.target), _expression(clause.iter), conditions))
        clause = clause.inner_for_in
    element = ir.Unknown(node, (_expression(node.key), _expression(node.value)))
    return ir.Comprehension(node, "dict", element, tuple(clauses))


def _lambda(node: cst.Lambda) -> ir.Expression:
    return ir.Lambda(node, _parameters(node.params), _expression(node.body))


def _named(node: cst.NamedExpr) -> ir.Expression:
    value = _expression(node.value)
    if isinstance(node.target, cst.Name):
        return ir.NamedExpression(node, node.target.value, value)
    return ir.Unknown(node, (value,))


def _suspension(node: cst.Await | cst.Yield) -> ir.Expression:
    return ir.Suspension(node, tuple(_expression(child) for child in _contained(node)))


_EXPRESSIONS: dict[type[cst.CSTNode], Callable[..., ir.Expression]] = {
    cst.Name: _name,
    cst.Integer: _number,
    cst.Float: _number,
    cst.Imaginary: _number,
    cst.SimpleString: _string,
    cst.FormattedString: _formatted,
    cst.ConcatenatedString: _concatenated,
    cst.Attribute: _attribute,
    cst.Call: _call,
    cst.BinaryOperation: _binary,
    cst.BooleanOperation: _boolean,
    cst.UnaryOperation: _unary,
    cst.Comparison: _comparison,
    cst.IfExp: _conditional,
    cst.Subscript: _subscript,
    cst.Tuple: _display("tuple"),
    cst.List: _display("list"),
    cst.Set: _display("set"),
    cst.StarredElement: _starred,
    cst.ListComp: _comprehension("list"),
    cst.SetComp: _comprehension("set"),
    cst.GeneratorExp: _comprehension("generator"),
    cst.Dict: _dict,
    cst.DictComp: _dict_comprehension,
    cst.Lambda: _lambda,
    cst.NamedExpr: _named,
    cst.Await: _suspension,
    cst.Yield: _suspension,
}


# Targets and parameters


def _target(node: cst.CSTNode) -> ir.Target:
    match node:
        case cst.Tuple() | cst.List():
            return ir.Targets(
                tuple(
                    ir.Starred(_target(element.value))
                    if isinstance(element, cst.StarredElement)
                    else _target(element.value)
                    for element in node.elements
                )
            )
        case _:
            expression = _expression(node)
            match expression:
                case ir.Name() | ir.Attribute() | ir.Subscript():
                    return expression
                case _:
                    return ir.Unknown(node, (expression,))


def _parameters(node: cst.Parameters) -> tuple[ir.Parameter, ...]:
    def lower(parameter: cst.Param, star: str = "") -> ir.Parameter:
        default = _expression(parameter.default) if parameter.default is not None else None
        annotation = parameter.annotation
        return ir.Parameter(
            parameter.name.value,
            default,
            star,
            _expression(annotation.annotation) if annotation is not None else None,
        )

    result = [lower(parameter) for parameter in (*node.posonly_params, *node.params)]
    if isinstance(node.star_arg, cst.Param):
        result.append(lower(node.star_arg, "*"))
    elif isinstance(node.star_arg, cst.ParamStar):
        result.append(ir.Parameter("", None, "*"))
    result += [lower(parameter) for parameter in node.kwonly_params]
    if node.star_kwarg is not None:
        result.append(lower(node.star_kwarg, "**"))
    return tuple(result)


# Statements


def _block(body: Iterable[cst.CSTNode]) -> ir.Block:
    statements: list[ir.Statement] = []
    for node in body:
        if isinstance(node, cst.SimpleStatementLine | cst.SimpleStatementSuite):
            alone = isinstance(node, cst.SimpleStatementLine) and len(node.body) == 1
            for small in node.body:
                statements += _small(small, alone)
        else:
            statements += _compound(node)
    return tuple(statements)


def _suite(node: cst.BaseSuite) -> ir.Block:
    if isinstance(node, cst.SimpleStatementSuite):
        return _block([node])
    return _block(node.body)


def _small(node: cst.CSTNode, alone: bool) -> list[ir.Statement]:
    match node:
        case cst.Assign():
            targets = tuple(_target(target.target) for target in node.targets)
            return [ir.Assign(node, targets, _expression(node.value), alone)]
        case cst.AnnAssign():
            if node.value is None:
                return []
            return [ir.Assign(node, (_target(node.target),), _expression(node.value), alone)]
        case cst.AugAssign():
            operator = _AUGMENTED[type(node.operator)]
            return [ir.Augment(node, _target(node.target), operator, _expression(node.value))]
        case cst.Expr():
            return [ir.Evaluate(node, _expression(node.value))]
        case cst.Return():
            return [ir.Return(node, _expression(node.value) if node.value is not None else None)]
        case cst.Raise():
            return [ir.Raise(node, tuple(_expression(child) for child in _contained(node)))]
        case cst.Assert():
            return [ir.Assert(node, _expression(node.test))]
        case cst.Break() | cst.Continue():
            return [ir.Jump(node, isinstance(node, cst.Break))]
        case cst.Del():
            return [ir.Delete(node, ir.targets_of(_target(node.target)))]
        case cst.Import():
            return [ir.Import(node, tuple(_import_bindings(node)))]
        case cst.ImportFrom():
            return [ir.Import(node, tuple(_import_from_bindings(node)))]
        case cst.Global() | cst.Nonlocal():
            return [ir.Global(node, tuple(item.name.value for item in node.names))]
        case cst.Pass() | cst.TypeAlias():  # what an alias stands for is not evaluated
            return []
        case _:
            return [ir.Evaluate(node, _unknown(node))]


def _dotted(node: cst.BaseExpression | None) -> str:
    match node:
        case cst.Name():
            return node.value
        case cst.Attribute():
            return f"{_dotted(node.value)}.{node.attr.value}"
        case _:
            return ""


def _import_bindings(node: cst.Import) -> Iterable[tuple[str, str]]:
    for alias in node.names:
        qualified = _dotted(alias.name)
        if alias.asname is not None and isinstance(alias.asname.name, cst.Name):
            yield alias.asname.name.value, qualified
        else:
            root = qualified.partition(".")[0]
            yield root, root


def _import_from_bindings(node: cst.ImportFrom) -> Iterable[tuple[str, str]]:
    prefix = "." * len(node.relative) + _dotted(node.module)
    if isinstance(node.names, cst.ImportStar):
        yield "*", prefix
        return
    joint = "" if not prefix or prefix.endswith(".") else "."
    for alias in node.names:
        name = _dotted(alias.name)
        bound = name
        if alias.asname is not None and isinstance(alias.asname.name, cst.Name):
            bound = alias.asname.name.value
        yield bound, f"{prefix}{joint}{name}"


def _compound(node: cst.CSTNode) -> list[ir.Statement]:
    match node:
        case cst.If():
            return [ir.If(node, _expression(node.test), _suite(node.body), _else(node.orelse))]
        case cst.While():
            return [ir.While(node, _expression(node.test), _suite(node.body), _else(node.orelse))]
        case cst.For():
            target, iterable = _target(node.target), _expression(node.iter)
            return [ir.For(node, target, iterable, _suite(node.body), _else(node.orelse))]
        case cst.With():
            items = tuple(
                (
                    _expression(item.item),
                    _target(item.asname.name) if item.asname is not None else None,
                )
                for item in node.items
            )
            return [ir.With(node, items, _suite(node.body))]
        case cst.Try() | cst.TryStar():
            handlers = tuple(
                (_handler_name(handler), _suite(handler.body)) for handler in node.handlers
            )
            final = _suite(node.finalbody.body) if node.finalbody is not None else ()
            return [ir.Try(node, _suite(node.body), handlers, _else(node.orelse), final)]
        case cst.Match():
            cases = tuple(map(_case, node.cases))
            return [ir.Match(node, _expression(node.subject), cases)]
        case cst.FunctionDef():
            decorators = tuple(_expression(item.decorator) for item in node.decorators)
            parameters = _parameters(node.params)
            body = _suite(node.body)
            returns = _expression(node.returns.annotation) if node.returns is not None else None
            return [ir.Function(node, node.name.value, parameters, body, decorators, returns)]
        case cst.ClassDef():
            bases = tuple(_expression(argument.value) for argument in node.bases)
            decorators = tuple(_expression(item.decorator) for item in node.decorators)
            fields, annotations = _annotated(node.body)
            name, body = node.name.value, _suite(node.body)
            return [ir.Class(node, name, bases, body, decorators, fields, annotations)]
        case _:
            return []


def _annotated(body: cst.BaseSuite) -> tuple[tuple[str, ...], tuple[ir.Expression, ...]]:
    """The names that a class annotates, and what it says of each."""
    rows = [body] if isinstance(body, cst.SimpleStatementSuite) else body.body
    found = [
        (part.target.value, _expression(part.annotation.annotation))
        for row in rows
        if isinstance(row, cst.SimpleStatementLine | cst.SimpleStatementSuite)
        for part in row.body
        if isinstance(part, cst.AnnAssign) and isinstance(part.target, cst.Name)
    ]
    return tuple(name for name, _ in found), tuple(annotation for _, annotation in found)


def _else(node: cst.If | cst.Else | None) -> ir.Block:
    if node is None:
        return ()
    if isinstance(node, cst.If):
        return tuple(_compound(node))
    return _suite(node.body)


def _handler_name(node: cst.ExceptHandler | cst.ExceptStarHandler) -> str | None:
    if node.name is not None and isinstance(node.name.name, cst.Name):
        return node.name.name.value
    return None


def _case(node: cst.MatchCase) -> ir.Case:
    pattern = node.pattern
    guard = _expression(node.guard) if node.guard is not None else None
    value = _expression(pattern.value) if isinstance(pattern, cst.MatchValue) else None
    takes_all = isinstance(pattern, cst.MatchAs) and pattern.pattern is None
    return ir.Case(tuple(_pattern_names(pattern)), value, takes_all, guard, _suite(node.body))


def _pattern_names(node: cst.CSTNode) -> Iterable[str]:
    if isinstance(node, cst.MatchAs | cst.MatchStar) and node.name is not None:
        yield node.name.value
    if isinstance(node, cst.MatchMapping) and node.rest is not None:
        yield node.rest.value
    for child in node.children:
        yield from _pattern_names(child)
