"""Facts: what is known where a condition holds, or where it fails."""

from __future__ import annotations

from typing import Final

from mllint_nan.ir.term import OPAQUE, Fact, Term, peel

_SAME_TRUTH: Final = frozenset(("identity", "detach", "reshape", "squeeze"))


def facts_of(test: Term, holds: bool) -> tuple[Fact, ...]:
    """A condition's outcome as facts about its simplest parts."""
    inner = peel(test)
    if inner.operation.name == "logical_not":
        return facts_of(inner.operands[0], not holds)
    if inner.operation.name == ("all" if holds else "any"):
        return (Fact(test, holds), *facts_of(inner.operands[0], holds))
    if inner.operation.name in _SAME_TRUTH:
        return facts_of(inner.operands[0], holds)
    joined = inner.operation.name if inner.operation is not OPAQUE else str(inner.detail)
    if joined in (("and", "logical_and") if holds else ("or", "logical_or")):
        first, second = inner.operands
        return (*facts_of(first, holds), *facts_of(second, holds))
    return (Fact(test, holds),)
