"""Questions about divisors that nothing keeps from 0: degrees of nodes, steps of quantisers."""

from __future__ import annotations

import re
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.clamps import is_clamped_at_zero
from mllint_nan.flow.names import counts
from mllint_nan.flow.pairs import is_of_pairs
from mllint_nan.ir.kind import Kind
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    INPUT,
    OPAQUE,
    Term,
    behind_views,
    number_of,
    peel,
    walk,
)
from mllint_nan.rulebook.predicates.clamped_differences import is_cut_to_number
from mllint_nan.rulebook.predicates.context import (
    Context,
    known,
    leads_to,
    made_from,
    name_of,
    passed_for,
    passes_through,
    tells,
    through_views,
)
from mllint_nan.rulebook.predicates.filled_masks import counts_filled
from mllint_nan.rulebook.predicates.graphs import called, has_loops, is_as_long_as_needed
from mllint_nan.rulebook.predicates.leaves import is_of_parameters
from mllint_nan.rulebook.predicates.logarithms import is_undone
from mllint_nan.rulebook.predicates.members import Use, Zero
from mllint_nan.rulebook.predicates.overflow import (
    PROBABILITIES,
    can_underflow,
    is_difference,
)
from mllint_nan.rulebook.predicates.parameters import is_cut_by_constraint, is_unbounded_output
from mllint_nan.rulebook.predicates.rounded_away import (
    is_rounded_to_zero,
    is_scale_from_elsewhere,
)
from mllint_nan.rulebook.predicates.sparse import is_relative_to_sparse
from mllint_nan.rulebook.predicates.vanishing import PRODUCTS, is_rectified
from mllint_nan.rulebook.predicates.zeros import are_apart, is_zero_by_operands

_SHOWN: Final = -1e30
"""A value whose only known lower bound is below this can be any number."""
_DEGREES: Final = re.compile(r"(torch_geometric|dgl)\b.*\.degree$|(^|\.)(in|out)_degrees?$")
_SCATTERS: Final = re.compile(r"(^|[._])(scatter\w*|(unsorted_)?segment_sum|index_add_?|bincount)$")
_ONES: Final = ("ones", "ones_like")
_ROUNDS: Final = frozenset(("round", "floor"))
_ROUNDING: Final = re.compile(r"(^|[._ ])(ste_?)?(round|floor)(_?(ste|pass))?$", re.I)
_PASSES_SHIFTS: Final = passes_through("add", "sub", "clip", "minimum", "maximum")
_CALLS_DEEPEST: Final = 3
_KEEPS_CUT: Final = frozenset(("mul", "add", "sub", "sqrt", "div"))
"""Sums are taken for sums of areas: 0 where all of these are."""
_TOTALS: Final = frozenset(("sum", "mean", "count_nonzero"))
"""Totals, about which the rules for masks and weights ask, with their own guards."""


@tells(Zero.DEGREE)
def is_degree(context: Context, d: Term) -> Truth:
    """d counts the edges of each node, and a node may have none.

    UNKNOWN if the largest index is that of the last one: each graph of a batch has nodes.
    """
    if not _may_be_degree(d):
        return Truth.NO
    value = context.value(d)
    if value.lo > 0:
        return Truth.NO
    if has_loops(d):
        return Truth.NO
    inner = behind_views(d)
    while inner.operation.name in ("sqrt", "square", "maximum", "clip"):
        if inner.operation.name in ("maximum", "clip") and value.can_be(0.0) is not Truth.YES:
            return Truth.NO
        inner = behind_views(inner.operands[0])
    if inner.operation is not OPAQUE:
        return Truth.NO
    counts_all = _DEGREES.search(called(inner)) is not None or _adds_ones(context, inner)
    return known(counts_all).and_(Truth.UNKNOWN if is_as_long_as_needed(inner) else Truth.YES)


def _adds_ones(context: Context, term: Term) -> bool:
    """Whether a call counts what falls to each place, or adds a 1 there for each."""
    if not _SCATTERS.search(called(term)):
        return False
    given = term.operands[1:]
    if counts(str(term.detail)):  # weighted, if weights are passed beside the length
        handed_as = context.analysis.handed_as
        return all(
            number_of(one) is not None or "minlength" in handed_as.get(one.key, ())
            for one in given[1:]
        )
    return any(behind_views(one).operation.name in _ONES for one in given)


def _may_be_degree(d: Term) -> bool:
    """Whether d is a call that counts; this is asked before any range."""
    inner = behind_views(d)
    while inner.operation.name in ("sqrt", "square", "maximum", "clip"):
        inner = behind_views(inner.operands[0])
    if inner.operation is not OPAQUE:
        return False
    return _SCATTERS.search(called(inner)) is not None or _DEGREES.search(called(inner)) is not None


@tells(Zero.CUT)
def attains_zero(context: Context, d: Term) -> Truth:
    """d attains 0: YES if the code clamps it at 0, or makes the targets of a relative error so.

    UNKNOWN for a magnitude, for a difference of two coordinates, and for the common extent of two
    boxes: it is 0 only if both of them are the same line. Sums, means, norms, deviations and ranges
    have rules of their own.
    """
    inner = behind_views(d)
    if context.value(d).can_be(0.0) is Truth.NO:
        return Truth.NO
    is_brought = context.is_brought(d, 0.0) and not is_of_pairs(d)
    if inner.operation.name not in _TOTALS and is_brought:
        is_full = inner.operation is OPAQUE and is_as_long_as_needed(inner)
        return known(not is_full and not counts_filled(context, inner)).or_(Truth.UNKNOWN)
    is_product = inner.operation.name in PRODUCTS and is_rectified(context, inner)
    is_cut = is_product or (_is_cut_at_zero(context, inner) and not _selects_itself(d))
    if is_cut or is_cut_by_constraint(context, inner) is Truth.YES:
        return Truth.YES
    if inner.operation.name in PROBABILITIES and is_unbounded_output(context, inner.operands[0]):
        return Truth.YES
    if is_rounded_to_zero(context, inner) or is_scale_from_elsewhere(context, inner):
        return Truth.YES
    if inner.operation.name == "add" and context.kind(d) is not Kind.NUMBER:
        shifted = _shifted_to_zero(context, inner)
        if shifted is not Truth.NO:
            return shifted
    if any(_is_extent_of_both(context, part) for part in walk(inner)):
        return Truth.UNKNOWN
    if is_relative_to_sparse(context, d):
        return Truth.YES
    if inner.operation.name == "abs":
        return Truth.UNKNOWN
    if inner.operation.name == "sub" and is_difference(context, inner) is Truth.YES:
        return Truth.UNKNOWN
    return Truth.NO


def _shifted_to_zero(context: Context, total: Term) -> Truth:
    """Whether a number is added to what can be minus that number, so that the sum can be 0."""
    if is_undone(total.operands) and context.value(total).can_be(0.0) is Truth.YES:
        return Truth.YES
    for part, other in (total.operands, total.operands[::-1]):
        number, below = number_of(part), context.value(other).lo
        if number is not None and number > 0 and _SHOWN < below <= -number:
            return Truth.UNKNOWN
    return Truth.NO


@tells(Zero.STEP)
def is_step(context: Context, d: Term) -> Truth:
    """The code rounds the quotient by d, as a quantiser does, and nothing keeps d from 0.

    d is trained, or is the largest magnitude or the range of what is quantised: 0 for a bias as
    initialised, or for a layer that is silent.
    """
    if context.value(d).can_be(0.0) is Truth.NO or not _is_rounded(
        context, context.occurrence.term
    ):
        return Truth.NO
    inner = behind_views(d)
    while inner.operation.name in ("mul", "div", "abs"):
        parts = [part for part in inner.operands if number_of(part) is None]
        if inner.operation.name == "mul" and len(parts) != 1:
            return Truth.NO
        inner = behind_views(parts[0])
    if inner.operation.name == "max":
        return known(behind_views(inner.operands[0]).operation.name == "abs")
    if inner.operation.name == "sub":
        above, below = (
            _extreme(*each) for each in zip(inner.operands, ("max", "min"), strict=True)
        )
        return known(above is not None and above == below)
    return known(inner.operation is ATTRIBUTE and is_of_parameters(context, inner))


def _extreme(term: Term, name: str) -> int | None:
    """The key of the array whose largest or smallest element it is, possibly bounded by 0."""
    inner = behind_views(term)
    if inner.operation.name in ("maximum", "minimum"):
        bounded = [behind_views(part) for part in inner.operands if number_of(part) != 0]
        inner = bounded[0] if len(bounded) == 1 else inner
    return inner.operands[0].key if inner.operation.name == name else None


@tells(Zero.EXPONENTIAL_STEP)
def is_exponential_step(context: Context, s: Term) -> Truth:
    """A quantiser divides by the match, exp(s) or softplus(s), which can underflow."""
    if can_underflow(context, s) is Truth.NO:
        return Truth.NO
    step = context.occurrence.term.key
    quotients = [
        consumer
        for consumer in context.analysis.consumers.get(step, ())
        if consumer.operation.name == "div" and peel(consumer.operands[1]).key == step
    ]
    return known(any(_is_rounded(context, quotient) for quotient in quotients))


def _is_rounded(context: Context, term: Term) -> bool:
    """Whether a term is rounded to whole numbers, possibly shifted and clipped before."""
    return leads_to(context, term, _PASSES_SHIFTS, _rounds)


def _rounds(term: Term) -> bool:
    """Whether a term rounds, possibly by a function with its own gradient: `Round.apply(x)`."""
    if term.operation is not OPAQUE:
        return term.operation.name in _ROUNDS
    called = name_of(term.operands[0]) if term.detail == "call apply" else str(term.detail)
    return bool(_ROUNDING.search(called))


@tells(Use.ROUNDED)
def is_rounded_to_divisor(context: Context, result: Term) -> Truth:
    """The code rounds the result to an integer and divides by that.

    An epsilon in the result is lost there: where it is 0, so is the divisor.
    """
    rounded = filter(_rounds, context.analysis.consumers.get(result.key, ()))
    return known(
        any(
            quotient.operation.name == "div" and behind_views(quotient.operands[1]).key == divisor
            for whole in rounded
            for divisor, quotient in made_from(context, whole, passes_through("mul"))
        )
    )


def _is_cut_at_zero(context: Context, inner: Term) -> bool:
    name = inner.operation.name

    def is_zero(part: Term) -> bool:
        is_cut = _is_cut_at_zero(context, behind_views(part))
        return is_cut and not (name == "mul" and _selects_itself(part))

    if is_cut_to_number(context, inner):
        return True
    if name in _KEEPS_CUT:
        return is_zero_by_operands(inner, _KEEPS_CUT, is_zero)
    if inner.operation is CHOICE and inner.detail == "conditional":
        return any(number_of(option) == 0 for option in inner.operands)  # `0.0 if q < 0 else r`
    if name == "clip" and not _is_zero_floor(context, inner.settings.get("min")):
        return False
    if _is_extent_of_both(context, inner):
        return False
    if name == "maximum" and all(number_of(operand) != 0 for operand in inner.operands):
        is_cut = are_apart(*inner.operands) and all(map(is_zero, inner.operands))
        return is_cut and context.value(inner).can_be(0.0) is Truth.YES
    if is_clamped_at_zero(inner):
        return context.value(inner).can_be(0.0) is Truth.YES
    return name in ("relu", "clip", "maximum") and context.value(inner).can_be(0.0) is Truth.YES


def _selects_itself(term: Term) -> bool:
    """Whether only some elements are left, by a condition on their own values."""
    views = through_views(term)
    return any(
        view.operation.name == "boolean_mask"
        and any(part.key == views[-1].key for part in walk(view.operands[1]))
        for view in views
    )


def _is_zero_floor(context: Context, floor: Term | None, depth: int = _CALLS_DEEPEST) -> bool:
    """Whether a floor is 0, or an argument that is 0 in some visible call, or else by default."""
    if floor is None or number_of(floor) is not None:
        return floor is not None and number_of(floor) == 0
    given = behind_views(floor)
    if given.operation is not INPUT:
        return False
    passed = passed_for(context, given)
    if passed:
        return depth > 0 and any(_is_zero_floor(context, part, depth - 1) for part in passed)
    return bool(given.operands) and number_of(given.operands[0]) == 0


def _is_extent_of_both(context: Context, cut: Term) -> bool:
    """Whether this is max(a, b) - min(c, d), or more, cut off at 0, on one of the paths to it."""
    if cut.operation.name not in ("relu", "clip", "maximum"):
        return False
    pending = [*cut.operands]
    while pending:
        inner = behind_views(pending.pop())
        if inner.operation is CHOICE:
            pending.extend(inner.operands)
        elif inner.operation.name == "sub":
            ends = [behind_views(part).operation.name for part in inner.operands]
            if ends == ["maximum", "minimum"]:
                return True
        elif inner.operation.name == "add":
            extent, other = inner.operands
            for part, grown in ((extent, other), (other, extent)):
                if context.value(grown).lo >= 0:
                    pending.append(part)
    return False
