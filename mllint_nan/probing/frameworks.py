"""How numbers of each framework are inspected, and their gradients watched."""

from __future__ import annotations

import math
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, Final

FINITE: Final = 0
INFINITE: Final = 1
NAN: Final = 2
"""How bad a tensor is; an operation is an origin if its result is worse than its operands."""
_BETWEEN_MOST: Final = 64
"""How many steps of one operation's gradient are watched."""
_KEPT_MOST: Final = 1 << 15
"""The size of operands kept for their range until their gradient is known."""

Told = Callable[[int, int, Sequence[Any], Any], None]
"""Called with a bad number: its badness, that of its operands, the operands, the number."""


def _is_of(module: str, kinds: Sequence[str], value: Any) -> bool:
    """Whether a value is an instance of one of these classes, if their module is imported."""
    loaded = sys.modules.get(module)
    return isinstance(
        value, tuple(getattr(loaded, kind) for kind in kinds if hasattr(loaded, kind))
    )


def _tell(bad: int, made: Any, operands: Sequence[Any], told: Told) -> None:
    """Report a concrete number if it is bad; one that was written into is no longer an operand."""
    if bad:
        told(bad, worst(part for part in operands if part is not made), operands, made)


class Torch:
    """PyTorch: numbers are concrete, and gradients are inspected at the nodes of autograd."""

    is_aliased = False
    """Whether an operand is replaced by an alias, to watch its gradient."""

    @staticmethod
    def owns(value: Any) -> bool:
        return _is_of("torch", ("Tensor",), value)

    @staticmethod
    def is_at_hand(value: Any) -> bool:
        return True

    @staticmethod
    def badness(value: Any) -> int:
        dtype = value.dtype
        if not (dtype.is_floating_point or dtype.is_complex):
            return FINITE
        torch = sys.modules["torch"]
        if value.is_cuda and torch.cuda.is_current_stream_capturing():
            return FINITE  # a synchronization would break the capture
        if value.requires_grad:
            value = value.detach()
        total = value.sum().item() if value.ndim else value.item()  # the sum may overflow
        if math.isfinite(abs(total) if dtype.is_complex else total):
            return FINITE
        if bool(torch.isnan(value).any()):
            return NAN
        return INFINITE if bool(torch.isinf(value).any()) else FINITE

    @classmethod
    def look(cls, made: Any, operands: Sequence[Any], told: Told) -> Any:
        _tell(cls.badness(made), made, operands, told)
        return made

    @classmethod
    def watch_gradient(cls, made: Any, operands: Sequence[Any], told: Told) -> Any:
        """Inspect every gradient that is computed between a result and its operands."""
        last = made.grad_fn
        if last is None:
            return made
        tensors = [part for part in leaves(operands) if cls.owns(part)]
        ends = {part.grad_fn for part in tensors}
        # Only what autograd does not keep anyway costs memory.
        given = [part for part in tensors if part.numel() <= _KEPT_MOST]
        is_whole = len(given) == len(tensors)

        def seen(outgoing: Sequence[Any], incoming: Sequence[Any]) -> None:
            for one in outgoing:
                if one is not None and cls.badness(one):
                    known = given if is_whole else _saved(last)
                    told(worst(outgoing), worst(incoming), known, outgoing)
                    break
            given.clear()

        if not ends or all(before in ends for before, _ in last.next_functions):
            last.register_hook(seen)
            return made
        pending, known = deque([last]), {last}
        while pending:
            node = pending.popleft()
            node.register_hook(seen)
            for before, _ in node.next_functions:
                is_inside = before is not None and before not in ends and before not in known
                if is_inside and not hasattr(before, "variable") and len(known) < _BETWEEN_MOST:
                    known.add(before)
                    pending.append(before)
        return made


def _saved(node: Any) -> list[Any]:
    """The tensors that autograd keeps for an operation."""
    found = (getattr(node, name, None) for name in dir(node) if name.startswith("_saved_"))
    return [one for one in found if Torch.owns(one)]


class TensorFlow:
    """TensorFlow: eagerly, or by operations added to the graph."""

    is_aliased = True

    @staticmethod
    def owns(value: Any) -> bool:
        return _is_of("tensorflow", ("Tensor", "Variable"), value)

    @staticmethod
    def is_at_hand(value: Any) -> bool:
        """Whether it is a concrete number, rather than a part of a graph."""
        return hasattr(value, "numpy") and bool(sys.modules["tensorflow"].executing_eagerly())

    @staticmethod
    def badness(value: Any) -> int:
        return _badness_of_array(value.numpy()) if _is_float(value) else FINITE

    @staticmethod
    def _flag(value: Any) -> Any:
        tf = sys.modules["tensorflow"]
        if not TensorFlow.owns(value) or not value.dtype.is_floating:
            return tf.constant(FINITE)
        flags = tf.where(tf.math.is_nan(value), NAN, tf.where(tf.math.is_inf(value), 1, 0))
        return tf.reduce_max(tf.concat([[FINITE], tf.reshape(flags, [-1])], 0))

    @classmethod
    def look(cls, made: Any, operands: Sequence[Any], told: Told) -> Any:
        if not _is_float(made):
            return made
        if cls.is_at_hand(made):
            _tell(cls.badness(made), made, operands, told)
            return made
        tf = sys.modules["tensorflow"]
        parts = [part for part in leaves(operands) if cls.owns(part)]
        flags = tf.reduce_max([cls._flag(part) for part in parts] or [FINITE])

        def looked(bad: Any, before: Any, made: Any, *parts: Any) -> None:
            told(int(bad), int(before), parts, made)

        return cls._asked(cls._flag(made), looked, [flags, made, *parts], made)

    @classmethod
    def watched(cls, value: Any, told: Callable[[int, int, Any], None]) -> Any:
        """Return an alias whose gradient is inspected: its badness, the value's badness, itself."""
        tf = sys.modules["tensorflow"]
        if not _is_float(value):
            return value

        @tf.custom_gradient  # type: ignore[untyped-decorator]
        def same(x: Any) -> tuple[Any, Callable[[Any], Any]]:
            def back(gradient: Any) -> Any:
                if cls.is_at_hand(gradient):
                    bad = cls.badness(gradient)
                    if bad:
                        told(bad, worst((x,)), gradient)
                    return gradient
                return cls._asked(
                    cls._flag(gradient),
                    lambda bad, held, seen: told(int(bad), int(held), seen),
                    [cls._flag(x), gradient],
                    gradient,
                )

            return tf.identity(x), back

        return same(value)

    @classmethod
    def _asked(cls, bad: Any, asked: Callable[..., None], args: Sequence[Any], value: Any) -> Any:
        """Return the value, after a call of the probe that is made only if a number is bad."""
        tf = sys.modules["tensorflow"]

        def ask() -> Any:
            with tf.control_dependencies(
                [tf.numpy_function(_nothing(asked), [bad, *args], tf.int32)]
            ):
                return tf.constant(1)

        answer = tf.cond(bad > FINITE, ask, lambda: tf.constant(0))
        with tf.control_dependencies([answer]):
            return tf.identity(value)


def _nothing(asked: Callable[..., None]) -> Callable[..., Any]:
    def with_result(*args: Any) -> Any:
        asked(*args)
        return sys.modules["numpy"].int32(0)

    return with_result


class Jax:
    """JAX: eagerly, or by callbacks added to what is traced."""

    is_aliased = True
    _primitives: ClassVar[dict[str, Any]] = {}

    @staticmethod
    def owns(value: Any) -> bool:
        return _is_of("jax", ("Array",), value)

    @staticmethod
    def _is_float(value: Any) -> bool:
        jax = sys.modules["jax"]
        return bool(jax.numpy.issubdtype(value.dtype, jax.numpy.inexact))

    @staticmethod
    def _bare(value: Any) -> Any:
        """The number inside the tracers of derivatives."""
        while hasattr(value, "primal"):
            value = value.primal
        return value

    @classmethod
    def is_at_hand(cls, value: Any) -> bool:
        return not isinstance(cls._bare(value), sys.modules["jax"].core.Tracer)

    @classmethod
    def badness(cls, value: Any) -> int:
        value = cls._bare(value)
        if not cls._is_float(value) or not cls.is_at_hand(value):
            return FINITE
        return _badness_of_array(sys.modules["numpy"].asarray(value))

    @classmethod
    def _flag(cls, value: Any) -> Any:
        jnp = sys.modules["jax"].numpy
        if not cls._is_float(value):
            return jnp.int32(FINITE)
        return jnp.where(jnp.isnan(value).any(), NAN, jnp.isinf(value).any()).astype(jnp.int32)

    @classmethod
    def look(cls, made: Any, operands: Sequence[Any], told: Told) -> Any:
        if not cls._is_float(made):
            return made
        jax = sys.modules["jax"]
        parts = [part for part in leaves(operands) if cls.owns(part)]
        if all(map(cls.is_at_hand, (made, *parts))):
            bad = cls.badness(made)
            if bad:
                bare = [cls._bare(part) for part in leaves(operands)]
                told(bad, worst(bare), bare, cls._bare(made))
            return made

        def looked(bad: Any, before: Any, made: Any, *parts: Any) -> None:
            if bad:
                told(int(bad), int(before), parts, made)

        args = [jax.lax.stop_gradient(part) for part in (made, *parts)]
        before = jax.numpy.stack(
            [cls._flag(part) for part in args[1:]] or [jax.numpy.int32(FINITE)]
        )
        flags = (cls._flag(args[0]), before.max())
        jax.lax.cond(
            flags[0] > FINITE,
            lambda args: jax.debug.callback(looked, *args),
            lambda _: None,
            (*flags, *args),
        )
        return made

    @classmethod
    def watched(cls, value: Any, told: Callable[[int, int, Any], None]) -> Any:
        """Return an alias whose gradient is inspected: its badness, the value's badness, itself."""
        jax = sys.modules["jax"]
        if not isinstance(value, jax.core.Tracer) or not cls._is_float(value):
            return value
        held = cls._flag(jax.lax.stop_gradient(value))
        return cls._watched().bind(value, held, told=told)

    @classmethod
    def _watched(cls) -> Any:
        """The identity, as a primitive whose transpose inspects the gradient."""
        if "watched" not in cls._primitives:
            import importlib

            primitive = importlib.import_module("jax.extend.core").Primitive("mllint_nan_watched")
            ad, batching, mlir = (
                importlib.import_module(f"jax.interpreters.{name}")
                for name in ("ad", "batching", "mlir")
            )
            primitive.def_impl(lambda value, _, **__: value)
            primitive.def_abstract_eval(lambda value, _, **__: value)

            def follow(primals: Any, tangents: Any, **settings: Any) -> tuple[Any, Any]:
                (value, held), (tangent, _) = primals, tangents
                if type(tangent) is not ad.Zero:
                    tangent = primitive.bind(tangent, held, **settings)
                return primitive.bind(value, held, **settings), tangent

            def batch(args: Any, axes: Any, **settings: Any) -> tuple[Any, Any]:
                (value, held), (axis, held_axis) = args, axes
                if held_axis is not None:
                    held = held.max(held_axis)
                return primitive.bind(value, held, **settings), axis

            ad.primitive_jvps[primitive] = follow
            ad.primitive_transposes[primitive] = cls._back
            batching.primitive_batchers[primitive] = batch
            mlir.register_lowering(primitive, lambda _, value, __, **___: [value])
            cls._primitives["watched"] = primitive
        return cls._primitives["watched"]

    @classmethod
    def _back(
        cls, gradient: Any, _: Any, held: Any, *, told: Callable[[int, int, Any], None]
    ) -> list[Any]:
        jax = sys.modules["jax"]
        if not cls.owns(gradient) or not cls._is_float(gradient):
            return [gradient, None]
        if cls.is_at_hand(gradient) and cls.is_at_hand(held):
            bad = cls.badness(gradient)
            if bad:
                told(bad, int(cls._bare(held)), cls._bare(gradient))
            return [gradient, None]

        def looked(bad: Any, held: Any, gradient: Any) -> None:
            if bad:
                told(int(bad), int(held), gradient)

        seen = jax.lax.stop_gradient(gradient)
        flag = cls._flag(seen)
        jax.lax.cond(
            flag > FINITE,
            lambda args: jax.debug.callback(looked, *args),
            lambda _: None,
            (flag, held, seen),
        )
        return [gradient, None]


class NumPy:
    """NumPy: numbers without gradients."""

    is_aliased = False

    @staticmethod
    def owns(value: Any) -> bool:
        return _is_of("numpy", ("ndarray", "floating"), value)

    @staticmethod
    def is_at_hand(value: Any) -> bool:
        return True

    @staticmethod
    def badness(value: Any) -> int:
        return _badness_of_array(value)

    @classmethod
    def look(cls, made: Any, operands: Sequence[Any], told: Told) -> Any:
        _tell(cls.badness(made), made, operands, told)
        return made

    @staticmethod
    def watch_gradient(made: Any, operands: Sequence[Any], told: Told) -> Any:
        return made


_FRAMEWORKS: Final = (Torch, TensorFlow, Jax, NumPy)
_known: dict[type, Any] = {}


def framework_of(value: Any) -> Any:
    """The framework whose number a value is, or None."""
    kind = type(value)
    try:
        return _known[kind]
    except KeyError:
        found = next((one for one in _FRAMEWORKS if one.owns(value)), None)
        _known[kind] = found
        return found


def leaves(operands: Any) -> Iterator[Any]:
    """Yield the numbers among operands, and in lists and tuples of them."""
    if isinstance(operands, (list, tuple)):
        for part in operands:
            yield from leaves(part)
    elif isinstance(operands, (int, float)) or framework_of(operands) is not None:
        yield operands


def worst(operands: Any) -> int:
    """The badness of the worst concrete number."""
    bad = FINITE
    for part in leaves(list(operands)):
        framework = framework_of(part)
        if framework is not None:
            bad = max(bad, framework.badness(part) if framework.is_at_hand(part) else FINITE)
        elif isinstance(part, float) and not math.isfinite(part):
            bad = max(bad, NAN if math.isnan(part) else INFINITE)
    return bad


def _is_float(value: Any) -> bool:
    return bool(value.dtype.is_floating)


def _badness_of_array(value: Any) -> int:
    numpy = sys.modules["numpy"]
    try:
        with numpy.errstate(all="ignore"):
            if numpy.isfinite(value.sum()):
                return FINITE
        if numpy.isnan(value).any():
            return NAN
        return INFINITE if numpy.isinf(value).any() else FINITE
    except TypeError:  # not numbers
        return FINITE


def range_of(value: Any) -> str:
    """Describe a tensor: `float32[8, 3] from -4 to 0`."""
    try:
        if isinstance(value, (int, float)):
            return f"{value:g}"
        numpy = sys.modules.get("numpy")
        array = value.detach().cpu() if hasattr(value, "detach") else value
        array = array.float().numpy() if hasattr(array, "float") else numpy.asarray(array)  # type: ignore[union-attr]
        shape = list(array.shape)
        finite = array[numpy.isfinite(array)]  # type: ignore[union-attr]
        dtype = getattr(value, "dtype", "")
        kind = str(getattr(dtype, "name", dtype)).rpartition(".")[2]
        bad = array.size - finite.size
        ends = f" from {finite.min():g} to {finite.max():g}" if finite.size else ""
        return f"{kind}{shape}{ends}" + (f", {bad} not finite" if bad else "")
    except Exception:
        return type(value).__name__
