"""Which values share elements: a write into one of them shows in the others.

A may-alias analysis: Aho, Lam, Sethi and Ullman, "Compilers" (2nd ed.), chapter 12.
"""

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
"""Operations of the kind `view` whose results have elements of their own."""
SHARING: Final = frozenset(("data", "T", "mT", "H", "flat", "real", "imag"))
"""Attributes that share the elements of their object."""
_COPIES: Final = frozenset(("clone", "copy", "array", "tensor", "deepcopy", "identity"))
"""Functions and methods that give the same elements, in a storage of their own."""
_CONVERSIONS: Final = frozenset(
    ("as_tensor", "asarray", "asanyarray", "ascontiguousarray", "from_numpy", "numpy")
)
"""Conversions that copy nothing if their operand has the format already."""
_SLICES: Final = frozenset(("select", "narrow"))
"""Methods that take elements by index and give a view of them."""
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
"""Results that share elements, of methods and functions that the tables lack."""


def is_part(term: Term) -> bool:
    """Whether a term shares the elements of an operand.

    A plain cast does not, though one to the same format may; `as_tensor` and the like do.
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
    """Whether a term is `a` of `a, b = x` for a tensor x; the result of a call may be a tuple."""
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
    """Return the identities of the storages that a term may share: keys, as a rule."""
    return _roots(peel(term), shares, is_taken=False) if term is not None else frozenset()


def _roots(inner: Term, shares: Callable[[Term], bool], *, is_taken: bool) -> frozenset[int]:
    """Return the storages of a term; with `is_taken`, of an element if it is a container."""
    while inner.operation is not CHOICE and inner.operands and shares(inner):
        if not _is_update(inner):
            inner, is_taken = peel(_of_part(inner)), True
        elif is_taken:
            break
        else:
            inner = peel(inner.operands[0])
    if inner.operation is CONSTANT:
        return frozenset()
    if inner.operation is not CHOICE and not _is_update(inner):  # the common case, asked for often
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
            if is_taken:  # an element of a list may be what was written
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
    """Return the operand whose elements a part has: for `x.masked_fill_(mask, v)` the last one."""
    if part.operation.name == "where":
        return part.operands[-1]
    is_of_function = peel(part.operands[0]).operation is QUALIFIED and len(part.operands) > 1
    return part.operands[int(is_of_function)]


def may_share(term: Term, written: frozenset[int]) -> bool:
    """Whether a value, or an element of a container, shares a storage that was written into."""
    while term.operation is REFERENCE:  # asked of every name at every write
        term = term.operands[0]
    operation = term.operation
    if operation is CONSTANT or operation is QUALIFIED or operation is FUNCTION:
        return False
    if operation is INPUT:
        return term.key in written
    return not written.isdisjoint(roots_within(term))


def roots_within(term: Term) -> frozenset[int]:
    """Return the storages of a term, and of the elements of a container that is written out."""
    inner = peel(term)
    return _held(inner) if holds(inner) else _roots(inner, is_part, is_taken=True)


def holds(inner: Term) -> bool:
    """Whether a term is a container that is written out."""
    operation = inner.operation
    if operation is OPAQUE:
        return inner.detail in HOLDERS and bool(inner.operands)
    return operation is SEQUENCE and bool(inner.operands)


def _held(container: Term) -> frozenset[int]:
    """Return the storages of a container and of its elements: any may be the one taken."""
    return frozenset((_storage(container),)).union(*map(roots_within, container.operands))


def _storage(term: Term) -> int:
    """Return the identity of a storage: two tensors of zeros are equal, but each has its own."""
    return -id(term) if term.operation.kind == "constant" else term.key


def has_all_of_it(term: Term) -> bool:
    """Whether a term has all elements of its operand, in place and in the same storage."""
    if term.operation is ATTRIBUTE:
        return bool(term.detail == "data")
    return term.operation.name in ("detach", "identity") and is_part(term)


def unchanged(term: Term) -> Term:
    """Return the tensor of which a term has all elements, in place and in the same storage."""
    inner = peel(term)
    while has_all_of_it(inner):
        inner = peel(inner.operands[0])
    return inner


def whole_of(part: Term) -> Term:
    """Return the variable or attribute that a value is a part of, else the value itself.

    The result of an unknown function may be a part of its first argument.
    """
    base = part
    while base.operands:
        if base.operation is REFERENCE and base.detail is not None:
            break
        is_other = base.operation not in (REFERENCE, OPAQUE, CHOICE) and not is_part(base)
        if is_other and base.operation.name != "cast":
            break
        # An element of a container changes with it.
        is_held = base.operation is REFERENCE and len(base.operands) > 1
        base = _of_part(base) if is_part(base) else base.operands[int(is_held)]
    return base


def path_of(term: Term) -> str:
    """Return `a.b.c` for a dotted chain of names, else an empty string."""
    if term.operation is REFERENCE and term.detail is not None:
        return str(term.detail)
    if term.operation is ATTRIBUTE:
        base = path_of(term.operands[0])
        return f"{base}.{term.detail}" if base else ""
    return ""
