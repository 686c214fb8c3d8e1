"""Values that are overwritten where they are not finite, before anything reads them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.uses import links_of
from mllint_nan.ir.term import CHOICE, OPAQUE, Term, behind_views, peel, walk
from mllint_nan.rulebook.intent import is_infinite
from mllint_nan.rulebook.predicates.context import Context
from mllint_nan.rulebook.predicates.gradients import gradient_flows

_LOGARITHMS: Final = frozenset(("log", "log2", "log10", "log1p"))
_KEEPS: Final = _LOGARITHMS | {"add", "sub", "mul", "neg"}
"""Operations whose result is not finite where an operand is not."""
_OF_ALL: Final = re.compile(r"(^|[._ ])isfinite$")
_OF_NAN: Final = re.compile(r"(^|[._ ])(isfinite|isnan)$")
_OF_INFINITIES: Final = re.compile(r"(^|[._ ])(isfinite|isinf|isneginf)$")


def is_replaced(context: Context, result: Term) -> bool:
    """Whether all uses of the result test it, overwrite what is not finite, or leave that out.

    `x[isinf(x)] = 0` replaces only the value: if a gradient flows, it is still the old one.
    """
    result, is_written = behind_views(result), False
    tests = _tests_of(result)
    pending, seen = [result.key], set[int]()
    while pending:
        key = pending.pop()
        if key in seen:
            continue
        seen.add(key)
        consumers = context.analysis.consumers.get(key, ())
        further = [one for one in _choices(context, key) if not _is_with_update(one, key, tests)]
        if _leaves(context, key, consumers, further):
            return False
        pending += [one.key for one in further]
        for consumer in consumers:
            if _tells(consumer, key, tests):
                continue
            if _is_update(consumer, key, tests) or consumer.operation.name == "nan_to_num":
                is_written = True
            elif consumer.operation.kind != "view" and not (
                tests is _OF_ALL and consumer.operation.name in _KEEPS
            ):
                return False
            elif not _selects(consumer, key, tests):
                pending.append(consumer.key)
    return is_written and gradient_flows(context, result) is not Truth.YES


def _tests_of(result: Term) -> re.Pattern[str]:
    """The tests that find bad values: a logarithm is infinite, a share of a zero sum NaN."""
    if result.operation.name in _LOGARITHMS:
        return _OF_INFINITIES
    if result.operation.name == "div":
        above, below = (behind_views(one) for one in result.operands)
        if below.operation.name == "sum" and behind_views(below.operands[0]).key == above.key:
            return _OF_NAN
    return _OF_ALL


def _choices(context: Context, key: int) -> list[Term]:
    """The choices that include the value, if something uses them or they are returned."""
    found = list(links_of(context.analysis).joined.get(key, ()))
    returned = map(peel, context.occurrence.scope.returned)
    found += [one for one in returned if any(peel(part).key == key for part in one.operands)]
    return [one for one in found if one.operation is CHOICE]


def _leaves(context: Context, key: int, consumers: Sequence[Term], further: Sequence[Term]) -> bool:
    """Whether invisible code gets the value as it is, without its bad elements overwritten."""
    is_given = any(one.operation is OPAQUE for one in consumers)
    if key in context.analysis.escaped and not is_given:
        return True
    returned = {peel(one).key for one in context.occurrence.scope.returned}
    return any(one.key in returned for one in further)


def _is_with_update(choice: Term, key: int, tests: re.Pattern[str]) -> bool:
    """Whether a choice includes the value after its bad elements were overwritten."""
    return any(_is_update(peel(one), key, tests) for one in choice.operands)


def _is_update(consumer: Term, key: int, tests: re.Pattern[str]) -> bool:
    """Whether a use is `x[isinf(x)] = value`."""
    return (
        consumer.operation is OPAQUE
        and consumer.detail == "update"
        and len(consumer.operands) == 3
        and behind_views(consumer.operands[0]).key == key
        and _is_mask(consumer.operands[2], key, tests)
    )


def _selects(consumer: Term, key: int, tests: re.Pattern[str]) -> bool:
    """Whether a use is `x[~isinf(x)]`."""
    return consumer.operation.name in ("subscript", "boolean_mask") and _is_mask(
        consumer.operands[1], key, tests
    )


def _is_mask(mask: Term, key: int, tests: re.Pattern[str]) -> bool:
    return any(_tells(part, key, tests) for part in walk(mask))


def _tells(test: Term, key: int, tests: re.Pattern[str]) -> bool:
    """Whether a term tests whether the value with that key is finite."""
    operands = [behind_views(one) for one in test.operands]
    if all(one.key != key for one in operands):
        return False
    called = str(test.detail) if test.operation is OPAQUE else test.operation.name
    if tests.search(called) is not None:
        return True
    is_compared = test.operation.kind == "comparison" and tests is _OF_INFINITIES
    return is_compared and any(map(is_infinite, operands))
