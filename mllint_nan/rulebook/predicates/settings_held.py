"""What the fields of visible settings hold: `cfg.gamma`, `options["gamma"]`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mllint_nan.flow.containers import field_of, is_dict, is_record, part_of
from mllint_nan.ir.term import ATTRIBUTE, INPUT, Term, peel
from mllint_nan.rulebook.predicates.context import Context, kept, passed_for

_HANDED_DEEPEST: Final = 3
_MADE_MOST: Final = 8


def held_by_settings(context: Context, setting: Term) -> Iterator[Term]:
    """Yield what visible objects and dictionaries hold for a setting, as a field or an entry."""
    inner = peel(setting)
    if inner.operation is ATTRIBUTE:
        for made in _made(context, inner.operands[0], _HANDED_DEEPEST):
            found = field_of(made, str(inner.detail))
            if found is not None:
                yield found
    elif inner.operation.name == "subscript" and len(inner.operands) == 2:
        for made in _made(context, inner.operands[0], _HANDED_DEEPEST):
            found = part_of(made, inner.operands[1]) if is_dict(made) else None
            if found is not None:
                yield found


def _made(context: Context, settings: Term, depth: int) -> Iterator[Term]:
    """Yield the objects and dictionaries that are passed for a parameter, or kept by an object."""
    inner = peel(settings)
    if is_record(inner) or is_dict(inner):
        yield inner
    elif depth > 0:
        given = passed_for(context, inner) if inner.operation is INPUT else kept(context, inner)
        for one in given[:_MADE_MOST]:
            yield from _made(context, one, depth - 1)
