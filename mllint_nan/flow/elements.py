"""Terms with the same elements: views, casts, selections by a mask."""

from __future__ import annotations

from typing import Final

from mllint_nan.ir.term import Term, number_of, peel

WHOLE_VIEWS: Final = frozenset(
    ("reshape", "squeeze", "expand_dims", "transpose", "broadcast", "flatten", "identity", "detach")
)
"""Views that contain every element of their operand."""


def is_selected(term: Term) -> bool:
    """Whether a mask selects the elements of a term, so that there may be none."""
    inner = peel(term)
    while inner.operation.kind in ("view", "elementwise") and inner.operands:
        if inner.operation.name == "boolean_mask":
            return True
        if inner.operation.kind == "elementwise" and not all(
            number_of(part) is not None or is_selected(part) for part in inner.operands
        ):
            return False
        inner = peel(inner.operands[0])
    return False


def elements_of(term: Term) -> Term:
    """The term with the same elements, rounded or not, before they were rearranged."""
    inner = peel(term)
    while inner.operation.name in WHOLE_VIEWS or inner.operation.name == "cast":
        inner = peel(inner.operands[0])
    return inner


def behind_shapes(term: Term) -> Term:
    """The term with the same elements behind all changes of shape."""
    inner = peel(term)
    while inner.operation.name in WHOLE_VIEWS:
        inner = peel(inner.operands[0])
    return inner
