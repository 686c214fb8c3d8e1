"""Questions about masks, counts and conditions, and what they exclude."""

from __future__ import annotations

from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.facts import facts_of
from mllint_nan.flow.masks import selecting_mask
from mllint_nan.flow.unrecorded import stops_gradients
from mllint_nan.ir.kind import Kind
from mllint_nan.ir.term import (
    ATTRIBUTE,
    INPUT,
    OPAQUE,
    Term,
    behind_views,
    number_of,
    peel,
    walk,
)
from mllint_nan.naming import names
from mllint_nan.rulebook.predicates.context import (
    Context,
    known,
    made_from,
    name_of,
    passed_for,
    tells,
    through_views,
)
from mllint_nan.rulebook.predicates.downstream import is_fed_on
from mllint_nan.rulebook.predicates.floors import as_made, is_mixture
from mllint_nan.rulebook.predicates.members import Form, Role, Zero
from mllint_nan.rulebook.predicates.roles import (
    is_unknown,
    is_used_as_label,
    is_used_to_select,
    options_of,
    selects_on_each_path,
)
from mllint_nan.rulebook.predicates.weighing import weighs_mean
from mllint_nan.rulebook.predicates.windows import is_window

_FACTORS_MOST: Final = 16
"""The most factors of a product that may be a mask."""
_IGNORED: Final = -100
"""PyTorch's `ignore_index`: a label with this value does not count."""
_PROBABILITIES: Final = names("probability")
_STATISTICS: Final = names("statistic")


@tells(Role.MASK)
def is_mask(context: Context, x: Term) -> Truth:
    """x is a mask: a comparison, a cast boolean, or the weights w of sum(w * v) / sum(w).

    UNKNOWN for a window of positions, which leaves its centre.
    """
    inner = behind_views(x)
    if inner.operation.name == "logical_not":
        return is_mask(context, inner.operands[0])
    if inner.operation.name in ("all", "any"):
        compared = behind_views(inner.operands[0])
        if any(number_of(operand) is not None for operand in compared.operands):
            return is_mask(context, compared)
    if inner.operation.kind == "comparison":
        return Truth.UNKNOWN if is_window(context, inner) else _is_selective(inner)
    if inner.operation.name == "where" and set(map(number_of, inner.operands[1:])) == {0, 1}:
        return is_mask(context, inner.operands[0])
    if leaves_itself_out(inner) or _is_rounded_probability(context, inner):
        return Truth.YES
    if inner.operation.name == "sign" and peel(inner.operands[0]).operation.name == "cast":
        return Truth.YES  # of indices, where 0 is padding
    if is_unknown(x) and _is_counted_of_all(context, inner):
        return Truth.YES
    if inner.operation.name == "mul":
        return _are_masks(context, _factors(inner))
    if inner.operation.name == "sub" and number_of(inner.operands[0]) == 1:
        return is_mask(context, inner.operands[1])
    if is_unknown(x) and is_used_to_select(context, x):
        return Truth.YES
    weighs = weighs_mean(context, x)
    if not options_of(x):
        return weighs.or_(Truth.UNKNOWN)
    selects_whole = weighs is Truth.YES or is_used_to_select(context, x)

    def selects(context: Context, option: Term) -> Truth:
        return known(selects_whole and is_unknown(option)).or_(is_mask(context, option))

    return selects_on_each_path(context, x, selects)


def _are_masks(context: Context, factors: list[Term]) -> Truth:
    answers = [is_mask(context, factor) for factor in factors]
    if Truth.NO in answers:
        return Truth.NO
    return known(bool(factors) and set(answers) == {Truth.YES}).or_(Truth.UNKNOWN)


def _is_counted_of_all(context: Context, x: Term) -> bool:
    """Whether `x.numel() - x.sum()` is computed: what x leaves of all elements."""
    consumers = context.analysis.consumers
    return any(
        outer.operation.name == "sub"
        and peel(outer.operands[1]).key == total.key
        and peel(outer.operands[0]).operation.name == "size"
        and behind_views(peel(outer.operands[0]).operands[0]).key == x.key
        for total in consumers.get(x.key, ())
        if total.operation.name == "sum"
        for outer in consumers.get(total.key, ())
    )


def _is_selective(inner: Term) -> Truth:
    """YES if a comparison selects; UNKNOWN if something is always selected, or nothing is known."""
    if inner.operation.name in ("isnan", "isfinite", "isinf"):
        return Truth.UNKNOWN  # without any element left, a statistic that leaves out NaN is NaN
    if any(number_of(operand) == _IGNORED for operand in inner.operands):
        return Truth.YES  # nothing but labels holds that number
    if not any(part.operation in (INPUT, OPAQUE) and part.detail != "self" for part in walk(inner)):
        return Truth.UNKNOWN  # it compares only the object's own settings
    if any(_PROBABILITIES.search(name_of(behind_views(o)) or name_of(o)) for o in inner.operands):
        return Truth.UNKNOWN  # they add up to 1: one of them is above 0
    if inner.operation.name in ("gt", "ne", "ge", "eq") and any(
        behind_views(operand).operation.kind in ("elementwise", "reduction", "along")
        for operand in inner.operands
    ):
        return Truth.UNKNOWN  # of scores computed here, some may always be selected
    if any(part.operation is OPAQUE and part.detail == "update" for part in walk(inner)):
        return Truth.UNKNOWN  # what was written into it decides
    left, right = (behind_views(operand) for operand in (*inner.operands, inner.operands[0])[:2])
    if inner.operation.name == "eq" and left.key == right.key:
        return Truth.UNKNOWN  # everything equals itself
    # A rank against a running sum holds for the first element at least; a length can be 0.
    ranks = {part.operation.name for part in walk(inner)} & {"cumsum", "sort", "arange"}
    is_of_lengths = ranks == {"arange"} and INPUT in (left.operation, right.operation)
    return known(not ranks or is_of_lengths).or_(Truth.UNKNOWN)


def _factors(product: Term) -> list[Term]:
    """The factors of a product; empty if there are too many."""
    found: list[Term] = []
    pending = [product]
    while pending:
        part = pending.pop()
        inner = behind_views(part)
        if inner.operation.name == "mul":
            pending += inner.operands
        else:
            found.append(part)
        if len(found) + len(pending) > _FACTORS_MOST:
            return []
    return found


def _is_rounded_probability(context: Context, inner: Term) -> bool:
    """Whether this is `round(clip(p, 0, 1))`, which is 0 or 1."""
    if inner.operation.name != "round":
        return False
    value = context.value(inner)
    return value.lo == 0 and value.hi == 1


def leaves_itself_out(inner: Term) -> bool:
    """Whether a mask leaves out the diagonal of `a == a.T`: a row without a partner is empty.

    As `(a == a.T) - eye(n)` and `(a == a.T) * (1 - eye(n))` do.
    """
    if inner.operation.name == "where":
        return _is_off_diagonal(inner) and _compares_pairs(inner.operands[2])
    if inner.operation.name not in ("sub", "mul"):
        return False
    left, right = map(behind_views, inner.operands)
    if inner.operation.name == "sub":
        return _compares_pairs(left) and right.operation.name == "eye"
    if not _is_off_diagonal(right):
        left, right = right, left
    return _compares_pairs(left) and _is_off_diagonal(right)


def _compares_pairs(term: Term) -> bool:
    return behind_views(term).operation.name == "eq"


def _is_off_diagonal(inner: Term) -> bool:
    """Whether this is `1 - eye(n)`, or something that is set to 0 on the diagonal."""
    if inner.operation.name == "sub" and number_of(inner.operands[0]) == 1:
        return behind_views(inner.operands[1]).operation.name == "eye"
    if inner.operation.name != "where" or number_of(inner.operands[1]) != 0:
        return False
    return behind_views(inner.operands[0]).operation.name == "eye"


@tells(Form.BOOLEAN)
def is_boolean(context: Context, x: Term) -> Truth:
    """x is a boolean, or a boolean cast to a number."""
    inner = behind_views(x)
    if inner.operation.kind == "comparison" or leaves_itself_out(inner):
        return Truth.YES
    value = context.value(x)
    return known(value.integer and value.lo >= 0).or_(Truth.UNKNOWN)


@tells(Role.LABEL)
def is_label(context: Context, y: Term) -> Truth:
    """y attains 0: it is a one-hot row, a mask, or what the program uses as a label.

    NO for a number: a weight or a power is the same for every element.
    """
    possible = context.value(y).can_be(0.0)
    if possible is not Truth.UNKNOWN:
        return possible
    if context.kind(y) is Kind.NUMBER:
        return Truth.NO
    is_such = is_used_as_label(context, y) or _weighs_logarithms(context, y)
    return known(is_such).or_(Truth.UNKNOWN)


def _weighs_logarithms(context: Context, y: Term) -> bool:
    """Whether the match multiplies an input y by logarithms and is added up: a cross entropy.

    A logarithm that was gathered is one of many: its weight is no distribution.
    """
    product = context.occurrence.term
    if product.operation.name != "mul" or not is_unknown(y):
        return False
    own = {part.key for part in through_views(y)}
    others = [one for one in product.operands if behind_views(one).key not in own]
    gathered = ("gather", "subscript", "element")
    if any(part.operation.name in gathered for one in others for part in walk(one)):
        return False
    return any(
        end.operation.name in ("sum", "mean") for _, end in made_from(context, product, _adds)
    )


def _adds(term: Term) -> bool:
    """Whether an operation keeps the elements apart, and only adds to them or leaves some out."""
    return term.operation.name in ("neg", "add", "sub", "where") or term.operation.kind == "view"


@tells(Zero.ENTROPY)
def is_summed_probability(context: Context, x: Term) -> Truth:
    """The product is summed, as in an entropy, and nothing keeps x from 0."""
    possible = context.value(x).can_be(0.0)
    inner = behind_views(x)
    while inner.operation.name in ("sum", "mean"):
        inner = behind_views(inner.operands[0])
    if inner.operation.name == "div":
        selected = inner.operands[0]
        counted = behind_views(selected)
        if context.value(selected).can_be(0.0) is Truth.NO or _has_floor(context, counted):
            return Truth.NO
        if _is_selected_nonzero(selected):
            return Truth.NO
        if counted.operation is ATTRIBUTE:
            return Truth.UNKNOWN  # nothing says that any count was 0
    made = passed_for(context, inner) or as_made(context, inner)
    if all(_has_floor(context, behind_views(one)) for one in made) or _is_selected_nonzero(x):
        return Truth.NO
    if possible is not Truth.UNKNOWN:
        return possible
    for consumer in context.analysis.consumers.get(context.occurrence.term.key, ()):
        if consumer.operation.name in ("sum", "mean"):
            return Truth.YES
        if consumer.operation.name == "neg":
            for outer in context.analysis.consumers.get(consumer.key, ()):
                if outer.operation.name in ("sum", "mean"):
                    return Truth.YES
    return Truth.UNKNOWN


def _is_selected_nonzero(x: Term) -> bool:
    """Whether a mask selects x where it is not 0: `p[p != 0]`, `p[np.flatnonzero(p)]`."""
    inner = peel(x)
    while inner.operation.kind == "view":
        mask = selecting_mask(inner)
        facts = facts_of(mask, True) if mask is not None else ()
        if any(fact.holds and _is_nonzero(fact.test, inner.operands[0]) for fact in facts):
            return True
        inner = peel(inner.operands[0])
    return False


def _is_nonzero(condition: Term, x: Term) -> bool:
    """Whether a condition is `x != 0`, or x itself, as where nonzero positions are asked for."""
    inner = peel(condition)
    if inner.operation.name == "ne":
        others = [part for part in inner.operands if number_of(part) != 0]
        return len(others) == 1 and peel(others[0]).key == peel(x).key
    return inner.key == peel(x).key


def _has_floor(context: Context, term: Term) -> bool:
    """Whether something positive is added."""
    is_raised = any(context.value(operand).lo > 0 for operand in term.operands)
    return term.operation.name == "add" and (is_raised or is_mixture(context, term))


@tells(Form.LITERAL)
def is_literal(context: Context, b: Term) -> Truth:
    """b is a literal number, as a step or a rate over a count: UNKNOWN or NO, never YES."""
    return Truth.UNKNOWN if number_of(b) is not None else Truth.NO


def is_more_than_statistic(context: Context, result: Term) -> Truth:
    """Whether the result is more than inspected: no accuracy, and not computed beside the training.

    NO if it is tested for NaN, and for Python's own numbers: they raise an exception instead.
    """
    operands = peel(result).operands
    if len(operands) > 1 and all(context.kind(part) is Kind.NUMBER for part in operands):
        return Truth.NO
    consumers = context.analysis.consumers.get(result.key, ())
    if any(consumer.operation.name in ("isnan", "isfinite", "isinf") for consumer in consumers):
        return Truth.NO
    occurrence = context.occurrence
    scopes = list(occurrence.scope.enclosing())
    decorators = [decorator for scope in scopes for decorator in scope.decorators]
    is_aside = stops_gradients([*decorators[::-1], *occurrence.state.contexts])
    is_share = all(context.value(part).integer for part in operands)
    if is_aside and (is_share or not is_fed_on(context, result)):
        return Truth.UNKNOWN  # an accuracy, which is a share of counts, or only shown
    names = [scope.name for scope in scopes if scope.kind == "function"]
    names += [
        str(reference.detail) for reference in context.analysis.references.get(id(result), ())
    ]
    return Truth.UNKNOWN if any(map(_STATISTICS.search, names)) else Truth.YES


def leaves_zero_out(context: Context, selection: Term, n: Term) -> bool:
    """Whether a mask selects elements, and none of those where n is 0: `log(n)[n > 0]`."""
    if selection.operation.name != "boolean_mask":
        return False
    facts = (*context.occurrence.state.facts, *facts_of(selection.operands[1], True))
    return context.oracle.value(n, facts).can_be(0.0) is Truth.NO
