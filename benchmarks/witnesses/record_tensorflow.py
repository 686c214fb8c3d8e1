"""Record where TensorFlow programs, including Keras, leave the finite numbers.

Within the context functions run eagerly (`tf.config.run_functions_eagerly`), so that TensorFlow's
op callbacks see each operation with its numbers. The gradient of an operation is computed by a
function that the tape calls with the cotangents; the recorder wraps it, and finds the line of the
forward operation by the identities of its tensors.

What runs as a graph anyway (`tf.data`) is not examined, nor are derivatives of derivatives.
"""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import tensorflow as tf  # type: ignore[import-untyped]
from tensorflow.python import pywrap_tfe  # type: ignore[import-untyped]
from tensorflow.python.eager import backprop, imperative_grad  # type: ignore[import-untyped]
from tensorflow.python.framework import op_callbacks  # type: ignore[import-untyped]

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
    Abs Acos Acosh Add AddV2 Asin Asinh Atan Atan2 Atanh Cos Cosh Digamma Div DivNoNan Elu Erf Erfc
    Erfinv Exp Expm1 FloorDiv FloorMod Lgamma Log Log1p Maximum Minimum Mul MulNoNan Ndtri Neg Pow
    RealDiv Reciprocal Relu Relu6 Rsqrt Selu Sigmoid Sin Sinh Softplus Softsign Sqrt Square
    SquaredDifference Sub Tan Tanh Xdivy Xlog1py Xlogy
    """
)
_MOVES = _names(
    """
    AddVariable AssignVariableOp BroadcastTo Bitcast Cast CheckNumerics ConcatV2 Copy Equal
    ExpandDims Fill Greater GreaterEqual Identity IdentityN IsFinite IsInf IsNan Less LessEqual
    NotEqual OnesLike Pack PreventGradient ReadVariableOp Reshape Reverse ReverseV2 Shape Split
    SplitV Squeeze StopGradient Tile Transpose Unpack ZerosLike
    """
)
_REPLACES = _names(
    """
    ArgMax ArgMin ClipByValue DynamicPartition DynamicStitch GatherNd GatherV2 MatrixBandPart
    MatrixSetDiagV3 Max Maximum Min Minimum Pad PadV2 Relu Relu6 Select SelectV2 Slice StridedSlice
    TensorScatterUpdate TopKV2 Where
    """
)
_SPELLED_IN = (tf.math, tf.linalg, tf.nn, tf)
_CALLERS = _names(
    "map_fn scan cond while_loop vectorized_map function case switch_case foldl foldr"
)
_WORDS = {
    "AddV2": "add",
    "RealDiv": "div",
    "DivNoNan": "divide_no_nan",
    "MatMul": "matmul",
    "BatchMatMulV2": "matmul",
}


@dataclass(frozen=True, slots=True)
class _Forward:
    """An operation whose gradient a tape will compute."""

    site: Site
    name: str
    is_given_finite: bool
    begins: bool
    """Whether its own result is the first that is not finite."""


class TensorFlowRecorder:
    """`with TensorFlowRecorder(roots, sink): program()`."""

    def __init__(self, roots: Sequence[Path], sink: Sink) -> None:
        self._sites = Sites(roots)
        self._origins = Origins(sink, _numbers, _identity)
        self._forward: dict[object, _Forward] = {}
        self._backward = 0
        self._rules = 0
        self._stack = ExitStack()
        self._call: Recall | None = None
        self._has_gone_back = False

    def __enter__(self) -> TensorFlowRecorder:
        eagerly = tf.config.functions_run_eagerly()
        self._stack.callback(tf.config.run_functions_eagerly, eagerly)
        tf.config.run_functions_eagerly(True)
        op_callbacks.add_op_callback(self._executed)
        self._stack.callback(op_callbacks.remove_op_callback, self._executed)
        function = backprop._gradient_function
        self._stack.callback(pywrap_tfe.TFE_Py_RegisterGradientFunction, function)
        pywrap_tfe.TFE_Py_RegisterGradientFunction(self._differentiating(function))
        original = imperative_grad.imperative_grad
        self._stack.callback(setattr, imperative_grad, "imperative_grad", original)
        imperative_grad.imperative_grad = self._going_back(original)
        return self

    def __exit__(self, *exception: object) -> None:
        self._stack.close()
        self._origins.close()
        self._forward.clear()

    def enter_call(self, frame: FrameType) -> None:
        """Record the start of a call whose gradient may be taken."""
        self._call = Recall.of_frame(frame)
        self._has_gone_back = False

    def take_gradients(self, result: object) -> None:
        """Take the gradient of the sum, and of a weighted sum, of the call's results.

        It is taken with respect to all floating-point arrays among the arguments and all
        variables, if the call takes no gradient itself.
        """
        call, self._call = self._call, None
        leaves = _leaves(result)
        self._origins.returned(leaves)
        if call is None or self._has_gone_back or not any(map(_is_differentiable, leaves)):
            return
        watched: list[Any] = []
        with tf.GradientTape(persistent=True, watch_accessed_variables=True) as tape:

            def watch(leaf: Any) -> Any:
                if not _is_differentiable(leaf) or isinstance(leaf, tf.Variable):
                    return leaf
                tensor = tf.convert_to_tensor(leaf)
                tape.watch(tensor)
                watched.append(tensor)
                return tensor

            arguments = [tf.nest.map_structure(watch, given) for given in call.arguments]
            named = {
                name: tf.nest.map_structure(watch, given) for name, given in call.named.items()
            }
            if sum(np.size(tensor) for tensor in watched) > _MOST:
                return
            outcome = _leaves(call(arguments, named))
        found = [leaf for leaf in outcome if tf.is_tensor(leaf) and _is_differentiable(leaf)]
        sources = [*watched, *tape.watched_variables()]
        if not found or not sources:
            return
        rng = np.random.default_rng(0)
        for draw in (np.ones, rng.standard_normal):
            weights = [tf.cast(draw(each.shape), each.dtype) for each in found]
            tape.gradient(found, sources, output_gradients=weights)

    def _executed(
        self,
        kind: str,
        operands: Sequence[Any],
        attributes: object,
        results: Sequence[Any],
        op_name: object = None,
        graph: object = None,
    ) -> None:
        kind = kind if isinstance(kind, str) else kind.decode()
        if graph is not None or self._rules:
            return
        caller = sys._getframe(1)
        until = "imperative_grad" if self._backward else None
        where = functools.partial(self._sites.of_stack, caller, until)
        phase = _phase(self._backward > 0)
        self._origins.operation(
            kind,
            operands,
            results,
            where,
            phase,
            role_of(kind, replaces=_REPLACES, moves=_MOVES),
            elementwise=kind in _ELEMENTWISE,
            spelling=_spelling,
        )
        if phase is Phase.RECORDED_VALUE:
            self._remember(kind, operands, results, where())

    def _remember(
        self, kind: str, operands: Sequence[Any], results: Sequence[Any], site: Site | None
    ) -> None:
        if site is None:
            return
        is_given_finite = all(map(_is_finite, operands))
        begins = any(self._origins.begins_at(result, site) for result in results)
        forward = _Forward(site, _spelling(site, kind), is_given_finite, begins)
        for result in results:
            self._forward[_identity(result)] = forward
        key = (kind, *map(_identity, operands))
        self._forward[key] = forward

    def _forward_of(self, kind: str, operands: Any, results: Any) -> _Forward | None:
        for result in results or ():
            known = self._forward.get(_identity(result)) if result is not None else None
            if known is not None:
                return known
        return self._forward.get((kind, *map(_identity, operands or ())))

    def _differentiating(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def gradient_function(
            kind: Any,
            attributes: Any,
            count: Any,
            operands: Any,
            results: Any,
            cotangents: Any,
            *rest: Any,
        ) -> Any:
            self._rules += 1
            try:
                gradients = original(kind, attributes, count, operands, results, cotangents, *rest)
            finally:
                self._rules -= 1
            if all(map(_is_finite, _flat(gradients))):
                return gradients
            if all(map(_is_finite, _flat(cotangents))):
                name = kind if isinstance(kind, str) else kind.decode()
                forward = self._forward_of(name, operands, results)
                if forward is not None and (forward.is_given_finite or forward.begins):
                    self._origins.gradient(forward.site, forward.name)
            self._origins.are_gradients(_flat(gradients))
            return gradients

        return gradient_function

    def _going_back(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def imperative_grad(*arguments: Any, **named: Any) -> Any:
            self._backward += 1
            self._has_gone_back = True
            try:
                return original(*arguments, **named)
            finally:
                self._backward -= 1

        return imperative_grad


Recorder = TensorFlowRecorder


def _leaves(tree: Any) -> list[Any]:
    try:
        found: list[Any] = tf.nest.flatten(tree)
    except (TypeError, ValueError):  # keys that cannot be sorted
        return []
    return found


def _is_differentiable(leaf: Any) -> bool:
    if isinstance(leaf, np.ndarray):
        return bool(leaf.dtype.kind == "f")
    return isinstance(leaf, (tf.Tensor, tf.Variable)) and bool(leaf.dtype.is_floating)


def _phase(is_backward: bool) -> Phase:
    if is_backward:
        return Phase.GRADIENT
    is_recorded = not pywrap_tfe.TFE_Py_TapeSetIsEmpty()
    return Phase.RECORDED_VALUE if is_recorded else Phase.VALUE


def _flat(tree: Any) -> Iterator[Any]:
    if isinstance(tree, (list, tuple)):
        for part in tree:
            yield from _flat(part)
    elif isinstance(tree, tf.IndexedSlices):
        yield tree.values
    elif tree is not None:
        yield tree


def _identity(tensor: Any) -> int:
    own = getattr(tensor, "_id", None)
    return own if isinstance(own, int) else id(tensor)


def _numbers(tensor: Any) -> Numbers | None:
    dtype = getattr(tensor, "dtype", None)
    if not isinstance(dtype, tf.DType) or not (dtype.is_floating or dtype.is_complex):
        return None
    try:
        return np.asarray(tensor.numpy())
    except Exception:  # a symbolic tensor has no numbers
        return None


def _is_finite(tensor: Any) -> bool:
    numbers = _numbers(tensor)
    return numbers is None or bool(np.isfinite(numbers).all())


def _spelling(site: Site, kind: str) -> str:
    """Return the function of TensorFlow that the line names, or else the kind of the operation."""
    spelled = site.spelled
    if spelled is not None and spelled not in _CALLERS:
        if spelled in ("div", "pow", "sub", "mul", "add", "matmul"):
            return spelled
        if any(hasattr(module, spelled) for module in _SPELLED_IN):
            return spelled
    return _WORDS.get(kind) or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", kind).lower()
