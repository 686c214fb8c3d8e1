"""Predicates about differentiation: what it passes through, and where it is singular."""

from __future__ import annotations

import math
import re
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.ir.term import (
    CHOICE,
    INPUT,
    OPAQUE,
    Term,
    behind_views,
    number_of,
    peel,
)
from mllint_nan.rulebook.predicates.carried import carries_gradient, ends_the_graph
from mllint_nan.rulebook.predicates.chosen import is_stopped_by_callers, only_chooses
from mllint_nan.rulebook.predicates.context import (
    Context,
    asking_the_project,
    framework_of,
    is_of_math,
    known,
    predicate,
    tells,
)
from mllint_nan.rulebook.predicates.differentiation import (
    LAYERS,
    is_trained,
    training_of,
    without_gradient,
)
from mllint_nan.rulebook.predicates.endings import (
    as_written,
    ends_of_match,
    is_differentiated_within,
)
from mllint_nan.rulebook.predicates.environments import is_of_environment
from mllint_nan.rulebook.predicates.fed_inputs import takes_inputs
from mllint_nan.rulebook.predicates.guards import is_guarded
from mllint_nan.rulebook.predicates.loops import is_of_unbounded_loop
from mllint_nan.rulebook.predicates.members import Role, Use
from mllint_nan.rulebook.predicates.of_data import data_given
from mllint_nan.rulebook.predicates.ranges import can_be_exactly_zero, may_be_zero
from mllint_nan.rulebook.predicates.reached import result_is_used
from mllint_nan.rulebook.predicates.rectified import receives_none, rectifier_of
from mllint_nan.rulebook.predicates.references import is_of_reference
from mllint_nan.rulebook.predicates.tapes import is_on_tape, is_outside_tapes
from mllint_nan.rulebook.predicates.training_names import FIRST_VALUES
from mllint_nan.rulebook.predicates.untrained import (
    CALLERS_DEEPEST,
    base_without_training,
    untrained_name,
)
from mllint_nan.rulebook.predicates.update_steps import is_beside_step
from mllint_nan.training import Training

_CONVERSIONS: Final = re.compile(r"(convert|cast|as_?tensor|as_?array|to_tensor|\.array)", re.I)
_FACTORS_MOST: Final = 8
_MAKES_NAN: Final = frozenset(
    (
        "log",
        "log2",
        "log10",
        "log1p",
        "sqrt",
        "rsqrt",
        "pow",
        "acos",
        "asin",
        "atanh",
        "acosh",
        "gradient",
    )
)
_OPTIONS_MOST: Final = 16
_STEEP_AT_ZERO: Final = ("sqrt", "pow", "norm")
_SINGULAR_AT_ZERO: Final = frozenset(("log", "log2", "log10", "sqrt", "rsqrt", "pow", "div"))
GRADIENTS: Final = re.compile(r"(^|[._ ])(gradients?|grads?|batch_jacobian)$")
_SCATTERS: Final = re.compile(r"^call tensorflow\.(.+\.)?scatter_nd$")


def no_gradient_flows(context: Context, x: Term) -> bool:
    """Whether the file alone shows that no gradient flows back to x."""
    occurrence, scope = context.occurrence, context.occurrence.scope
    return (
        framework_of(occurrence.term, context.analysis) in ("numpy", "math")
        or is_of_math(occurrence.term)
        or without_gradient(context.analysis, occurrence)
        or base_without_training(context.analysis, scope, CALLERS_DEEPEST) is not None
        or not carries_gradient(context, x)
        or (occurrence.call is None and not result_is_used(context.analysis, occurrence.term))
    )


def gradient_may_flow(context: Context, x: Term) -> Truth:
    """The same as `gradient_flows`, except that data count as something that may be trained."""
    if no_gradient_flows(context, x):
        return Truth.NO
    if _is_named_untrained(context) or _ends_beside_training(context):
        return Truth.UNKNOWN
    scope = context.occurrence.scope
    if is_of_environment(context.analysis, scope) or is_of_unbounded_loop(context.analysis, scope):
        return Truth.UNKNOWN
    if not carries_gradient(context, x, as_called=True) or _is_cut_in_calls(context):
        return Truth.UNKNOWN
    if is_outside_tapes(context.analysis, context.occurrence):
        return Truth.UNKNOWN
    is_beside = is_beside_step(context.analysis, scope)
    if is_beside and training_of(context).training is not Training.THROUGH:
        return Truth.UNKNOWN
    if _is_zero_on_other_path(context, x) or is_of_reference(context):
        return Truth.UNKNOWN
    return known(is_trained(context, x)).or_(Truth.UNKNOWN)


def _is_zero_on_other_path(context: Context, x: Term) -> bool:
    """Whether the operand of a root or norm is evidently 0 only on paths without a gradient."""
    root, choice = context.occurrence.term, behind_views(x)
    if root.operation.name not in _STEEP_AT_ZERO or choice.operation is not CHOICE:
        return False
    if behind_views(root.operands[0]).key != choice.key:
        return False
    options, pending = list[Term](), [choice]
    while pending:
        inner = behind_views(pending.pop())
        if inner.key in context.analysis.carried or len(options) > _OPTIONS_MOST:
            return False  # an accumulator starts at 0, and what is added to it may be 0
        if inner.operation is CHOICE:
            pending += inner.operands
        else:
            options.append(inner)
    zeros = [one for one in options if can_be_exactly_zero(context, one) is Truth.YES]
    return bool(zeros) and not any(carries_gradient(context, one) for one in zeros)


def _is_cut_in_calls(context: Context) -> bool:
    """Whether the functions to which the result is passed let no gradient back to it."""
    result = as_written(context, context.occurrence.term)
    return not result_is_used(context.analysis, result, in_calls=True)


@asking_the_project(no_gradient_flows)
def gradient_flows(context: Context, x: Term) -> Truth:
    """Gradients flow back through the match to x.

    YES unless one of these holds: all uses are visible and train nothing through it; the programs
    of the project are visible and no path leads from a gradient to it; all calls pass it only data,
    of which nothing is trained. UNKNOWN where only the name of a function or class speaks against
    it, in the iterations of `jax.lax.while_loop`, beside the gradients of a training step in JAX,
    where the operand of a root is 0 only on paths without a gradient, and for the length by which a
    relative error is divided. NO in NumPy and `math`,
    under `no_grad`, where no operand is differentiable, and where the result only goes to
    comparisons, integers, metrics or prints.
    """
    found = gradient_may_flow(context, x)
    return Truth.UNKNOWN if found is Truth.YES and data_given(context, x) else found


def _is_named_untrained(context: Context) -> bool:
    """Whether a name says that nothing is trained through the match.

    The own name of the function or its class does not count if the project trains through it,
    unless it names first values. A caller's name does not count if the file takes gradients, one of
    them of what the function returns: a longer path may lead into a function that others call, too,
    and out to one of these.
    """
    own = untrained_name(context, of_callers=False)
    if own is not None:
        is_first = FIRST_VALUES.search(own) is not None
        return is_first or training_of(context).training is not Training.THROUGH
    if untrained_name(context) is None:
        return False
    if not any(one.trains for one in context.analysis.functions.values()):
        return True  # other files are asked last
    use = training_of(context)
    return use.training is not Training.THROUGH or len(use.path) != 2


def _ends_beside_training(context: Context) -> bool:
    """Whether the match is only shown, compared, or stored where nothing is trained through it.

    If the function returns it, all visible calls must detach it, only compare it, or rank by it.
    """
    ends = ends_of_match(context, context.occurrence.term)
    around = [*context.occurrence.scope.enclosing()]
    returned = [
        scope
        for scope in ends.returned
        if scope in around or not is_differentiated_within(context.analysis, scope)
    ]
    if returned and not ends.is_open:
        is_stopped = all(is_stopped_by_callers(context.analysis, scope) for scope in returned)
        return is_stopped or only_chooses(context, context.occurrence.term)
    if ends.is_open:
        return False
    is_constant = ends.is_constant or len(returned) < len(ends.returned)
    if not (ends.is_shown or ends.is_compared or is_constant or ends.stored):
        return False
    return all(
        owner.definition
        and context.analysis.trained(f"{owner.definition}.{name}").training is Training.BESIDE
        for owner, name in ends.stored
    )


@predicate
def takes_xlogy(context: Context, p: Term) -> Truth:
    """The file already calls `xlogy`, and no gradient, which would be NaN at 0, reaches p."""
    writes = any(one.term.operation.name == "xlogy" for one in context.analysis.occurrences)
    return known(writes and no_gradient_flows(context, p))


@tells(Role.NAN_GRADIENT)
def is_computed(context: Context, t: Term) -> Truth:
    """t is computed by an operation whose gradient is NaN wherever its value is.

    The parameter of a function that a Keras `Lambda` layer wraps is the output of a layer. The
    result of an unknown call, and a parameter, may be anything.
    """
    inner = behind_views(t)
    while inner.operation is OPAQUE and inner.operands and _CONVERSIONS.search(str(inner.detail)):
        inner = behind_views(inner.operands[-1])
    if inner.operation is INPUT and _is_lambda_layer(context):
        return Truth.YES
    if is_guarded(context, inner) is Truth.YES:
        return Truth.UNKNOWN
    parts = _factors(inner)
    makers = [part for part in parts if _makes_nan(context, part)]
    are_sources = (not _is_taken_back(context, maker, parts) for maker in makers)
    return known(any(are_sources)).or_(Truth.UNKNOWN)


def _is_taken_back(context: Context, maker: Term, parts: list[Term]) -> bool:
    """Whether the NaN that comes back from a part ends at a relu, and at no other operand."""
    singular = maker.operands[-1] if maker.operation.name == "div" else maker.operands[0]
    if maker.operation.name not in _SINGULAR_AT_ZERO:
        return False
    rectifier = rectifier_of(context, singular)
    others = [*(part for part in parts if part is not maker), *maker.operands]
    return rectifier is not None and all(
        receives_none(context, one, rectifier) for one in others if one is not singular
    )


def _factors(term: Term) -> list[Term]:
    """The terms that a sum or product of sums and products consists of."""
    found: list[Term] = []
    pending = [term]
    while pending and len(found) < _FACTORS_MOST:
        inner = behind_views(pending.pop())
        if inner.operation.name in ("neg", "mul", "add", "sub"):
            pending.extend(inner.operands)
        else:
            found.append(inner)
    return found


def _makes_nan(context: Context, term: Term) -> bool:
    if term.operation.name == "div":
        return may_be_zero(context, term.operands[1]) is Truth.YES
    is_called_gradient = term.operation is OPAQUE and GRADIENTS.search(str(term.detail)) is not None
    if is_called_gradient or term.operation.name == "gradient":
        is_open = not context.occurrence.scope.definition
        return is_open or _is_differentiated_again(context, term)
    if term.operation is OPAQUE and _is_layer_call(term):
        return True
    if term.operation.name == "softmax" and _is_biased_away(context, term.operands[0]):
        return True
    return term.operation.name in _MAKES_NAN


def _is_biased_away(context: Context, scores: Term) -> bool:
    """Whether -inf is added to scores, which lets the NaN of a row of -inf back to all of them.

    Where scores are replaced by -inf, no gradient goes back to them.
    """
    total = behind_views(scores)
    return total.operation.name == "add" and any(
        context.value(part).can_be(-math.inf) is Truth.YES for part in total.operands
    )


def _is_differentiated_again(context: Context, gradient: Term) -> bool:
    """Whether a gradient that a function takes is itself part of what is minimised."""
    if gradient.operation.name == "gradient" and gradient.framework == "torch":
        return not ends_the_graph(gradient)
    on_tape = is_on_tape(context.occurrence.state.contexts)
    return on_tape or training_of(context).training is Training.THROUGH


@predicate
def is_gathered_with(context: Context, n: Term, x: Term) -> Truth:
    """n and x start as zeros and are overwritten in part: where x is still 0, so is n."""
    return known((_is_gathered(n) and _is_gathered(x)) or _are_scattered_alike(n, x))


def _are_scattered_alike(first: Term, second: Term) -> bool:
    """Whether both are scattered into zeros by the same indices: gradients come back from these."""
    calls = [behind_views(term) for term in (first, second)]
    if any(not _SCATTERS.search(str(call.detail)) for call in calls):
        return False
    indices = [peel(call.operands[1]).key for call in calls if len(call.operands) > 2]
    return len(indices) == 2 and indices[0] == indices[1]


def _is_gathered(term: Term) -> bool:
    pending, seen, written, started = [term], set[int](), False, False
    while pending:
        inner = behind_views(pending.pop())
        if inner.key in seen:
            continue
        seen.add(inner.key)
        if inner.operation is CHOICE:
            pending.extend(inner.operands)
        elif inner.operation is OPAQUE and inner.detail == "update":
            written = True
            pending.append(inner.operands[0])
        elif inner.operation.name == "element" or inner.detail == "call split":
            pending.append(inner.operands[0])
        started = started or inner.operation.name in ("zeros", "zeros_like")
    return written and started


def _is_layer_call(term: Term) -> bool:
    """Whether a call has weights: of an attribute of `self`, or of a layer that was just made."""
    if not str(term.detail).startswith("call") or not term.operands:
        return False
    callee = peel(term.operands[0])
    if callee.operation is INPUT and callee.detail == "self":
        return True
    return callee.operation is OPAQUE and bool(LAYERS.search(str(callee.detail)))


def _is_lambda_layer(context: Context) -> bool:
    """Whether a `Lambda` layer wraps the function around the match.

    A layer that takes a model's inputs does not count: data have no gradient.
    """
    scope = context.occurrence.scope
    return any(
        consumer.operation is OPAQUE
        and str(consumer.detail).endswith(".Lambda")
        and not takes_inputs(context.analysis, consumer)
        for consumer in context.analysis.consumers.get(scope.key, ())
    )


@tells(Use.VECTORS, is_proof=True)
def uses_vectors(context: Context, result: Term) -> Truth:
    """The code uses the vectors of the decomposition, not only its values.

    UNKNOWN where the decomposition is passed on as a whole.
    """
    analysis = context.analysis
    values = 1 if result.operation.name == "svd" else 0
    parts = analysis.consumers.get(result.key, ())
    positions = [_position(part) for part in parts]
    if not parts or None in positions:
        return Truth.UNKNOWN
    return known(
        any(
            position != values and (part.key in analysis.consumers or part.key in analysis.escaped)
            for part, position in zip(parts, positions, strict=True)
        )
    )


def _position(part: Term) -> int | None:
    """The position in a tuple from which a term is unpacked or subscripted; else `None`."""
    if part.operation.name == "subscript":
        number = number_of(part.operands[1])
        return int(number) if number is not None else None
    detail = str(part.detail)
    return int(detail.removeprefix("part ")) if detail.startswith("part ") else None
