"""Predicates about guards that come after the operation they are meant for."""

from __future__ import annotations

from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.frameworks import registry
from mllint_nan.ir.kind import Kind
from mllint_nan.ir.term import INPUT, OPAQUE, Term, behind_views
from mllint_nan.naming import names
from mllint_nan.rulebook.predicates.context import (
    Context,
    known,
    name_of,
    tells,
)
from mllint_nan.rulebook.predicates.members import Role

_DATA: Final = names("learned_from")
_ONE_NUMBER: Final = names("one_number")


@tells(Role.PREDICTION)
def is_prediction(context: Context, d: Term) -> Truth:
    """d is an input or the output of a network: as far as the source shows, it can be anything.

    NO for a difference of two such values, as in a ratio of probabilities. UNKNOWN for a learned
    scale, whose gradient ends at the bound, for a value that an algorithm has scaled, and for a
    known operation that is called with unknown arguments.
    """
    inner = behind_views(d)
    if context.kind(d) is Kind.NUMBER or inner.operation.name == "sub":
        return Truth.NO
    if any(_ONE_NUMBER.search(name_of(part)) for part in (d, inner)):
        return Truth.UNKNOWN
    if inner.operation is OPAQUE and registry.functions(str(inner.detail).removeprefix("call ")):
        return Truth.UNKNOWN
    is_given = inner.operation in (INPUT, OPAQUE) or inner.operation.name == "matmul"
    return known(is_given).or_(Truth.UNKNOWN)


@tells(Role.DATA)
def is_data(context: Context, x: Term) -> Truth:
    """By its name, x may be data that is only learned from: returns, rewards, images."""
    names = [name_of(part) for part in (x, behind_views(x))]
    return Truth.UNKNOWN if any(map(_DATA.search, names)) else Truth.NO
