"""Positions of the largest, the smallest, or the sorted elements, which have no gradient."""

from __future__ import annotations

import re
from typing import Final

from mllint_nan.flow.state import Analysis
from mllint_nan.ir.term import OPAQUE, Term, peel

_RANKS: Final = re.compile(r"^call (\S+\.)?(min|max|sort|topk|top_k|median|mode|kthvalue)$")
"""Calls that return values and their positions."""


def is_place(term: Term) -> bool:
    """Whether a term is the second of the two results of a ranking: `_, places = x.sort()`."""
    if term.operation is not OPAQUE or not term.operands:
        return False
    if term.detail != "part 1":
        return str(term.detail) == "indices"
    return _RANKS.search(str(peel(term.operands[0]).detail)) is not None


def is_unpacked_ranking(analysis: Analysis, term: Term) -> bool:
    """Whether a term is a ranking, and all that uses it unpacks it into values and positions."""
    if term.operation is not OPAQUE or not _RANKS.search(str(term.detail)):
        return False
    uses = analysis.consumers.get(term.key, ())
    return bool(uses) and all(str(use.detail).startswith("part ") for use in uses)


def gives_places_alone(analysis: Analysis, term: Term) -> bool:
    """Whether only the positions that a ranking returns are read, and none of its values."""
    if not is_unpacked_ranking(analysis, term):
        return False
    values = [use for use in analysis.consumers.get(term.key, ()) if use.detail == "part 0"]
    return not any(
        value.key in analysis.escaped or analysis.consumers.get(value.key) for value in values
    )
