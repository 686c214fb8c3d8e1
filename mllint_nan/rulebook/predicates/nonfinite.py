"""Questions about NaN and infinity that stand in the source themselves."""

from __future__ import annotations

import re
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.ir.term import OPAQUE, QUALIFIED, Term, behind_views, constant_of, peel, walk
from mllint_nan.rulebook.predicates.context import Context, known, name_of, predicate

_TRIANGLES: Final = re.compile(
    r"(^|[._ ])(tri[lu]\w*|band_part|\w*causal\w*|make_causal\w*)$", re.I
)
_CAUSAL_NAMES: Final = re.compile(r"causal|subsequent|look_?ahead|tri[lu]", re.IGNORECASE)


@predicate
def is_infinite(context: Context, k: Term) -> Truth:
    """k is inf or -inf itself, by any of its names."""
    return is_negative_infinity(context, k).or_(known(_written_as(k) == "inf"))


@predicate
def is_not_a_number(context: Context, c: Term) -> Truth:
    """c is NaN itself, by any of its names."""
    is_word = isinstance(constant_of(c), str)  # that some setting is called
    return known(_written_as(c) == "nan" and not is_word)


@predicate
def is_negative_infinity(context: Context, c: Term) -> Truth:
    """c is -inf itself, by any of its names."""
    inner = behind_views(c)
    if inner.operation.name == "neg":
        return known(_written_as(inner.operands[0]) == "inf")
    return known(_written_as(inner) == "-inf")


def _written_as(term: Term) -> str:
    """`nan`, `inf` or `-inf`: of `np.nan`, `float("-inf")` and the like."""
    inner = behind_views(term)
    if inner.operation is QUALIFIED:
        name = str(inner.detail).rpartition(".")[2].lower()
        return {"infty": "inf", "ninf": "-inf"}.get(name, name)
    value = constant_of(inner)
    if isinstance(value, (float, str)):
        return str(value).lower().replace("infinity", "inf").removeprefix("+")
    return ""


@predicate
def is_strict(context: Context, c: Term) -> Truth:
    """The comparison c leaves its own bound out."""
    return known(behind_views(c).operation.name in ("gt", "ne"))


@predicate
def keeps_the_diagonal(context: Context, k: Term) -> Truth:
    """The mask k is a triangle: each row keeps its own element."""
    if _CAUSAL_NAMES.search(name_of(k)):
        return Truth.YES
    parts = list(walk(k))
    return known(
        any(
            part.operation in (OPAQUE, QUALIFIED)
            and _TRIANGLES.search(str(part.detail).removeprefix("call "))
            for part in parts
        )
        or any(part.operation.name == "arange" for part in parts)
        or any(_CAUSAL_NAMES.search(name_of(peel(part))) for part in parts)
    )
