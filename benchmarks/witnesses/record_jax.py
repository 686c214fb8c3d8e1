"""Record where JAX programs leave the finite numbers.

Within the context nothing is compiled (`jax.disable_jit`): loops, branches and jitted functions run
in Python, and `EvalTrace` executes each primitive with concrete arrays, also in gradients. Batched
functions (`vmap`) execute the batched primitive. What still arrives as a jaxpr (`checkpoint`) is
evaluated equation by equation, and JAX gives each equation's source.

A gradient is taken in three phases, distinguished by the origin of the primitive:

- - the primitive itself, inside `LinearizeTrace` or `JVPTrace`: a value;
- - what else its rule computes there (`1 / x` for `log`): a coefficient;
- - the transposed equations, below a `transpose` of the name stack, with the source of the forward
  line: the gradient. A cotangent that arrives finite and leaves otherwise is an origin.

Derivatives of derivatives are not examined.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax._src import core, source_info_util
from jax._src.interpreters import ad

from .events import Sink
from .origins import Numbers, Origins, Phase, role_of
from .recall import Recall
from .sites import Site, Sites

_MOST = 1_000_000
"""Gradients with respect to more numbers are not taken."""


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ELEMENTWISE = _names(
    """
    abs acos acosh add add_any asin asinh atan atan2 atanh cbrt ceil cos cosh digamma div erf
    erf_inv erfc exp exp2 expm1 floor integer_pow lgamma log log1p logistic max min mul neg
    nextafter pow polygamma rem round rsqrt sign sin sinh sqrt square sub tan tanh
    """
)
_MOVES = _names(
    """
    bitcast_convert_type broadcast_in_dim concatenate convert_element_type copy copy_p
    device_put eq expand_dims ge gt is_finite le lt ne optimization_barrier reduce_precision
    reshape rev split squeeze stage stop_gradient transpose
    """
)
_REPLACES = _names(
    """
    argmax argmin clamp cummax cummin dynamic_slice dynamic_update_slice gather max min pad
    reduce_max reduce_min scatter select_n slice sort top_k
    """
)
_SPELLED_IN = (jnp, jnp.linalg, jnp.fft, jax.nn, jax.lax, jax.scipy.special, jax.random)
_CALLS = _names(
    """
    checkpoint closed_call cond core_call custom_jvp_call custom_lin custom_vjp_call jit pjit
    remat remat2 scan while
    """
)
"""Primitives that represent the operations they run, which are examined one by one."""
_CALLERS = _names(
    "map scan cond switch while_loop fori_loop associative_scan vmap jit grad custom_jvp"
)
"""Functions of JAX that call functions of the program."""


class JaxRecorder:
    """`with JaxRecorder(roots, sink): program()`."""

    def __init__(self, roots: Sequence[Path], sink: Sink) -> None:
        self._sites = Sites(roots)
        self._origins = Origins(sink, _numbers)
        self._rules: list[_Rule] = []
        self._stack = ExitStack()
        self._call: Recall | None = None
        self._has_gone_back = False

    def __enter__(self) -> JaxRecorder:
        self._stack.enter_context(jax.disable_jit())
        self._stack.enter_context(_patched(core.EvalTrace, "process_primitive", self._evaluated))
        for trace in (ad.LinearizeTrace, ad.JVPTrace):
            self._stack.enter_context(_patched(trace, "process_primitive", self._differentiated))
            self._stack.enter_context(
                _patched(trace, "process_custom_jvp_call", self._differentiated_by_rule)
            )
        return self

    def __exit__(self, *exception: object) -> None:
        self._stack.close()
        self._origins.close()

    def enter_call(self, frame: FrameType) -> None:
        """Record the start of a call whose gradient may be taken."""
        self._call = Recall.of_frame(frame)
        self._has_gone_back = False

    def take_gradients(self, result: object) -> None:
        """Take the gradient of the sum, and of a weighted sum, of the call's results.

        It is taken with respect to all floating-point arrays among the arguments, if none of
        them is being transformed and the call takes no gradient itself.
        """
        call, self._call = self._call, None
        leaves = jax.tree_util.tree_leaves(result)
        self._origins.returned(leaves)
        if call is None or self._has_gone_back or not any(map(_is_differentiable, leaves)):
            return
        given, shape = jax.tree_util.tree_flatten((call.arguments, call.named))
        watched = [place for place, leaf in enumerate(given) if _is_differentiable(leaf)]
        is_transformed = any(isinstance(leaf, core.Tracer) for leaf in given)
        if not watched or is_transformed or sum(np.size(given[place]) for place in watched) > _MOST:
            return

        def results(*arrays: Any) -> list[Any]:
            inputs = list(given)
            for place, array in zip(watched, arrays, strict=True):
                inputs[place] = array
            arguments, named = jax.tree_util.tree_unflatten(shape, inputs)
            outcome = jax.tree_util.tree_leaves(call(arguments, named))
            return [leaf for leaf in outcome if _is_differentiable(leaf)]

        found, pull_back = jax.vjp(results, *(jnp.asarray(given[place]) for place in watched))
        rng = np.random.default_rng(0)
        for draw in (np.ones, rng.standard_normal):
            weights = [jnp.asarray(draw(each.shape), dtype=each.dtype) for each in found]
            pull_back(weights)

    def _evaluated(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def process_primitive(
            trace: Any, primitive: Any, args: Any, params: Any, /, *more: Any, **named: Any
        ) -> Any:
            phase = self._phase(primitive)
            result = original(trace, primitive, args, params, *more, **named)
            if phase is None or primitive.name in _CALLS:
                return result
            results = result if primitive.multiple_results else [result]
            name = primitive.name
            caller = sys._getframe(1)
            self._origins.operation(
                name,
                args,
                results,
                lambda: self._site(caller, phase),
                phase,
                role_of(name, replaces=_REPLACES, moves=_MOVES),
                elementwise=name in _ELEMENTWISE,
                spelling=_spelling,
            )
            return result

        return process_primitive

    def _phase(self, primitive: Any) -> Phase | None:
        transforms = [
            step.name
            for step in source_info_util.current_name_stack().stack
            if isinstance(step, source_info_util.Transform)
        ]
        backward = transforms.count("transpose")
        self._has_gone_back |= backward > 0
        if backward > 1:
            return None
        if self._rules and not all([rule.is_of(primitive) for rule in self._rules]):
            return Phase.COEFFICIENT
        if backward:
            return Phase.GRADIENT
        return Phase.RECORDED_VALUE if "jvp" in transforms else Phase.VALUE

    def _site(self, caller: FrameType, phase: Phase) -> Site | None:
        if phase is Phase.GRADIENT:
            written = self._sites.of_stack(caller, until="backward_pass3")
            if written is not None:
                return written  # the backward function of a `custom_vjp`
        traceback = source_info_util.current().traceback
        recorded = source_info_util._source_info_context.context.traceback
        if recorded is None:
            return self._sites.of_stack(caller)
        codes, instructions = traceback.raw_frames() if traceback else ([], [])
        return self._sites.of_codes(codes, instructions)

    def _differentiated(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def process_primitive(
            trace: Any, primitive: Any, tracers: Any, params: Any, /, *more: Any, **named: Any
        ) -> Any:
            rule = _Rule(primitive)
            self._rules.append(rule)
            try:
                result = original(trace, primitive, tracers, params, *more, **named)
            finally:
                self._rules.pop()
            self._pushed_forward(trace, primitive, tracers, result)
            return result

        return process_primitive

    def _differentiated_by_rule(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def process_custom_jvp_call(
            trace: Any, primitive: Any, fun: Any, jvp: Any, tracers: Any, /, **named: Any
        ) -> Any:
            tangents = [trace.to_primal_tangent_pair(tracer)[1] for tracer in tracers]
            if all(type(tangent).__name__ == "Zero" for tangent in tangents):
                return original(trace, primitive, fun, jvp, tracers, **named)
            self._rules.append(_Rule(None))
            try:
                result = original(trace, primitive, fun, jvp, tracers, **named)
            finally:
                self._rules.pop()
            values = [getattr(tracer, "primal", tracer) for tracer in result]
            if not self._rules:
                self._origins.as_values(values, Phase.RECORDED_VALUE)
            self._pushed_forward(trace, primitive, tracers, result)
            return result

        return process_custom_jvp_call

    def _pushed_forward(self, trace: Any, primitive: Any, tracers: Any, result: Any) -> None:
        """Record as an origin where a tangent of forward mode is first not finite."""
        if self._rules or type(trace) is not ad.JVPTrace:
            return
        results = result if isinstance(result, (list, tuple)) else [result]
        pair_of: Callable[[Any], tuple[Any, Any]] = trace.to_primal_tangent_pair
        pairs = [pair_of(tracer) for tracer in (*tracers, *results)]
        arrived, left = pairs[: len(tracers)], pairs[len(tracers) :]
        finite_before = all(_is_finite(part) for pair in arrived for part in pair)
        spoiled = any(_is_finite(value) and not _is_finite(tangent) for value, tangent in left)
        if finite_before and spoiled:
            site = self._site(sys._getframe(1), Phase.RECORDED_VALUE)
            if site is not None:
                self._origins.gradient(site, _spelling(site, primitive.name))


Recorder = JaxRecorder


class _Rule:
    """A differentiation rule being applied; it executes the primitive itself first."""

    def __init__(self, primitive: Any) -> None:
        self._primitive = primitive
        self._is_done = False

    def is_of(self, primitive: Any) -> bool:
        """Whether `primitive` is the differentiated one, not a part of the derivative."""
        if self._is_done or primitive is not self._primitive:
            return False
        self._is_done = True
        return True


@contextmanager
def _patched(
    owner: type, name: str, wrapped: Callable[[Callable[..., Any]], Callable[..., Any]]
) -> Iterator[None]:
    original = owner.__dict__[name]
    setattr(owner, name, wrapped(original))
    try:
        yield
    finally:
        setattr(owner, name, original)


def _numbers(array: Any) -> Numbers | None:
    if isinstance(array, (bool, int, str, core.Tracer)) or not hasattr(array, "dtype"):
        return np.asarray(array) if isinstance(array, (float, complex)) else None
    if not jnp.issubdtype(array.dtype, np.inexact):
        return None
    try:
        return np.asarray(array)
    except Exception:  # a deleted or distributed array has no readable numbers
        return None


def _is_differentiable(leaf: Any) -> bool:
    """Whether a leaf is a floating-point array; one that is being transformed counts too."""
    return isinstance(leaf, (jax.Array, np.ndarray)) and jnp.issubdtype(leaf.dtype, jnp.floating)


def _is_finite(array: Any) -> bool:
    numbers = _numbers(array)
    return numbers is None or bool(np.isfinite(numbers).all())


def _spelling(site: Site, primitive: str) -> str:
    """Return the function of JAX that the line names, or else the primitive."""
    spelled = site.spelled
    if spelled is None or spelled in _CALLERS:
        return primitive
    if any(hasattr(module, spelled) for module in _SPELLED_IN):
        return spelled
    return spelled if spelled in {"div", "pow", "sub", "mul", "add"} else primitive
