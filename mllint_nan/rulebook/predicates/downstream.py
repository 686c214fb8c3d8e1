"""Predicates about the uses of a result."""

from __future__ import annotations

import re
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.uses import links_of, tells_least, tells_zero
from mllint_nan.frameworks.differentiation import any_of
from mllint_nan.frameworks.showing import SHOWS
from mllint_nan.ir.term import ATTRIBUTE, OPAQUE, SEQUENCE, Term
from mllint_nan.rulebook.predicates.context import Context, known, name_of, tells
from mllint_nan.rulebook.predicates.endings import READ
from mllint_nan.rulebook.predicates.members import Use

_FOLLOWED_MOST: Final = 200
_HANDS_ON: Final = re.compile(
    r"^call (\S+\.)?(cpu|cuda|to|numpy|item|tolist|detach|clone|squeeze|view|device_get|float"
    r"|asarray|append|extend)$"
)
"""Calls that return their argument, moved or converted."""
_LOOKS_AT: Final = re.compile(
    rf"(^|[. ])({any_of(SHOWS)}|summary\.\w+|len|isinstance|log(_(dict|values?|stats))?"
    r"|plot\w*|scatter|scalar|histogram|allclose|isclose|assert\w*|write"
    r"|update|record\w*|report\w*)$"
)
"""Calls that show their argument, or store it for a reader."""


@tells(Use.ASKED)
def is_asked(context: Context, result: Term) -> Truth:
    """The code tests whether the result is 0, or close to it."""
    return tells_zero(context.analysis, context.oracle, result)


@tells(Use.FLOOR)
def is_checked_at_floor(context: Context, result: Term) -> Truth:
    """The code checks the result in a way that a floor under its operand would change.

    A test for equality, an assertion, and a comparison with a number below the floor are such
    checks.
    """
    return known(tells_least(context.analysis, context.oracle, result))


def is_fed_on(context: Context, result: Term) -> bool:
    """Whether the value of the result is used further: as a reward, a target, a kept statistic.

    It is if it is returned, stored, or passed to a call that does more than show it.
    """
    analysis, links = context.analysis, links_of(context.analysis)
    pending, seen = [result.key], set[int]()
    while pending and len(seen) < _FOLLOWED_MOST:
        key = pending.pop()
        if key in seen:
            continue
        seen.add(key)
        pending += [joined.key for joined in links.joined.get(key, ())]
        consumers = analysis.consumers.get(key, ())
        opaque = [one for one in consumers if one.operation is OPAQUE]
        if key in analysis.options_escaped or (key in analysis.escaped and not opaque):
            return True
        for consumer in consumers:
            if consumer.operation is OPAQUE:
                what = str(consumer.detail)
                if what == "update" and not READ.search(name_of(consumer.operands[0])):
                    return True
                if _HANDS_ON.search(what) or what.startswith("part "):
                    pending.append(consumer.key)
                elif what.startswith("call") and not _LOOKS_AT.search(what):
                    return True
            elif consumer.operation in (SEQUENCE, ATTRIBUTE) or (
                consumer.operation.kind not in ("comparison", "leaf")
                and consumer.operation.name not in ("argmax", "argmin")
            ):
                pending.append(consumer.key)
    return False
