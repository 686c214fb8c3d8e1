"""Predicates about what keeps an operand from a point: conditions, guards, restored values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import reduce
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.clamps import put
from mllint_nan.flow.elements import elements_of
from mllint_nan.flow.facts import facts_of
from mllint_nan.flow.mixtures import is_chosen_by_label
from mllint_nan.flow.named_values import is_epsilon_name, limit_of
from mllint_nan.flow.tested_terms import sums_tested
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    CONSTANT,
    INPUT,
    OPAQUE,
    QUALIFIED,
    Fact,
    Term,
    behind_views,
    number_of,
    peel,
    walk,
)
from mllint_nan.rulebook.predicates.affine import affine, tested_in
from mllint_nan.rulebook.predicates.complements import adds_complements, is_selected_nonzero
from mllint_nan.rulebook.predicates.context import (
    Context,
    known,
    made_from,
    name_of,
    predicate,
    tells,
    through_views,
)
from mllint_nan.rulebook.predicates.members import Guard, Use
from mllint_nan.rulebook.predicates.selections import leaves_zero_out
from mllint_nan.rulebook.predicates.small_magnitudes import is_left_to_other_branch

_DRAWS: Final = re.compile(r"(multinomial|categorical|sample|choice)")
_BRANCHES: Final = re.compile(r"(^|[._ ])(cond|switch)$")
_NEAR: Final = 0.05
"""A threshold this close to a singular point is there because of it (sRGB: 0.0031)."""


@tells(Guard.DRAW)
def is_sampled(context: Context, v: Term) -> Truth:
    """v is read at indices that were sampled from v, or at its maximum, where it is not 0."""
    term = peel(v)
    while term.operation.kind == "view" and term.operands:
        for index in term.operands[1:]:
            for part in walk(index):
                if part.operation.name in ("argmax", "max") or (
                    part.operation is OPAQUE and _DRAWS.search(str(part.detail))
                ):
                    return Truth.YES
        term = peel(term.operands[0])
    return Truth.NO


@tells(Guard.PATH)
def is_tested(context: Context, x: Term) -> Truth:
    """A condition on the path tests x, or the array that x reduces or counts."""
    wanted = {part.key for part in through_views(x)}
    inner = peel(x)
    while inner.operands and (
        inner.operation.kind in ("view", "reduction") or inner.operation.name == "size"
    ):
        inner = peel(inner.operands[0])
        wanted |= {part.key for part in through_views(inner)}
    is_on_path = any(
        not tested.keys.isdisjoint(about := wanted | sums_tested(fact.test, x))
        and not _leaves_zero(context, fact, about)
        for fact, tested in zip(context.facts, context.tested, strict=True)
    )
    return known(is_on_path or _is_branch_over(context, x))


def _leaves_zero(context: Context, fact: Fact, wanted: set[int]) -> bool:
    """Whether a fact compares x itself with 0 or 1, and 0 passes: `if n < 0: raise`."""
    test = peel(fact.test)
    name = test.operation.name
    if name == ("all" if fact.holds else "any"):
        return True  # each element has a fact of its own
    if name in ("gt", "ge", "eq", "ne"):
        if test.key in wanted:
            return not fact.holds  # then no element of the mask is true
        sides = (test.operands, test.operands[::-1])
        limits = [limit_of(bound) for side, bound in sides if elements_of(side).key in wanted]
        near = (0.0,) if name in ("eq", "ne") else (0.0, 1.0)
        if not any(limit in near for limit in limits):
            return False
    elif elements_of(test).key not in wanted:
        return False
    implied = context.oracle.implications.of(fact)
    about = {peel(side).key for side in (test, *test.operands)} | wanted
    found = [restriction for key, restriction in implied if key in about]
    return bool(found) and all(
        0.0 not in one.holes and one.interval.lo <= 0.0 <= one.interval.hi for one in found
    )


def _is_branch_over(context: Context, x: Term) -> bool:
    """Whether a function around the match is a branch of `cond`, which tests what x is made of."""
    sources = {part.key for part in walk(x) if part.operation in (INPUT, ATTRIBUTE)}
    return any(
        sources & {part.key for part in walk(call.operands[place])}
        for scope in context.occurrence.scope.enclosing()
        if scope.kind == "function"
        for call in context.analysis.consumers.get(scope.key, ())
        if call.operation is OPAQUE and _BRANCHES.search(str(call.detail))
        for place in range(min(2, len(call.operands)))
    )


@tells(Guard.SELECTION)
def is_selected_by(context: Context, n: Term) -> Truth:
    """The result is only used where a condition on n holds, or a mask keeps only nonzero n.

    Or n adds what a mask selects of something positive, and what the mask leaves out.
    """
    if is_selected_nonzero(context, n) or adds_complements(context, n):
        return Truth.YES
    keys = {part.key for part in walk(n) if part.operation not in (CONSTANT, QUALIFIED)}
    selections = context.analysis.selections
    selecting = {where for key in keys for where in selections.get(key, ())}
    result = context.occurrence.term
    used = context.analysis.consumers.get(result.key, [])
    if used and all(leaves_zero_out(context, one, n) for one in used):
        return known(result.key not in context.analysis.escaped)
    pending, seen = [result] if selecting else [], set[int]()
    while pending:
        current = pending.pop()
        if current.key in seen:
            continue
        seen.add(current.key)
        for consumer in context.analysis.consumers.get(current.key, ()):
            if id(consumer) in selecting:
                return Truth.YES
            if consumer.operation.kind in ("elementwise", "view"):
                pending.append(consumer)
    return Truth.NO


@tells(Guard.WHERE)
def is_guarded(context: Context, x: Term) -> Truth:
    """A `where` that is not a clamp contributes to x: it handles the singular point.

    Or to every argument that is passed for x, if all calls are visible. A `where` that chooses p
    by a label does not count.
    """
    pending, seen = [x], set()
    while pending:
        inner = peel(pending.pop())
        if inner.key in seen:
            continue
        seen.add(inner.key)
        if inner.operation.name == "where":
            found = put(inner)
            is_clamp = found is not None and found.is_bound  # which attains its bound
            if not is_clamp and not is_chosen_by_label(inner):
                return Truth.YES
        if inner.operation is CHOICE or inner.operation.kind in (
            "elementwise",
            "view",
            "reduction",
        ):
            pending.extend(inner.operands)
        elif inner.operation is INPUT and _is_passed_guarded(context, inner):
            return Truth.YES
    return Truth.NO


def _is_passed_guarded(context: Context, parameter: Term) -> bool:
    """Whether every call passes the result of a `where` that is not a clamp."""
    passed = [behind_views(term) for term, _ in context.analysis.passed(parameter)]
    found = [put(one) for one in passed if one.operation.name == "where"]
    return 0 < len(passed) == len(found) and not any(
        one is not None and one.is_bound for one in found
    )


@tells(Use.UNDONE)
def is_undone(context: Context, m: Term) -> Truth:
    """The code later puts NaN back under the mask m: the patch only shields the steps between."""

    def keeps_mask(term: Term) -> bool:
        return term.operation is OPAQUE or term.operation.kind in ("view", "comparison")

    return known(
        any(
            consumer.operation.name == "where"
            and any(is_nonfinite(context, part) is Truth.YES for part in consumer.operands[1:])
            for _, consumer in made_from(context, m, keeps_mask)
        )
    )


@predicate
def is_nonfinite(context: Context, c: Term) -> Truth:
    """c itself is NaN or infinite: the code marks the result and does not patch it."""
    for part in walk(c) if c is not None else ():
        if part.operation is QUALIFIED and str(part.detail).rpartition(".")[2].lower() in (
            "nan",
            "inf",
        ):
            return Truth.YES
        if part.operation is CONSTANT and str(part.detail).lower() in ("nan", "inf", "-inf"):
            return Truth.YES
    return Truth.NO


@predicate
def guards(context: Context, c: Term, x: Term, points: str) -> Truth:
    """The condition c keeps x away from points, or from a threshold close by.

    Both are read as affine functions of a common term: for x = t - 1, `t > 1` keeps x from 0. A
    product or a quotient is 0 where a factor is: for x = y / p, `y > 0` keeps x from 0.
    """
    answers = (
        _guards(context, c, part, float(point))
        for point in points.split()
        for part in (_zero_with(x) if point == "0" else (x,))
    )
    return reduce(Truth.or_, answers)


def _zero_with(x: Term) -> Iterator[Term]:
    """Yield the terms that are 0 only where x is: x itself, and its factors."""
    pending = [x]
    while pending:
        part = pending.pop()
        yield part
        inner = peel(part)
        if inner.operation.name in ("mul", "div"):
            pending += inner.operands if inner.operation.name == "mul" else inner.operands[:1]


def _guards(context: Context, c: Term, x: Term, point: float) -> Truth:
    core, scale, offset = affine(x)
    keys = {part.key for part in through_views(core)}
    answer = Truth.NO
    for part in _conditions(c):
        if part.operation.name not in ("gt", "ge", "eq", "ne"):
            continue
        for side, bound in (part.operands, part.operands[::-1]):
            tested = tested_in(side, keys)
            if tested is None:
                continue
            side_scale, side_offset = tested
            if point == 0.0 and _is_left_to_other(context, part, side, x):
                return Truth.YES
            limit = _threshold(context, bound)
            if limit is None:
                continue
            at = scale * (limit - side_offset) / side_scale + offset
            if at == point and _is_selected_at(context, c, part, x):
                continue
            near = abs(at - point) <= _NEAR
            answer = answer.or_(Truth.YES if near else Truth.UNKNOWN)
    if answer is not Truth.NO and _is_excluded_outside(context, c, x, point):
        return Truth.NO
    return answer


def _conditions(c: Term) -> Iterator[Term]:
    """Yield c and all conditions in it.

    One of several conjuncts is enough: where they exclude the singular point, the operation is not
    selected there, and yet differentiated.
    """
    pending, seen = [c], set[int]()  # shared parts are visited once
    while pending:
        inner = peel(pending.pop())
        if id(inner) not in seen:
            seen.add(id(inner))
            yield inner
            pending.extend(inner.children())


def _is_excluded_outside(context: Context, c: Term, x: Term, point: float) -> bool:
    """Whether x is above `point` where the branch of x is not selected."""
    where, s = context.occurrence.term, context.found.terms.get("s")
    if s is None or where.operation.name != "where":
        return False
    holds = all(part.key != s.key for part in walk(where.operands[1]))
    facts = (*context.occurrence.state.facts, *facts_of(c, holds))
    return context.oracle.value(x, facts).lo > point


def _is_selected_at(context: Context, c: Term, comparison: Term, x: Term) -> bool:
    """Whether `where` selects the singular operation where both sides of the comparison are equal.

    Also if the other branch divides by x as well: the condition is about something else.
    """
    where, s = context.occurrence.term, context.found.terms.get("s")
    if s is None or where.operation.name != "where":
        return False
    branches = [{part.key for part in walk(branch)} for branch in where.operands[1:]]
    within = [s.key in keys for keys in branches]
    other = where.operands[1 + within.index(False)] if False in within else None
    if other is not None and any(
        part.operation.name == "div" and part.operands[1].key == x.key for part in walk(other)
    ):
        return True
    if peel(c).key != comparison.key or all(within):
        return False
    holds = comparison.operation.name in ("ge", "eq")
    return within[0] == holds


@predicate
def bounds(context: Context, c: Term, x: Term, side: str) -> Truth:
    """The condition c bounds x from side."""
    return known(_side_in(c, x) == (-1 if side == "above" else 1))


def _side_in(c: Term, x: Term) -> int:
    """1 if c says that x is large, -1 if it says that x is small, 0 if neither."""
    core, scale, _ = affine(x)
    keys = {part.key for part in through_views(core)}
    for part in walk(c):
        if part.operation.name not in ("gt", "ge"):
            continue
        for side, sign in zip(part.operands, (1, -1), strict=True):
            other, other_scale, _ = affine(side)
            if any(inner.key in keys for inner in through_views(other)):
                return sign if scale * other_scale > 0 else -sign
    return 0


def _is_left_to_other(context: Context, comparison: Term, side: Term, x: Term) -> bool:
    s = context.found.terms.get("s")
    where = context.occurrence.term
    return s is not None and is_left_to_other_branch(where, s, comparison, side, x)


def _threshold(context: Context, bound: Term) -> float | None:
    """The number that a comparison compares with (0 for an epsilon of any name), or `None`."""
    number = number_of(bound)
    if number is not None:
        return float(number)
    value = context.value(bound)
    if value.is_constant:
        return value.lo
    inner = behind_views(bound)
    if inner.operation.name in ("zeros", "zeros_like", "finfo_eps", "finfo_tiny"):
        return 0.0
    if inner.operation.name in ("ones", "ones_like"):
        return 1.0
    return 0.0 if value.lo > 0 and is_epsilon_name(name_of(bound)) else None
