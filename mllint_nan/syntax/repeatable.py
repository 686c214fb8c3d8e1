"""Which terms may be evaluated twice: their text costs nothing and changes nothing."""

from __future__ import annotations

from mllint_nan.ir.term import ATTRIBUTE, CONSTANT, QUALIFIED, REFERENCE, Term, number_of


def is_cheap(term: Term) -> bool:
    """Whether reading the term's text twice costs and changes nothing."""
    if term.operation in (REFERENCE, CONSTANT, QUALIFIED):
        return term.operation is not REFERENCE or term.detail is not None
    if term.operation is ATTRIBUTE:
        return is_cheap(term.operands[0])
    if term.operation.name in ("subscript", "neg"):
        return all(is_cheap(operand) or number_of(operand) is not None for operand in term.operands)
    return False


def is_fixed(term: Term) -> bool:
    """Whether it is a name or a literal: attributes and items may change without an assignment."""
    if term.operation.name == "neg":
        return is_fixed(term.operands[0])
    return term.operation in (REFERENCE, CONSTANT, QUALIFIED) and is_cheap(term)


def is_repeatable(term: Term) -> bool:
    """Whether it is a comparison or elementwise function of fixed operands, cheap to repeat."""
    return term.operation.kind in ("comparison", "elementwise") and all(
        is_fixed(operand) or (term.operation.kind == "comparison" and is_repeatable(operand))
        for operand in term.operands
    )
