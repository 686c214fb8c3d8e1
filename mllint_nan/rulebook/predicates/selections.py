"""Questions about masks, counts, conditions and what they keep out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.clamps import put
from mllint_nan.flow.facts import facts_of
from mllint_nan.flow.named_values import is_epsilon_name
from mllint_nan.flow.names import mask_of
from mllint_nan.flow.occurring import is_of_occurring
from mllint_nan.ir.kind import Kind
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    CONSTANT,
    INPUT,
    OPAQUE,
    QUALIFIED,
    Term,
    behind_views,
    number_of,
    peel,
    walk,
)
from mllint_nan.rulebook.predicates.context import (
    Context,
    known,
    made_from,
    name_of,
    passed_for,
    predicate,
    stops_gradients,
    through_views,
)
from mllint_nan.rulebook.predicates.downstream import is_fed_on
from mllint_nan.rulebook.predicates.roles import (
    is_handed_as,
    is_unknown,
    is_used_as_label,
    is_used_to_select,
    options_of,
    selects_on_each_path,
)

_MASK_NAMES: Final = re.compile(r"(^|_)(masks?|masked|valid|padding|pad|is_[a-z]+)(_|$|\d)", re.I)

_LOSS_MASK_NAMES: Final = re.compile(r"(^|_)(loss|labels?)(_|$)", re.I)
"""A mask of what counts in a loss; whoever makes another one may see to it that it has a 1."""
_FACTORS_MOST: Final = 16
"""Of a product that may be a mask."""
_IGNORED: Final = -100
"""PyTorch's `ignore_index`, by which labels say that they do not count."""
_PROBABILITIES: Final = re.compile(r"(^|_)prob(s|abilit\w+)?(_|$)", re.I)
_STATISTICS: Final = re.compile(r"(^|_)(acc|accuracy|accuracies|stats|statistics?)(_|$)", re.I)
_DRAWS: Final = re.compile(r"(multinomial|categorical|sample|choice)")


def is_mask(context: Context, x: Term) -> Truth:
    """x selects: a comparison, a cast boolean, or an array that is called a mask."""
    inner = behind_views(x)
    if inner.operation.name == "logical_not":
        return is_mask(context, inner.operands[0])
    if inner.operation.name in ("all", "any"):
        compared = behind_views(inner.operands[0])
        if any(number_of(operand) is not None for operand in compared.operands):
            return is_mask(context, compared)
    if inner.operation.kind == "comparison":
        # A rank against a running sum holds for the first element at least.
        if inner.operation.name in ("isnan", "isfinite", "isinf"):
            return Truth.UNKNOWN  # a statistic that leaves NaN out is NaN where nothing is left
        if any(number_of(operand) == _IGNORED for operand in inner.operands):
            return Truth.YES  # nothing but labels holds that number
        if not any(
            part.operation in (INPUT, OPAQUE) and part.detail != "self" for part in walk(inner)
        ):
            return Truth.UNKNOWN  # of the object's own settings
        if any(
            _PROBABILITIES.search(name_of(behind_views(o)) or name_of(o)) for o in inner.operands
        ):
            return Truth.UNKNOWN  # they add up to 1: one of them is above 0
        if inner.operation.name in ("gt", "ne", "ge", "eq") and any(
            behind_views(operand).operation.kind in ("elementwise", "reduction", "along")
            for operand in inner.operands
        ):
            return Truth.UNKNOWN  # scores that were computed here may well always have one
        if any(part.operation is OPAQUE and part.detail == "update" for part in walk(inner)):
            return Truth.UNKNOWN  # what was written into it decides
        left, right = (
            behind_views(operand) for operand in (*inner.operands, inner.operands[0])[:2]
        )
        if inner.operation.name == "eq" and left.key == right.key:
            return Truth.UNKNOWN  # everything equals itself
        ranked = any(part.operation.name in ("cumsum", "sort", "arange") for part in walk(inner))
        return Truth.UNKNOWN if ranked else Truth.YES
    if _leaves_itself_out(inner) or _is_rounded_probability(context, inner):
        return Truth.YES
    if inner.operation.name == "mul":
        factors = _factors(inner)
        answers = [is_mask(context, factor) for factor in factors]
        if Truth.NO in answers:
            return Truth.NO
        return known(bool(factors) and set(answers) == {Truth.YES}).or_(Truth.UNKNOWN)
    if inner.operation.name == "sub" and number_of(inner.operands[0]) == 1:
        return is_mask(context, inner.operands[1])
    if inner.operation in (INPUT, ATTRIBUTE) and _MASK_NAMES.search(str(inner.detail)):
        return Truth.YES
    if _is_part_of_input(inner) and _MASK_NAMES.search(name_of(x)):
        return Truth.YES
    if is_unknown(x) and (is_used_to_select(context, x) or is_handed_as(context, x, _MASK_NAMES)):
        return Truth.YES
    return selects_on_each_path(context, x, is_mask)


def _factors(product: Term) -> list[Term]:
    """What a product is made of; nothing, if that is too much."""
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


def _is_part_of_input(inner: Term) -> bool:
    """One of several that came in as a tuple or list."""
    return (
        inner.operation is OPAQUE
        and str(inner.detail).startswith("part ")
        and peel(inner.operands[0]).operation is INPUT
    )


@predicate
def is_selection(context: Context, c: Term) -> Truth:
    """c is a mask, or 1 minus one: it has zeros."""
    return is_mask(context, c)


def _is_rounded_probability(context: Context, inner: Term) -> bool:
    """`round(clip(p, 0, 1))`, which is 0 or 1."""
    if inner.operation.name != "round":
        return False
    value = context.value(inner)
    return value.lo == 0 and value.hi == 1


def _leaves_itself_out(inner: Term) -> bool:
    """`(a == a.T) - eye(n)` or `(a == a.T) * (1 - eye(n))`: a row without a partner is empty."""
    if inner.operation.name not in ("sub", "mul"):
        return False
    left, right = map(behind_views, inner.operands)
    if inner.operation.name == "mul":
        if right.operation.name != "sub":
            left, right = right, left
        if right.operation.name != "sub" or number_of(right.operands[0]) != 1:
            return False
        right = behind_views(right.operands[1])
    return left.operation.name == "eq" and right.operation.name == "eye"


@predicate
def is_boolean(context: Context, x: Term) -> Truth:
    """x is a boolean, or one that was cast to a number."""
    inner = behind_views(x)
    if inner.operation.kind == "comparison" or _leaves_itself_out(inner):
        return Truth.YES
    return is_count(context, x).or_(Truth.UNKNOWN)


@predicate
def is_count(context: Context, n: Term) -> Truth:
    """n is a whole number and not below 0, by proof: raised to 1, it changes at 0 alone."""
    value = context.value(n)
    return known(value.integer and value.lo >= 0)


@predicate
def is_label(context: Context, y: Term) -> Truth:
    """y attains 0: a one-hot row, a mask, or what the program uses as a label.

    NO of a number: a weight or a power is the same for every element.
    """
    possible = context.value(y).can_be(0.0)
    if possible is not Truth.UNKNOWN:
        return possible
    if context.kind(y) is Kind.NUMBER:
        return Truth.NO
    is_such = is_used_as_label(context, y) or _weighs_logarithms(context, y)
    return known(is_such).or_(Truth.UNKNOWN)


def _weighs_logarithms(context: Context, y: Term) -> bool:
    """The match is y times logarithms, and added up: the cross entropy of what came in.

    A logarithm that was gathered is one of many: what weighs it is no distribution.
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
    """What keeps each element apart from the others, and only adds to it or leaves it out."""
    return term.operation.name in ("neg", "add", "sub", "where") or term.operation.kind == "view"


@predicate
def is_summed_probability(context: Context, x: Term) -> Truth:
    """The product is summed up, as an entropy is, and x is not kept away from 0."""
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
            return Truth.UNKNOWN  # of what happened to be counted, nothing says that it was 0
    if _has_floor(context, inner) or _is_selected_nonzero(x):
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
    """x is what a mask selects where it is not 0: `p[p != 0]`, `p[np.flatnonzero(p)]`."""
    inner = peel(x)
    while inner.operation.kind == "view":
        if inner.operation.name in ("boolean_mask", "subscript", "gather"):
            source, index = inner.operands[:2]
            mask = index if inner.operation.name == "boolean_mask" else mask_of(index)
            facts = facts_of(mask, True) if mask is not None else ()
            if any(fact.holds and _is_nonzero(fact.test, source) for fact in facts):
                return True
        inner = peel(inner.operands[0])
    return False


def _is_nonzero(condition: Term, x: Term) -> bool:
    """The condition is `x != 0`, or x itself, as the places of what is not 0 are asked for."""
    inner = peel(condition)
    if inner.operation.name == "ne":
        others = [part for part in inner.operands if number_of(part) != 0]
        return len(others) == 1 and peel(others[0]).key == peel(x).key
    return inner.key == peel(x).key


def _has_floor(context: Context, term: Term) -> bool:
    """Something positive is added."""
    return term.operation.name == "add" and any(
        context.value(operand).lo > 0 for operand in term.operands
    )


@predicate
def is_averaged(context: Context, b: Term) -> Truth:
    """b is summed up over what is counted; a plain number over a count is a step or a rate."""
    return Truth.UNKNOWN if number_of(b) is not None else Truth.YES


@predicate
def is_more_than_statistic(context: Context, result: Term) -> Truth:
    """The result is not just looked at: it is no accuracy, and not computed beside the training.

    NO where it is tested for NaN, and of Python's own numbers: they raise an exception instead.
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
        return Truth.UNKNOWN  # of hits, as an accuracy is, or shown to somebody
    names = [scope.name for scope in scopes if scope.kind == "function"]
    names += [
        str(reference.detail) for reference in context.analysis.references.get(id(result), ())
    ]
    return Truth.UNKNOWN if any(map(_STATISTICS.search, names)) else Truth.YES


@predicate
def is_sampled(context: Context, v: Term) -> Truth:
    """v is gathered at indices that were drawn from it, or are its largest: it is not 0 there."""
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


@predicate
def is_only_compared(context: Context, result: Term) -> Truth:
    """Only comparisons are made from the result: NaN decides against, and goes no further."""
    consumers = context.analysis.consumers.get(result.key, ())
    return known(
        bool(consumers)
        and result.key not in context.analysis.escaped
        and all(consumer.operation.kind == "comparison" for consumer in consumers)
    )


@predicate
def is_only_scored(context: Context, result: Term) -> Truth:
    """Only PyTorch's binary cross entropy reads the result, and that clamps its logarithm."""
    consumers = context.analysis.consumers.get(result.key, ())
    return known(
        bool(consumers) and all(term.operation.name == "binary_cross_entropy" for term in consumers)
    )


@predicate
def is_patched(context: Context, result: Term) -> Truth:
    """What is not finite is replaced afterwards; whether gradients mind is another rule's."""
    for consumer in context.analysis.consumers.get(result.key, ()):
        if consumer.operation.name == "nan_to_num":
            return Truth.YES
        if consumer.operation.name == "where" and any(
            part.operation.name in ("isfinite", "isinf", "isnan")
            and part.operands[0].key == result.key
            for part in walk(consumer.operands[0])
        ):
            return Truth.YES
    return Truth.NO


@predicate
def can_count_nothing(context: Context, n: Term, m: Term) -> Truth:
    """n counts what the mask m selects, and that may be nothing."""
    if context.value(n).can_be(0.0) is Truth.NO:
        return Truth.NO
    if is_mask(context, m) is not Truth.YES:
        return Truth.NO
    if "axis" not in behind_views(n).settings and is_of_occurring(m):
        return Truth.NO
    return Truth.UNKNOWN if _is_made_elsewhere(context, m) else Truth.YES


def _is_made_elsewhere(context: Context, mask: Term) -> bool:
    """Whoever made the mask may have seen to it that it selects something.

    A parameter that is called a mask is one that can be empty.
    """
    inner = behind_views(mask)
    if inner.operation is INPUT:
        return False
    options = options_of(mask)
    if options:
        return all(
            _is_made_elsewhere(context, option)
            for option in options
            if is_mask(context, option) is Truth.YES
        )
    if inner.operation.name in ("mul", "sub", "logical_not", "logical_and"):
        return all(_is_made_elsewhere(context, operand) for operand in inner.operands)
    if number_of(inner) is not None:
        return True
    passed = [behind_views(argument) for argument in passed_for(context, inner)]
    if passed and all(
        argument.operation.kind == "comparison" and is_mask(context, argument) is Truth.YES
        for argument in passed
    ):
        return False
    return inner.operation in (INPUT, ATTRIBUTE) and not _LOSS_MASK_NAMES.search(str(inner.detail))


@predicate
def is_tested(context: Context, x: Term) -> Truth:
    """A condition on the path looks at x, or at what it was counted from."""
    wanted = {part.key for part in through_views(x)}
    inner = peel(x)
    while inner.operands and (
        inner.operation.kind in ("view", "reduction") or inner.operation.name == "size"
    ):
        inner = peel(inner.operands[0])
        wanted |= {part.key for part in through_views(inner)}
    return known(any(not tested.keys.isdisjoint(wanted) for tested in context.tested))


@predicate
def is_selected_by(context: Context, n: Term) -> Truth:
    """The result is only used where a condition on n holds."""
    keys = {part.key for part in walk(n) if part.operation not in (CONSTANT, QUALIFIED)}
    selections = context.analysis.selections
    selecting = {where for key in keys for where in selections.get(key, ())}
    pending, seen = [context.occurrence.term] if selecting else [], set[int]()
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


@predicate
def is_selected_below(context: Context, x: Term) -> Truth:
    """The result is only used where a condition on x holds, other than that x is large."""
    if is_selected_by(context, x) is not Truth.YES:
        return Truth.NO
    keys = {part.key for part in walk(x) if part.operation not in (CONSTANT, QUALIFIED)}
    pending, seen = [context.occurrence.term], set[int]()
    while pending:
        current = pending.pop()
        if current.key in seen:
            continue
        seen.add(current.key)
        for consumer in context.analysis.consumers.get(current.key, ()):
            if consumer.operation.name == "where":
                condition, first, _ = consumer.operands
                side = _side_in(condition, x)
                is_first = first.key == current.key
                is_about = any(part.key in keys for part in walk(condition))
                if is_about and (side == 0 or (side > 0) is not is_first):
                    return Truth.YES
            if consumer.operation.kind in ("elementwise", "view"):
                pending.append(consumer)
    return Truth.NO


@predicate
def is_guarded(context: Context, x: Term) -> Truth:
    """Some `where` that is no clamp had a hand in x: the singular point is taken care of."""
    pending, seen = [x], set()
    while pending:
        inner = peel(pending.pop())
        if inner.key in seen:
            continue
        seen.add(inner.key)
        if inner.operation.name == "where":
            found = put(inner)
            if found is None or not found.is_bound:
                return Truth.YES  # else a clamp, which keeps nothing from its own bound
        if inner.operation is CHOICE or inner.operation.kind in (
            "elementwise",
            "view",
            "reduction",
        ):
            pending.extend(inner.operands)
    return Truth.NO


@predicate
def is_undone(context: Context, m: Term) -> Truth:
    """NaN is put back under the mask m later on: the patch only kept it from what is between."""

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
def is_maximum(context: Context, t: Term) -> Truth:
    """t is a maximum, made finite so that it can be subtracted."""
    return known(behind_views(t).operation.name in ("max", "min"))


@predicate
def is_nonfinite(context: Context, c: Term) -> Truth:
    """c is NaN or infinite itself: the result is marked, not patched."""
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
def guards(context: Context, c: Term, x: Term, point: float) -> Truth:
    """The condition c keeps x away from `point`, or from a threshold next to it.

    Both are read as affine functions of one core: for x = t - 1, `t > 1` keeps x from 0.
    """
    core, scale, offset = _affine(x)
    keys = {part.key for part in through_views(core)}
    answer = Truth.NO
    for part in _sufficient(context, c):
        if part.operation.name not in ("gt", "ge", "eq", "ne"):
            continue
        for side, bound in (part.operands, part.operands[::-1]):
            other, side_scale, side_offset = _affine(_inside_absolute(side))
            if not any(inner.key in keys for inner in through_views(other)):
                continue
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


def _sufficient(context: Context, c: Term) -> Iterator[Term]:
    """The comparisons of c that decide alone whether the singular operation is selected."""
    where, s = context.occurrence.term, context.found.terms.get("s")
    split = "and"
    if s is not None and where.operation.name == "where":
        selected = any(part.key == s.key for part in walk(where.operands[1]))
        split = "or" if selected else "and"
    pending, seen = [c], set[int]()  # what is used twice is looked into once
    while pending:
        inner = peel(pending.pop())
        name = inner.operation.name if inner.operation is not OPAQUE else str(inner.detail)
        if id(inner) in seen or name in (split, f"logical_{split}"):
            continue
        seen.add(id(inner))
        yield inner
        pending.extend(inner.children())


def _is_excluded_outside(context: Context, c: Term, x: Term, point: float) -> bool:
    """Where the branch of x is not selected, x is above `point`."""
    where, s = context.occurrence.term, context.found.terms.get("s")
    if s is None or where.operation.name != "where":
        return False
    holds = all(part.key != s.key for part in walk(where.operands[1]))
    facts = (*context.occurrence.state.facts, *facts_of(c, holds))
    return context.oracle.value(x, facts).lo > point


def _is_selected_at(context: Context, c: Term, comparison: Term, x: Term) -> bool:
    """Where both sides of the comparison are equal, `where` selects the singular operation.

    Or the other branch divides by x just the same: the condition is about something else.
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
def guards_unit(context: Context, c: Term, x: Term) -> Truth:
    """The condition c keeps x away from 1 or from -1."""
    return guards(context, c, x, 1.0).or_(guards(context, c, x, -1.0))


@predicate
def bounds_above(context: Context, c: Term, x: Term) -> Truth:
    """Where the condition c holds, x is below some bound: large x are not selected."""
    return known(_side_in(c, x) < 0)


@predicate
def bounds_below(context: Context, c: Term, x: Term) -> Truth:
    """Where the condition c holds, x is above some bound: large x are selected."""
    return known(_side_in(c, x) > 0)


def _side_in(c: Term, x: Term) -> int:
    """1 if c says that x is large, -1 if that it is small, 0 if neither."""
    core, scale, _ = _affine(x)
    keys = {part.key for part in through_views(core)}
    for part in walk(c):
        if part.operation.name not in ("gt", "ge"):
            continue
        for side, sign in zip(part.operands, (1, -1), strict=True):
            other, other_scale, _ = _affine(side)
            if any(inner.key in keys for inner in through_views(other)):
                return sign if scale * other_scale > 0 else -sign
    return 0


_NEAR: Final = 0.05
"""A threshold this close to a singular point is there because of it (sRGB: 0.0031)."""


def _affine(term: Term) -> tuple[Term, float, float]:
    """The term as `scale * core + offset`, with numbers for both."""
    scale, offset = 1.0, 0.0
    core = behind_views(term)
    while core.operation.name in ("add", "sub", "mul", "div", "neg") and core.operands:
        name = core.operation.name
        if name == "neg":
            scale, core = -scale, behind_views(core.operands[0])
            continue
        left, right = core.operands
        a, b = number_of(left), number_of(right)
        if b is not None and (name != "div" or b != 0):
            match name:
                case "add":
                    offset += scale * b
                case "sub":
                    offset -= scale * b
                case "mul":
                    scale *= b
                case "div":
                    scale /= b
            core = behind_views(left)
        elif a is not None and name != "div":
            match name:
                case "add":
                    offset += scale * a
                case "sub":
                    offset += scale * a
                    scale = -scale
                case "mul":
                    scale *= a
            core = behind_views(right)
        else:
            break
        if scale == 0:
            break
    return core, scale or 1.0, offset


def _inside_absolute(term: Term) -> Term:
    """`abs(x) < eps`, `x**2 > 0` and `any(x > 0)` speak of x."""
    inner = behind_views(term)
    return inner.operands[0] if inner.operation.name in ("abs", "square") else term


def _threshold(context: Context, bound: Term) -> float | None:
    """The number that a comparison compares with; an epsilon of any name is 0 here."""
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
