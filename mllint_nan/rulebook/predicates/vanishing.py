"""Questions about divisors: whether all of their elements can be 0 at once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.clamps import is_clamped_at_zero
from mllint_nan.flow.uses import tells_zero
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    CONSTANT,
    INPUT,
    OPAQUE,
    SEQUENCE,
    Term,
    behind_views,
    number_of,
    peel,
    walk,
)
from mllint_nan.naming import names
from mllint_nan.rulebook.predicates.context import (
    Context,
    framework_of,
    has_inputs,
    known,
    made_from,
    name_of,
    passed_for,
    tells,
    through_views,
)
from mllint_nan.rulebook.predicates.fed_inputs import is_model_input
from mllint_nan.rulebook.predicates.found import sums_found
from mllint_nan.rulebook.predicates.members import Zero
from mllint_nan.rulebook.predicates.read_arrays import has_axis, is_read, may_be_alike
from mllint_nan.rulebook.predicates.scaled_columns import before_scaling
from mllint_nan.rulebook.predicates.selections import is_mask
from mllint_nan.rulebook.predicates.tables import is_filled_in_part
from mllint_nan.rulebook.predicates.training import is_gradient as is_given_as_gradient
from mllint_nan.rulebook.predicates.zero_preserving import passed_on
from mllint_nan.rulebook.predicates.zero_starts import starts_at_zero
from mllint_nan.rulebook.predicates.zeros import are_apart, is_zero_by_operands, joined

PARTS_MOST: Final = 24
"""How many terms of a numerator are searched for the divisor's operand."""
MAGNITUDES: Final = frozenset(("abs", "square"))
PRODUCTS: Final = frozenset(("matmul", "dot", "einsum"))
_KEEPS_RECTIFIED: Final = frozenset(
    (
        *("mul", "div", "neg", "square", "sqrt", "sum", "mean", "abs", "round", "expm1"),
        *("sort", "topk"),
    )
)
_KEEPS_LAYERS: Final = _KEEPS_RECTIFIED | {"matmul", "dot"}
_CALLS_DEEPEST: Final = 2
_VARIES: Final = names("varying")
_TRAINED: Final = names("trained")
_GRADIENTS: Final = re.compile(r"(^|[._ ])(gradients?|grads?)$")


@tells(Zero.ALIKE)
def can_be_constant(context: Context, x: Term) -> Truth:
    """All elements of x can be equal: it comes from outside, or rounds to few values.

    UNKNOWN for weights, draws and outputs of a network: nothing shows that their elements agree. NO
    for what is counted up or spread out here.
    """
    return rows_can_be_constant(context, x, is_by_rows=has_axis(context))


def rows_can_be_constant(context: Context, x: Term, *, is_by_rows: bool) -> Truth:
    """The same, of each row or column alone if `is_by_rows`."""
    if _VARIES.search(name_of(x)):
        return Truth.UNKNOWN
    return _is_constant(context, x, _CALLS_DEEPEST, is_by_rows)


def _is_constant(context: Context, x: Term, depth: int, is_by_rows: bool) -> Truth:
    for part in _sources(x):
        if part.operation.name in ("arange", "linspace") or _has_two_numbers(part):
            return Truth.NO
        if part.operation.name in ("normal", "uniform", "gumbel_softmax", "softmax"):
            return Truth.UNKNOWN
        if is_read(part):
            if not may_be_alike(context, part, is_by_rows=is_by_rows):
                return Truth.UNKNOWN
        elif part.operation is OPAQUE and not (_is_of_input(part) or is_model_input(part)):
            return Truth.UNKNOWN
        if part.operation is ATTRIBUTE or _VARIES.search(name_of(part)):
            return Truth.UNKNOWN
        given = passed_for(context, part) if depth > 0 else []
        if any(_varies(context, one, depth - 1, is_by_rows) for one in given):
            return Truth.UNKNOWN
    return Truth.YES


def _has_two_numbers(term: Term) -> bool:
    """Whether two different numbers are written in a list or tuple."""
    if term.operation is not SEQUENCE:
        return False
    numbers = {number_of(part) for part in walk(term) if part.operation is CONSTANT}
    return len(numbers - {None}) > 1


def _varies(context: Context, argument: Term, depth: int, is_by_rows: bool) -> bool:
    return bool(_VARIES.search(name_of(argument))) or (
        _is_constant(context, argument, depth, is_by_rows) is not Truth.YES
    )


def _is_of_input(term: Term) -> bool:
    """Whether a term is a part of an input."""
    what = str(term.detail)
    return bool(term.operands) and not what.startswith("call") and what != "update"


def _sources(term: Term) -> Iterator[Term]:
    """Yield the terms that the elements of a term come from, whatever is done to each."""
    pending, seen = [term], set[int]()
    while pending and len(seen) < PARTS_MOST:
        inner = peel(pending.pop())
        if inner.key in seen:
            continue
        seen.add(inner.key)
        unscaled = before_scaling(inner)
        if unscaled is not None:
            pending.append(unscaled)
        elif inner.operation.kind == "view" and inner.operands:
            pending.append(inner.operands[0])
        elif inner.operation.kind in ("elementwise", "reduction", "along") or (
            inner.operation is CHOICE
        ):
            pending.extend(part for part in inner.operands if number_of(part) is None)
            if inner.operation.name == "softmax":
                yield inner
        else:
            yield inner


@tells(Zero.THROUGHOUT)
def can_vanish(context: Context, x: Term) -> Truth:
    """All of x can be 0: a difference of equal points, a gradient, or what a mask or relu leaves.

    UNKNOWN for what came in from outside, unless a visible call passes such a value; for a
    difference of two elements of one array, whose indices nothing shows; and for two points in
    NumPy, which no training moves onto each other.
    """
    inner = behind_views(x)
    if context.value(inner).can_be(0.0) is Truth.NO or _has_part_off_zero(context, x):
        return Truth.NO
    is_by_row = number_of(context.found.terms.get("a")) is not None
    if (is_by_row and is_filled_in_part(x)) or _is_step_to_rest(context, x):
        return Truth.YES
    if sums_found(context, x):
        return Truth.YES
    if context.is_brought(x, 0.0) or starts_at_zero(context, x):
        return Truth.YES
    if is_given_as_gradient(context, x) is Truth.YES:
        return Truth.UNKNOWN if _is_asked_for_zero(context) else Truth.YES
    if _came_in(context, x):
        return known(_is_passed_zeros(context, x)).or_(Truth.UNKNOWN)
    match inner.operation.name:
        case "sub":
            is_moved = framework_of(context.occurrence.term, context.analysis) != "numpy"
            is_difference = _is_plain_difference(inner) and is_moved
            return known(is_centred(inner) or is_difference).or_(Truth.UNKNOWN)
        case "sum" | "mean" | "div" | "neg" | "abs" | "norm":
            return can_vanish(context, inner.operands[0])
        case "stack" | "collect" if len(inner.operands) == 1:
            return can_vanish(context, inner.operands[0])
        case "mul":
            return known(is_rectified(context, inner)).or_(Truth.UNKNOWN)
    is_gradient = inner.operation.name == "gradient" or (
        inner.operation is OPAQUE and _GRADIENTS.search(str(inner.detail)) is not None
    )
    return known(is_gradient or is_rectified(context, inner)).or_(Truth.UNKNOWN)


def _is_asked_for_zero(context: Context) -> bool:
    """Whether visible code tests whether what the match divides by is 0."""
    return any(
        tells_zero(context.analysis, context.oracle, behind_views(divisor)) is Truth.YES
        for divisor in context.occurrence.term.operands[1:2]
    )


def _is_step_to_rest(context: Context, x: Term) -> bool:
    """Whether the match is a loop's step, with a length of its own, to where x is 0.

    Its direction depends on where the loop stands: once that has arrived, x is 0.
    """
    places = {part.key for part in walk(x) if part.operation is CHOICE and part.detail == "loop"}
    if not places:
        return False
    step = context.occurrence.term

    def is_scaled(made: Term) -> bool:
        if made.operation.kind == "view" or made.operation.name == "neg":
            return True
        parts = [{part.key for part in walk(factor)} for factor in made.operands]
        others = [keys for keys in parts if step.key not in keys]
        is_of_one = made.operation.name == "mul" and len(others) == len(parts) - 1
        return is_of_one and all(map(places.isdisjoint, others))

    return any(
        end.operation.name in ("add", "sub")
        and any(behind_views(operand).key in places for operand in end.operands)
        for _, end in made_from(context, step, is_scaled)
    )


def _has_part_off_zero(context: Context, x: Term) -> bool:
    """Whether each vector of x has a part that is nowhere 0, as (x, y, 1) has."""
    axis = context.found.terms.get("a")
    for whole in through_views(x):
        is_joined = whole.operation.name in ("concat", "stack")
        if is_joined and axis is not None:
            several = peel(axis)
            axes = several.operands if several.operation is SEQUENCE else (several,)
            is_joined = number_of(whole.settings.get("axis")) in map(number_of, axes)
        if is_joined or whole.operation is SEQUENCE:
            return any(context.value(part).can_be(0.0) is Truth.NO for part in joined(whole))
        if whole.operation.name not in ("cast", "identity", "detach"):
            return False
    return False


def _came_in(context: Context, x: Term) -> bool:
    """Whether x is data from outside: no setting, weight, draw or output of a network."""
    if _is_joined(x):
        return False
    inner = behind_views(x)
    while inner.operation.name in ("neg", "abs", "square", "pow", "mul", "div"):
        parts = [part for part in inner.operands if number_of(part) is None]
        if inner.operation.name in ("pow", "div"):
            parts = parts[:1]
        if len(parts) != 1 or _is_joined(parts[0]):
            return False
        x, inner = parts[0], behind_views(parts[0])
    return (
        inner.operation is INPUT
        and not _TRAINED.search(name_of(x) or name_of(inner))
        and all(_may_be_anything(context, given) for given in passed_for(context, inner))
    )


def _is_joined(x: Term) -> bool:
    return any(part.operation.name in ("concat", "stack") for part in through_views(x))


def _is_passed_zeros(context: Context, x: Term) -> bool:
    """Whether a visible call passes for x what can vanish by how it is computed."""
    parts = [part for part in walk(x) if part.operation is INPUT]
    given = [argument for part in parts for argument in passed_for(context, part)]
    return any(
        behind_views(argument).operation is not INPUT and can_vanish(context, argument) is Truth.YES
        for argument in given
    )


def _may_be_anything(context: Context, argument: Term) -> bool:
    """Whether an argument came in as well, or is a difference, or what a relu or a mask leaves."""
    inner = behind_views(argument)
    if inner.operation is INPUT or (inner.operation is OPAQUE and _is_of_input(inner)):
        return not _VARIES.search(name_of(argument))
    if is_model_input(inner):
        return True
    return inner.operation.name == "sub" or is_rectified(context, inner)


def is_centred(difference: Term) -> bool:
    """Whether this is `x - mean(x)`, which is 0 for equal elements."""
    if difference.operation.name != "sub":
        return False
    whole, part = (behind_views(operand) for operand in difference.operands)
    return part.operation.name == "mean" and behind_views(part.operands[0]).key == whole.key


def _is_plain_difference(difference: Term) -> bool:
    """Whether this is a difference of two parameters, or of one and itself along other axes."""
    for operand in difference.operands:
        for part in through_views(operand):
            is_selected = part.operation.name in ("gather", "element", "boolean_mask") or (
                part.operation.name == "subscript" and has_inputs(part.operands[1])
            )
            if is_selected or (part.operation is not INPUT and part.operation.kind != "view"):
                return False
    return True


def is_rectified(context: Context, x: Term) -> bool:
    """Whether x results from a relu, a clamp at 0 or a mask: all of it can be 0."""
    inner = behind_views(x)
    if is_clamped_at_zero(inner):
        return True
    given = passed_on(context, inner)
    if given is not None:
        return is_rectified(context, given)
    match inner.operation.name:
        case "relu" | "relu6":
            return True
        case "clip":
            return number_of(inner.settings.get("min")) == 0
        case "maximum":
            is_floor = any(number_of(part) == 0 for part in inner.operands)
            return is_floor or (
                are_apart(*inner.operands) and all(is_rectified(context, o) for o in inner.operands)
            )
        case "where":
            return all(
                number_of(part) == 0 or is_rectified(context, part) for part in inner.operands[1:]
            )
        case "sub" if number_of(inner.operands[0]) == 1:  # an opacity, where there is no density
            right = behind_views(inner.operands[1])
            return right.operation.name == "exp" and is_rectified(context, right.operands[0])

    def is_zero(part: Term) -> bool:
        is_masked = inner.operation.name == "mul" and is_mask(context, part) is Truth.YES
        return is_masked or is_rectified(context, part)

    if inner.operation.name in PRODUCTS:
        # Of one relu, some feature is above 0; of two, no feature need be so in both.
        return all(is_rectified(context, part) for part in inner.operands[-2:])
    return is_zero_by_operands(inner, _KEEPS_RECTIFIED, is_zero)


def is_of_rectified_layer(context: Context, x: Term) -> bool:
    """Whether x comes from a pool or a dropout of rectified features: it is 0 where these are."""
    inner = behind_views(x)
    given = passed_on(context, inner)
    if given is not None:
        return is_rectified(context, given) or is_of_rectified_layer(context, given)
    return is_zero_by_operands(
        inner, _KEEPS_LAYERS, lambda part: is_of_rectified_layer(context, part)
    )


def added_up(x: Term) -> Term:
    """The magnitudes that x sums up, axis by axis; x itself if it is no such sum."""
    inner = behind_views(x)
    while inner.operation.name in ("sum", "mean"):
        inner = behind_views(inner.operands[0])
    return inner if inner.operation.name in MAGNITUDES else x


def is_magnitude_of_zero(context: Context, term: Term) -> bool:
    """Whether these are magnitudes of data or of what vanishes: their sum or maximum can be 0."""
    inner = behind_views(added_up(term))
    if inner.operation.name == "pow":
        inner = behind_views(inner.operands[0])
    if inner.operation.name not in MAGNITUDES:
        return False
    core = inner.operands[0]
    return (
        _came_in(context, inner)
        or can_vanish(context, core) is Truth.YES
        or (behind_views(core).operation is ATTRIBUTE and behind_views(core).detail == "grad")
    )


@tells(Zero.PEAK)
def can_be_flat(context: Context, x: Term) -> Truth:
    """The maximum of x attains 0: x has its minimum subtracted, is a relu output or a magnitude.

    So does that of a difference of equal points, which takes both signs.
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
    is_evident = is_rectified(context, inner) or is_magnitude_of_zero(context, inner)
    return known(is_evident).or_(Truth.UNKNOWN)
