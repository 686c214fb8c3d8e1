"""What is overwritten where it is not finite, before anything reads it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.uses import links_of
from mllint_nan.ir.term import CHOICE, OPAQUE, Term, behind_views, peel, walk
from mllint_nan.rulebook.meant import is_infinite
from mllint_nan.rulebook.predicates.context import Context
from mllint_nan.rulebook.predicates.gradients import gradient_flows

_LOGARITHMS: Final = frozenset(("log", "log2", "log10", "log1p"))
_KEEPS: Final = _LOGARITHMS | {"add", "sub", "mul", "neg"}
"""What makes of no finite number no finite number again."""
_OF_ALL: Final = re.compile(r"(^|[._ ])isfinite$")
_OF_NAN: Final = re.compile(r"(^|[._ ])(isfinite|isnan)$")
_OF_INFINITIES: Final = re.compile(r"(^|[._ ])(isfinite|isinf|isneginf)$")


def is_replaced(context: Context, result: Term) -> bool:
    """All that is made of it finds what is not finite, writes over that, or selects what is not.

    `x[isinf(x)] = 0` replaces values alone: where a gradient flows, it is still that of before.
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
    """What has to be asked of it: a logarithm is infinite, a share of what adds up to 0 is NaN."""
    if result.operation.name in _LOGARITHMS:
        return _OF_INFINITIES
    if result.operation.name == "div":
        above, below = (behind_views(one) for one in result.operands)
        if below.operation.name == "sum" and behind_views(below.operands[0]).key == above.key:
            return _OF_NAN
    return _OF_ALL


def _choices(context: Context, key: int) -> list[Term]:
    """What it is behind branches, as far as something is made of that, or as it is returned."""
    found = list(links_of(context.analysis).joined.get(key, ()))
    returned = map(peel, context.occurrence.scope.returned)
    found += [one for one in returned if any(peel(part).key == key for part in one.operands)]
    return [one for one in found if one.operation is CHOICE]


def _leaves(context: Context, key: int, consumers: Sequence[Term], further: Sequence[Term]) -> bool:
    """Whether somebody out of sight gets it as it is, and not what was written over."""
    is_given = any(one.operation is OPAQUE for one in consumers)
    if key in context.analysis.escaped and not is_given:
        return True
    returned = {peel(one).key for one in context.occurrence.scope.returned}
    return any(one.key in returned for one in further)


def _is_with_update(choice: Term, key: int, tests: re.Pattern[str]) -> bool:
    """Whether it is one in which it was written over, if anything was to be."""
    return any(_is_update(peel(one), key, tests) for one in choice.operands)


def _is_update(consumer: Term, key: int, tests: re.Pattern[str]) -> bool:
    """`x[isinf(x)] = value`"""
    return (
        consumer.operation is OPAQUE
        and consumer.detail == "update"
        and len(consumer.operands) == 3
        and behind_views(consumer.operands[0]).key == key
        and _is_mask(consumer.operands[2], key, tests)
    )


def _selects(consumer: Term, key: int, tests: re.Pattern[str]) -> bool:
    """`x[~isinf(x)]`"""
    return consumer.operation.name in ("subscript", "boolean_mask") and _is_mask(
        consumer.operands[1], key, tests
    )


def _is_mask(mask: Term, key: int, tests: re.Pattern[str]) -> bool:
    return any(_tells(part, key, tests) for part in walk(mask))


def _tells(test: Term, key: int, tests: re.Pattern[str]) -> bool:
    """Whether it asks whether the value with that key is finite."""
    operands = [behind_views(one) for one in test.operands]
    if all(one.key != key for one in operands):
        return False
    called = str(test.detail) if test.operation is OPAQUE else test.operation.name
    if tests.search(called) is not None:
        return True
    is_compared = test.operation.kind == "comparison" and tests is _OF_INFINITIES
    return is_compared and any(map(is_infinite, operands))
