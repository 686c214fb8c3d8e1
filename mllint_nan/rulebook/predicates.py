"""The questions that rules ask of a match, each answered YES, UNKNOWN or NO.

YES needs evidence, NO is a proof; what is merely not excluded is UNKNOWN.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from mllint_nan.domains.dtype import round_to
from mllint_nan.domains.truth import Truth
from mllint_nan.domains.value import Value
from mllint_nan.flow.oracle import Oracle, dtype_of, is_epsilon_name, is_shift
from mllint_nan.flow.state import Analysis, Occurrence
from mllint_nan.frameworks import registry
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    CONSTANT,
    INPUT,
    LAYER,
    OPAQUE,
    QUALIFIED,
    SEQUENCE,
    Term,
    constant_of,
    number_of,
    peel,
    walk,
)
from mllint_nan.rulebook.match import Substitution

_MASK_NAMES: Final = re.compile(r"(^|_)(masks?|masked|valid|padding|pad|is_[a-z]+)(_|$|\d)", re.I)
_LABEL_NAMES: Final = re.compile(
    r"(^|_)(labels?|targets?|y|y_true|true|gt|one_?hot|truth)(_|$|\d)", re.I
)
_NO_GRADIENT: Final = frozenset((
    "tensorflow.custom_gradient", "jax.custom_jvp", "jax.custom_vjp", "jax.custom_gradient",
    "torch.no_grad", "torch.inference_mode", "torch.autograd.no_grad",
    "torch.autograd.grad_mode.no_grad", "torch.set_grad_enabled",
))
_CUTS_GRADIENT: Final = frozenset((
    "detach", "argmax", "argmin", "floor", "ceil", "round", "sign", "size", "shape", "floordiv",
    "count_nonzero", "any", "all", "one_hot",
))
_INTEGER_DTYPES: Final = re.compile(r"(^|\.)(u?int\d*|long|short|bool_?|uint8|integer)$")
_CALLS_WITHOUT_GRADIENT: Final = re.compile(
    r"(^|\.)(print|format|float|int|str|len|isinstance|append_metric|info|debug|warning|log_metric"
    r"|add_scalar|allclose|isclose|testing\.\w+|assert\w*|range)$"
)
_NEAR: Final = 0.05
"""A threshold this close to a singular point is there because of it (sRGB: 0.0031)."""
_SIZE_NAMES: Final = re.compile(
    r"(^|_)(width|height|depth|size|length|len|num|count|ndim|dim|dims|step|steps|epoch|seed)"
    r"(_t)?$|^(w|h|n|k)_(in|out)$", re.I
)
_UNDIFFERENTIATED: Final = re.compile(
    r"^(metrics?|optim|optimizers?|evaluation|evaluators?|datasets?|preprocessing|constraints|initializers"
    r"|generation|pipelines|exporters)(\.py)?$|^(feature_extraction|image_processing)_"
    r"|(^|_)metrics?(_|\.py)|^evaluate|_evaluator\.py$|^optimizer"
)
_UNDIFFERENTIATED_BASES: Final = frozenset((
    "Optimizer", "Metric", "LRScheduler", "Constraint", "Initializer", "Function",
))
_UNDIFFERENTIATED_FUNCTIONS: Final = re.compile(
    r"^(update_fn|init_fn|metric|accuracy|evaluate|update_state|compute_metrics?|plot\w*)$"
    r"|_metric$|^eval_"
)
_CONVERSIONS: Final = re.compile(r"(convert|cast|as_?tensor|as_?array|to_tensor|\.array)", re.I)
_FLOWS_DEEPEST: Final = 12


@dataclass(frozen=True, slots=True)
class Context:
    """A match and everything that is known around it."""

    analysis: Analysis
    oracle: Oracle
    occurrence: Occurrence
    found: Substitution

    def value(self, term: Term) -> Value:
        return self.oracle.value(term, self.occurrence.state.facts)


@dataclass(frozen=True, slots=True)
class Predicate:
    ask: Callable[..., Truth]
    arity: int


PREDICATES: dict[str, Predicate] = {}


def predicate(ask: Callable[..., Truth]) -> Callable[..., Truth]:
    """Make a function of a context and terms known to rules under its own name."""
    arity = ask.__code__.co_argcount - 1
    PREDICATES[ask.__name__] = Predicate(ask, arity)
    return ask


# Ranges


@predicate
def can_be_zero(context: Context, x: Term) -> Truth:
    """0 ∈ γ(x): YES if it is attained."""
    return context.value(x).can_be(0.0)


@predicate
def can_be_negative(context: Context, x: Term) -> Truth:
    """Some value of x is below 0."""
    return context.value(x).can_be_negative()


@predicate
def is_bounded_above(context: Context, x: Term) -> Truth:
    """exp(x) cannot overflow in its dtype."""
    limit = 11.0 if dtype_of(x) == "float16" else 88.0
    return Truth.YES if context.value(x).hi <= limit or is_shift(x) else Truth.UNKNOWN


@predicate
def is_small(context: Context, x: Term) -> Truth:
    """exp(x) neither overflows nor underflows."""
    value = context.value(x)
    if value.hi <= 88.0 and value.lo >= -87.0:
        return Truth.YES
    return Truth.UNKNOWN


@predicate
def is_nonnegative(context: Context, x: Term) -> Truth:
    """No value of x is below 0."""
    return Truth.YES if context.value(x).lo >= 0 else Truth.UNKNOWN


@predicate
def is_integral(context: Context, x: Term) -> Truth:
    """Every finite value of x is a whole number."""
    return Truth.YES if context.value(x).integer else Truth.UNKNOWN


@predicate
def is_constant(context: Context, x: Term) -> Truth:
    """x is one number."""
    return _known(context.value(x).is_constant or not _has_inputs(x))


@predicate
def is_absorbed(context: Context, x: Term) -> Truth:
    """x is a literal that is not 1, but 1 once rounded to the dtype of the code around it."""
    number = number_of(x)
    if number is None or number == 1:
        return Truth.NO
    dtype = dtype_of(context.occurrence.term)
    return Truth.YES if round_to(float(number), dtype) == 1.0 else Truth.NO


@predicate
def is_positive_constant(context: Context, x: Term) -> Truth:
    """x is one number above 0."""
    number = number_of(x)
    if number is not None:
        return Truth.YES if number > 0 else Truth.NO
    value = context.value(x)
    return Truth.YES if value.lo > 0 and not _has_tensors(x) else Truth.UNKNOWN


# Masks and counts


@predicate
def is_mask(context: Context, x: Term) -> Truth:
    """x selects: a comparison, a cast boolean, or an array that is called a mask."""
    inner = _behind_views(x)
    if inner.operation.kind == "comparison":
        # A rank against a running sum holds for the first element at least.
        ranked = any(part.operation.name in ("cumsum", "sort", "arange") for part in walk(inner))
        return Truth.UNKNOWN if ranked else Truth.YES
    if inner.operation.name == "mul":
        return is_mask(context, inner.operands[0]).and_(is_mask(context, inner.operands[1]))
    if inner.operation.name == "sub" and number_of(inner.operands[0]) == 1:
        return is_mask(context, inner.operands[1])
    if inner.operation in (INPUT, ATTRIBUTE) and _MASK_NAMES.search(str(inner.detail)):
        return Truth.YES
    if _MASK_NAMES.search(_name_of(x)) and inner.operation is OPAQUE:
        return Truth.YES
    return Truth.UNKNOWN


@predicate
def is_boolean(context: Context, x: Term) -> Truth:
    """x is a boolean, or one that was cast to a number."""
    inner = _behind_views(x)
    if inner.operation.kind == "comparison":
        return Truth.YES
    return Truth.YES if context.value(x).integer else Truth.UNKNOWN


@predicate
def multiplies(context: Context, m: Term, a: Term) -> Truth:
    """m is a factor of what a sums: the quotient is a weighted mean."""
    wanted = {part.key for part in _through_views(m)}
    for part in walk(a):
        if part.operation.name in ("mul", "where", "boolean_mask") and any(
            inner.key in wanted for operand in part.operands for inner in _through_views(operand)
        ):
            return Truth.YES
    return Truth.UNKNOWN


@predicate
def is_tested(context: Context, x: Term) -> Truth:
    """A condition on the path looks at x, or at what it was counted from."""
    wanted = {part.key for part in _through_views(x)}
    inner = peel(x)
    while inner.operands and (
        inner.operation.kind in ("view", "reduction") or inner.operation.name in ("cast",)
    ):
        inner = peel(inner.operands[0])
        wanted |= {part.key for part in _through_views(inner)}
    for fact in context.occurrence.state.facts:
        if any(part.key in wanted for part in walk(fact.test)):
            return Truth.YES
    return Truth.NO


# Gradients


@predicate
def gradient_flows(context: Context, x: Term) -> Truth:
    """Reverse-mode differentiation can pass through the match, down to x.

    NO in NumPy and `math`, under `no_grad`, where nothing differentiable goes in, and where all
    that comes out goes to comparisons, integers, metrics or prints.
    """
    occurrence = context.occurrence
    if framework_of(occurrence.term, context.analysis) in ("numpy", "math"):
        return Truth.NO
    if _without_gradient(occurrence) or _serves_no_training(context.analysis.path, occurrence):
        return Truth.NO
    if not _carries_gradient(x):
        return Truth.NO
    if not _result_is_used(context.analysis, occurrence.term):
        return Truth.NO
    return Truth.YES


@predicate
def is_computed(context: Context, t: Term) -> Truth:
    """t was computed here, behind something that learns; a bare parameter was not.

    The parameter of a function that a Keras `Lambda` layer wraps is the output of a layer.
    """
    inner = _behind_views(t)
    while inner.operation is OPAQUE and inner.operands and _CONVERSIONS.search(str(inner.detail)):
        inner = _behind_views(inner.operands[-1])
    if inner.operation is INPUT and _is_lambda_layer(context):
        return Truth.YES
    if inner.operation is OPAQUE:
        what = str(inner.detail)
        if any(word in what for word in ("read", "load", "open", "part", "update")):
            return Truth.UNKNOWN
        return Truth.YES if what.startswith("call") and inner.framework != "numpy" else (
            Truth.UNKNOWN
        )
    if inner.operation.kind == "leaf" and inner.operation is not CHOICE:
        return Truth.UNKNOWN
    return Truth.YES


@predicate
def guards(context: Context, c: Term, x: Term, point: float) -> Truth:
    """The condition c keeps x away from `point`, or from a threshold next to it.

    Both are read as affine functions of one core: for x = t - 1, `t > 1` keeps x from 0.
    """
    core, scale, offset = _affine(x)
    known = {part.key for part in _through_views(core)}
    answer = Truth.NO
    for part in walk(c):
        if part.operation.name not in ("gt", "ge", "eq", "ne"):
            continue
        for side, bound in (part.operands, part.operands[::-1]):
            other, side_scale, side_offset = _affine(_inside_absolute(side))
            if not any(inner.key in known for inner in _through_views(other)):
                continue
            limit = _threshold(context, bound)
            if limit is None:
                answer = answer.or_(Truth.UNKNOWN)
                continue
            at = scale * (limit - side_offset) / side_scale + offset
            near = abs(at - point) <= _NEAR
            answer = answer.or_(Truth.YES if near else Truth.UNKNOWN)
    return answer


@predicate
def guards_unit(context: Context, c: Term, x: Term) -> Truth:
    """The condition c keeps x away from 1 or from -1."""
    return guards(context, c, x, 1.0).or_(guards(context, c, x, -1.0))


@predicate
def bounds_above(context: Context, c: Term, x: Term) -> Truth:
    """The condition c compares x, so that large x are among those not selected."""
    core, scale, _ = _affine(x)
    known = {part.key for part in _through_views(core)}
    for part in walk(c):
        if part.operation.name in ("gt", "ge"):
            for side in part.operands:
                if any(inner.key in known for inner in _through_views(_affine(side)[0])):
                    return Truth.YES
    return Truth.NO


@predicate
def is_guarded(context: Context, x: Term) -> Truth:
    """Some `where` had a hand in x: the singular point is taken care of."""
    pending, seen = [x], set()
    while pending:
        inner = peel(pending.pop())
        if inner.key in seen:
            continue
        seen.add(inner.key)
        if inner.operation.name == "where":
            return Truth.YES
        if inner.operation is CHOICE or inner.operation.kind in ("elementwise", "view",
                                                                 "reduction"):
            pending.extend(inner.operands)
    return Truth.NO


@predicate
def is_maximum(context: Context, t: Term) -> Truth:
    """t is a maximum, made finite so that it can be subtracted."""
    return _known(_behind_views(t).operation.name in ("max", "min"))


@predicate
def is_selected(context: Context, x: Term) -> Truth:
    """x is what a `where` selected, and 0 is not among the numbers it put in."""
    inner = _behind_views(x)
    if inner.operation.name != "where":
        return Truth.NO
    return _known(not any(context.value(part).is_constant and context.value(part).lo == 0
                          for part in inner.operands[1:]))


@predicate
def is_selected_by(context: Context, n: Term) -> Truth:
    """The result is only used where a condition on n holds."""
    wanted = {part.key for part in walk(n)} - {
        part.key for part in walk(n) if part.operation in (CONSTANT, QUALIFIED)
    }
    pending, seen = [context.occurrence.term], set()
    while pending:
        current = pending.pop()
        if current.key in seen:
            continue
        seen.add(current.key)
        for consumer in context.analysis.consumers.get(current.key, ()):
            if consumer.operation.name == "where" and any(
                part.key in wanted for part in walk(consumer.operands[0])
            ):
                return Truth.YES
            if consumer.operation.kind in ("elementwise", "view"):
                pending.append(consumer)
    return Truth.NO


@predicate
def is_nonfinite(context: Context, c: Term) -> Truth:
    """c is NaN or infinite itself: the result is marked, not patched."""
    for part in walk(c) if c is not None else ():
        if part.operation is QUALIFIED and str(part.detail).rpartition(".")[2].lower() in (
            "nan", "inf"
        ):
            return Truth.YES
        if part.operation is CONSTANT and str(part.detail).lower() in ("nan", "inf", "-inf"):
            return Truth.YES
    return Truth.NO


@predicate
def no_gradient(context: Context, x: Term) -> Truth:
    """No differentiation passes through the match to x."""
    return gradient_flows(context, x).not_()


@predicate
def is_displacement(context: Context, x: Term) -> Truth:
    """x is a difference, a gradient or a masked product: the zero vector is to be expected."""
    inner = _behind_views(x)
    if inner.operation.name in ("sub", "gradient", "relu"):
        return Truth.YES
    if inner.operation.name == "mul":
        if any(is_mask(context, operand) is Truth.YES for operand in inner.operands):
            return Truth.YES
        return Truth.UNKNOWN
    if inner.operation is OPAQUE and re.search(r"(^|\.| )(gradient|gradients|grad|batch_jacobian)$",
                                               str(inner.detail)):
        return Truth.YES
    if inner.operation is OPAQUE and str(inner.detail).startswith("part") and inner.operands:
        return is_displacement(context, inner.operands[0])
    if inner.operation in (OPAQUE, INPUT) and re.search(
        r"(^|_)(grads?|gradients?|diffs?|deltas?|disp|displacements?|residuals?|errors?)(_|$|\d)",
        f"{_name_of(x)}", re.I
    ):
        return Truth.YES
    value = context.value(inner)
    return Truth.YES if 0.0 in value.attained else Truth.UNKNOWN


@predicate
def only_squared(context: Context, x: Term) -> Truth:
    """Everything made from x squares it first, so its cotangent vanishes where x does."""
    consumers = [
        term for term in context.analysis.consumers.get(x.key, ())
        if term.operation.kind != "comparison"
    ]
    return _known(bool(consumers) and all(
        term.operation.name == "square" for term in consumers
    ) and x.key not in context.analysis.escaped)


@predicate
def divides_its_operand(context: Context, x: Term, v: Term) -> Truth:
    """The norm x is only used to divide its own operand v, with something added to it."""
    consumers = context.analysis.consumers.get(x.key, ())
    for term in consumers:
        if term.operation.name == "div" and term.operands[0].key == v.key:
            return Truth.YES
        if term.operation.name in ("add", "maximum", "clip"):
            for outer in context.analysis.consumers.get(term.key, ()):
                if outer.operation.name == "div" and outer.operands[0].key == v.key:
                    return Truth.YES
    return Truth.NO


@predicate
def is_real(context: Context, x: Term) -> Truth:
    """x holds real numbers."""
    for part in walk(x):
        if part.operation is OPAQUE and re.search(r"(fft|stft|complex|polar)", str(part.detail)):
            return Truth.NO
    return Truth.YES


@predicate
def is_plain_order(context: Context, o: Term) -> Truth:
    """The order of a norm is the Euclidean one."""
    value = constant_of(o)
    return Truth.YES if value in (2, "fro", "euclidean", None) else Truth.NO


@predicate
def has_exponential(context: Context, name: str) -> Truth:
    """One of the summands left over is an exponential too."""
    for _, part in context.found.rest.get(name, ()):
        if any(inner.operation.name == "exp" for inner in _through_views(part)):
            return Truth.YES
    return Truth.NO


@predicate
def is_empty_rest(context: Context, name: str) -> Truth:
    """No summand is left over."""
    return _known(not context.found.rest.get(name, ()))


@predicate
def has_module(context: Context, name: str) -> Truth:
    """The file imports this module."""
    for _, term in context.occurrence.state.environment.names():
        if term.operation is QUALIFIED and (
            term.detail == name or str(term.detail).startswith(f"{name}.")
        ):
            return Truth.YES
    return Truth.NO


@predicate
def is_given(context: Context, a: Term) -> Truth:
    """The code passes this setting, and not as `None`."""
    if a is None:
        return Truth.NO
    inner = peel(a)
    return Truth.NO if inner.operation is CONSTANT and inner.detail is None else Truth.YES


@predicate
def is_omitted(context: Context, a: Term) -> Truth:
    """The code leaves this setting at its default, `None`."""
    return is_given(context, a).not_()


@predicate
def is_true(context: Context, d: Term) -> Truth:
    """The setting is the literal `True`."""
    return _known(d is not None and constant_of(d) is True)


@predicate
def same_term(context: Context, x: Term, y: Term) -> Truth:
    """Both are one value."""
    return _known(x is not None and y is not None and x.key == y.key)


@predicate
def is_array(context: Context, x: Term) -> Truth:
    """x is an array or tensor, not Python's own number or list of numbers."""
    if x is None:
        return Truth.NO
    inner = peel(x)
    if inner.written is not None and inner.written.path in ("item", "tolist"):
        return Truth.NO
    if inner.written is not None and inner.written.path.startswith(("math.", "builtins.")):
        return Truth.NO
    if inner.operation.name == "cast" and inner.framework in (None, "math"):
        return Truth.NO
    return is_scalar_list(context, x).not_()


@predicate
def restores_axis(context: Context, s: Term) -> Truth:
    """The views around a reduction only put the reduced axis back."""
    inner = peel(s)
    while inner.operation.kind == "view":
        index_is_new_axis = inner.operation.name == "subscript" and any(
            part.operation is CONSTANT and part.detail is None for part in walk(inner.operands[1])
        )
        if inner.operation.name not in ("expand_dims", "reshape") and not index_is_new_axis:
            return Truth.UNKNOWN
        inner = peel(inner.operands[0])
    return _known(peel(s).operation.kind == "view").or_(Truth.UNKNOWN)


@predicate
def is_small_rest(context: Context, name: str) -> Truth:
    """The summands left over are one small positive number."""
    parts = [number_of(part) for _, part in context.found.rest.get(name, ())]
    return _known(len(parts) == 1 and parts[0] is not None and 0 < parts[0] < 0.1)


@predicate
def is_bounded_below(context: Context, x: Term) -> Truth:
    """exp(-x) cannot overflow in its dtype."""
    limit = 11.0 if dtype_of(x) == "float16" else 88.0
    return Truth.YES if context.value(x).lo >= -limit else Truth.UNKNOWN


@predicate
def can_be_nonpositive(context: Context, x: Term) -> Truth:
    """Some value of x is at most 0; the condition of a `where` around it is the evidence."""
    return Truth.NO if context.value(x).lo > 0 else Truth.YES


@predicate
def may_be_zero(context: Context, x: Term) -> Truth:
    """0 is not excluded; the condition of a `where` around it is the evidence."""
    return Truth.NO if context.value(x).can_be(0.0) is Truth.NO else Truth.YES


@predicate
def can_leave_unit(context: Context, x: Term) -> Truth:
    """x is not confined to the inside of [-1, 1]."""
    value = context.value(x)
    return Truth.NO if -1 < value.lo and value.hi < 1 else Truth.YES


@predicate
def is_number(context: Context, x: Term) -> Truth:
    """x is made of literals alone."""
    return _known(not _has_inputs(x))


@predicate
def is_singular_power(context: Context, q: Term) -> Truth:
    """x**q or its derivative is singular at 0, or NaN below it."""
    number = number_of(q)
    if number is None:
        return Truth.UNKNOWN
    return _known(number < 0 or (number < 1 and number != 0))


@predicate
def can_reach_one(context: Context, p: Term) -> Truth:
    """p is not kept below 1."""
    value = context.value(p)
    return Truth.NO if value.can_be(1.0) is Truth.NO else Truth.YES


@predicate
def can_be_one(context: Context, p: Term) -> Truth:
    """1 ∈ γ(p): YES if it is attained."""
    return context.value(p).can_be(1.0)


@predicate
def is_absorbed_by_one(context: Context, e: Term) -> Truth:
    """1 + e rounds to 1."""
    number = number_of(e)
    if number is None:
        return Truth.NO
    dtype = dtype_of(context.occurrence.term)
    return _known(number != 0 and round_to(1.0 + float(number), dtype) == 1.0)


@predicate
def is_summed_probability(context: Context, x: Term) -> Truth:
    """The product is summed up, as an entropy is, and x is not kept away from 0."""
    possible = context.value(x).can_be(0.0)
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


@predicate
def is_label(context: Context, y: Term) -> Truth:
    """y attains 0: a one-hot row, a mask, or an array that is called a label or a target."""
    possible = context.value(y).can_be(0.0)
    if possible is not Truth.UNKNOWN:
        return possible
    if _LABEL_NAMES.search(_name_of(y)) or _LABEL_NAMES.search(_name_of(_behind_views(y))):
        return Truth.YES
    return Truth.UNKNOWN


@predicate
def is_float_label(context: Context, z: Term) -> Truth:
    """z is a float tensor: a library loss takes no other labels."""
    return Truth.YES if number_of(z) is None else Truth.NO


@predicate
def is_masked_relu(context: Context, x: Term) -> Truth:
    """x is a bare relu, whose own gradient PyTorch and JAX select rather than multiply."""
    inner = _behind_views(x)
    return _known(inner.operation.name == "relu" and inner.framework in ("torch", "jax"))


@predicate
def can_count_nothing(context: Context, n: Term, m: Term) -> Truth:
    """n counts what the mask m selects, and that may be nothing."""
    if context.value(n).can_be(0.0) is Truth.NO:
        return Truth.NO
    return is_mask(context, m)


@predicate
def is_scalar_list(context: Context, x: Term) -> Truth:
    """x is made of Python numbers, one at a time."""
    return _known(any(part.operation.name in ("collect", "element") for part in walk(x)))


def _behind_views(term: Term) -> Term:
    inner = peel(term)
    while inner.operation.kind == "view" and inner.operands:
        inner = peel(inner.operands[0])
    return inner


def _affine(term: Term) -> tuple[Term, float, float]:
    """The term as `scale * core + offset`, with numbers for both."""
    scale, offset = 1.0, 0.0
    core = _behind_views(term)
    while core.operation.name in ("add", "sub", "mul", "div", "neg") and core.operands:
        name = core.operation.name
        if name == "neg":
            scale, core = -scale, _behind_views(core.operands[0])
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
            core = _behind_views(left)
        elif a is not None and name != "div":
            match name:
                case "add":
                    offset += scale * a
                case "sub":
                    offset += scale * a
                    scale = -scale
                case "mul":
                    scale *= a
            core = _behind_views(right)
        else:
            break
        if scale == 0:
            break
    return core, scale or 1.0, offset


def _inside_absolute(term: Term) -> Term:
    """`abs(x) < eps`, `x**2 > 0` and `any(x > 0)` speak of x."""
    inner = _behind_views(term)
    return inner.operands[0] if inner.operation.name in ("abs", "square") else term


def _threshold(context: Context, bound: Term) -> float | None:
    """The number that a comparison compares with; an epsilon of any name is 0 here."""
    number = number_of(bound)
    if number is not None:
        return float(number)
    value = context.value(bound)
    if value.is_constant:
        return value.lo
    inner = _behind_views(bound)
    if inner.operation.name in ("zeros", "zeros_like", "finfo_eps", "finfo_tiny"):
        return 0.0
    if inner.operation.name in ("ones", "ones_like"):
        return 1.0
    return 0.0 if value.lo > 0 and is_epsilon_name(_name_of(bound)) else None


def _is_lambda_layer(context: Context) -> bool:
    """Whether the function that the match stands in is wrapped by a `Lambda` layer."""
    scope = context.occurrence.scope
    return any(
        consumer.operation is OPAQUE and str(consumer.detail).endswith(".Lambda")
        for consumer in context.analysis.consumers.get(scope.key, ())
    )


def _known(evident: bool) -> Truth:
    return Truth.YES if evident else Truth.NO


def framework_of(term: Term, analysis: Analysis) -> str | None:
    """The framework that computes a term; the file's only one where nothing else tells."""
    if term.framework is not None and term.framework != "math":
        return term.framework
    found = [part.framework for part in walk(term) if part.framework is not None]
    known = [name for name in found if name != "math"]
    if known:
        for preferred in ("torch", "jax", "tensorflow", "keras"):
            if preferred in known:
                return preferred
        return known[0]
    if found:
        return "math"
    tensors = [name for name in ("torch", "tensorflow", "keras", "jax") if name in
               analysis.frameworks]
    if len(tensors) == 1:
        return tensors[0]
    if not tensors and analysis.frameworks:
        return "numpy" if "numpy" in analysis.frameworks else "math"
    if set(tensors) == {"tensorflow", "keras"}:
        return "tensorflow"
    return None


def _name_of(term: Term) -> str:
    """The variable or attribute by which a term is known at its place."""
    from mllint_nan.ir.term import REFERENCE

    if term.operation is REFERENCE and term.detail is not None:
        return str(term.detail).rpartition(".")[2]
    if term.operation in (ATTRIBUTE, INPUT):
        return str(term.detail)
    return ""


def _through_views(term: Term) -> list[Term]:
    inner = peel(term)
    found = [inner]
    while inner.operation.kind == "view" and inner.operands:
        inner = peel(inner.operands[0])
        found.append(inner)
    return found


def _dependencies(term: Term) -> list[Term]:
    """What a term is computed from, constants and modules left out."""
    return [
        part
        for part in walk(term)
        if part.operation not in (CONSTANT, QUALIFIED, SEQUENCE, LAYER)
        and not (part.operation is INPUT and part.detail == "self")
    ]


def _has_inputs(term: Term) -> bool:
    return any(part.operation in (INPUT, OPAQUE, ATTRIBUTE) for part in walk(term))


def _has_tensors(term: Term) -> bool:
    return any(part.operation.kind not in ("leaf",) for part in walk(term))


def _without_gradient(occurrence: Occurrence) -> bool:
    entered = list(occurrence.state.contexts)
    for scope in occurrence.scope.enclosing():
        entered += scope.decorators
    for term in entered:
        for part in walk(term):
            name = str(part.detail).removeprefix("call ")
            if part.operation in (QUALIFIED, OPAQUE) and (
                registry.canonical_path(name) in _NO_GRADIENT
            ):
                return True
    return False


def _serves_no_training(path: str, occurrence: Occurrence) -> bool:
    """Optimizers, metrics and data preparation are not differentiated."""
    folders = re.split(r"[\\/]", path.lower())
    if any(_UNDIFFERENTIATED.search(part) for part in folders[-4:]):
        return True
    for scope in occurrence.scope.enclosing():
        if scope.kind == "function" and _UNDIFFERENTIATED_FUNCTIONS.search(scope.name):
            return True
        for base in scope.bases:
            inner = peel(base)
            if str(inner.detail).rpartition(".")[2] in _UNDIFFERENTIATED_BASES:
                return True
    return False


def _carries_gradient(term: Term) -> bool:
    """Whether some input that can be differentiated reaches `term`."""
    pending, seen = [term], set()
    while pending:
        inner = peel(pending.pop())
        if inner.key in seen:
            continue
        seen.add(inner.key)
        operation = inner.operation
        if operation in (INPUT, ATTRIBUTE):
            if _SIZE_NAMES.search(str(inner.detail)):
                continue
            return True
        if operation is OPAQUE:
            if inner.framework == "numpy" or _is_plain_number(inner):
                continue
            return True
        if operation.name in _CUTS_GRADIENT or operation.kind == "comparison":
            continue
        if operation.kind == "constant" and operation.name not in ("uniform", "normal"):
            continue
        if operation.name == "cast" and _is_integer_cast(inner):
            continue
        if inner.framework in ("numpy", "math"):
            continue
        pending.extend(inner.operands)
    return False


def _is_plain_number(term: Term) -> bool:
    return str(term.detail) in (
        "call builtins.len", "call builtins.int", "call builtins.range", "index",
        "call builtins.str", "in", "not in", "is", "is not", "slice",
    )


def _is_integer_cast(term: Term) -> bool:
    dtype = term.settings.get("dtype")
    if dtype is None:
        return False
    inner = peel(dtype)
    if inner.operation in (CONSTANT, QUALIFIED):
        return bool(_INTEGER_DTYPES.search(str(inner.detail)))
    return False


def _result_is_used(analysis: Analysis, term: Term) -> bool:
    """Whether the result reaches something that could be differentiated."""
    pending, seen = [(term, 0)], set()
    while pending:
        current, depth = pending.pop()
        if current.key in seen:
            continue
        seen.add(current.key)
        if depth > _FLOWS_DEEPEST:
            return True
        consumers = analysis.consumers.get(current.key, ())
        if not consumers and current.key not in analysis.escaped:
            # Bound to a name that nothing reads, or kept by a closure: not enough to acquit.
            return True
        direct = [
            consumer for consumer in consumers
            if consumer.operation is OPAQUE
        ]
        if current.key in analysis.escaped and not direct:
            return True
        for consumer in consumers:
            operation = consumer.operation
            if operation.name in _CUTS_GRADIENT or operation.kind == "comparison":
                continue
            if operation.name == "cast" and _is_integer_cast(consumer):
                continue
            if operation is OPAQUE and _CALLS_WITHOUT_GRADIENT.search(
                str(consumer.detail).removeprefix("call ")
            ):
                continue
            if operation is OPAQUE:
                return True
            pending.append((consumer, depth + 1))
    return False


def ask(context: Context, name: str, arguments: tuple[Any, ...]) -> Truth:
    """The answer of one predicate; a variable that stands for nothing is passed as `None`."""
    return PREDICATES[name].ask(context, *arguments)


ALL: Final[Mapping[str, Predicate]] = PREDICATES
