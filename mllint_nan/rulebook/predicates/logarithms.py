"""Predicates about logarithms: how an operand becomes 0 or negative, and where that matters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.domains.value import Value
from mllint_nan.flow.clamps import is_clamped_at_zero
from mllint_nan.flow.formats import dtype_of
from mllint_nan.flow.mixtures import is_chosen_by_label, mixed
from mllint_nan.flow.named_values import is_epsilon_name
from mllint_nan.flow.relations import is_logistic
from mllint_nan.flow.rows import is_share_so_far
from mllint_nan.flow.softmax_by_hand import logits_of
from mllint_nan.ir.term import (
    INPUT,
    OPAQUE,
    Term,
    behind_views,
    constant_of,
    number_of,
    peel,
    walk,
)
from mllint_nan.rulebook.predicates.context import (
    Context,
    known,
    name_of,
    passed_for,
    tells,
    through_views,
)
from mllint_nan.rulebook.predicates.distances import fades_out
from mllint_nan.rulebook.predicates.empty_places import leaves_elements_at_zero
from mllint_nan.rulebook.predicates.members import Negative, Role, Zero
from mllint_nan.rulebook.predicates.parameters import is_cut_by_constraint
from mllint_nan.rulebook.predicates.pixels import are_pixels
from mllint_nan.rulebook.predicates.rounded_away import is_rounded_to_zero
from mllint_nan.rulebook.predicates.selections import is_mask
from mllint_nan.rulebook.predicates.vanishing import PRODUCTS, is_rectified
from mllint_nan.rulebook.predicates.zeros import (
    is_all_ones,
    is_all_zeros,
    is_kept_from_one,
    is_of_draw,
    is_undone_elsewhere,
    is_zero_by_operands,
    joined,
    parts_joined,
    row_joined,
)

DEEPEST: Final = 12
_UNDERFLOWS: Final = frozenset(
    (
        "sigmoid",
        "softmax",
        "softplus",
        "hard_sigmoid",
        "ndtr",
        "erfc",
        "relu",
        "relu6",
        "gumbel_softmax",
    )
)
_REACHES_ONE: Final = frozenset(
    ("sigmoid", "softmax", "hard_sigmoid", "ndtr", "erf", "tanh", "exp")
)
_REACHES_BELOW: Final = frozenset(("tanh", "erf", "elu", "cosine_similarity"))
_KEEPS_ZERO: Final = frozenset(
    (
        *("sqrt", "neg", "square", "abs", "max", "min", "prod", "sum", "mean", "median", "cumprod"),
        *("add", "mul", "div", "pow", "maximum", "minimum", "clip"),
    )
)
_ZERO_AT_ZERO: Final = frozenset(("sqrt", "square", "sin", "tan", "atan", "expm1", "pow", "div"))
_SIGNED: Final = frozenset(
    (
        "tanh",
        "erf",
        "atan",
        "cosine_similarity",
        "normal",
        "elu",
        "leaky_relu",
        "silu",
        "gelu",
        "log_softmax",
        "log_sigmoid",
        "sign",
    )
)
_LINEAR: Final = frozenset(("add", "sub", "mul", "div", "neg", "mean", "sum", "max", "min"))
_SPECTRA: Final = re.compile(r"(^|[._ ])(r?fft\w*|stft)$", re.I)
_ROUNDING: Final = 0.01
"""How far below 0 an interval may reach only because its bounds are rounded outwards."""
_NEVER_BEYOND: Final = 5.0
"""No normal draw is expected so many standard deviations away."""


@tells(Zero.MADE)
def reaches_zero(context: Context, x: Term) -> Truth:
    """x attains 0 by construction: a rectifier, a clamp at 0, a saturated or masked factor.

    So does an exponential of a distance.

    UNKNOWN for a magnitude or a square of something unknown: it can be 0, but nothing shows that it
    is, and the logarithm of a mask or of a determinant is infinite on purpose. NO for a mere name,
    or a new array: whoever makes or fills it knows more. Arguments of calls in this file count as
    made here.
    """
    if context.is_brought(x, 0.0):
        return Truth.YES
    if is_of_draw(x) or is_kept_from_one(x) or context.value(x).can_be(0.0) is Truth.NO:
        return Truth.NO
    if fades_out(context, x):
        return Truth.YES
    if _is_zero(context, x, DEEPEST):
        return Truth.YES
    if behind_views(x).operation.kind == "constant":
        return Truth.NO  # zeros are made to be written to
    return Truth.UNKNOWN if context.value(x).can_be(0.0) is Truth.YES else Truth.NO


def _is_zero(context: Context, term: Term, depth: int) -> bool:
    inner = behind_views(term)
    name = inner.operation.name
    row = row_joined(term)
    if depth == 0 or any(context.value(part).can_be(0.0) is Truth.NO for part in _moved(term, row)):
        return False
    if row is not None:
        parts = parts_joined(term)
        return any(is_all_zeros(part) or _is_zero(context, part, depth - 1) for part in parts)
    if name == "sub" and (_cancels(context, inner) or is_rounded_to_zero(context, inner)):
        return True
    if inner.operation is INPUT:
        return any(_is_zero(context, part, depth - 1) for part in passed_for(context, inner))
    if is_cut_by_constraint(context, inner) is Truth.YES:
        return True
    if name in PRODUCTS and any(map(_is_energy, inner.operands)):
        return True  # the bands of a silent spectrum
    if leaves_elements_at_zero(context, inner):
        return True
    if context.value(inner).can_be(0.0) is not Truth.YES:
        factors = {"mul": inner.operands, "div": inner.operands[:1]}.get(name, ())
        return any(
            _is_zero(context, part, depth - 1) and not is_undone_elsewhere(inner, part)
            for part in factors
        )
    if name in _UNDERFLOWS or is_logistic(inner) or is_clamped_at_zero(inner):
        return True
    if logits_of(inner) is not None:
        return True
    return _is_zero_at(context, inner, depth)


def _moved(term: Term, row: Term | None) -> list[Term]:
    """The term and what its views move, no further than the row whose parts are joined."""
    found = through_views(term)
    place = next((at for at, part in enumerate(found) if part is row), len(found) - 1)
    return found[: place + 1]


def _is_zero_at(context: Context, inner: Term, depth: int) -> bool:
    """Whether an operation attains 0 because its operands do, or by its settings."""
    name, operands = inner.operation.name, inner.operands

    def is_zero(part: Term) -> bool:
        if _is_zero(context, part, depth - 1):
            return True
        return name == "mul" and is_mask(context, part) is Truth.YES

    match name:
        case "clip":
            floor = inner.settings.get("min")
            if constant_of(floor) == 0:
                return True
            if number_of(floor) is not None:
                return False
        case "maximum" if any(number_of(part) == 0 for part in operands):
            return True
        case "add" if is_undone(operands):
            return True
        case "add" if any(is_zero(p) or is_zero(rest) for _, p, _, rest in mixed(inner)):
            return True
        case "where" if is_chosen_by_label(inner):
            return any(map(is_zero, operands[1:]))
        case "pow":
            exponent = number_of(operands[1])
            if exponent is None or exponent <= 0:
                return False
        case "arange" | "linspace":
            return number_of(inner.settings.get("start")) in (0, None)
        case "sum" | "mean" if _is_energy(operands[0]):
            return True
        case "abs" if _is_spectrum(operands[0]):
            return True
        case "matmul" | "dot" | "einsum":
            return any(is_rectified(context, part) for part in operands)
    return is_zero_by_operands(inner, _KEEPS_ZERO, is_zero)


def is_undone(operands: tuple[Term, ...]) -> bool:
    """Whether a number is added to a saturating function: the sum is 0 if they cancel."""
    return any(
        number_of(part) is not None and _unscaled(other).operation.name in _REACHES_BELOW
        for part, other in (operands, operands[::-1])
    )


def _unscaled(term: Term) -> Term:
    """A term without the number that multiplies or divides it."""
    inner = behind_views(term)
    if inner.operation.name not in ("mul", "div"):
        return inner
    parts = [part for part in inner.operands if number_of(part) is None]
    return behind_views(parts[0]) if len(parts) == 1 else inner


def _cancels(context: Context, difference: Term) -> bool:
    """Whether a difference is 1 - p for a p that rounds to 1, or one of two that saturate."""
    left, right = map(behind_views, difference.operands)
    if number_of(left) == 1:
        return _is_one(context, row_joined(difference.operands[1]) or right, DEEPEST)
    saturates = ("sigmoid", "ndtr", "erf", "tanh")
    if any(
        behind_views(part).operation.name in saturates
        for whole in _joined_in_both(*difference.operands)
        for part in joined(whole)
    ):
        return True
    return left.operation is right.operation and left.operation.name in saturates


def _joined_in_both(left: Term, right: Term) -> Iterator[Term]:
    """Yield the row of bounds whose neighbours are subtracted: `p[1:] - p[:-1]`."""
    known_left = {part.key for part in through_views(left)}
    for part in through_views(right):
        if part.operation.name in ("concat", "stack") and part.key in known_left:
            yield part


def _is_one(context: Context, term: Term, depth: int) -> bool:
    """Whether a term rounds to 1 by construction; a bound meant to be below 1 is another flaw."""
    if term.operation is INPUT:
        given = passed_for(context, term) if depth > 0 else []
        return any(_is_one(context, behind_views(part), depth - 1) for part in given)
    if are_pixels(context, term):
        return True
    if context.value(term).can_be(1.0) is not Truth.YES:
        return False
    name = term.operation.name
    if any(is_all_ones(part) or _is_one(context, part, depth - 1) for part in parts_joined(term)):
        return depth > 0
    if name == "square":
        return behind_views(term.operands[0]).operation.name == "tanh"
    if name == "clip":
        return number_of(term.settings.get("max")) == 1
    if name == "minimum":
        return any(number_of(operand) == 1 for operand in term.operands)
    if name == "mean":
        return _is_one(context, behind_views(term.operands[0]), depth)
    if name == "where" and is_chosen_by_label(term):
        return any(_is_one(context, behind_views(part), depth) for part in term.operands[1:])
    return name in _REACHES_ONE or is_logistic(term) or is_share_so_far(term)


@tells(Role.ONE)
def rounds_to_one(context: Context, p: Term) -> Truth:
    """p attains 1 by construction: a clamp at 1, or a function that saturates there."""
    return known(_is_one(context, behind_views(p), DEEPEST))


def _is_energy(term: Term) -> bool:
    """Whether a term is the energy or magnitude of a spectrum.

    Silence, padding and blank images have none. The square of an absolute value is taken of a
    complex number, so of a spectrum. So is a sum of the squares of two parts.
    """
    inner = behind_views(term)
    if inner.operation.name == "add":
        return all(map(_is_energy, inner.operands))
    if inner.operation.name == "square":
        magnitude = behind_views(inner.operands[0])
        if magnitude.operation.name == "abs" and not _is_real(magnitude.operands[0]):
            return True
    return inner.operation.name in ("square", "abs") and any(
        part.operation is OPAQUE and _SPECTRA.search(str(part.detail)) for part in walk(inner)
    )


def _is_real(term: Term) -> bool:
    """Whether a term is computed by visible operations, of real numbers."""
    return behind_views(term).operation.kind in ("elementwise", "reduction", "along")


@tells(Zero.SILENCE)
def is_zero_in_silence(context: Context, x: Term) -> Truth:
    """x is the magnitude of a spectrum, all of which is 0 for silence, padding or a blank image."""
    inner = behind_views(x)
    if inner.operation.name == "sqrt":
        return known(_is_energy(inner.operands[0]))
    is_magnitude = inner.operation.name == "abs" and _is_spectrum(inner.operands[0])
    return known(is_magnitude or _is_energy(inner))


def _is_spectrum(term: Term) -> bool:
    inner = behind_views(term)
    return inner.operation is OPAQUE and bool(_SPECTRA.search(str(inner.detail)))


@tells(Negative.MADE)
def reaches_below_zero(context: Context, x: Term) -> Truth:
    """x attains negative numbers by construction: a tanh, a cosine, a normal draw.

    So do negative numbers that a visible call passes. UNKNOWN for a difference whose sign nothing
    shows, unless it is 1 - p. NO for everything else: the code that made it may well know that it
    is positive.
    """
    value = context.value(x)
    if value.lo >= 0:
        return Truth.NO
    inner = behind_views(x)
    if context.is_brought_below_zero(x):
        return Truth.YES
    if _is_signed(context, inner, DEEPEST) and _is_expected_below(value, inner):
        return Truth.YES
    return known(inner.operation.name == "sub" and _is_open(context, inner)).and_(Truth.UNKNOWN)


def _is_open(context: Context, difference: Term) -> bool:
    """Whether nothing shows the sign of a difference.

    A number or an epsilon on the left, a logarithm on the right, or a comparison on the path would.
    """
    left, right = difference.operands
    compared = {peel(left).key, peel(right).key}
    return (
        not any(compared <= tested.keys for tested in context.tested)
        and number_of(left) is None
        and not is_epsilon_name(name_of(left))
        and behind_views(right).operation.name not in ("log", "log_softmax", "log_sigmoid")
        and not _cancels(context, difference)
    )


def _is_signed(context: Context, term: Term, depth: int) -> bool:
    """Whether a term is a function that takes both signs, with numbers added and multiplied."""
    inner = behind_views(term)
    if inner.operation.name in _SIGNED:
        return True
    if inner.operation.name not in _LINEAR or depth == 0:
        return False
    parts = [part for part in inner.operands if number_of(part) is None]
    return len(parts) == 1 and _is_signed(context, parts[0], depth - 1)


def _is_expected_below(value: Value, inner: Term) -> bool:
    if not any(part.operation.name == "normal" for part in walk(inner)):
        return value.lo < -_ROUNDING
    middle, deviation = (value.lo + value.hi) / 2, (value.hi - value.lo) / 32
    return middle - _NEVER_BEYOND * deviation < 0


@tells(Zero.DRAW)
def draws_zero(context: Context, u: Term) -> Truth:
    """u is a uniform draw that attains 0, or is computed from one and is 0 with it.

    In float64 a 0 is not to be expected. Visible calls are followed.
    """
    draw = behind_views(u)
    if draw.operation.name != "uniform":
        return known(_is_zero_of_draw(context, u, DEEPEST))
    low = draw.settings.get("low")
    if dtype_of(u) == "float64" or (low is not None and context.value(low).lo > 0):
        return Truth.NO
    return context.value(u).can_be(0.0)


def _is_zero_of_draw(context: Context, x: Term, depth: int) -> bool:
    inner = behind_views(x)
    if inner.operation.name == "uniform":
        return draws_zero(context, inner) is Truth.YES
    if depth == 0:
        return False
    if inner.operation is INPUT:
        given = passed_for(context, inner)
        return any(_is_zero_of_draw(context, part, depth - 1) for part in given)
    if inner.operation.name == "mul":
        return any(_is_zero_of_draw(context, part, depth - 1) for part in inner.operands)
    power = number_of(inner.operands[1]) if inner.operation.name == "pow" else None
    keeps = inner.operation.name in _ZERO_AT_ZERO and (power is None or power > 0)
    return keeps and _is_zero_of_draw(context, inner.operands[0], depth - 1)
