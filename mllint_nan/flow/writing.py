"""Writes into tensors: which variables have changed elements afterwards."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mllint_nan.flow.containers import is_chain, is_record
from mllint_nan.flow.storage import path_of, roots, roots_within, unchanged, whole_of
from mllint_nan.ir.term import CHOICE, FUNCTION, LAYER, QUALIFIED, Term, peel

if TYPE_CHECKING:
    from mllint_nan.flow.names import Names


def write_into(at: Names, part: Term, term: Term) -> None:
    """Write into a part of a variable or attribute, which has changed elements from here on."""
    whole = whole_of(part)
    path = path_of(whole)
    if not roots(part) <= roots(whole) and roots(part) <= roots_within(whole):
        path = ""  # it is an element of a container, which is updated like all others
    if path and not _stays_itself(at, peel(whole)):
        changed = at.opaque("update", (whole, term), None, framework=whole.framework)
        forget_aliases(at, whole)
        at.bind(path, changed)
    at.written |= roots(part)
    forget_sharing(at, roots(part) - roots(whole))


def forget_aliases(at: Names, written: Term, path: str = "", now: Term | None = None) -> None:
    """Give a new value to the other variables that share elements of what is written into.

    `now` is the new value of the variables that hold the very same object.
    """
    keys = roots(written)
    at.written |= keys
    known = None if now is None else (unchanged(written), now)
    forget_sharing(at, keys, path or written.detail, known)


def forget_sharing(
    at: Names, keys: frozenset[int], besides: object = None, known: tuple[Term, Term] | None = None
) -> None:
    """Give a new value to all names that share these storages, except `besides`."""
    for name, other in at.state.environment.sharing(keys):
        if name != besides:
            at.bind(name, _changed(at, peel(other), keys, known))


def _changed(at: Names, value: Term, keys: frozenset[int], known: tuple[Term, Term] | None) -> Term:
    """Return a value after a write into the storages of these keys."""
    if _stays_itself(at, value):
        return value
    if known is not None and unchanged(value) is known[0]:
        return known[1]
    if value.operation is CHOICE or not keys.isdisjoint(roots(value)):
        return at.opaque("update", (value,), None, framework=value.framework)
    if keys.isdisjoint(roots_within(value)):
        return value
    elements = tuple([_changed(at, peel(one), keys, known) for one in value.operands])
    return replace(value, operands=elements, key=at.build.fresh())


def _stays_itself(at: Names, inner: Term) -> bool:
    """Whether a value stays the same one after a write into what it holds.

    Functions, layers, and objects of a visible class do: `clip_grad_norm_(f.parameters())`.
    """
    if inner.operation is CHOICE:
        return bool(inner.operands) and all(_stays_itself(at, peel(one)) for one in inner.operands)
    if inner.key in at.instances and not is_record(inner):
        at.filled.add(inner.key)
        return True
    return inner.operation in (FUNCTION, QUALIFIED, LAYER) or is_chain(inner)
