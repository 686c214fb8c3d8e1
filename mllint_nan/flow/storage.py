"""Which values have elements in common: what is written into one shows in the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mllint_nan.flow.containers import is_container, is_record
from mllint_nan.ir.term import ATTRIBUTE, CHOICE, CONSTANT, OPAQUE, REFERENCE, Term, peel

COPIED: Final = frozenset(("concat", "stack", "boolean_mask", "gather"))
"""Views by kind whose elements are new."""
SHARING: Final = frozenset(("data", "T", "mT", "H", "flat", "real", "imag"))
"""Attributes that have the elements of their object."""
_COPIES: Final = frozenset(("clone", "copy", "array", "tensor", "deepcopy", "identity"))
"""Functions and methods that give the same elements, in a storage of their own."""
_CONVERSIONS: Final = frozenset(("as_tensor", "asarray", "asanyarray", "from_numpy", "numpy"))
"""Of what gives a tensor of some format: what copies nothing, if it is of that already."""
_SLICES: Final = frozenset(("select", "narrow"))
"""Of those that take elements by their index: what gives a view."""
_OF_PARTS: Final = frozenset(
    ("update", *(f"call {name}" for name in ("chunk", "split", "tensor_split", "unbind", "unfold")))
)
"""What is given by methods that the tables lack."""


def is_part(term: Term) -> bool:
    """Whether an operand has the elements of a term.

    A cast is not one, though one to the same format may be.
    """
    operation = term.operation
    if operation is ATTRIBUTE:
        return term.detail in SHARING
    if operation is OPAQUE:
        return term.detail in _OF_PARTS or str(term.detail).startswith("part ")
    written = term.written
    if written is not None and written.inplace:
        return True
    called = written.path.rpartition(".")[2] if written is not None else ""
    if operation.name == "identity":
        return called not in _COPIES
    if operation.name in ("gather", "cast"):
        return called in _SLICES or called in _CONVERSIONS
    return operation.kind == "view" and operation.name not in COPIED


def roots(term: Term | None, shares: Callable[[Term], bool] = is_part) -> frozenset[int]:
    """What tells apart the values whose elements a term may have: their keys, as a rule."""
    if term is None:
        return frozenset()
    term = peel(term)
    while term.operation is not CHOICE and term.operands and shares(term):
        term = peel(_of_part(term))
    if term.operation is not CHOICE:  # as most of them, which are asked for at every write
        return frozenset(() if term.operation is CONSTANT else (_storage(term),))
    found: set[int] = set()
    seen: set[int] = set()
    pending = [term]
    while pending:
        current = peel(pending.pop())
        if id(current) in seen or current.operation is CONSTANT:
            continue
        seen.add(id(current))
        if current.operation is CHOICE:
            pending.extend(current.operands)
        elif current.operands and shares(current):
            pending.append(_of_part(current))
        else:
            found.add(_storage(current))
    return frozenset(found)


def _of_part(part: Term) -> Term:
    """The operand that has the elements of a part: of `x.masked_fill_(mask, v)` the last one."""
    return part.operands[-1 if part.operation.name == "where" else 0]


def roots_within(term: Term) -> frozenset[int]:
    """The same, of the elements too of a container that is written out."""
    inner = peel(term)
    own = roots(inner)
    if inner.operands and (is_container(inner) or is_record(inner)):
        return own.union(*map(roots_within, inner.operands))
    return own


def _storage(term: Term) -> int:
    """What tells a storage from others: two tensors of zeros are equal, and each has its own."""
    return -id(term) if term.operation.kind == "constant" else term.key


def unchanged(term: Term) -> Term:
    """The tensor whose elements, all of them in their places, a term has."""
    inner = peel(term)
    while inner.operation.name == "detach" or (
        inner.operation is ATTRIBUTE and inner.detail == "data"
    ):
        inner = peel(inner.operands[0])
    return inner


def whole_of(part: Term) -> Term:
    """The variable, or the attribute, of which a value is a part, else the value itself.

    What a function gives that is not known may be a part of its first argument.
    """
    base = part
    while base.operands:
        if base.operation is REFERENCE and base.detail is not None:
            break
        is_other = base.operation not in (REFERENCE, OPAQUE, CHOICE) and not is_part(base)
        if is_other and base.operation.name != "cast":
            break
        # What stands in a container changes with it.
        is_held = base.operation is REFERENCE and len(base.operands) > 1
        base = base.operands[int(is_held)]
    return base
