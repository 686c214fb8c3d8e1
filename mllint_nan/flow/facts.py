"""Facts: what is known where a condition holds, or where it fails."""

from __future__ import annotations

from typing import Final

from mllint_nan.ir.term import OPAQUE, Fact, Term, peel

_SAME_TRUTH: Final = frozenset(("identity", "detach", "reshape", "squeeze"))


def facts_of(test: Term, holds: bool) -> tuple[Fact, ...]:
    """A condition's outcome as facts about its simplest parts, in their order."""
    facts: list[Fact] = []
    left = [(test, holds)]
    while left:
        part, is_true = left.pop()
        inner = peel(part)
        operation = inner.operation
        joined = operation.name if operation is not OPAQUE else str(inner.detail)
        if operation.name == "logical_not":
            left.append((inner.operands[0], not is_true))
        elif operation.name in _SAME_TRUTH:
            left.append((inner.operands[0], is_true))
        elif joined in (("and", "logical_and") if is_true else ("or", "logical_or")):
            left += ((operand, is_true) for operand in reversed(inner.operands))
        else:
            facts.append(Fact(part, is_true))
            if operation.name == ("all" if is_true else "any"):
                left.append((inner.operands[0], is_true))
    return tuple(facts)
