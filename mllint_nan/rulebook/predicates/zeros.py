"""Which operations are 0 because their operands are."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from mllint_nan.ir.term import SEQUENCE, Term, peel


def is_zero_by_operands(
    inner: Term, operations: Collection[str], is_zero: Callable[[Term], bool]
) -> bool:
    """Whether an operation, if it is one of these, attains 0 because its operands do.

    A product or a minimum needs one such operand; a sum or a maximum needs all. Of other
    operations, the first operand counts: the numerator of a quotient, the base of a power.
    """
    if inner.operation.name not in operations:
        return False
    match inner.operation.name:
        case "mul" | "minimum" | "matmul" | "dot":
            return any(map(is_zero, inner.operands))
        case "add" | "sub" | "maximum":
            return all(map(is_zero, inner.operands))
        case _:
            return is_zero(inner.operands[0])


def joined(whole: Term) -> Iterator[Term]:
    """Yield what `concat` or `stack` puts together."""
    for operand in whole.operands:
        inner = peel(operand)
        if inner.operation is SEQUENCE:
            yield from inner.operands
        else:
            yield inner
