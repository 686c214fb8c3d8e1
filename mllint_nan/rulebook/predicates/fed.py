"""What a graph of TensorFlow 1 is fed, and what a session only fetches from it."""

from __future__ import annotations

import re
from typing import Final

from mllint_nan.flow.state import Analysis
from mllint_nan.ir.term import OPAQUE, SEQUENCE, Term, peel

_PLACEHOLDERS: Final = re.compile(r"^call tensorflow\.(\w+\.)*placeholder(_with_default)?$")
_SESSIONS: Final = re.compile(r"(^|[._ ])(\w*sess(ion)?s?)$", re.IGNORECASE)
_GRADIENTS: Final = re.compile(r"(^|[._ ])(gradients?|grads?|jacobian)$")
_NESTED_DEEPEST: Final = 3


def is_fed(analysis: Analysis, term: Term) -> bool:
    """A placeholder, by which nothing is differentiated."""
    if term.operation is not OPAQUE or not _PLACEHOLDERS.search(str(term.detail)):
        return False
    return not _is_differentiated_by(analysis, term.key, _NESTED_DEEPEST)


def _is_differentiated_by(analysis: Analysis, key: int, depth: int) -> bool:
    return any(
        consumer.operation.name == "gradient"
        or (consumer.operation is OPAQUE and _GRADIENTS.search(str(consumer.detail)) is not None)
        or (
            consumer.operation is SEQUENCE
            and depth > 0
            and _is_differentiated_by(analysis, consumer.key, depth - 1)
        )
        for consumer in analysis.consumers.get(key, ())
    )


def is_only_fetched(analysis: Analysis, key: int, depth: int = _NESTED_DEEPEST) -> bool:
    """Nothing but a session reads it, alone or in lists: what comes out is a number."""
    consumers = analysis.consumers.get(key, ())
    return (
        depth > 0
        and bool(consumers)
        and all(
            _fetches(consumer)
            or (
                consumer.operation is SEQUENCE
                and is_only_fetched(analysis, consumer.key, depth - 1)
            )
            for consumer in consumers
        )
    )


def _fetches(call: Term) -> bool:
    """`session.run(...)`."""
    if call.operation is not OPAQUE or call.detail != "call run" or not call.operands:
        return False
    receiver = call.operands[0]
    inner = peel(receiver)
    return any(
        isinstance(name, str) and _SESSIONS.search(name) is not None
        for name in (receiver.detail, inner.detail)
    )
