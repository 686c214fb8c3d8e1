"""Tables of zeros in which each row marks where some scores are the largest: no row stays 0."""

from __future__ import annotations

from mllint_nan.flow.extrema import met_by
from mllint_nan.flow.masks import is_slice
from mllint_nan.ir.term import CHOICE, OPAQUE, SEQUENCE, Term, behind_views, peel, walk
from mllint_nan.rulebook.predicates.context import Context
from mllint_nan.rulebook.predicates.tables import is_counted_up, joined_choices


def marks_winners(context: Context, table: Term) -> bool:
    """Whether each round of a loop marks the largest of some scores, in rows that it runs through.

    Either a row is such a mask, or a positive number is written where such a mask is true.
    """
    inner = behind_views(table)
    if inner.operation is not CHOICE:
        return False
    options = [peel(option) for one in joined_choices(inner) for option in one.operands]
    written = [one for one in options if _is_update(one)]
    others = [one for one in options if one.operation is not CHOICE and one not in written]
    is_in_each_round = all(one.detail in ("exit", "loop") for one in joined_choices(inner))
    return (
        bool(written)
        and is_in_each_round
        and all(one.operation.name in ("zeros", "zeros_like") for one in others)
        and all(_marks_one(context, one) for one in written)
    )


def _is_update(term: Term) -> bool:
    return term.operation is OPAQUE and term.detail == "update" and len(term.operands) > 1


def _marks_one(context: Context, update: Term) -> bool:
    places = [
        part
        for at in context.analysis.written_at.get(update.key, ())
        for place in at
        for part in (peel(place).operands if peel(place).operation is SEQUENCE else (place,))
    ]
    others = [part for part in places if not is_slice(part)]
    if len(others) == len(places) or len(others) != 1:
        return False
    value = update.operands[1]
    if met_by(value) is not None:
        return is_counted_up(others[0])
    return context.value(value).lo > 0 and any(met_by(part) is not None for part in walk(others[0]))
