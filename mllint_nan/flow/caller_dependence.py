"""Which functions of a file depend on the arguments of callers in other files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from mllint_nan.flow.formats import HALF, is_lost_in, number_or_default
from mllint_nan.flow.overriding import leaves_to_subclasses
from mllint_nan.flow.state import Analysis, Occurrence, Scope
from mllint_nan.ir.ops import bits_of
from mllint_nan.ir.program import FIRST_METHODS
from mllint_nan.ir.term import ATTRIBUTE, INPUT, OPAQUE, Term, behind_views, peel, walk

_DEPENDENT: Final = frozenset(
    (
        *("log", "log2", "log10"),
        *("cross_entropy", "nll_loss", "binary_cross_entropy", "categorical_cross_entropy"),
        *("softmax_cross_entropy", "sigmoid_cross_entropy", "binary_cross_entropy_with_logits"),
    )
)
"""The operations that no rule reports before it sees their operands."""
_SINGULAR: Final = {
    **dict.fromkeys(("sqrt", "rsqrt", "pow", "acos", "asin", "atanh", "acosh", "exp"), 0),
    "div": 1,
}
"""Operations that must be given a parameter as it is, with the place of the deciding operand."""
_IN_HALF: Final = bits_of(
    *("div", "log", "log2", "log10", "sqrt", "rsqrt", "normalize", "cosine_similarity"),
    *("mul", "where"),
)
"""Operations that are guarded or masked by numbers, some of which float16 cannot represent."""
_PARTS_MOST: Final = 48
"""How many terms of an operand are searched for a parameter."""
_OPERAND_MOST: Final = 200
"""How many terms of a reported operation are searched for one."""
_ROUNDS_MOST: Final = 3
"""How many levels of callers of the dependent functions are added."""


def open_definitions(analysis: Analysis, suspects: Iterable[Occurrence]) -> frozenset[str]:
    """The functions and classes of the module in which an argument decides what rules report.

    `suspects` are the operations that a rule reports without evidence in the file that they occur.
    A function that no call enters, as a decorator replaces it, is the same for all arguments.
    """
    suspected = (one.scope for one in suspects if one.scope.is_entered and _is_open(one, analysis))
    scopes = {id(scope): scope for scope in (*suspected, *_scopes_that_depend(analysis))}
    for _ in range(_ROUNDS_MOST):
        callers = {
            id(caller.scope): caller.scope
            for scope in scopes.values()
            for caller in analysis.callers.get(scope.key, ())
            if caller.scope.kind == "function" and caller.scope.is_entered
        }
        if callers.keys() <= scopes.keys():
            break
        scopes.update(callers)
    names = (scope.definition.partition(".")[0] for scope in scopes.values())
    return frozenset(name for name in names if name and not name.startswith("<"))


def _scopes_that_depend(analysis: Analysis) -> Iterator[Scope]:
    """Yield the functions that apply a dependent operation to a parameter, or to its result."""
    seen: set[int] = set()
    for occurrence in analysis.occurrences:
        scope, term = occurrence.scope, occurrence.term
        if id(scope) in seen or not scope.is_entered:
            continue
        if term.framework == "math" or scope.name in FIRST_METHODS:
            continue  # applied to a setting, which no model gives
        place = _SINGULAR.get(term.operation.name)
        if place is not None and _is_given_as_it_is(term.operands[place], analysis, scope):
            seen.add(id(scope))
            yield scope
        if id(scope) not in seen and _is_decided_by_format(term, analysis):
            seen.add(id(scope))
            yield scope
        if term.operation.name not in _DEPENDENT or id(scope) in seen:
            continue
        if any(_is_given(operand, analysis) for operand in term.operands):
            seen.add(id(scope))
            yield scope
    for term in analysis.made:
        if term.operation is OPAQUE and term.operands[1:] and _is_loss_of_model(term, analysis):
            function, _ = analysis.parameters[peel(term.operands[0]).key]
            loss = analysis.functions.get(function)  # `None` for a function that was not entered
            if loss is not None and loss.is_entered and id(loss) not in seen:
                seen.add(id(loss))
                yield loss


def _is_given_as_it_is(operand: Term, analysis: Analysis, scope: Scope) -> bool:
    """Whether an operand is a parameter, or an attribute set to one, but no numeric setting."""
    inner = behind_views(operand)
    if inner.framework == "math":
        return False
    if inner.operation is ATTRIBUTE and _is_self(inner.operands[0]) and scope.owner is not None:
        stored = scope.owner.attributes.get(str(inner.detail), ())
        return any(_is_parameter(one, analysis) and not one.operands for one in map(peel, stored))
    return _is_parameter(inner, analysis) and not inner.operands


def _is_open(occurrence: Occurrence, analysis: Analysis) -> bool:
    """Whether an operation depends on a parameter, a stored attribute or an abstract method."""
    owner = occurrence.scope.owner
    stored = owner.attributes if owner is not None else {}
    return leaves_to_subclasses(occurrence) or any(
        _is_parameter(part, analysis)
        or (part.operation is ATTRIBUTE and part.detail in stored and _is_self(part.operands[0]))
        for part in islice(walk(occurrence.term), _OPERAND_MOST)
    )


def _is_self(term: Term) -> bool:
    inner = peel(term)
    return inner.operation is INPUT and inner.detail == "self"


def _is_given(operand: Term, analysis: Analysis) -> bool:
    return any(_is_parameter(part, analysis) for part in islice(walk(operand), _PARTS_MOST))


def _is_decided_by_format(term: Term, analysis: Analysis) -> bool:
    """Whether an argument goes into an operation with a number that is 0 or infinite in float16.

    `normalize` has such a number by default.
    """
    if not term.operation.bit & _IN_HALF:
        return False
    parts = tuple(islice(walk(term), _PARTS_MOST))
    is_lost = term.operation.name == "normalize" or any(map(_is_lost, parts))
    return is_lost and any(_is_parameter(part, analysis) for part in parts)


def _is_lost(part: Term) -> bool:
    """Whether a number, perhaps the default of a parameter, is 0 or infinite in float16."""
    number = number_or_default(part)
    return number is not None and is_lost_in(number, HALF)


def _is_parameter(term: Term, analysis: Analysis) -> bool:
    return term.operation is INPUT and term.key in analysis.parameters and term.detail != "self"


def _is_loss_of_model(call: Term, analysis: Analysis) -> bool:
    """Whether a call is `criterion(model(x), y)` of two parameters, but no method of the first."""
    if not _is_call_of_parameter(call, analysis):
        return False
    loss = str(peel(call.operands[0]).detail)
    if call.detail != f"call {loss}" or loss == "cls":
        return False
    return any(_is_call_of_parameter(peel(given), analysis) for given in call.operands[1:])


def _is_call_of_parameter(term: Term, analysis: Analysis) -> bool:
    if term.operation is not OPAQUE or not term.operands:
        return False
    is_of_parameter = _is_parameter(peel(term.operands[0]), analysis)
    return is_of_parameter and str(term.detail).startswith("call")
