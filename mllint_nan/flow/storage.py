"""Which values have elements in common: what is written into one shows in the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mllint_nan.flow.containers import HOLDERS
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    CONSTANT,
    FUNCTION,
    INPUT,
    OPAQUE,
    QUALIFIED,
    REFERENCE,
    SEQUENCE,
    Term,
    peel,
)

COPIED: Final = frozenset(("concat", "stack", "boolean_mask", "gather"))
"""Views by kind whose elements are new."""
SHARING: Final = frozenset(("data", "T", "mT", "H", "flat", "real", "imag"))
"""Attributes that have the elements of their object."""
_COPIES: Final = frozenset(("clone", "copy", "array", "tensor", "deepcopy", "identity"))
"""Functions and methods that give the same elements, in a storage of their own."""
_CONVERSIONS: Final = frozenset(
    ("as_tensor", "asarray", "asanyarray", "ascontiguousarray", "from_numpy", "numpy")
)
"""Of what gives a tensor of some format: what copies nothing, if it is of that already."""
_SLICES: Final = frozenset(("select", "narrow"))
"""Of those that take elements by their index: what gives a view."""
_SPLITTING: Final = ("chunk", "split", "tensor_split", "hsplit", "vsplit", "dsplit", "unbind")
_OF_PARTS: Final = frozenset(
    (
        "update",
        *(f"call {name}" for name in (*_SPLITTING, "unfold", "view")),
        *(f"call torch.{name}" for name in (*_SPLITTING, "narrow", "as_strided", "atleast_1d")),
        *(f"call torch.{name}" for name in ("atleast_2d", "atleast_3d", "broadcast_tensors")),
        *(f"call numpy.{name}" for name in ("split", "array_split", "hsplit", "vsplit", "dsplit")),
        *(f"call numpy.{name}" for name in ("asanyarray", "nditer", "rollaxis", "rot90")),
    )
)
"""What is given by methods and functions that the tables lack."""


def is_part(term: Term) -> bool:
    """Whether an operand has the elements of a term.

    A cast is not one, though one to the same format may be.
    """
    operation = term.operation
    if operation is ATTRIBUTE:
        return term.detail in SHARING
    if operation is OPAQUE:
        return term.detail in _OF_PARTS or _is_row(term)
    written = term.written
    if written is not None and written.inplace:
        return True
    called = written.path.rpartition(".")[2] if written is not None else ""
    if operation.name == "identity":
        return called not in _COPIES
    if operation.name in ("gather", "cast"):
        return called in _SLICES or called in _CONVERSIONS
    return operation.kind == "view" and operation.name not in COPIED


def _is_row(term: Term) -> bool:
    """`a` of `a, b = x`, where x is known to be a tensor: what a call gives may be a tuple."""
    if not str(term.detail).startswith("part ") or not term.operands:
        return False
    source = peel(term.operands[0])
    if source.operation is OPAQUE:
        return source.detail in _OF_PARTS
    return is_tensor(source)


def is_tensor(term: Term) -> bool:
    """Whether a value is known to be an array of some framework, and no number."""
    return term.framework not in (None, "math")


def roots(term: Term | None, shares: Callable[[Term], bool] = is_part) -> frozenset[int]:
    """What tells apart the values whose elements a term may have: their keys, as a rule."""
    return _roots(peel(term), shares, is_taken=False) if term is not None else frozenset()


def _roots(inner: Term, shares: Callable[[Term], bool], *, is_taken: bool) -> frozenset[int]:
    """The same; with `is_taken`, it is an element of what turns out to be a container."""
    while inner.operation is not CHOICE and inner.operands and shares(inner):
        if not _is_update(inner):
            inner, is_taken = peel(_of_part(inner)), True
        elif is_taken:
            break
        else:
            inner = peel(inner.operands[0])
    if inner.operation is CONSTANT:
        return frozenset()
    if inner.operation is not CHOICE and not _is_update(inner):  # as most, which are asked often
        return _held(inner) if is_taken and holds(inner) else frozenset((_storage(inner),))
    found: set[int] = set()
    seen: set[int] = set()
    pending = [(inner, is_taken)]
    while pending:
        current, is_taken = pending.pop()
        if id(current) in seen or current.operation is CONSTANT:
            continue
        seen.add(id(current))
        if current.operation is CHOICE:
            pending.extend((peel(option), is_taken) for option in current.operands)
        elif _is_update(current):
            pending.append((peel(current.operands[0]), is_taken))
            if is_taken:  # of a list, one of its elements may be what was written
                pending.extend((peel(part), False) for part in current.operands[1:2])
        elif current.operands and shares(current):
            pending.append((peel(_of_part(current)), True))
        elif is_taken and holds(current):
            found |= _held(current)
        else:
            found.add(_storage(current))
    return frozenset(found)


def _is_update(term: Term) -> bool:
    return term.operation is OPAQUE and term.detail == "update" and bool(term.operands)


def _of_part(part: Term) -> Term:
    """The operand that has the elements of a part: of `x.masked_fill_(mask, v)` the last one."""
    if part.operation.name == "where":
        return part.operands[-1]
    is_of_function = peel(part.operands[0]).operation is QUALIFIED and len(part.operands) > 1
    return part.operands[int(is_of_function)]


def may_share(term: Term, written: frozenset[int]) -> bool:
    """Whether a value, or an element of a container, is among those that were written into."""
    while term.operation is REFERENCE:  # asked of every name at every write
        term = term.operands[0]
    operation = term.operation
    if operation is CONSTANT or operation is QUALIFIED or operation is FUNCTION:
        return False
    if operation is INPUT:
        return term.key in written
    return not written.isdisjoint(roots_within(term))


def roots_within(term: Term) -> frozenset[int]:
    """The same, of the elements too of a container that is written out."""
    inner = peel(term)
    return _held(inner) if holds(inner) else _roots(inner, is_part, is_taken=True)


def holds(inner: Term) -> bool:
    """Whether it is a container that is written out."""
    operation = inner.operation
    if operation is OPAQUE:
        return inner.detail in HOLDERS and bool(inner.operands)
    return operation is SEQUENCE and bool(inner.operands)


def _held(container: Term) -> frozenset[int]:
    """Those of a container and of its elements: who takes one of them may have any."""
    return frozenset((_storage(container),)).union(*map(roots_within, container.operands))


def _storage(term: Term) -> int:
    """What tells a storage from others: two tensors of zeros are equal, and each has its own."""
    return -id(term) if term.operation.kind == "constant" else term.key


def has_all_of_it(term: Term) -> bool:
    """Whether it has all elements of its operand, in their places and in the same storage."""
    if term.operation is ATTRIBUTE:
        return bool(term.detail == "data")
    return term.operation.name in ("detach", "identity") and is_part(term)


def unchanged(term: Term) -> Term:
    """The tensor all of whose elements a term has, in their places and in the same storage."""
    inner = peel(term)
    while has_all_of_it(inner):
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
        base = _of_part(base) if is_part(base) else base.operands[int(is_held)]
    return base


def path_of(term: Term) -> str:
    """`a.b.c` of a dotted chain of names, else ""."""
    if term.operation is REFERENCE and term.detail is not None:
        return str(term.detail)
    if term.operation is ATTRIBUTE:
        base = path_of(term.operands[0])
        return f"{base}.{term.detail}" if base else ""
    return ""
