"""Questions about divisors: sums, norms, deviations and ranges that can be 0."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.counts import counts_pairs, is_tally
from mllint_nan.flow.masks import condition_in
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    CONSTANT,
    INPUT,
    OPAQUE,
    QUALIFIED,
    SEQUENCE,
    Term,
    behind_views,
    constant_of,
    number_of,
    peel,
    walk,
)
from mllint_nan.naming import names
from mllint_nan.rulebook.predicates.context import (
    Context,
    known,
    name_of,
    predicate,
    tells,
    through_views,
)
from mllint_nan.rulebook.predicates.distances import fades_out
from mllint_nan.rulebook.predicates.emptied import (
    is_counter,
    is_of_bin,
    is_of_labelled,
    is_of_nearest,
)
from mllint_nan.rulebook.predicates.endings import as_written, ends_of_match
from mllint_nan.rulebook.predicates.errstate import ignored_flags
from mllint_nan.rulebook.predicates.filled_masks import counts_filled
from mllint_nan.rulebook.predicates.grids import is_positive_on_diagonal
from mllint_nan.rulebook.predicates.groups import is_of_group
from mllint_nan.rulebook.predicates.masked_weights import are_masked
from mllint_nan.rulebook.predicates.members import Guard, Use, Zero
from mllint_nan.rulebook.predicates.own_scores import is_by_own_score
from mllint_nan.rulebook.predicates.roles import options_of
from mllint_nan.rulebook.predicates.selections import is_mask, is_more_than_statistic
from mllint_nan.rulebook.predicates.tables import (
    counts_at_places,
    is_filled_in_part,
    is_of_confusions,
)
from mllint_nan.rulebook.predicates.uses import is_only_used
from mllint_nan.rulebook.predicates.vanishing import (
    MAGNITUDES,
    PARTS_MOST,
    added_up,
    is_centred,
    is_magnitude_of_zero,
    is_rectified,
)
from mllint_nan.rulebook.predicates.weighing import MADE_MASKS
from mllint_nan.rulebook.predicates.windows import is_hat
from mllint_nan.rulebook.predicates.winners import marks_winners

_ASIDE: Final = names("aside")
_ASIDE_CLASSES: Final = names("aside_class")
_SHIFTS: Final = frozenset(("add", "sub", "mul", "neg", "abs", "square", "relu", "clip", "maximum"))
_OF_ELEMENTS: Final = _SHIFTS | {"sum", "matmul", "dot", "einsum"}
_ARRANGING: Final = frozenset(
    ("reshape", "squeeze", "expand_dims", "broadcast", "flatten", "identity", "detach", "cast")
)
"""Views that keep every element, and their order."""
_MEASURES: Final = frozenset(("max", "min", "sum", "any", "std", "var", "norm", "count_nonzero"))
_CONDITIONALS: Final = re.compile(r"(^|[._ ])(smart_)?(cond|case|switch|piecewise)$")


@tells(Use.STAKE)
def is_at_stake(context: Context, result: Term) -> Truth:
    """Something is computed from the result: it is not just a metric, plot or statistic."""
    answer = is_more_than_statistic(context, result)
    if answer is not Truth.YES:
        return answer
    if is_only_used(context, result, Use.RANK) is not Truth.NO:
        return Truth.UNKNOWN
    ends = ends_of_match(context, result)
    is_of_function = context.occurrence.scope.kind == "function"
    if ends.is_only_shown or (ends.is_unread and is_of_function):
        return Truth.UNKNOWN
    is_silenced = not ignored_flags(context).isdisjoint(("divide", "invalid"))
    return known(not is_silenced and inspecting_name(context) is None).or_(Truth.UNKNOWN)


def inspecting_name(context: Context) -> str | None:
    """The name of an enclosing function or class that suggests a metric, plot or statistic."""
    for scope in context.occurrence.scope.enclosing():
        is_class = scope.kind == "class" and _ASIDE_CLASSES.search(scope.name) is not None
        if is_class or (scope.kind != "module" and _ASIDE.search(scope.name) is not None):
            return scope.name
    return None


@tells(Use.BESIDE)
def is_divisor(context: Context, v: Term) -> Truth:
    """The same path also divides by v elsewhere: that is infinite at 0, whatever happens here."""
    here = context.occurrence
    return known(
        any(
            other.scope is here.scope and other.state.facts == here.state.facts
            for other in context.analysis.divisions.get(behind_views(v).key, ())
        )
    )


@tells(Guard.SIZE)
def is_looked_at(context: Context, n: Term) -> Truth:
    """A condition on the path tests the operand of n, or measures something that n contains.

    Or the match is in a branch of a `cond`, whose condition is not visible.
    """
    wanted: set[int] = set()
    pending = [n]
    while pending:
        inner = peel(pending.pop())
        if inner.operation is CONSTANT or inner.key in wanted:
            continue
        wanted.add(inner.key)
        if inner.operation.kind in ("view", "reduction") or inner.operation.name in (
            "sqrt",
            "sub",
            "square",
            "logical_not",
        ):
            pending.extend(inner.operands)
    made_of = {part.key for part in walk(n) if part.operation not in (CONSTANT, QUALIFIED)}
    for tested in context.tested:
        measures = not tested.operations.isdisjoint(_MEASURES)
        if not tested.keys.isdisjoint(made_of if measures else wanted):
            return Truth.YES
    return known(
        any(
            _CONDITIONALS.search(str(consumer.detail))
            for scope in context.occurrence.scope.enclosing()
            if scope.kind == "function"
            for consumer in context.analysis.consumers.get(scope.key, ())
        )
    )


@predicate
def is_scaled_by(context: Context, b: Term, x: Term) -> Truth:
    """b is x, shifted or not: the divisor is computed from the dividend.

    Or x is a magnitude of b, or a sum of magnitudes, or the quotient scales x afterwards: whatever
    b is, 0 times infinity is NaN.
    """
    wanted = {part.key for part in through_views(x) if part.operation.name == "mean"}
    for part in through_magnitudes(added_up(x)):
        wanted.add(part.key)
        if is_centred(part):
            wanted.add(behind_views(part.operands[0]).key)
        if _is_looked_up(part):
            break
    made = as_written(context, context.occurrence.term)
    if context.occurrence.call is not None:  # what scales it is known where no call is followed
        wanted.update(part.key for part in through_magnitudes(made.operands[-1]))
    scaled = [b, *_scaled_by(context, made)]
    return known(any(part.key in wanted for one in scaled for part in elements(one))).or_(
        Truth.UNKNOWN
    )


def _scaled_by(context: Context, made: Term) -> list[Term]:
    """The factors by which a term, or a product of it, is multiplied."""
    factors, pending = list[Term](), [made.key]
    while pending and len(factors) < PARTS_MOST:
        key = pending.pop()
        for consumer in context.analysis.consumers.get(key, ()):
            if consumer.operation.name == "mul":
                factors += [factor for factor in consumer.operands if factor.key != key]
                pending.append(consumer.key)
    return factors


def through_magnitudes(term: Term) -> Iterator[Term]:
    """Yield the term, and what it is a view, an absolute value, a square or a norm of."""
    for part in through_views(term):
        yield part
        inner = part
    if inner.operation.name in MAGNITUDES or inner.operation.name == "norm":
        yield from through_magnitudes(inner.operands[0])


def _is_looked_up(term: Term) -> bool:
    """Whether a term is an entry of a dictionary, which says nothing about the other ones."""
    if term.operation.name != "subscript":
        return False
    key = peel(term.operands[1])
    return isinstance(constant_of(key), str) or key.operation is QUALIFIED


def elements(term: Term) -> Iterator[Term]:
    """Yield the terms that a term is computed from, element by element."""
    pending, seen = [term], set[int]()
    while pending and len(seen) < PARTS_MOST:
        inner = peel(pending.pop())
        if inner.key in seen:
            continue
        seen.add(inner.key)
        yield inner
        if _is_looked_up(inner):
            continue
        if inner.operation.kind == "view" and inner.operands:
            pending.append(inner.operands[0])
        elif inner.operation.name in _OF_ELEMENTS or inner.operation is CHOICE:
            pending.extend(inner.operands)


@tells(Zero.SUM)
def can_sum_to_zero(context: Context, n: Term, w: Term) -> Truth:
    """The sum n of w attains 0: all elements of w can be 0 at once.

    NO for masks, whose sum is a count, and for exponentials: other rules report both. But YES for
    exponentials of distances, which can all underflow, and where a relu decides.
    """
    if is_mask(context, w) is Truth.YES:
        return Truth.NO
    if context.value(n).can_be(0.0) is Truth.NO:
        return Truth.NO
    if counts_filled(context, n):
        return Truth.UNKNOWN
    if context.is_brought(n, 0.0):
        return Truth.YES
    if is_positive_on_diagonal(context, w) or marks_winners(context, w):
        return Truth.NO
    if is_rectified(context, w) or any(are_masked(context, one) for one in options_of(w) or (w,)):
        return known(not is_hat(w)).or_(Truth.UNKNOWN)
    if fades_out(context, w) or fades_out(context, n):
        return Truth.YES
    if any(part.operation.name in ("exp", "exp2") for part in walk(w)):
        return Truth.NO
    is_evident = is_magnitude_of_zero(context, w) or _is_tally(context, n, w)
    return known(is_evident).or_(Truth.UNKNOWN)


def _is_tally(context: Context, total: Term, counts: Term) -> bool:
    """Whether a total sums along an axis what a loop counts up from 0: some row may get nothing.

    The same holds for what is put together from the sums along both axes of a table.
    """
    options, whole = behind_views(counts), behind_views(total)
    axis = whole.settings.get("axis")
    is_along = axis is not None
    if is_of_confusions(context, options, number_of(axis)):
        return True
    if counts_pairs(counts, context.analysis):
        return is_along or whole.operation.name != "sum"
    if is_filled_in_part(counts) or counts_at_places(context, counts):
        return is_along
    if is_tally(options):  # of pairs: a histogram counts all elements
        return is_along and any(peel(part).operation is SEQUENCE for part in options.operands)
    return (
        is_along
        and options.operation is CHOICE
        and any(behind_views(option).operation.name == "zeros" for option in options.operands)
        and all(
            behind_views(option).operation.name == "zeros"
            or (peel(option).operation is OPAQUE and peel(option).detail == "update")
            for option in options.operands
        )
        and context.value(counts).integer
    )


@predicate
def is_extent(context: Context, r: Term) -> Truth:
    """r is provably never negative: no maximum minus the minimum of other elements."""
    if context.value(r).lo < 0:
        return Truth.NO
    inner = behind_views(r)
    if inner.operation.name != "sub":
        return Truth.YES
    most, least = map(_selected_by, inner.operands)
    return known(most == least)


def _selected_by(term: Term) -> list[int]:
    """The keys of the indices that select only some elements; new axes leave out none."""
    found: list[int] = []
    for view in through_views(term):
        if view.operation.name in _ARRANGING or view.operation.kind != "view":
            continue
        indices = [peel(index) for index in view.operands[1:]] or [view]
        if len(indices) == 1 and indices[0].operation is SEQUENCE:
            indices = [peel(index) for index in indices[0].operands]
        found += [index.key for index in indices if not _is_whole_axis(index)]
    return found


def _is_whole_axis(index: Term) -> bool:
    """Whether an index is `None`, `...` or `:`."""
    is_none = index.operation is CONSTANT and index.detail is None
    return is_none or (index.operation is OPAQUE and not index.operands)


@tells(Zero.SELECTION)
def can_select_nothing(context: Context, s: Term, m: Term) -> Truth:
    """The mask m that selects s can be false everywhere.

    YES for masks by the nearest of several, by bins, or by labels that are not NaN, for labels and
    other inputs that are compared with a number or a setting, and where something is trained for a
    loss or probability of each example so compared. Whoever made a mask elsewhere, or drew a
    threshold, may have seen to it that something is selected.
    """
    if peel(s).operation.name != "boolean_mask":
        places = condition_in(m)
        if places is None or places.key == m.key:
            return Truth.NO
        m = places
    inner = behind_views(m)
    if inner.operation is CONSTANT or inner.operation.name == "arange":
        return Truth.NO
    is_group = is_of_group(context, m)
    if is_group is not Truth.NO:
        return known(is_group is not Truth.YES).and_(Truth.UNKNOWN)
    if is_of_nearest(inner) or is_of_bin(inner) or is_of_labelled(s, inner):
        return Truth.YES
    if is_by_own_score(context, s, m):
        return Truth.YES
    return is_mask(context, m).and_(known(_compares_inputs(inner)).or_(Truth.UNKNOWN))


def _compares_inputs(mask: Term) -> bool:
    inner = behind_views(mask)
    if inner.operation.name.startswith("logical"):
        return all(map(_compares_inputs, inner.operands))
    if inner.operation.name in ("all", "any"):
        return _compares_inputs(inner.operands[0])
    if inner.operation.kind != "comparison":
        return False
    compared = [behind_views(operand) for operand in inner.operands]
    is_of_number = inner.operation.name in ("eq", "ne") and any(
        part.operation is CONSTANT for part in compared
    )
    return any(part.operation is not ATTRIBUTE for part in compared) and all(
        part.operation is CONSTANT
        or is_counter(part)
        or (is_of_number and _is_rearranged(part))
        or (part.operation in (INPUT, ATTRIBUTE) and not MADE_MASKS.search(name_of(part)))
        for part in compared
    )


def _is_rearranged(term: Term) -> bool:
    """Whether a term is what some call computes from an input array, or a part of that: data."""
    inner = term
    while inner.operation.name == "subscript" or str(inner.detail).startswith("part "):
        inner = behind_views(inner.operands[0])
    if inner.operation is not OPAQUE or not str(inner.detail).startswith("call "):
        return False
    given = [behind_views(part) for part in inner.operands]
    return len(given) > 1 and given[1].operation is INPUT


@predicate
def is_single(context: Context, x: Term, a: Term) -> Truth:
    """Axis a of x has one element by construction."""
    axis = number_of(a)
    if axis is None:
        return Truth.NO
    inner = peel(x)
    shape = inner.settings.get("shape")
    if inner.operation.name == "expand_dims":
        return known(number_of(shape) == axis)
    if inner.operation.kind == "reduction" and constant_of(inner.settings.get("keepdims")) is True:
        return known(number_of(inner.settings.get("axis")) == axis)
    return Truth.NO
