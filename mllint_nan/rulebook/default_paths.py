"""Paths that a function does not take as long as its parameters keep their defaults."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from mllint_nan.domains.truth import Truth
from mllint_nan.findings import Confidence
from mllint_nan.flow.conditions import decided
from mllint_nan.flow.state import Analysis, Occurrence
from mllint_nan.ir.term import (
    CHOICE,
    CONSTANT,
    INPUT,
    Fact,
    Term,
    constant_of,
    number_of,
    peel,
    walk,
)
from mllint_nan.rulebook.by_option import Tried, on_path
from mllint_nan.rulebook.verdict import Verdict

LEFT_OUT: Final = "as long as the parameters keep their defaults, nothing takes that path"
_CALCULATED: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "pow": operator.pow,
}


def unless_left_out(
    analysis: Analysis, verdict: Verdict, occurrence: Occurrence, tried: Tried
) -> Verdict:
    """The verdict, no more than possible if only a path that defaults exclude is broken.

    Where a visible call passes something else, the path is judged with its arguments.
    """
    for fact in occurrence.state.facts:
        if _is_of_size(analysis, fact) and _is_left_out(analysis, occurrence, fact):
            return _no_more_than_possible(verdict)
    for place, operand in enumerate(occurrence.term.operands):
        inner = peel(operand)
        if inner.operation is not CHOICE or not any(inner.facts):
            continue
        taken = [
            number
            for number, facts in enumerate(inner.facts)
            if not any(_is_left_out(analysis, occurrence, fact) for fact in facts)
        ]
        if not taken or len(taken) == len(inner.operands):
            continue
        paths = (on_path(occurrence, place, one, inner.operands[one]) for one in taken)
        verdicts = (tried(path) for path in paths)
        if not any(one is not None and one.confidence > Confidence.POSSIBLE for one in verdicts):
            return _no_more_than_possible(verdict)
    return verdict


def _no_more_than_possible(verdict: Verdict) -> Verdict:
    return replace(
        verdict, confidence=Confidence.POSSIBLE, why=lambda: LEFT_OUT, rests_on_fix=False
    )


def _is_of_size(analysis: Analysis, fact: Fact) -> bool:
    """Whether a fact is about the size of parameters of functions that the file calls.

    Other files may call what nothing calls here, and a number that is only compared for equality
    chooses one of several ways, as a flag does.
    """
    test = peel(fact.test)
    functions = {
        analysis.parameters.get(one.key, (0, ""))[0] for one in walk(test) if one.operation is INPUT
    }
    is_ordered = test.operation.name in ("gt", "ge") and bool(functions)
    return is_ordered and all(analysis.bindings.get(one) for one in functions)


def _is_left_out(analysis: Analysis, occurrence: Occurrence, fact: Fact) -> bool:
    """Whether a fact contradicts the defaults, and all that calls in the file pass instead.

    The defaults are numbers: a flag, and a mask that is `None`, are there to be set.
    """
    around = {scope.key for scope in occurrence.scope.enclosing() if scope.kind == "function"}
    parameters = [part for part in walk(fact.test) if part.operation is INPUT]
    if not parameters or not all(map(_has_number, parameters)):
        return False
    if any(analysis.parameters.get(one.key, (0, ""))[0] not in around for one in parameters):
        return False
    return all(
        (found := decided(fact.test, _Given(passed))) is not Truth.UNKNOWN
        and (found is Truth.YES) is not fact.holds
        for passed in ({}, *_passed(analysis, parameters))
    )


def _has_number(parameter: Term) -> bool:
    """Whether the default of a parameter is a number, and not True or False."""
    default = constant_of(parameter.operands[0]) if parameter.operands else None
    return isinstance(default, (int, float)) and not isinstance(default, bool)


def _passed(analysis: Analysis, parameters: list[Term]) -> Iterator[dict[int, Term]]:
    """Yield what each call in the file passes for parameters of its function, by their keys."""
    names: dict[int, list[tuple[int, str]]] = {}
    for one in parameters:
        function, name = analysis.parameters[one.key]
        names.setdefault(function, []).append((one.key, name))
    for function, known in names.items():
        for binding in analysis.bindings.get(function, ()):
            given = binding.arguments
            yield {key: given[name] for key, name in known if name in given}


class _Given:
    """Looks terms up as they are with some arguments, and with defaults for all the others."""

    def __init__(self, arguments: Mapping[int, Term]) -> None:
        self._arguments = arguments

    def __call__(self, term: Term) -> Term:
        inner = peel(term)
        if inner.operation is INPUT and inner.operands:
            given = self._arguments.get(inner.key)
            return peel(inner.operands[0]) if given is None else _Given({})(given)
        calculated = _CALCULATED.get(inner.operation.name)
        parts = [self(part) for part in inner.operands] if inner.operands else []
        if inner.operation.name == "square":
            calculated, parts = operator.mul, [*parts, *parts]
        numbers = [number_of(part) for part in parts]
        if calculated is None or len(numbers) != 2 or None in numbers:
            return inner
        try:
            return replace(parts[0], operation=CONSTANT, detail=calculated(*numbers))
        except (ArithmeticError, ValueError):
            return inner
