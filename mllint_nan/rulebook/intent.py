"""Where a program itself intends a NaN or infinite value: by how it is made, used or documented.

The logarithm of a condition is 0 or -inf on purpose; what is counted, warned of or asserted on is
known; a docstring says what a function returns, a test what is expected. A guard would change all
of that; a rewrite that computes the same more precisely would not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import IntEnum
from math import inf
from typing import Final

from mllint_nan.flow.named_values import is_epsilon_name
from mllint_nan.flow.queries import expressions
from mllint_nan.flow.state import Scope
from mllint_nan.ir import program as ir
from mllint_nan.ir.blocks import own_statements
from mllint_nan.ir.term import (
    OPAQUE,
    QUALIFIED,
    SEQUENCE,
    Term,
    behind_views,
    constant_of,
    number_of,
    peel,
)
from mllint_nan.naming import names
from mllint_nan.rulebook.predicates.context import Context, made_from, name_of


class Intent(IntEnum):
    """How clearly a program intends a value that is not finite."""

    NONE = 0
    CHECKED = 1
    """The program checks for it, as for an error: no guard is put before the check."""
    MEANT = 2
    """The program intends it."""


_LOGARITHMS: Final = frozenset(("log", "log2", "log10"))
_CHECKS: Final = frozenset(("isnan", "isinf", "isfinite"))
_CHECKING_CALLS: Final = re.compile(r"(^|[._ ])(is_?(pos|neg)?_?(nan|inf|finite)|check_numerics)$")
_COUNTS: Final = frozenset(("sum", "mean", "count_nonzero"))
_COMPARES: Final = re.compile(r"(^|[._ ])(assert\w*|all_?close|is_?close|approx|(array_)?equal)$")
_PATCHES: Final = frozenset(("where", "boolean_mask", "subscript", "mul", "nan_to_num"))
_INFINITIES: Final = frozenset(("inf", "infty", "infinity"))
_PASSED: Final = frozenset(("neg", "mul", "div", "add", "sub", "abs"))
_TESTS: Final = re.compile(r"^test(_|[A-Z]|$)")
_TEST_CASES: Final = re.compile(r"Test(Case)?$|(^|\.)Test\w*$|TestCase")
_UNIT_TESTS: Final = re.compile(r"TestCase$")
"""Base classes whose methods only a test runner calls."""
_REFERENCES: Final = names("reference")

_VALUE: Final = r"[`'\"*]*[-+−]?(?:np\.|torch\.|math\.)?(?:nans?|inf|infinit(?:y|e|ies))\b[`'\"*]*"
_UNDER_CONDITION: Final = re.compile(
    rf"(?<![\w.]){_VALUE}[ ,]+(?:if|when|where|whenever|for|unless|outside|at)\b", re.IGNORECASE
)
_GIVEN: Final = re.compile(
    r"\b(?:returns?|gives?|yields?|becomes?|evaluates? to|results? in"
    r"|(?:results?|outputs?|values?) (?:is|are|will be))\s+(?:an?\s+)?" + _VALUE,
    re.IGNORECASE,
)
_THEN: Final = re.compile(
    rf"\b(?:if|when|where)\b[^,]*,([^,]*?)\b(?:is|are|will be)\s+(?:an?\s+)?{_VALUE}",
    re.IGNORECASE,
)
"""A condition, and what the result is under it."""
_DENIED: Final = re.compile(
    r"\b(avoids?|avoiding|prevents?|preventing|never|not|no|without|instead|would|against|bug|todo"
    r"|fixme|xxx|hack|removes?|replaces?|ignor(es?|ing)|fix(es)?|whether)\b|n't\b",
    re.IGNORECASE,
)
_CONDITION: Final = re.compile(r"\b(if|when|where)\b", re.IGNORECASE)
_SENTENCE: Final = re.compile(r"[.;!?]\s|\n\s*\n")


class Told:
    """What the functions of one file say about values that are not finite; each is read once."""

    def __init__(self) -> None:
        self._documented: dict[int, bool] = {}
        self._warned_of: dict[int, frozenset[int]] = {}

    def is_documented(self, function: ir.Function) -> bool:
        """Whether a function's docstring or a message of it says that something is not finite."""
        known = self._documented.get(id(function))
        if known is None:
            known = any(map(_says_not_finite, _docstring(function)))
            known = known or any(map(_says_when_not_finite, _messages(function)))
            self._documented[id(function)] = known
        return known

    def is_warned_of(self, function: ir.Function, check: Term) -> bool:
        """Whether a warning depends on a check, after which the program goes on."""
        sites = self._warned_of.get(id(function))
        if sites is None:
            sites = self._warned_of[id(function)] = frozenset(map(id, _warned_of(function)))
        return id(check.site) in sites


def intent_of(context: Context, remarks: str, told: Told) -> Intent:
    """How clearly the program intends the result; `remarks` are the comments beside it."""
    result, scope = peel(context.occurrence.term), context.occurrence.scope
    if _is_log_of_selection(context, result) or _is_documented(scope, remarks, told):
        return Intent.MEANT
    if _is_reference_of_test(context, result) or _is_infinite_elsewhere(context, result):
        return Intent.MEANT
    return _checked(context, result, told)


# How the value is made


def _is_log_of_selection(context: Context, result: Term) -> bool:
    """Whether this is the log of a selection, or of literal numbers with a 0 among them.

    The argument of a call is written elsewhere, and does not tell what the logarithm is meant to
    be.
    """
    if result.operation.name not in _LOGARITHMS:
        return False
    inner = behind_views(result.operands[0])
    is_written_here = context.occurrence.call is None and 0 in _written_out(inner)
    return is_written_here or is_selection(inner)


def _written_out(term: Term) -> tuple[float, ...]:
    """The numbers of a literal or an array of literals; none if part of it is anything else."""
    inner = peel(term)
    if inner.operation.name in ("identity", "cast"):
        inner = peel(inner.operands[0])
    number = number_of(inner)
    if number is not None:
        return (number,)
    if inner.operation is not SEQUENCE:
        return ()
    parts = [_written_out(part) for part in inner.operands]
    return tuple(number for part in parts for number in part) if all(parts) else ()


def is_selection(term: Term) -> bool:
    """Whether a term is a condition as numbers; an epsilon added to it does not change that."""
    inner = behind_views(term)
    name, operands = inner.operation.name, inner.operands
    if inner.operation.kind == "comparison" or name.startswith("logical_"):
        return True
    if name == "mul":
        others = [one for one in operands if number_of(one) is None]
        return bool(others) and all(map(is_selection, others))
    if name == "sub":
        return number_of(operands[0]) == 1 and is_selection(operands[1])
    if name == "add":
        others = [one for one in operands if not _is_epsilon(one)]
        return len(others) == 1 < len(operands) and is_selection(others[0])
    if name == "where":
        return {number_of(one) for one in operands[1:3]} == {0, 1}
    return False


def _is_epsilon(term: Term) -> bool:
    number = number_of(term)
    return is_epsilon_name(name_of(term)) if number is None else 0 < number < 1e-3


# How the value is used


def _is_infinite_elsewhere(context: Context, result: Term) -> bool:
    """Whether a function returns this logarithm, and on another path an infinity itself.

    A density does so outside of its support.
    """
    if result.operation.name not in _LOGARITHMS:
        return False
    returned = [behind_views(one) for one in context.occurrence.scope.returned]
    return any(one.key == result.key for one in returned) and any(map(is_infinite, returned))


def is_infinite(term: Term) -> bool:
    """Whether a term is a literal infinity, or an array of nothing else."""
    inner = behind_views(term)
    if inner.operation is SEQUENCE or inner.operation.name == "neg":
        return bool(inner.operands) and all(map(is_infinite, inner.operands))
    if inner.operation is QUALIFIED:
        return str(inner.detail).rpartition(".")[2].lower() in _INFINITIES
    written = constant_of(inner)
    if isinstance(written, str):  # `float("inf")`
        return written.lower().lstrip("+-") in _INFINITIES
    number = number_of(inner)
    return number is not None and abs(number) == inf


def _checked(context: Context, result: Term, told: Told) -> Intent:
    """The intent shown by tests of the very value for NaN or infinity, except to replace it."""
    found, function = Intent.NONE, context.occurrence.scope.node
    for _, consumer in made_from(context, result, _passes):
        if not _is_check(consumer):
            continue
        uses = [use for _, use in made_from(context, consumer, _is_of_check)]
        if any(use.operation.name in _PATCHES or use.detail == "update" for use in uses):
            continue
        is_counted = any(use.operation.name in _COUNTS for use in uses)
        is_warned_of = isinstance(function, ir.Function) and told.is_warned_of(function, consumer)
        found = max(found, Intent.MEANT if is_counted or is_warned_of else Intent.CHECKED)
    return found


def _passes(term: Term) -> bool:
    return term.operation.kind == "view" or term.operation.name in _PASSED


def _is_check(term: Term) -> bool:
    called = term.written.path if term.written is not None else ""
    if _CHECKING_CALLS.search(_called(term) if term.operation is OPAQUE else called):
        return True
    return term.operation.name in _CHECKS


def _is_of_check(term: Term) -> bool:
    return term.operation is not OPAQUE or not str(term.detail).startswith("call ")


def _called(term: Term) -> str:
    return str(term.detail).removeprefix("call ")


def _warned_of(function: ir.Function) -> Iterator[object]:
    """The sites of the conditions of a function on which its warnings depend."""
    for statement in own_statements(function.body):
        if isinstance(statement, ir.If) and any(map(_is_warning, statement.body)):
            for test in expressions(statement):
                yield test.site


def _is_warning(statement: ir.Statement) -> bool:
    match statement:
        case ir.Evaluate(_, ir.Call(_, ir.Name(_, name) | ir.Attribute(_, _, name))):
            return name.startswith("warn")
        case _:
            return False


def _is_reference_of_test(context: Context, result: Term) -> bool:
    """Whether the result is what a test compares its outcome with."""
    if not _is_in_test(context.occurrence.scope):
        return False
    uses = made_from(context, result, lambda term: term.operation is not OPAQUE)
    if any(use.operation is OPAQUE and _COMPARES.search(_called(use)) for _, use in uses):
        return True
    names = context.analysis.references.get(id(result), ())
    return any(_REFERENCES.search(str(reference.detail)) for reference in names)


def _is_in_test(scope: Scope) -> bool:
    """Whether a scope is in a test: in a function `test_…`, or a method of a test case."""
    return any(
        one.kind == "function" and (_TESTS.search(one.name) or _is_test_case(one.owner))
        for one in scope.enclosing()
    )


def _is_test_case(owner: Scope | None) -> bool:
    return owner is not None and any(map(_TEST_CASES.search, _bases(owner)))


def is_in_unit_test(scope: Scope) -> bool:
    """Whether a scope is in a test case's class, in whatever file."""
    return any(
        one.kind == "class" and any(map(_UNIT_TESTS.search, _bases(one)))
        for one in scope.enclosing()
    )


def _bases(owner: Scope) -> Iterator[str]:
    """The names of the base classes of a class."""
    return (str(peel(base).detail) for base in owner.bases)


# What the texts say


def _is_documented(scope: Scope, remarks: str, told: Told) -> bool:
    return _says_not_finite(remarks) or any(
        one.kind == "function"
        and isinstance(one.node, ir.Function)
        and told.is_documented(one.node)
        for one in scope.enclosing()
    )


def _says_not_finite(text: str) -> bool:
    """Whether a text says that what is computed is NaN or infinite."""
    for sentence in _SENTENCE.split(text):
        given, then = _GIVEN.search(sentence), _THEN.search(sentence)
        if given is not None and not _DENIED.search(sentence[: given.start()]):
            return True
        if then is not None and not _DENIED.search(sentence[: then.start()] + then[1]):
            return True
    return _says_when_not_finite(text)


def _says_when_not_finite(text: str) -> bool:
    return any(
        found is not None
        and not _DENIED.search(sentence[: found.start()])
        and not _CONDITION.search(sentence[: found.start()])
        for sentence in _SENTENCE.split(text)
        for found in (_UNDER_CONDITION.search(sentence),)
    )


def _docstring(function: ir.Function) -> Iterator[str]:
    match function.body[:1]:
        case (ir.Evaluate(_, ir.Constant(_, str() as text)),):
            yield text
        case _:
            pass


def _messages(function: ir.Function) -> Iterator[str]:
    """The texts of the exceptions and warnings of a function."""
    for statement in own_statements(function.body):
        if not isinstance(statement, ir.Raise) and not _is_warning(statement):
            continue
        for expression in expressions(statement):
            if isinstance(expression, ir.Constant) and isinstance(expression.value, str):
                yield expression.value
