"""One term for each computation: all terms and patterns are made here.

Value numbering: Alpern, Wegman and Zadeck, "Detecting equality of variables in programs" (POPL
1988).

>>> build = Builder()
>>> x = build.variable("x")
>>> two = build.constant(2)
>>> build.apply("pow", x, two), build.apply("mul", x, x)
(square(x), square(x))
"""

from __future__ import annotations

import itertools
import math
import operator
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from mllint_nan.ir import ops
from mllint_nan.ir.ops import Operation
from mllint_nan.ir.term import (
    CHOICE,
    CONSTANT,
    INPUT,
    NOTHING,
    QUALIFIED,
    REFERENCE,
    SEQUENCE,
    VARIABLE,
    Term,
    Written,
    behind_views,
    constant_of,
    is_literal,
    number_of,
    peel,
)

_FOLD: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "pow": operator.pow,
}
_SPECIAL = frozenset((*_FOLD, "lt", "le", "neg", "where"))
"""The operations for which `_fold` may return another operation, or a constant."""
_REWRITTEN = frozenset(("pow", "mul", "lt", "le"))
"""The binary operations that may be rewritten even if not both operands are numbers."""
_NEUTRAL: Final = {"add": 0, "sub": 0, "mul": 1, "div": 1}
"""The number that leaves the other operand as it is; in `sub` and `div` only as the second one."""
_COMMUTES: Final = frozenset(("add", "mul"))
_COMPUTED: Final = frozenset(("elementwise", "reduction", "along", "other"))
"""Kinds of operations whose results are no masks; `1.0 * mask` turns a mask into numbers."""
_LARGEST_POWER = 1024
_NO_NUMBERS = frozenset((bool, str, bytes))
_ODD = frozenset((float, complex))
"""Types of numbers for which `==` is no identity: NaN differs from itself, 0j equals 0."""
_COMPLEX: Final = re.compile(r"complex|fft|polar|stft")


class Builder:
    """Makes terms and numbers their values: equal computations have equal keys."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[Any, ...], int] = {}
        self._fresh = itertools.count(1)
        self.is_of_complex = False
        """Whether some term may be a complex number, or names a function that returns one."""
        self._names: set[str] = set()
        """The names and texts in terms, each of which is looked at once."""

    def _note_name(self, name: str) -> None:
        self._names.add(name)
        if names_complex(name):
            self.is_of_complex = True

    def fresh(self) -> int:
        """Return a key that no other term has."""
        return next(self._fresh)

    def number(self, *identity: Any) -> int:
        """Return the key of every term with this identity."""
        key = self._numbers.get(identity)
        if key is None:
            key = self._numbers[identity] = next(self._fresh)
        return key

    def leaf(
        self,
        operation: Operation,
        detail: Any = None,
        operands: tuple[Term, ...] = (),
        site: object = None,
        framework: str | None = None,
        key: int | None = None,
        settings: Mapping[str, Term] | None = None,
    ) -> Term:
        """Return a term of a leaf operation; without `key`, an impure one has a key of its own."""
        if type(detail) is str and detail not in self._names:
            self._note_name(detail)
        if key is None:
            if operation.pure:
                keys = tuple([operand.key for operand in operands]) if operands else ()
                identity = (operation.name, detail, keys, _keys(settings) if settings else ())
                key = self._numbers.get(identity)
                if key is None:
                    key = self._numbers[identity] = next(self._fresh)
            else:
                key = next(self._fresh)
        return Term(operation, operands, key, site, settings, framework, detail)

    def constant(self, value: Any, site: object = None) -> Term:
        """Return a literal; 1 and 1.0 are the same number, True is another."""
        kind = type(value)
        if kind is complex:
            self.is_of_complex = True
        elif kind is str and value not in self._names:
            self._note_name(value)
        identity = ("constant", kind in _NO_NUMBERS, repr_key(value) if kind in _ODD else value)
        key = self._numbers.get(identity)
        if key is None:
            key = self._numbers[identity] = next(self._fresh)
        return Term(CONSTANT, (), key, site, NOTHING, None, value)

    def variable(self, name: str) -> Term:
        return self.leaf(VARIABLE, name)

    def apply(self, name: str, *operands: Term, **settings: Term) -> Term:
        """Apply the canonical operation `name`, without a site."""
        return self.build(ops.operation(name), operands, settings)

    def build(
        self,
        operation: Operation,
        operands: tuple[Term, ...],
        settings: Mapping[str, Term] | None = None,
        site: object = None,
        framework: str | None = None,
        written: Written | None = None,
    ) -> Term:
        """Return the canonical term of an operation: defaults dropped, special cases folded."""
        kept: Mapping[str, Term] = NOTHING
        if settings:
            kept = {
                name: term
                for name, term in settings.items()
                if not _is_default(operation, name, term)
            }
        if framework is None:
            framework = _common_framework(operands)
        folded = self._fold(operation, operands, kept)
        if isinstance(folded, Term):
            if folded.operation is CONSTANT:
                return Term(CONSTANT, (), folded.key, site, NOTHING, framework, folded.detail)
            return (
                Term(
                    REFERENCE,
                    (folded,),
                    folded.key,
                    site,
                    NOTHING,
                    framework or folded.framework,
                    None,
                )
                if site is not None and folded in operands
                else folded
            )
        operation, operands = folded
        if not operation.pure:
            key = self.fresh()
        else:
            keys = [operand.key for operand in operands]
            if operation.commutative:
                keys.sort()
            identity = (operation.name, tuple(keys), _keys(kept) if kept else ())
            known = self._numbers.get(identity)
            if known is None:
                known = self._numbers[identity] = next(self._fresh)
            key = known
        return Term(operation, operands, key, site, kept, framework, None, written)

    def _fold(
        self, operation: Operation, operands: tuple[Term, ...], settings: Mapping[str, Term]
    ) -> Term | tuple[Operation, tuple[Term, ...]]:
        name = operation.name
        if name not in _SPECIAL:
            return operation, operands
        if operation.operands == 2 and len(operands) == 2:
            left, right = operands
            a, b = number_of(left), number_of(right)
            if a is not None and b is not None and name in _FOLD:
                value = _folded(name, a, b)
                return self.constant(value) if value is not None else (operation, operands)
            neutral = _NEUTRAL.get(name)
            if neutral is not None and (a is not None or b is not None):
                other = left if b == neutral else right if a == neutral else None
                is_kept = other is right and name not in _COMMUTES
                if other is not None and not is_kept and _is_computed(other):
                    return other
            if name not in _REWRITTEN:
                return operation, operands
            match name:
                case "pow" if b == 2:
                    return ops.operation("square"), (left,)
                case "pow" if b == 0.5:
                    return ops.operation("sqrt"), (left,)
                case "pow" if b == -0.5:
                    return ops.operation("rsqrt"), (left,)
                case "pow" if b == 1:
                    return left
                case "pow" if b is not None and b < 0 and b == int(b):
                    divisor = self.build(operation, (left, self.constant(-b)))
                    return ops.operation("div"), (self.constant(1), divisor)
                case "mul" if left.key == right.key and (is_pure(left) or _is_same(left, right)):
                    return ops.operation("square"), (left,)
                case "mul" if b == -1:
                    return ops.operation("neg"), (left,)
                case "mul" if a == -1:
                    return ops.operation("neg"), (right,)
                case "lt":
                    return ops.operation("gt"), (right, left)
                case "le":
                    return ops.operation("ge"), (right, left)
        elif name == "neg":
            value = number_of(operands[0])
            if value is not None:
                return self.constant(-value)
            inner = peel(operands[0])
            if inner.operation.name == "neg":
                return inner.operands[0]
        elif name == "where" and len(operands) == 3:
            condition = peel(operands[0])
            if condition.operation.name == "logical_not":
                return operation, (condition.operands[0], operands[2], operands[1])
        return operation, operands


def _is_computed(term: Term) -> bool:
    """Whether the term, behind views, is the result of an operation that yields no mask."""
    operation = behind_views(term).operation
    return operation.kind in _COMPUTED or operation.name == "size"


@lru_cache(maxsize=4096)
def names_complex(detail: str) -> bool:
    """Whether the name of a function or of a format suggests complex numbers."""
    return _COMPLEX.search(detail) is not None


def _keys(settings: Mapping[str, Term]) -> tuple[tuple[str, int], ...]:
    return tuple([(name, settings[name].key) for name in sorted(settings)])


def _common_framework(operands: tuple[Term, ...]) -> str | None:
    """The framework of a mixed operation: any other one has precedence over `math`."""
    is_of_math = False
    for term in operands:
        if term.framework is not None:
            if term.framework != "math":
                return term.framework
            is_of_math = is_of_math or not is_literal(term)
    return "math" if is_of_math else None


def repr_key(value: Any) -> Any:
    """A hashable identity of a literal; NaN equals itself, and 0j is not 0."""
    if isinstance(value, complex):
        return repr(value)
    if isinstance(value, float) and math.isnan(value):
        return "nan"
    return value


def is_pure(term: Term) -> bool:
    """Whether evaluating the term twice gives the same value."""
    return peel(term).operation.pure


def _is_same(left: Term, right: Term) -> bool:
    """Whether both name a variable with one definition, which was evaluated once."""
    is_named = left.operation is right.operation is REFERENCE
    return is_named and left.operands[0] is right.operands[0]


def _folded(name: str, a: int | float, b: int | float) -> int | float | None:
    """A number of numbers; mypyc turns an integer into a float where only that is admitted."""
    if name == "pow" and (abs(b) > _LARGEST_POWER or abs(a) > 1e300):
        return None
    try:
        value = _FOLD[name](a, b)
    except (ArithmeticError, ValueError):
        return None
    return value if isinstance(value, (int, float)) else None


def _is_default(operation: Operation, name: str, term: Term) -> bool:
    if name not in operation.defaults:
        return False
    inner = peel(term)
    return inner.operation is CONSTANT and (
        inner.detail is operation.defaults[name]
        or (
            isinstance(inner.detail, (int, float))
            and type(operation.defaults[name]) in (int, float, bool)
            and inner.detail == operation.defaults[name]
        )
    )


__all__ = [
    "CHOICE",
    "INPUT",
    "QUALIFIED",
    "SEQUENCE",
    "Builder",
    "constant_of",
    "is_pure",
]
