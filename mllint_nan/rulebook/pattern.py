"""Patterns and rewrites: Python expressions over canonical operations, as terms.

>>> str(Pattern.parse("log(view(softmax(x, axis=a, **k)))").term)
'log(view(softmax(x, axis=a)))'

A call names a canonical operation, a bare name is a variable, `name := p` names what `p` matched,
`p | q` is either, `*rest` in `add(...)` takes the summands left over, `**k` the settings left
over, and `_` is anything. `view(p)` is `p` below any number of operations that only move or
select elements, `each(p)` is `p` below those that compute each element by itself; `within(p)` is
`p` anywhere below operations that a gradient passes. `p >> q` is the call `p`, followed by
`q` later on the same path of the same function.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, reduce
from itertools import product
from operator import and_
from typing import Final

from mllint_nan.ir import ops
from mllint_nan.ir.canonical import Builder
from mllint_nan.ir.ops import Operation
from mllint_nan.ir.term import SEQUENCE, VARIABLE, Term

VIEW: Final = Operation("view", ("p",), 1, "pattern")
EACH: Final = Operation("each", ("p",), 1, "pattern")
WITHIN: Final = Operation("within", ("p",), 1, "pattern")
EITHER: Final = Operation("either", ("p", "q"), 2, "pattern")
NAMED: Final = Operation("named", ("p",), 1, "pattern")
REST: Final = Operation("rest", (), 0, "pattern")
THEN: Final = Operation("then", ("p", "q"), 2, "pattern")
THROUGH: Final = Operation("through", ("v", "x"), 2, "pattern")

_LITERALS: Final = (int, float, str)
_SPECIAL: Final = {"view": VIEW, "each": EACH, "within": WITHIN, "through": THROUGH}
_BINARY: Final = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
}
_COMPARISON: Final = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
}
_BUILDER: Final = Builder()
_REWRITTEN: Final = frozenset(("add", "sub", "neg", "square"))
"""Operations that a match need not contain: a sum may be a difference, a sign part of a constant,
and `a - x * -x` has a square in it."""
_WAYS_MOST: Final = 16


class PatternError(ValueError):
    """The text is not a pattern; the message says what and where."""


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    text: str
    term: Term

    @staticmethod
    def parse(text: str) -> Pattern:
        """Read a pattern or rewrite; raises `PatternError`."""
        return _parsed(text)

    def roots(self) -> frozenset[str]:
        """The names of the operations that a match can start at."""
        return frozenset(_roots(self.term))

    def operations(self) -> frozenset[str]:
        """Every canonical operation that the pattern mentions."""
        return frozenset(
            part.operation.name
            for part in _parts(self.term)
            if part.operation.kind not in ("pattern", "leaf")
        )

    def uses(self, name: str) -> int:
        """How often a variable occurs in the pattern."""
        return sum(part.operation is VARIABLE and part.detail == name for part in _parts(self.term))

    def variables(self) -> frozenset[str]:
        """The names that a match binds."""
        names = {
            str(part.detail)
            for part in _parts(self.term)
            if part.operation in (VARIABLE, NAMED, REST) and part.detail != "_"
        }
        names |= {
            str(part.detail)
            for part in _parts(self.term)
            if part.operation.kind not in ("pattern", "leaf") and part.detail is not None
        }
        return frozenset(names)


@cache
def _parsed(text: str) -> Pattern:
    """The pattern of a text; cached, since cases of a rule and their fixes repeat each other."""
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except SyntaxError as error:
        raise PatternError(f"{text!r} is not an expression: {error.msg}") from None
    return Pattern(text, _Reader(text).read(tree.body))


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text

    def fail(self, what: str) -> PatternError:
        return PatternError(f"{what} in {self.text!r}")

    def read(self, node: ast.expr) -> Term:
        match node:
            case ast.Name(name):
                return _BUILDER.variable(name)
            # As a pattern, `None as value` binds nothing where mypyc has compiled it.
            case ast.Constant(value) if value is None or isinstance(value, _LITERALS):
                return _BUILDER.constant(value)
            case ast.UnaryOp(ast.USub(), operand):
                return _BUILDER.apply("neg", self.read(operand))
            case ast.BinOp(left, ast.BitOr(), right):
                return _BUILDER.leaf(EITHER, None, (self.read(left), self.read(right)))
            case ast.BinOp(left, ast.RShift(), right):
                return _BUILDER.leaf(THEN, None, (self.read(left), self.read(right)))
            case ast.BinOp(left, operator, right) if type(operator) in _BINARY:
                name = _BINARY[type(operator)]
                return _BUILDER.apply(name, self.read(left), self.read(right))
            case ast.Compare(left, [operator], [right]) if type(operator) in _COMPARISON:
                name = _COMPARISON[type(operator)]
                return _BUILDER.apply(name, self.read(left), self.read(right))
            case ast.NamedExpr(ast.Name(name), value):
                return _BUILDER.leaf(NAMED, name, (self.read(value),))
            case ast.Call(ast.Name(name), arguments, keywords):
                return self._call(name, arguments, keywords)
            case ast.List(elements):
                return _BUILDER.leaf(SEQUENCE, "list", tuple(map(self.read, elements)))
            case _:
                raise self.fail(f"`{ast.unparse(node)}` has no meaning in a pattern")

    def _call(self, name: str, arguments: list[ast.expr], keywords: list[ast.keyword]) -> Term:
        if name in _SPECIAL:
            operands = tuple(map(self.read, arguments))
            if len(operands) != _SPECIAL[name].operands or keywords:
                raise self.fail(f"`{name}` takes {_SPECIAL[name].operands} operand(s)")
            return _BUILDER.leaf(_SPECIAL[name], None, operands)
        operation = ops.CATALOGUE.get(name)
        if operation is None:
            close = difflib.get_close_matches(name, [*ops.CATALOGUE, *_SPECIAL], 1)
            hint = f"; did you mean `{close[0]}`?" if close else ""
            raise self.fail(f"`{name}` is not a canonical operation{hint}")
        parts: list[Term] = []
        for argument in arguments:
            if isinstance(argument, ast.Starred) and isinstance(argument.value, ast.Name):
                parts.append(_BUILDER.leaf(REST, argument.value.id))
            else:
                parts.append(self.read(argument))
        operands = tuple(parts)
        settings: dict[str, Term] = {}
        rest: str | None = None
        for keyword in keywords:
            if keyword.arg is None:
                if not isinstance(keyword.value, ast.Name):
                    raise self.fail("`**` takes a variable")
                rest = keyword.value.id
            elif keyword.arg not in operation.parameters:
                close = difflib.get_close_matches(keyword.arg, operation.parameters, 1)
                hint = f"; did you mean `{close[0]}`?" if close else ""
                raise self.fail(f"`{name}` has no setting `{keyword.arg}`{hint}")
            else:
                settings[keyword.arg] = self.read(keyword.value)
        if (name == "add" and len(operands) != 2) or any(o.operation is REST for o in operands):
            return Term(operation, operands, _BUILDER.fresh())
        if len(operands) != operation.operands and operation.kind != "view":
            raise self.fail(f"`{name}` takes {operation.operands} operand(s)")
        term = _BUILDER.build(operation, operands, settings)
        if rest is not None:
            term = Term(
                term.operation, term.operands, _BUILDER.fresh(), None, term.settings, None, rest
            )
        return term


def _roots(term: Term) -> Iterator[str]:
    if term.operation in (NAMED, EITHER):
        for operand in term.operands:
            yield from _roots(operand)
    elif term.operation in (VIEW, THEN):
        yield from _roots(term.operands[0])
    elif term.operation.name in ("add", "sub"):
        yield from ("add", "sub")
    else:
        yield term.operation.name


def may_match(pattern: Term, term: Term) -> bool:
    """Whether every operation that the pattern names occurs in the term."""
    inside = term.inside
    for needed in needs(pattern):  # noqa: SIM110
        if needed & inside == needed:
            return True
    return False


@cache
def needs(pattern: Term) -> frozenset[int]:
    """The bits of the operations that a match contains, for each way to match."""
    if pattern.operation is EITHER:
        found = frozenset[int]().union(*map(needs, pattern.operands))
    elif pattern.operation is THEN:
        found = needs(pattern.operands[0])
    else:
        found = frozenset((0 if pattern.operation.name in _REWRITTEN else pattern.operation.bit,))
        for operand in pattern.operands:
            found = frozenset(first | second for first, second in product(found, needs(operand)))
    return found if len(found) <= _WAYS_MOST else frozenset((reduce(and_, found),))


def _parts(term: Term) -> Iterator[Term]:
    yield term
    for child in term.children():
        yield from _parts(child)


def parts(term: Term) -> Iterator[Term]:
    """The pattern and everything in it."""
    return _parts(term)
