"""Questions about what divides: sums, norms, deviations and ranges that can be 0."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.clamps import is_clamped_at_zero
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    CONSTANT,
    INPUT,
    OPAQUE,
    QUALIFIED,
    REFERENCE,
    SEQUENCE,
    Term,
    behind_views,
    constant_of,
    number_of,
    peel,
    walk,
)
from mllint_nan.rulebook.predicates.context import (
    Context,
    has_inputs,
    is_self,
    known,
    name_of,
    passed_for,
    predicate,
    through_views,
)
from mllint_nan.rulebook.predicates.distances import fades_out
from mllint_nan.rulebook.predicates.endings import ends_of_match
from mllint_nan.rulebook.predicates.logarithms import is_more_than_ranked
from mllint_nan.rulebook.predicates.selections import (
    is_label,
    is_mask,
    is_more_than_statistic,
)

_CALLS_DEEPEST: Final = 2
_PARTS_MOST: Final = 24
"""How much of a numerator is looked at for the divisor's operand."""
_ASIDE: Final = re.compile(
    r"(^|[/\\_.])(metrics?|eval\w*|plot\w*|visuali[sz]\w*|viz|vis|show\w*|draw\w*|display\w*|log"
    r"|logging|diagnos\w*|report\w*|summar\w*|benchmarks?|analy[sz]\w*|debug\w*|stats?|statistics?"
    r"|scores?|accuracy)([/\\_.]|$)",
    re.I,
)
"""What is only looked at: a NaN there is seen, and trains nothing."""
_ASIDE_CLASSES: Final = re.compile(r"(Metric|Evaluator|Visuali[sz]er|Callback|Monitor|Logger)s?$")
_VARIES: Final = re.compile(
    r"(^|_)(weights?|kernels?|w|filters?|hidden\w*|logits?|embed\w*|params?|noise|latents?|z|eps"
    r"|query|queries|keys?|values?|tokens?|q|k|v|qk|h|activations?|samples?|draws?)(_|$|\d)",
    re.I,
)
"""Trained, drawn, or the output of a network: no two elements of it are equal."""
_TRAINED: Final = re.compile(
    r"(^|_)(weights?|kernels?|w|filters?|embed\w*|features?|feats?|hidden|latents?|logits?|params?"
    r"|query|queries|keys?|q|k|z|noise|eps|samples?|draws?)(_|$|\d)",
    re.I,
)
"""A draw, or what starts from one, or comes out of a network: not all of it is 0."""
_MAGNITUDES: Final = frozenset(("abs", "square"))
_SHIFTS: Final = frozenset(("add", "sub", "mul", "neg", "abs", "square", "relu", "clip", "maximum"))
_OF_ELEMENTS: Final = _SHIFTS | {"sum", "matmul", "dot", "einsum"}
_ARRANGING: Final = frozenset(
    ("reshape", "squeeze", "expand_dims", "broadcast", "flatten", "identity", "detach", "cast")
)
"""Views that leave every element, and the order of elements."""
_MEASURES: Final = frozenset(("max", "min", "sum", "any", "std", "var", "norm", "count_nonzero"))
_CONDITIONALS: Final = re.compile(r"(^|[._ ])(smart_)?(cond|case|switch|piecewise)$")
_MADE_MASKS: Final = re.compile(r"mask|valid|pad(ding)?$", re.I)
_GRADIENTS: Final = re.compile(r"(^|[._ ])(gradients?|grads?)$")
_GRADIENT_NAMES: Final = re.compile(r"^(grads?|gradients?)(_|$|\d)", re.I)


@predicate
def is_at_stake(context: Context, result: Term) -> Truth:
    """Something is computed from the result: it is no metric, plot or statistic."""
    answer = is_more_than_statistic(context, result)
    if answer is not Truth.YES:
        return answer
    if is_more_than_ranked(context, result) is not Truth.YES:
        return Truth.UNKNOWN
    if ends_of_match(context, result).is_only_shown:
        return Truth.UNKNOWN
    scopes = list(context.occurrence.scope.enclosing())
    names = [scope.name for scope in scopes if scope.kind != "module"]
    if any(map(_ASIDE.search, names)):
        return Truth.UNKNOWN
    if any(scope.kind == "class" and _ASIDE_CLASSES.search(scope.name) for scope in scopes):
        return Truth.UNKNOWN
    return known(not _is_hushed(context)).or_(Truth.UNKNOWN)


@predicate
def is_divisor(context: Context, v: Term) -> Truth:
    """Something beside it is divided by v: that is infinite at 0, whatever becomes of this."""
    here = context.occurrence
    return known(
        any(
            other.scope is here.scope and other.state.facts == here.state.facts
            for other in context.analysis.divisions.get(behind_views(v).key, ())
        )
    )


def _is_hushed(context: Context) -> bool:
    """The code has said that it knows of divisions by 0: `np.errstate` is entered."""
    return any(
        "errstate" in str(part.detail)
        for entered in context.occurrence.state.contexts
        for part in walk(entered)
    )


@predicate
def is_looked_at(context: Context, n: Term) -> Truth:
    """A condition on the path looks at what n is of, or measures something else.

    Or this is a branch of a `cond`, whose condition is not in sight.
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
    if any(
        not tested.keys.isdisjoint(wanted) or not tested.operations.isdisjoint(_MEASURES)
        for tested in context.tested
    ):
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
    """b is x, shifted or not: what is divided is what the divisor was taken of.

    Or x is a magnitude of it, or what is divided is a setting that scales it afterwards.
    """
    wanted = set[int]()
    for part in through_magnitudes(x):
        wanted.add(part.key)
        if _is_looked_up(part):
            break
    scaled = _scaled_by(context) if _is_setting(b) else [b]
    return known(any(part.key in wanted for one in scaled for part in _elements(one))).or_(
        Truth.UNKNOWN
    )


def _is_setting(term: Term) -> bool:
    """A number, or made of numbers and of what the object keeps alone."""
    if number_of(term) is not None:
        return True
    leaves = [part for part in walk(term) if part.operation.kind == "leaf" and not is_self(part)]
    kinds = (CONSTANT, ATTRIBUTE, REFERENCE)
    is_kept = any(part.operation is ATTRIBUTE for part in leaves)
    return is_kept and all(part.operation in kinds for part in leaves)


def _scaled_by(context: Context) -> list[Term]:
    """What the match is multiplied by."""
    made = context.occurrence.term
    return [
        factor
        for consumer in context.analysis.consumers.get(made.key, ())
        if consumer.operation.name == "mul"
        for factor in consumer.operands
        if factor.key != made.key
    ]


def through_magnitudes(term: Term) -> Iterator[Term]:
    """The term, and what it is a view, an absolute value or a square of."""
    for part in through_views(term):
        yield part
        inner = part
    if inner.operation.name in _MAGNITUDES:
        yield from through_magnitudes(inner.operands[0])


def _is_looked_up(term: Term) -> bool:
    """An entry of a dictionary, which says nothing of the other ones."""
    if term.operation.name != "subscript":
        return False
    key = peel(term.operands[1])
    return isinstance(constant_of(key), str) or key.operation is QUALIFIED


def _elements(term: Term) -> Iterator[Term]:
    """What a term is made of, element by element."""
    pending, seen = [term], set[int]()
    while pending and len(seen) < _PARTS_MOST:
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


@predicate
def can_be_constant(context: Context, x: Term) -> Truth:
    """All elements of x can be equal: it came in from outside, or rounds to few values.

    UNKNOWN of weights, draws and what a network gives: nothing shows that its elements agree.
    NO of what is counted up or spread out here.
    """
    return Truth.UNKNOWN if _VARIES.search(name_of(x)) else _is_constant(context, x, _CALLS_DEEPEST)


def _is_constant(context: Context, x: Term, depth: int) -> Truth:
    for part in _sources(x):
        if part.operation.name in ("arange", "linspace") or _has_two_numbers(part):
            return Truth.NO
        if part.operation.name in ("normal", "uniform", "gumbel_softmax", "softmax"):
            return Truth.UNKNOWN
        if part.operation is OPAQUE and not _is_of_input(part):
            return Truth.UNKNOWN
        if part.operation is ATTRIBUTE or _VARIES.search(name_of(part)):
            return Truth.UNKNOWN
        given = passed_for(context, part) if depth > 0 else []
        if any(_varies(context, argument, depth - 1) for argument in given):
            return Truth.UNKNOWN
    return Truth.YES


def _has_two_numbers(term: Term) -> bool:
    """A list or tuple in which two different numbers are written."""
    if term.operation is not SEQUENCE:
        return False
    numbers = {number_of(part) for part in walk(term) if part.operation is CONSTANT}
    return len(numbers - {None}) > 1


def _varies(context: Context, argument: Term, depth: int) -> bool:
    return bool(_VARIES.search(name_of(argument))) or (
        _is_constant(context, argument, depth) is not Truth.YES
    )


def _is_of_input(term: Term) -> bool:
    """A part of an input."""
    what = str(term.detail)
    return bool(term.operands) and not what.startswith("call") and what != "update"


def _sources(term: Term) -> Iterator[Term]:
    """The terms that the elements of x come from, through what is done to each."""
    pending, seen = [term], set[int]()
    while pending and len(seen) < _PARTS_MOST:
        inner = peel(pending.pop())
        if inner.key in seen:
            continue
        seen.add(inner.key)
        if inner.operation.kind == "view" and inner.operands:
            pending.append(inner.operands[0])
        elif inner.operation.kind in ("elementwise", "reduction", "along") or (
            inner.operation is CHOICE
        ):
            pending.extend(part for part in inner.operands if number_of(part) is None)
            if inner.operation.name == "softmax":
                yield inner
        else:
            yield inner


@predicate
def can_vanish(context: Context, x: Term) -> Truth:
    """All of x can be 0: a difference of equal points, a gradient, what a mask or a relu leaves.

    So can what came in from outside. UNKNOWN of a difference of two
    elements of one array: by which indices, nothing shows.
    """
    inner = behind_views(x)
    if context.value(inner).can_be(0.0) is Truth.NO:
        return Truth.NO
    if _came_in(context, x) or _GRADIENT_NAMES.search(name_of(x)):
        return Truth.YES
    match inner.operation.name:
        case "sub":
            return known(_is_centred(inner) or _is_plain_difference(inner)).or_(Truth.UNKNOWN)
        case "sum" | "mean" | "div" | "neg" | "abs":
            return can_vanish(context, inner.operands[0])
        case "mul":
            return known(_is_rectified(context, inner)).or_(Truth.UNKNOWN)
    is_gradient = inner.operation.name == "gradient" or (
        inner.operation is OPAQUE and _GRADIENTS.search(str(inner.detail)) is not None
    )
    return known(is_gradient or _is_rectified(context, inner)).or_(Truth.UNKNOWN)


def _came_in(context: Context, x: Term) -> bool:
    """x is data from outside: no setting, weight, draw or output of a network."""
    if any(part.operation.name in ("concat", "stack") for part in through_views(x)):
        return False
    inner = behind_views(x)
    while inner.operation.name in ("neg", "abs", "square", "pow", "mul", "div"):
        parts = [part for part in inner.operands if number_of(part) is None]
        if inner.operation.name in ("pow", "div"):
            parts = parts[:1]
        if len(parts) != 1:
            return False
        x, inner = parts[0], behind_views(parts[0])
    return (
        inner.operation is INPUT
        and not _TRAINED.search(name_of(x) or name_of(inner))
        and all(_may_be_anything(context, given) for given in passed_for(context, inner))
    )


def _may_be_anything(context: Context, argument: Term) -> bool:
    """What a call passes came in as well, or is a difference or what a relu or a mask leaves."""
    inner = behind_views(argument)
    if inner.operation is INPUT or (inner.operation is OPAQUE and _is_of_input(inner)):
        return not _VARIES.search(name_of(argument))
    return inner.operation.name == "sub" or _is_rectified(context, inner)


def _is_centred(difference: Term) -> bool:
    """`x - mean(x)`, which is 0 for equal elements."""
    whole, part = (behind_views(operand) for operand in difference.operands)
    return part.operation.name == "mean" and behind_views(part.operands[0]).key == whole.key


def _is_plain_difference(difference: Term) -> bool:
    """A difference of two parameters, or of one with itself under other axes."""
    for operand in difference.operands:
        for part in through_views(operand):
            is_selected = part.operation.name in ("gather", "element", "boolean_mask") or (
                part.operation.name == "subscript" and has_inputs(part.operands[1])
            )
            if is_selected or (part.operation is not INPUT and part.operation.kind != "view"):
                return False
    return True


def _is_rectified(context: Context, x: Term) -> bool:
    """x comes out of a relu, a clamp at 0 or a mask: all of it can be 0."""
    inner = behind_views(x)
    if is_clamped_at_zero(inner):
        return True
    match inner.operation.name:
        case "relu" | "relu6":
            return True
        case "clip":
            return number_of(inner.settings.get("min")) == 0
        case "maximum":
            return any(number_of(part) == 0 for part in inner.operands)
        case "mul":
            return any(
                is_mask(context, part) is Truth.YES or _is_rectified(context, part)
                for part in inner.operands
            )
        case "neg" | "square" | "sqrt" | "sum" | "mean" | "abs" | "div" | "round" | "expm1":
            return _is_rectified(context, inner.operands[0])
        case "sub" if number_of(inner.operands[0]) == 1:  # an opacity, of no density
            right = behind_views(inner.operands[1])
            return right.operation.name == "exp" and _is_rectified(context, right.operands[0])
    return False


@predicate
def can_sum_to_zero(context: Context, n: Term, w: Term) -> Truth:
    """The sum n of w attains 0: all of w can be 0 at once.

    NO of masks, whose sum is a count, and of exponentials: both are other rules', unless all of
    them are of distances and underflow, or a relu decides.
    """
    if is_mask(context, w) is Truth.YES:
        return Truth.NO
    if context.value(n).can_be(0.0) is Truth.NO:
        return Truth.NO
    if context.is_brought(n, 0.0):
        return Truth.YES
    if _is_rectified(context, w):
        return Truth.YES
    if any(part.operation.name in ("exp", "exp2") for part in walk(w)):
        return known(fades_out(context, w))
    is_evident = _is_magnitude_of_zero(context, w) or _is_tally(context, n, w)
    return known(is_evident).or_(Truth.UNKNOWN)


def _is_magnitude_of_zero(context: Context, term: Term) -> bool:
    """Absolute values or squares of data, or of what vanishes: a sum or maximum of them is 0."""
    inner = behind_views(term)
    if inner.operation.name == "pow":
        inner = behind_views(inner.operands[0])
    if inner.operation.name not in _MAGNITUDES:
        return False
    core = inner.operands[0]
    return (
        _came_in(context, inner)
        or can_vanish(context, core) is Truth.YES
        or (behind_views(core).operation is ATTRIBUTE and behind_views(core).detail == "grad")
    )


def _is_tally(context: Context, total: Term, counts: Term) -> bool:
    """The sum along an axis of what a loop counts up from 0: of some row it meets nothing."""
    options = behind_views(counts)
    return (
        behind_views(total).settings.get("axis") is not None
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
def can_add_up_to_zero(context: Context, w: Term) -> Truth:
    """w is what a comparison selects, or what a relu leaves: all of it can be 0 at once."""
    selects = behind_views(w).operation.kind == "comparison" and is_mask(context, w) is Truth.YES
    return known(selects or _is_rectified(context, w))


@predicate
def is_given_label(context: Context, y: Term) -> Truth:
    """y came in as labels, a mask or the like, and may hold nothing but 0."""
    return is_label(context, y).and_(known(behind_views(y).operation is INPUT))


@predicate
def is_extent(context: Context, r: Term) -> Truth:
    """r is nowhere below 0, by proof: no maximum minus the minimum of other elements."""
    if context.value(r).lo < 0:
        return Truth.NO
    inner = behind_views(r)
    if inner.operation.name != "sub":
        return Truth.YES
    most, least = map(_selected_by, inner.operands)
    return known(most == least)


def _selected_by(term: Term) -> list[int]:
    """The keys of the indices by which some elements are selected; new axes leave out none."""
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
    """`None`, `...` or `:`."""
    is_none = index.operation is CONSTANT and index.detail is None
    return is_none or (index.operation is OPAQUE and not index.operands)


@predicate
def can_be_flat(context: Context, x: Term) -> Truth:
    """The maximum of x attains 0: x is what its own minimum or a relu leaves, or a magnitude.

    So is that of a difference of equal points, which takes both signs.
    """
    inner = behind_views(x)
    if inner.operation.name == "sub":
        below = behind_views(inner.operands[1])
        if below.operation.name == "min" and (
            behind_views(below.operands[0]).key == behind_views(inner.operands[0]).key
        ):
            return can_be_constant(context, below.operands[0])
        return can_vanish(context, inner)
    if context.value(inner).lo > 0:
        return Truth.NO
    is_evident = _is_rectified(context, inner) or _is_magnitude_of_zero(context, inner)
    return known(is_evident).or_(Truth.UNKNOWN)


@predicate
def can_select_nothing(context: Context, s: Term, m: Term) -> Truth:
    """The mask m, by which s was selected, can be false everywhere.

    YES of labels and the like that came in, or of the nearest of several, that are compared with a
    number or a setting. Whoever made a mask elsewhere, or drew a threshold, may have seen to it
    that something is selected.
    """
    inner = behind_views(m)
    if inner.operation is CONSTANT or inner.operation.name == "arange":
        return Truth.NO
    if _is_of_winners(inner):
        return Truth.YES
    return is_mask(context, m).and_(known(_compares_inputs(inner)).or_(Truth.UNKNOWN))


def _is_of_winners(mask: Term) -> bool:
    """`argmin(distances) == k`: a centre to which nothing is nearest."""
    return mask.operation.name == "eq" and any(
        behind_views(operand).operation.name in ("argmin", "argmax") for operand in mask.operands
    )


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
        or _is_counter(part)
        or (is_of_number and _is_rearranged(part))
        or (part.operation in (INPUT, ATTRIBUTE) and not _MADE_MASKS.search(name_of(part)))
        for part in compared
    )


def _is_rearranged(term: Term) -> bool:
    """What some call makes of one array that came in, or a part of that: its numbers are data's."""
    inner = term
    while inner.operation.name == "subscript" or str(inner.detail).startswith("part "):
        inner = behind_views(inner.operands[0])
    if inner.operation is not OPAQUE or not str(inner.detail).startswith("call "):
        return False
    given = [behind_views(part) for part in inner.operands]
    return len(given) > 1 and given[1].operation is INPUT


def _is_counter(term: Term) -> bool:
    """A number that a loop counts up, to a limit that is not taken of the labels themselves."""
    return (
        term.operation is OPAQUE
        and term.detail == "call builtins.range"
        and all(peel(part).operation in (CONSTANT, INPUT, ATTRIBUTE) for part in term.operands[1:])
    )


@predicate
def is_single(context: Context, x: Term, a: Term) -> Truth:
    """The axis a of x has one element, by how x was made."""
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
