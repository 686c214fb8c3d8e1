"""Sums of one-hot rows: how many elements belong to each class, which may be none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.masks import is_slice
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CONSTANT,
    INPUT,
    OPAQUE,
    SEQUENCE,
    Term,
    behind_views,
    number_of,
    peel,
    walk,
)
from mllint_nan.rulebook.predicates.context import (
    Context,
    kept,
    known,
    passed_for,
    tells,
    through_views,
)
from mllint_nan.rulebook.predicates.members import Zero

_MOVES: Final = frozenset(("transpose",))
_SAME: Final = frozenset(("cast", "identity", "detach"))
_SELECTS: Final = frozenset(("subscript", "gather"))
_READS: Final = _SELECTS | {"boolean_mask"}
_CHOSEN: Final = ("argmax", "argmin")
_BY_VALUES: Final = frozenset(("max", "unique"))
"""Operations that number the classes by the labels that occur."""


@tells(Zero.CLASS)
def can_lack_class(context: Context, n: Term) -> Truth:
    """n adds up one-hot rows for each class: a class to which nothing belongs has the sum 0.

    Each label was chosen or came in, and the number of classes is not computed from the labels.
    """
    if context.value(n).can_be(0.0) is Truth.NO or _reads_some(n):
        return Truth.NO
    quotients = context.analysis.consumers.get(context.occurrence.term.key, ())
    if quotients and all(map(_reads_some, quotients)):  # only some of them are read
        return Truth.NO
    inner = behind_views(n)
    totals = [*map(behind_views, inner.operands)] if inner.operation.name == "add" else [inner]
    if not all(_is_per_class(context, total) for total in totals):
        return Truth.NO
    return known(any(_may_lack_any(context, total) for total in totals))


def _is_per_class(context: Context, total: Term) -> bool:
    """Whether a total sums one-hot rows, but not along their own axis, or a confusion matrix."""
    if total.operation.name not in ("sum", "mean"):
        return False
    axes = _axes_of(total)
    summed = total.operands[0]
    if any(_is_confusion(context, table) for table in _tables(context, summed)):
        return len(axes) == 1
    if not _one_hot(context, summed):
        return False
    return _leaves_channels(axes) if _is_moved(context, summed) else _leaves_last_axis(axes)


def _may_lack_any(context: Context, total: Term) -> bool:
    """Whether the labels were chosen or came in, and do not determine the number of classes."""
    rows = _one_hot(context, total.operands[0])
    tables = [] if rows else [*_tables(context, total.operands[0])]
    for table in tables:
        if _is_confusion(context, table):
            rows = [one for side in _sides(table) for one in _one_hot(context, side)]
    return any(
        _may_be_any(labels)
        and not any(map(_counts_occurring, (size, *passed_for(context, peel(size)))))
        for labels, size in rows
    )


def _reads_some(n: Term) -> bool:
    """Whether counts are read at positions that other values give: `counts[labels]`."""
    return any(
        part.operation.name in _READS and not _is_written_out(part.operands[1])
        for part in through_views(n)
    )


def _is_written_out(place: Term) -> bool:
    """Whether an index is `None`, `...`, a slice or a number, or several of these."""
    inner = peel(place)
    if inner.operation is SEQUENCE:
        return all(map(_is_written_out, inner.operands))
    return inner.operation is CONSTANT or is_slice(inner)


def _axes_of(total: Term) -> tuple[int, ...]:
    """The axes that a sum reduces; empty if these are all axes, or not known."""
    axis = total.settings.get("axis")
    inner = peel(axis) if axis is not None else None
    if inner is None:
        return ()
    numbers = [*map(number_of, inner.operands if inner.operation is SEQUENCE else (inner,))]
    axes = tuple([number for number in numbers if isinstance(number, int)])
    return axes if len(axes) == len(numbers) else ()


def _leaves_last_axis(axes: tuple[int, ...]) -> bool:
    """Whether a sum leaves the last axis, which is that of the classes.

    Axis 1 alone may be the last one; several axes are those of images or sequences before it.
    """
    if not axes or -1 in axes:
        return False
    return all(axis < 0 for axis in axes) or set(axes) in ({0}, {1, 2}, {0, 1, 2})


def _leaves_channels(axes: tuple[int, ...]) -> bool:
    """Whether a sum leaves axis 1 as that of the classes, before those of images or sequences."""
    is_behind = any(axis > 1 for axis in axes) or -1 in axes
    return is_behind and 1 not in axes


def _is_moved(context: Context, rows: Term) -> bool:
    """Whether the axis of the classes is not the last one: it was moved, or made elsewhere."""
    inner = _as_it_is(rows)
    if inner.operation.name == "mul":
        return any(_is_moved(context, factor) for factor in inner.operands)
    if inner.operation is INPUT:
        given = (one for one in passed_for(context, inner) if _as_it_is(one).operation is not INPUT)
        return any(_is_moved(context, one) for one in map(_of_rows, given))
    axis = inner.settings.get("axis") if inner.operation.name == "one_hot" else None
    return inner.operation.name in _MOVES or (axis is not None and number_of(axis) == 1)


def _one_hot(context: Context, rows: Term) -> list[tuple[Term, Term]]:
    """Labels and number of classes of one-hot rows, weighted or not; empty for other rows."""
    inner = _as_it_is(rows)
    if inner.operation.name == "mul":
        return [made for factor in inner.operands for made in _one_hot(context, factor)]
    if inner.operation is INPUT:
        given = [one for one in passed_for(context, inner) if _as_it_is(one).operation is not INPUT]
        return [made for one in map(_of_rows, given) for made in _one_hot(context, one)]
    if inner.operation.name in _MOVES:
        inner = _as_it_is(inner.operands[0])
    made = _labels_and_size(inner)
    return [made] if made is not None else []


def _of_rows(given: Term) -> Term:
    """The array of which a call is passed some rows: `onehot[32:]`."""
    inner = peel(given)
    is_of_rows = inner.operation.name == "subscript" and is_slice(inner.operands[1])
    return inner.operands[0] if is_of_rows else given


def _as_it_is(rows: Term) -> Term:
    inner = peel(rows)
    while inner.operation.name in _SAME:
        inner = peel(inner.operands[0])
    return inner


def _labels_and_size(rows: Term) -> tuple[Term, Term] | None:
    """The labels and the number of classes: of `one_hot(labels, k)`, or of `eye(k)[labels]`."""
    if rows.operation.name == "one_hot":
        size, axis = rows.settings.get("size"), rows.settings.get("axis")
        is_known = axis is None or number_of(axis) in (-1, 1)
        return (rows.operands[0], size) if size is not None and is_known else None
    if rows.operation.name not in _SELECTS:
        return None
    table = _as_it_is(rows.operands[0])
    size = table.settings.get("size")
    is_whole = table.operation.name == "eye" and size is not None
    return (rows.operands[1], size) if is_whole and size is not None else None


def _may_be_any(labels: Term) -> bool:
    """Whether labels were chosen or came in, so that some class may not be among them."""
    inner = behind_views(labels)
    return inner.operation.name in _CHOSEN or inner.operation in (INPUT, ATTRIBUTE)


def _counts_occurring(size: Term) -> bool:
    """Whether a number of classes is computed from labels: each class occurs then, or most do."""
    return any(
        part.operation.name in _BY_VALUES
        or (part.operation is OPAQUE and any(one in str(part.detail) for one in _BY_VALUES))
        for part in walk(size)
    )


def _tables(context: Context, summed: Term) -> Iterator[Term]:
    """Yield what is summed, or what methods of the class store in that attribute or add to it."""
    inner = _as_it_is(summed)
    yield inner
    for stored in kept(context, inner):
        made = _as_it_is(stored)
        yield made
        if made.operation.name == "add":
            yield from map(_as_it_is, made.operands)
    owner = context.occurrence.scope.owner
    if inner.operation is ATTRIBUTE and owner is not None:
        yield from (_as_it_is(term) for _, term in owner.written.get(str(inner.detail), ()))


def _is_confusion(context: Context, table: Term) -> bool:
    """Whether a table is `transpose(one_hot(labels)) @ one_hot(predictions)`."""
    sides = _sides(table)
    return bool(sides) and all(_one_hot(context, side) for side in sides)


def _sides(table: Term) -> tuple[Term, ...]:
    if table.operation.name not in ("matmul", "dot"):
        return ()
    first, second = map(_as_it_is, table.operands[:2])
    return (first.operands[0], second) if first.operation.name == "transpose" else ()
