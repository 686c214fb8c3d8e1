"""Questions about differentiation: what it passes through, and where it is singular."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.formats import dtype_name
from mllint_nan.flow.relations import is_random_projection
from mllint_nan.flow.state import Analysis, Caller, Occurrence, Scope
from mllint_nan.frameworks.differentiation import TRANSFORMS, any_of
from mllint_nan.ir.kind import Kind
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    CONSTANT,
    FUNCTION,
    INPUT,
    LAYER,
    OPAQUE,
    QUALIFIED,
    Term,
    behind_views,
    constant_of,
    number_of,
    peel,
    walk,
)
from mllint_nan.rulebook.predicates.arrays import is_selected_from, is_tested_for_no_tensor
from mllint_nan.rulebook.predicates.context import (
    CUSTOM_GRADIENTS,
    Context,
    framework_of,
    is_self,
    kept,
    known,
    name_of,
    passed_for,
    predicate,
    proof,
    stops_gradients,
    stored_in,
)
from mllint_nan.rulebook.predicates.endings import ends_of_match
from mllint_nan.rulebook.predicates.environments import is_of_environment
from mllint_nan.rulebook.predicates.fed import is_fed, is_only_fetched, takes_inputs
from mllint_nan.rulebook.predicates.parameters import is_trained_leaf
from mllint_nan.rulebook.predicates.ranges import may_be_zero
from mllint_nan.rulebook.predicates.selections import (
    is_guarded,
    is_mask,
)
from mllint_nan.rulebook.predicates.training_names import (
    MAKES_TARGETS,
    UNTRAINED_BASES,
    UNTRAINED_CLASSES,
    UNTRAINED_FUNCTIONS,
)
from mllint_nan.training import NOT_IN_SIGHT, Training, TrainingUse

CUTS_GRADIENT: Final = frozenset(
    (
        "detach",
        "argmax",
        "argmin",
        "floor",
        "ceil",
        "round",
        "sign",
        "size",
        "shape",
        "floordiv",
        "count_nonzero",
        "any",
        "all",
        "one_hot",
    )
)

_INTEGER_DTYPES: Final = re.compile(r"(^|\.)(u?int\d*|long|short|bool_?|uint8|integer)$")

_CALLS_WITHOUT_GRADIENT: Final = re.compile(
    r"(^|\.)(print|format|float|int|str|len|isinstance|append_metric|info|debug|warning|log_metric"
    r"|plot\w*|imshow|hist2?d?|scatter\w*plot|savefig|imsave|save_image"
    r"|add_(scalar|image|histogram)s?|summary\.(scalar|image|histogram)|allclose|isclose"
    r"|testing\.\w+|assert\w*|assign\w*|range|bucketize|searchsorted|digitize"
    r"|multinomial|categorical|topk|argsort|to_numpy|numpy|item|tolist|device_get)$"
)
_LOGS: Final = re.compile(
    r"(^|_)(metrics?|logs?|logged|stats?|statistics?|summar(y|ies))(_|$)", re.I
)
"""Names of the containers in which numbers are kept to be looked at."""

_SIZE_NAMES: Final = re.compile(
    r"(^|_)(widths?|heights?|depths?|sizes?|shapes?|lengths?|len|num|counts?|ndim|dims?|steps?"
    r"|epochs?|seed|a(bs)?max|dtype_max)(_t)?$|^(w|h|n|k)_(in|out)$",
    re.I,
)

_DATA_NAMES: Final = re.compile(
    r"^(grad|device|dtype|input_(features|values|ids|lengths)"
    r"|(\w+_)?masks?|labels?|y_true|pixel_values|past_values|waveforms?|audio|raw_\w+)$"
)
_CONVERSIONS: Final = re.compile(r"(convert|cast|as_?tensor|as_?array|to_tensor|\.array)", re.I)

_LOSSES: Final = re.compile(
    r"(^|_)(loss(es)?|criterion|penalt(y|ies)|regulari[sz](ers?|ations?)|elbo|nll|divergence)(_|$|\d)"
    r"|Loss|Criterion|Penalty|Regulari[sz]er|Divergence"
)
_DIFFERENTIABLE_BASES: Final = re.compile(
    r"(Bijector|Distribution|(^|\.)Kernel|Likelihood|Divergence)$"
)
_SPREADS_ASKED_FOR: Final = re.compile(r"^_?(std|stddev|variance|covariance)$")
"""Methods of a distribution that describe it; its densities and draws are trained through."""
_SPREADS: Final = re.compile(r"(^|_)rhos?(_|$)")
"""What variational layers call the parameter that a softplus makes a deviation of."""
_MAKES_GRIDS: Final = re.compile(
    r"(^|[._ ])(create_meshgrid\w*|meshgrid|arange|linspace|nonzero|where|argwhere|unique\w*"
    r"|rand\w*|\w*_indices|\w*_grid)$"
)
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
_HANDED: Final = re.compile(rf"\bjax\.{any_of(TRANSFORMS)}$")
"""What differentiates the function that it is given."""
_GRADIENTS: Final = re.compile(r"(^|[._ ])(gradients?|grads?|batch_jacobian)$")
_EINOPS: Final = frozenset(("rearrange", "reduce", "repeat"))
_SCATTERS: Final = re.compile(r"^call tensorflow\.(.+\.)?scatter_nd$")
_COMPUTES: Final = re.compile(
    r"^tensorflow\.(compat\.v1\.)?((sparse|math|linalg|signal|ragged)\.\w+|SparseTensor"
    r"|IndexedSlices|scatter_nd|tensor_scatter_nd_\w+|(sparse|segment|unsorted_segment)_\w+)$"
)
"""Functions of TensorFlow that have no variables: gradients pass to their arguments alone."""
_DRAWS: Final = re.compile(r"^tensorflow\.(compat\.v1\.)?(random\.(stateless_)?|random_)\w+$")
_LAYERS: Final = re.compile(r"^call (torch\.nn|keras\.layers|tensorflow\.keras\.layers)\.")
CALLERS_DEEPEST: Final = 6
_FLOWS_DEEPEST: Final = 12
_ADDS_UP: Final = frozenset(("sub", "matmul", "einsum", "mse"))
_DIVISOR_LEAST: Final = 1e-3
"""What an epsilon of 1e-6 may be divided by and stay below a thousandth."""
_MAGNIFYING: Final = frozenset(
    ("reciprocal", "rsqrt", "sqrt", "log", "log2", "log10", "sign", "floor", "ceil", "atan2")
)


@predicate
def gradient_flows(context: Context, x: Term) -> Truth:
    """Reverse-mode differentiation passes through the match, down to x.

    YES unless all that uses it is in sight and trains nothing through it. UNKNOWN where only what a
    function or class is called speaks against it. NO in NumPy and `math`, under `no_grad`, where
    nothing differentiable goes in, and where all that comes out goes to comparisons, integers,
    metrics or prints.
    """
    occurrence, scope = context.occurrence, context.occurrence.scope
    if framework_of(occurrence.term, context.analysis) in ("numpy", "math"):
        return Truth.NO
    if _without_gradient(context.analysis, occurrence):
        return Truth.NO
    if _base_without_training(context.analysis, scope, CALLERS_DEEPEST) is not None:
        return Truth.NO
    if not _carries_gradient(context, x):
        return Truth.NO
    if occurrence.call is None and not result_is_used(context.analysis, occurrence.term):
        return Truth.NO
    if untrained_name(context) is not None or _ends_beside_training(context):
        return Truth.UNKNOWN
    if is_of_environment(context.analysis, scope) or not _carries_gradient(
        context, x, as_called=True
    ):
        return Truth.UNKNOWN
    return known(_is_trained(context, x)).or_(Truth.UNKNOWN)


def untrained_name(context: Context) -> str | None:
    """The name that says of a match that nothing is trained through it."""
    scope = context.occurrence.scope
    return _name_of_such(context.analysis, scope, _is_undifferentiated, CALLERS_DEEPEST)


def _ends_beside_training(context: Context) -> bool:
    """All that is made of the match is shown, compared, or kept where nobody trains through it."""
    ends = ends_of_match(context, context.occurrence.term)
    if ends.is_open or ends.returned:
        return False
    if not (ends.is_shown or ends.is_compared or ends.stored):
        return False
    return all(
        owner.definition
        and context.analysis.trained(f"{owner.definition}.{name}").training is Training.BESIDE
        for owner, name in ends.stored
    )


def _is_trained(context: Context, x: Term) -> bool:
    """Something is trained through the match, or not all that uses it is in sight."""
    return shows_training(context, x) or training_of(context).training is not Training.BESIDE


def training_of(context: Context) -> TrainingUse:
    """What the project does with the gradients of the definition that a match stands in."""
    name = context.occurrence.scope.definition
    return context.analysis.trained(name) if name else NOT_IN_SIGHT


def shows_training(context: Context, x: Term) -> bool:
    """The project shows that something is trained through the match."""
    return file_shows_training(context, x) or training_of(context).training is Training.THROUGH


def file_shows_training(context: Context, x: Term) -> bool:
    """The file alone shows that something is trained through the match."""
    return (
        _is_called_in_training(context)
        or _serves_training(context.analysis, context.occurrence.scope, CALLERS_DEEPEST)
        or any(is_learned(context, part) for part in walk(x))
    )


def _is_called_in_training(context: Context) -> bool:
    """The call in sight whose arguments are judged stands where gradients are taken."""
    call = context.occurrence.call
    return call is not None and any(outer.trains for outer in call.caller.enclosing())


def _serves_training(analysis: Analysis, scope: Scope, depth: int) -> bool:
    """A loss, a differentiable distribution, what takes gradients, or what one of them calls."""
    for outer in scope.enclosing():
        if outer.kind != "module" and _LOSSES.search(outer.name):
            return True
        if any(_DIFFERENTIABLE_BASES.search(str(peel(base).detail)) for base in outer.bases) and (
            not _SPREADS_ASKED_FOR.search(scope.name)
        ):
            return True
        if (
            outer.trains
            and (outer.kind != "module" or outer is scope)
            # JAX differentiates the functions that it is handed, not those that hand them over.
            and (outer.kind == "class" or not _differentiates_functions(analysis))
        ):
            return True
        if any(
            _HANDED.search(str(consumer.detail))
            for consumer in analysis.consumers.get(outer.key, ())
            if consumer.operation is OPAQUE
        ):
            return True
    return depth > 0 and any(
        outer.kind == "function" and _serves_training(analysis, caller.scope, depth - 1)
        for outer in scope.enclosing()
        for caller in analysis.callers.get(outer.key, ())
        if outer not in caller.scope.enclosing()
    )


def _differentiates_functions(analysis: Analysis) -> bool:
    """Nothing but JAX computes gradients in this file."""
    return "jax" in analysis.frameworks and not (
        analysis.frameworks & {"torch", "tensorflow", "keras"}
    )


def is_learned(context: Context, term: Term) -> bool:
    """A parameter of a model, or what a layer gave, through attributes that hold each other."""
    pending, seen = [term], set[int]()
    while pending:
        part = pending.pop()
        if part.key in seen:
            continue
        seen.add(part.key)
        if part.operation is ATTRIBUTE and is_self(part.operands[0]):
            stored = stored_in(context, str(part.detail))
            if any(map(_is_layer, stored)):
                return True
            pending += map(peel, stored)
        if is_trained_leaf(part):
            return True
        if part.operation is not OPAQUE or not str(part.detail).startswith("call"):
            continue
        if not part.operands:
            continue
        callee = peel(part.operands[0])
        if callee.operation is OPAQUE and _LAYERS.search(str(callee.detail)):
            return True
        if is_self(callee):
            name = str(part.detail).removeprefix("call ").strip()
            if any(map(_is_layer, stored_in(context, name))):
                return True
        elif callee.operation is ATTRIBUTE:
            pending.append(callee)
    return False


def is_of_grid(term: Term) -> bool:
    """Nothing but a grid and the numbers that it is spread by goes in."""
    leaves = list(_leaves(term))
    return bool(leaves) and (
        any(part.operation.name in ("linspace", "arange") for part in walk(term))
        and all(leaf.operation is INPUT and leaf.framework == "math" for leaf in leaves)
    )


def is_of_spreads(term: Term) -> bool:
    """Something that goes in is called what variational layers call the parameter of a softplus."""
    return any(_SPREADS.search(str(leaf.detail)) for leaf in _leaves(term))


def is_of_parameters(context: Context, term: Term) -> bool:
    """Nothing but parameters of the model goes in."""
    leaves = list(_leaves(term))
    return bool(leaves) and all(_is_parameter(context, leaf) for leaf in leaves)


def _leaves(term: Term) -> Iterator[Term]:
    """What a term is made of in the end: inputs, parameters, and what is not understood."""
    pending, seen = [term], set[int]()
    while pending:
        inner = peel(pending.pop())
        if inner.key in seen:
            continue
        seen.add(inner.key)
        if inner.operation in (INPUT, OPAQUE, ATTRIBUTE, CHOICE):
            yield inner
            if inner.operation is CHOICE:
                pending.extend(inner.operands)
        elif inner.operation.kind == "view" and not _is_list(inner):
            pending.extend(inner.operands[:1])  # by which index does not matter
        else:
            pending.extend(inner.children())


def _is_parameter(context: Context, term: Term) -> bool:
    if term.operation is CHOICE:
        return True  # its options are asked
    if term.operation is OPAQUE:
        return is_trained_leaf(term)
    if _SPREADS.search(str(term.detail)):
        return True
    stored = [
        part
        for part in map(peel, kept(context, term))
        if not (part.operation is CONSTANT and part.detail is None)
    ]
    trained = [part for part in stored if is_trained_leaf(part)]
    # Where it is not trained, the same is kept as a buffer.
    return bool(trained) and all(
        part in trained or part.operation.name == "detach" for part in stored
    )


def _is_layer(term: Term) -> bool:
    """An object with weights: a layer of a library, or something with a capital of its own."""
    inner = peel(term)
    if inner.operation is LAYER or inner.operation is not OPAQUE:
        return False
    name = str(inner.detail).removeprefix("call ").rpartition(".")[2]
    return str(inner.detail).startswith("call") and name[:1].isupper()


@predicate
def no_gradient(context: Context, x: Term) -> Truth:
    """No differentiation passes through the match to x."""
    return gradient_flows(context, x).not_()


@predicate
def takes_xlogy(context: Context, p: Term) -> Truth:
    """The file writes `xlogy` already, and no gradient, which is NaN there at 0, flows to p."""
    writes = any(one.term.operation.name == "xlogy" for one in context.analysis.occurrences)
    return known(writes and no_gradient(context, p) is Truth.YES)


@predicate
def is_computed(context: Context, t: Term) -> Truth:
    """t was made by an operation whose gradient is NaN where its value is.

    The parameter of a function that a Keras `Lambda` layer wraps is the output of a layer. What
    comes out of an unknown call, or came in as a parameter, may be anything.
    """
    inner = behind_views(t)
    while inner.operation is OPAQUE and inner.operands and _CONVERSIONS.search(str(inner.detail)):
        inner = behind_views(inner.operands[-1])
    if inner.operation is INPUT and _is_lambda_layer(context):
        return Truth.YES
    if is_guarded(context, inner) is Truth.YES:
        return Truth.UNKNOWN
    return known(any(_makes_nan(context, part) for part in _factors(inner))).or_(Truth.UNKNOWN)


def _factors(term: Term) -> list[Term]:
    """What sums and products of a term are made of."""
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
    is_called_gradient = (
        term.operation is OPAQUE and _GRADIENTS.search(str(term.detail)) is not None
    )
    if is_called_gradient or term.operation.name == "gradient":
        is_open = not context.occurrence.scope.definition
        return is_open or _is_differentiated_again(context, term)
    if term.operation is OPAQUE and _is_layer_call(term):
        return True
    return term.operation.name in _MAKES_NAN


def _is_differentiated_again(context: Context, gradient: Term) -> bool:
    """Whether a gradient that a function takes is itself part of what is made small."""
    if gradient.operation.name == "gradient" and gradient.framework == "torch":
        return not _ends_the_graph(gradient)
    entered = context.occurrence.state.contexts
    on_tape = any(str(peel(one).detail).endswith("GradientTape") for one in entered)
    return on_tape or training_of(context).training is Training.THROUGH


@predicate
def is_displacement(context: Context, x: Term) -> Truth:
    """x is a difference, a gradient or a masked product: the zero vector is to be expected."""
    inner = behind_views(x)
    if inner.operation.name == "gradient":
        return Truth.UNKNOWN if is_random_projection(inner) else Truth.YES
    if inner.operation.name in ("sub", "relu"):
        return Truth.YES
    if inner.operation.name in ("element", "normalize") or _is_list(x):
        # One after the other of a model's gradients is clipped or logged, not differentiated.
        return Truth.UNKNOWN
    if inner.operation.name == "mul":
        selects = any(is_mask(context, operand) is Truth.YES for operand in inner.operands)
        is_scaled = any(behind_views(operand).operation.name == "sub" for operand in inner.operands)
        return Truth.YES if selects or is_scaled else Truth.UNKNOWN
    if inner.operation is OPAQUE and _GRADIENTS.search(str(inner.detail)):
        return Truth.YES
    if inner.operation is OPAQUE and str(inner.detail).startswith("part") and inner.operands:
        return is_displacement(context, inner.operands[0])
    if inner.operation in (OPAQUE, INPUT) and re.search(
        r"(^|_)(grads?|gradients?|diffs?|displacements?)(_|$|\d)",
        f"{name_of(x)}",
        re.I,
    ):
        return Truth.YES
    value = context.value(inner)
    return Truth.YES if value.lo >= 0 and 0.0 in value.attained else Truth.UNKNOWN


@predicate
def has_guarded_numerator(context: Context, n: Term, x: Term) -> Truth:
    """Only n has a gradient, and a `where` of its own keeps the bad entries from it."""
    if _carries_gradient(context, x):
        return Truth.NO
    return known(behind_views(n).operation.name == "where")


@predicate
def is_gathered_with(context: Context, n: Term, x: Term) -> Truth:
    """Something is written into parts of n and x, zeros before: where x is still 0, so is n."""
    return known((_is_gathered(n) and _is_gathered(x)) or _are_scattered_alike(n, x))


def _are_scattered_alike(first: Term, second: Term) -> bool:
    """Both were scattered into zeros by the same indices: gradients come back from there alone."""
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


@predicate
def is_written_as_power(context: Context, s: Term) -> Truth:
    """A root that is written as a power: TensorFlow's power keeps a zero cotangent times inf."""
    written = peel(s).written
    return known(written is None or written.path.endswith("pow"))


def _is_list(x: Term) -> bool:
    inner = peel(x)
    while inner.operation.kind == "view" and inner.operands:
        if inner.operation.name in ("element", "collect", "stack", "concat"):
            return True
        inner = peel(inner.operands[0])
    return False


@predicate
def normalizes(context: Context, x: Term) -> Truth:
    """The root of x divides what x was made from: at 0 the value itself is 0 / 0."""
    keys = {part.key for part in walk(x)}
    root = context.occurrence.term
    consumers = context.analysis.consumers.get(root.key, ())
    if any(term.operation.name == "div" and term.operands[0].key in keys for term in consumers):
        return Truth.YES
    calls = _calls_that_give(context, root)
    return known(bool(calls) and all(_divides_an_argument(context, call) for call in calls))


def _calls_that_give(context: Context, term: Term) -> list[Term]:
    """The calls of the function that returns `term`, if it returns nothing else."""
    scope = context.occurrence.scope
    if not scope.returned or any(
        part.key != term.key for part in map(behind_views, scope.returned)
    ):
        return []
    calls = context.analysis.calls.get(scope.key, [])
    return calls if len(calls) == len(context.analysis.callers.get(scope.key, ())) else []


def _divides_an_argument(context: Context, call: Term) -> bool:
    arguments = {part.key for argument in call.operands[1:] for part in walk(argument)}
    return any(
        term.operation.name == "div" and term.operands[0].key in arguments
        for term in context.analysis.consumers.get(call.key, ())
    )


@predicate
def is_length(context: Context, x: Term) -> Truth:
    """The root of x is a length, a deviation or the like: what it is made of was added up.

    The root of one element as it came in is a function of its own: its small values may be meant.
    """
    inner = behind_views(x)
    if inner.operation is CHOICE:
        return known(all(is_length(context, o) is Truth.YES for o in inner.operands)).or_(
            Truth.UNKNOWN
        )
    if inner.operation.name in ("clip", "maximum", "relu", "abs", "mul", "div"):
        parts = [part for part in inner.operands if number_of(part) is None]
        return is_length(context, parts[0]) if parts else Truth.UNKNOWN
    summands = [part for part in inner.operands if number_of(part) is None]
    is_sum = inner.operation.name == "add" and len(summands) > 1
    is_made_of_many = inner.operation.kind == "reduction" or inner.operation.name in _ADDS_UP
    return known(is_sum or is_made_of_many).or_(Truth.UNKNOWN)


@predicate
def bears_offset(context: Context, result: Term) -> Truth:
    """Nothing in sight magnifies a small absolute difference of the result.

    A quotient does, whose divisor may be small or is the result itself; so do a logarithm, a sign
    and a comparison with a number.
    """
    pending = [(result, 0)]
    pending += [(call, 0) for call in _calls_that_give(context, result)]
    seen: set[int] = set()
    while pending:
        term, depth = pending.pop()
        if term.key in seen or depth > _FLOWS_DEEPEST:
            continue
        seen.add(term.key)
        for consumer in context.analysis.consumers.get(term.key, ()):
            if _magnifies(context, consumer):
                return Truth.UNKNOWN
            if consumer.operation.kind != "comparison":
                pending.append((consumer, depth + 1))
    return Truth.YES


def _magnifies(context: Context, consumer: Term) -> bool:
    name = consumer.operation.name
    if name == "div":
        return context.value(consumer.operands[1]).interval.mignitude < _DIVISOR_LEAST
    if name in ("eq", "ne"):
        return any(number_of(operand) is not None for operand in consumer.operands)
    if name == "pow":
        exponent = number_of(consumer.operands[1])
        return exponent is None or exponent < 1
    return name in _MAGNIFYING


@predicate
def only_squared(context: Context, x: Term) -> Truth:
    """Everything made from x squares it first, so its cotangent vanishes where x does."""
    consumers = [
        term
        for term in context.analysis.consumers.get(x.key, ())
        if term.operation.kind != "comparison"
    ]
    return known(
        bool(consumers)
        and all(term.operation.name == "square" for term in consumers)
        and x.key not in context.analysis.escaped
    )


@predicate
def divides_its_operand(context: Context, x: Term, v: Term) -> Truth:
    """The norm x is only used to divide its own operand v, with something added to it."""
    consumers = context.analysis.consumers.get(x.key, ())
    for term in consumers:
        if term.operation.name in ("div", "divide_no_nan") and term.operands[0].key == v.key:
            return Truth.YES
        if term.operation.name in ("add", "maximum", "clip"):
            for outer in context.analysis.consumers.get(term.key, ()):
                if outer.operation.name == "div" and outer.operands[0].key == v.key:
                    return Truth.YES
    return Truth.NO


@predicate
def is_masked_relu(context: Context, x: Term) -> Truth:
    """x is a bare relu, whose own gradient PyTorch and JAX select rather than multiply."""
    inner = behind_views(x)
    while inner.operation.name == "mul" and any(
        number_of(operand) is not None for operand in inner.operands
    ):
        inner = behind_views(next(o for o in inner.operands if number_of(o) is None))
    return known(inner.operation.name == "relu" and inner.framework in ("torch", "jax"))


def _is_layer_call(term: Term) -> bool:
    """A call of an attribute of `self`, or of a layer that was just made: it has weights."""
    if not str(term.detail).startswith("call") or not term.operands:
        return False
    if _GRADIENTS.search(str(term.detail)):
        return True
    callee = peel(term.operands[0])
    if callee.operation is INPUT and callee.detail == "self":
        return True
    return callee.operation is OPAQUE and bool(_LAYERS.search(str(callee.detail)))


def _is_lambda_layer(context: Context) -> bool:
    """Whether the function that the match stands in is wrapped by a `Lambda` layer.

    One that takes a model's inputs is none: what is data has no gradient.
    """
    scope = context.occurrence.scope
    return any(
        consumer.operation is OPAQUE
        and str(consumer.detail).endswith(".Lambda")
        and not takes_inputs(context.analysis, consumer)
        for consumer in context.analysis.consumers.get(scope.key, ())
    )


def _without_gradient(analysis: Analysis, occurrence: Occurrence) -> bool:
    return _is_cut(analysis, occurrence.scope, occurrence.state.contexts, CALLERS_DEEPEST) or any(
        _defines_gradients(analysis, scope, CALLERS_DEEPEST)
        for scope in occurrence.scope.enclosing()
        if scope.kind == "function"
    )


def _defines_gradients(analysis: Analysis, scope: Scope, depth: int) -> bool:
    """A function whose only callers compute values or gradients by rules of their own."""
    if any(
        consumer.operation is OPAQUE
        and CUSTOM_GRADIENTS.search(str(consumer.detail).removeprefix("call "))
        for consumer in analysis.consumers.get(scope.key, ())
    ):
        return True
    callers = analysis.callers.get(scope.key, [])
    return (
        bool(callers)
        and depth > 0
        and all(
            _is_custom(caller.scope)
            or any(
                outer.kind == "function"
                and outer.key != scope.key
                and _defines_gradients(analysis, outer, depth - 1)
                for outer in caller.scope.enclosing()
            )
            for caller in callers
        )
    )


def _is_custom(scope: Scope) -> bool:
    """Whether a function, or one around it, is decorated as having its own gradient."""
    return any(
        CUSTOM_GRADIENTS.search(str(part.detail).removeprefix("call "))
        for outer in scope.enclosing()
        for decorator in outer.decorators
        for part in walk(decorator)
        if part.operation in (QUALIFIED, OPAQUE, ATTRIBUTE)
    )


def _is_cut(analysis: Analysis, scope: Scope, contexts: tuple[Term, ...], depth: int) -> bool:
    """No gradient passes there: by what is entered or decorated, or at every call."""
    decorators = [decorator for outer in scope.enclosing() for decorator in outer.decorators]
    if stops_gradients([*decorators[::-1], *contexts]):
        return True
    callers = _callers(analysis, scope)
    return (
        bool(callers)
        and depth > 0
        and all(_is_cut(analysis, caller.scope, caller.contexts, depth - 1) for caller in callers)
    )


def _callers(analysis: Analysis, scope: Scope) -> list[Caller]:
    """The places of the file that call a function, its own body left out."""
    function = next((outer for outer in scope.enclosing() if outer.kind == "function"), None)
    if function is None:
        return []
    callers = analysis.callers.get(function.key, [])
    return [caller for caller in callers if function not in caller.scope.enclosing()]


def serves_no_training(analysis: Analysis, scope: Scope, depth: int) -> bool:
    """Optimizers, metrics, data preparation and what serves only them: no value is learned from."""
    return name_without_training(analysis, scope, depth) is not None


def name_without_training(analysis: Analysis, scope: Scope, depth: int) -> str | None:
    """The class or function whose name says that nothing is trained through it.

    A name is evidence and no proof: what it keeps a rule from, an audit reports.
    """
    return _base_without_training(analysis, scope, depth) or _name_of_such(
        analysis, scope, _is_beside_training, depth
    )


def _is_undifferentiated(function: str) -> bool:
    return _is_beside_training(function) or bool(MAKES_TARGETS.search(function))


def _is_beside_training(function: str) -> bool:
    return bool(UNTRAINED_FUNCTIONS.search(function))


def _name_of_such(
    analysis: Analysis, scope: Scope, is_such: Callable[[str], bool], depth: int
) -> str | None:
    """The name of what is not differentiated, if it is that or all calls come from there.

    A function that takes gradients itself is differentiated, whatever it is called; where those are
    taken of functions, as in JAX, what it defines within it is.
    """
    for outer in scope.enclosing():
        if outer.kind == "function" and is_such(outer.name):
            of_function = outer is scope and _differentiates_functions(analysis)
            if not outer.trains or of_function:
                return outer.name
        if outer.kind == "class" and UNTRAINED_CLASSES.search(outer.name):
            return outer.name
    if depth == 0:
        return None
    found = [
        _name_of_such(analysis, caller.scope, is_such, depth - 1)
        for caller in _callers(analysis, scope)
    ]
    return found[0] if found and None not in found else None


def _base_without_training(analysis: Analysis, scope: Scope, depth: int) -> str | None:
    """The base class of what measures, updates or prepares, if all calls come from such."""
    for outer in scope.enclosing():
        for base in outer.bases:
            name = str(peel(base).detail).rpartition(".")[2]
            if UNTRAINED_BASES.search(name):
                return name
    if depth == 0:
        return None
    found = [
        _base_without_training(analysis, caller.scope, depth - 1)
        for caller in _callers(analysis, scope)
    ]
    return found[0] if found and None not in found else None


def _carries_gradient(context: Context, term: Term, as_called: bool = False) -> bool:
    """Whether some input that can be differentiated reaches `term`.

    `as_called`: where the calls of a method that are in sight tell what it is given, by them alone.
    """
    pending, seen = [term], set()
    while pending:
        inner = peel(pending.pop())
        if inner.key in seen:
            continue
        seen.add(inner.key)
        if context.kind(inner) is Kind.NUMBER:
            continue
        operation = inner.operation
        sources = kept(context, inner) or [
            term for term, _ in context.analysis.passed(inner) if operation is INPUT
        ]
        if as_called and not sources and operation is INPUT and _is_of_method(context, inner):
            sources = passed_for(context, inner)
        if sources:
            pending.extend(sources)
            continue
        if operation is ATTRIBUTE and inner.detail == "data":
            pending.extend(inner.operands)
            continue
        if _is_finished_gradient(context.analysis, inner):
            continue
        if operation in (INPUT, ATTRIBUTE):
            if is_tested_for_no_tensor(context, inner):
                continue
            name = str(inner.detail)
            if _DATA_NAMES.search(name) or (
                _SIZE_NAMES.search(name) and not is_selected_from(context, inner)
            ):
                continue
            if inner.operands and operation is INPUT and number_of(inner.operands[0]) is not None:
                continue
            if inner.framework == "math":
                continue  # annotated as a plain number
            return True
        if operation is OPAQUE:
            if str(inner.detail).startswith("part") or inner.detail == "update":
                pending.extend(inner.operands)
                continue
            if is_fed(context.analysis, inner):
                continue
            if inner.framework == "numpy" or _is_plain_number(inner):
                continue
            if _MAKES_GRIDS.search(str(inner.detail)) or _is_draw(inner):
                continue
            if _is_library_call(inner):
                is_sparse = str(inner.detail).endswith(".SparseTensor")
                # The second argument: the first are indices, of which nothing is differentiated.
                pending.extend(inner.operands[2:3] if is_sparse else inner.operands)
                continue
            returned = _returned(context, inner)
            if returned:
                pending.extend(returned)
                continue
            if str(inner.detail) == "call uniform_":
                continue
            return True
        if operation.name in CUTS_GRADIENT or operation.kind == "comparison":
            continue
        if operation.kind == "constant":
            pending.extend(
                inner.settings[name]
                for name in ("mean", "std", "low", "high")
                if name in inner.settings
            )
            continue
        if operation.name == "cast" and (_leaves_tensors(inner) or _is_of_items(inner)):
            continue
        if inner.written is not None and inner.written.path == "torch.tensor":
            continue  # a copy that nothing is differentiated through
        if inner.framework in ("numpy", "math"):
            continue
        is_list = operation.name in ("concat", "stack", "collect")
        pending.extend(
            inner.operands[:1] if operation.kind == "view" and not is_list else inner.operands
        )
    return False


def _is_of_method(context: Context, parameter: Term) -> bool:
    """Whether a parameter is of a method, which others than its class seldom call."""
    function, _ = context.analysis.parameters.get(parameter.key, (0, ""))
    scope = context.analysis.functions.get(function)
    return scope is not None and scope.parent is not None and scope.parent.kind == "class"


def _is_finished_gradient(analysis: Analysis, term: Term) -> bool:
    """A gradient that nothing is differentiated through, or one of several of which that is one."""
    if term.operation.name == "gradient":
        return _ends_the_graph(term)
    if term.operation is CHOICE:
        return any(_is_finished_gradient(analysis, option) for option in map(peel, term.operands))
    if term.operation is OPAQUE and term.detail == "update":
        return _is_finished_gradient(analysis, peel(term.operands[0]))
    return term.operation is ATTRIBUTE and term.detail == "grad"


def _ends_the_graph(gradient: Term) -> bool:
    """PyTorch's gradients are numbers, unless they are asked for with a graph of their own."""
    asked = gradient.settings.get("create_graph")
    return gradient.framework == "torch" and (asked is None or constant_of(asked) is False)


def _is_library_call(term: Term) -> bool:
    """A function of PyTorch or JAX passes gradients to its arguments and has none of its own.

    TensorFlow's variables and placeholders are made by functions, PyTorch's layers by classes.
    """
    if not term.operands:
        return False
    callee = peel(term.operands[0])
    if name_of(term.operands[0]) in _EINOPS or str(callee.detail).startswith("einops."):
        return True
    if callee.operation is not QUALIFIED:
        return False
    if _COMPUTES.search(str(callee.detail)):
        return True
    name = str(callee.detail).rpartition(".")[2]
    return term.framework in ("torch", "jax") and name[:1].islower()


def _is_draw(term: Term) -> bool:
    """A call of a function that draws numbers, whichever of several it is."""
    callee = peel(term.operands[0]) if term.operands else term
    options = callee.operands if callee.operation is CHOICE else (callee,)
    return all(
        option.operation is QUALIFIED and _DRAWS.search(str(option.detail))
        for option in map(peel, options)
    )


def _is_plain_number(term: Term) -> bool:
    return str(term.detail) in (
        "call builtins.len",
        "call builtins.int",
        "call builtins.range",
        "index",
        "call builtins.str",
        "in",
        "not in",
        "is",
        "is not",
        "slice",
    )


def _is_of_items(cast: Term) -> bool:
    """An explicit cast to float of what was indexed: of coordinates, as a rule."""
    inner = peel(cast.operands[0])
    return dtype_name(cast.settings.get("dtype")) == "float32" and (
        inner.operation is OPAQUE or inner.operation.name in ("subscript", "expand_dims", "gather")
    )


def _returned(context: Context, call: Term) -> tuple[Term, ...]:
    """What a function of this file, which was not seen through, returns."""
    callee = peel(call.operands[0]) if call.operands else call
    callees = [callee]
    if is_self(callee):
        name = str(call.detail).removeprefix("call ").strip()
        callees = [peel(term) for term in stored_in(context, name)]
    returned: list[Term] = []
    for function in callees:
        scope = context.analysis.functions.get(function.key)
        if function.operation is not FUNCTION or scope is None or not scope.returned:
            return ()
        returned += scope.returned
    return (*returned, *call.operands[1:])


def _leaves_tensors(term: Term) -> bool:
    """A cast to integers, or to Python's own numbers."""
    if term.written is not None and term.written.path.startswith("builtins."):
        return True
    dtype = term.settings.get("dtype")
    if dtype is None:
        return False
    inner = peel(dtype)
    if inner.operation in (CONSTANT, QUALIFIED):
        return bool(_INTEGER_DTYPES.search(str(inner.detail)))
    return False


def result_is_used(analysis: Analysis, term: Term) -> bool:
    """Whether the result reaches something that could be differentiated."""
    pending, seen = [(term, 0)], set()
    while pending:
        current, depth = pending.pop()
        if current.key in seen:
            continue
        seen.add(current.key)
        if depth > _FLOWS_DEEPEST:
            return True
        if is_only_fetched(analysis, current.key):
            continue
        consumers = analysis.consumers.get(current.key, ())
        if not consumers and current.key not in analysis.escaped:
            # Bound to a name that nothing reads, or kept by a closure: not enough to acquit.
            return True
        direct = [consumer for consumer in consumers if consumer.operation is OPAQUE]
        if current.key in analysis.escaped and not direct:
            return True
        for consumer in consumers:
            operation = consumer.operation
            if operation.name == "gradient":
                return True
            if operation.name in CUTS_GRADIENT or operation.kind == "comparison":
                continue
            if consumer.framework == "numpy" and current.framework not in (None, "numpy"):
                continue
            if operation.name == "cast" and _leaves_tensors(consumer):
                continue
            if operation is OPAQUE and _CALLS_WITHOUT_GRADIENT.search(
                str(consumer.detail).removeprefix("call ")
            ):
                continue
            if operation is OPAQUE and consumer.detail != "update":
                return True
            if operation is OPAQUE:
                if not _LOGS.search(name_of(consumer.operands[0])):
                    return True
                continue
            pending.append((consumer, depth + 1))
    return False


@proof
def uses_vectors(context: Context, result: Term) -> Truth:
    """Something is computed from the vectors of a decomposition, not from its values alone.

    UNKNOWN where it is handed on as a whole.
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
    """Which element of a tuple a term is: unpacked from it, or subscripted."""
    if part.operation.name == "subscript":
        number = number_of(part.operands[1])
        return int(number) if number is not None else None
    detail = str(part.detail)
    return int(detail.removeprefix("part ")) if detail.startswith("part ") else None
