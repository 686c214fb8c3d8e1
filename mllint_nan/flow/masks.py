"""Indices that are conditions, and conditions whose true places an index lists."""

from __future__ import annotations

from typing import Final

from mllint_nan.ir.term import CONSTANT, OPAQUE, QUALIFIED, SEQUENCE, Term, peel

_LOGICAL: Final = frozenset(("logical_and", "logical_or", "logical_not", "logical_xor"))
_BOOLEAN: Final = frozenset(("bool", "bool_"))
_PLACES: Final = frozenset(("where", "nonzero", "flatnonzero", "argwhere"))
_BY_INDEX: Final = frozenset(("subscript", "gather"))
_JOINS: Final = frozenset(("collect", "stack", "concat"))
_TERMS_MOST: Final = 20


def is_mask(index: Term) -> bool:
    """Whether an index is a condition, so that it selects the elements where that holds."""
    inner = peel(index)
    if inner.operation.name == "cast":
        return _is_boolean(inner.settings.get("dtype"))
    return inner.operation.kind == "comparison" or inner.operation.name in _LOGICAL


def _is_boolean(dtype: Term | None) -> bool:
    """Whether the target type of a cast is boolean: `torch.bool`, `"bool"`, `bool`."""
    named = None if dtype is None else peel(dtype)
    if named is None or named.operation not in (CONSTANT, QUALIFIED):
        return False
    return str(named.detail).rpartition(".")[2] in _BOOLEAN


def is_slice(index: Term) -> bool:
    """Whether a part of an index is `first:last`, with or without its ends."""
    inner = peel(index)
    return inner.operation is OPAQUE and str(inner.detail).startswith("slice")


def keeps_all(index: Term) -> bool:
    """Whether a part of an index is a new axis, `...`, or the whole of an axis."""
    inner = peel(index)
    if inner.operation is OPAQUE:
        return inner.detail in ("slice", "unknown") and not inner.operands
    return inner.operation is CONSTANT and inner.detail is None


def mask_of(index: Term) -> Term | None:
    """The condition that an index is, or whose true places it lists: `i = np.where(x > 0)`."""
    if is_mask(index):
        return index
    inner = peel(index)
    if inner.operation is SEQUENCE and inner.operands and all(map(keeps_all, inner.operands[1:])):
        return mask_of(inner.operands[0])  # `x[x > 0, None]`
    while inner.operation.name in ("subscript", "squeeze", "reshape", "flatten", "transpose"):
        inner = peel(inner.operands[0])
    if inner.operation is not OPAQUE or not str(inner.detail).startswith("call "):
        return None
    if str(inner.detail).removeprefix("call ").rpartition(".")[2] not in _PLACES:
        return None
    given = (CONSTANT, QUALIFIED)  # `nonzero(as_tuple=True)`
    conditions = [part for part in inner.operands if peel(part).operation not in given]
    return conditions[0] if len(conditions) == 1 else None


def condition_in(index: Term) -> Term | None:
    """The condition that an index is, or the only one beside other places: `x[y > 0, 1]`."""
    inner = peel(index)
    parts = inner.operands if inner.operation is SEQUENCE else ()
    conditions = [one for one in map(mask_of, parts) if one is not None]
    return conditions[0] if len(conditions) == 1 else mask_of(index)


def holds_conditions(term: Term) -> bool:
    """Whether the elements of a term are conditions, some of which may have been selected."""
    pending, seen = [term], set[int]()
    while pending and len(seen) < _TERMS_MOST:
        inner = peel(pending.pop())
        if inner.key in seen or is_mask(inner):
            continue
        seen.add(inner.key)
        is_array = inner.operation.name == "cast" and "dtype" not in inner.settings
        if is_array or inner.operation.kind == "view":
            pending.append(inner.operands[0])
        elif (inner.operation is SEQUENCE or inner.operation.name in _JOINS) and inner.operands:
            pending += inner.operands
        else:
            return False
    return not pending


def selecting_mask(view: Term) -> Term | None:
    """The condition by which a view selects elements: `x[m]`, `x[where(m)]`, a boolean mask."""
    if view.operation.name == "boolean_mask":
        return view.operands[1]
    return mask_of(view.operands[1]) if view.operation.name in _BY_INDEX else None
