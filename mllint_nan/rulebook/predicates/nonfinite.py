"""Questions about NaN and infinity that stand in the source themselves."""

from __future__ import annotations

import re
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.ir.term import (
    CHOICE,
    OPAQUE,
    QUALIFIED,
    Term,
    behind_views,
    constant_of,
    peel,
    walk,
)
from mllint_nan.rulebook.predicates.context import (
    Context,
    known,
    made_from,
    name_of,
    passes_through,
    predicate,
)

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


_KEEPS_INFINITY: Final = frozenset(("where", "add", "sub", "mul", "div"))


@predicate
def is_no_product_of_masked(context: Context, result: Term, x: Term) -> Truth:
    """Nothing is multiplied by the result, or no score in x is masked: 0 * -inf is NaN."""
    products = (
        consumer.operation.name == "mul"
        for _, consumer in made_from(context, result, passes_through("neg"))
    )
    return known(not (_is_masked(context, x) and any(products)))


def _is_masked(context: Context, x: Term) -> bool:
    """On some path -inf is put into x, or added to it under a mask."""
    pending, seen = [x], set[int]()
    while pending:
        inner = behind_views(pending.pop())
        if inner.key in seen:
            continue
        seen.add(inner.key)
        if any(is_negative_infinity(context, part) is Truth.YES for part in inner.operands):
            return True
        is_written = inner.operation is OPAQUE and inner.detail == "update"
        if is_written or inner.operation is CHOICE or inner.operation.name in _KEEPS_INFINITY:
            pending.extend(inner.operands)
    return False


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
