"""How each framework's classes are called, and its gradients are taken."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from benchmarks.witnesses.arguments import Things
from benchmarks.witnesses.events import Recorder
from tests.differential.frameworks import FRAMEWORKS, NumPy, leaves, weights


class TooLong(Exception):
    """The time of one target is over."""


class Style:
    """How a framework's classes are called, and its gradients are taken."""

    recorder = "record_numpy"

    def __init__(self, framework: NumPy) -> None:
        self.framework = framework

    def things(self) -> Things:
        return Things(self.framework.module)

    def target_of(self, owner: type) -> tuple[Callable[..., Any], str] | None:
        """Return the first thing to call: its signature, and its name unless it is the object."""
        return None

    def is_distribution(self, owner: type) -> bool:
        return "log_prob" in dir(owner)

    def called(self, owner: Any, method: str, made: dict[str, Any], given: dict[str, Any]) -> Any:
        subject = owner(**made)
        if not method:
            return subject(**given)
        found = getattr(subject, method)
        return found(**given) if callable(found) else found

    def forward_and_back(
        self,
        call: Callable[[Sequence[Any]], Any],
        arrays: Sequence[Any],
        returned: Callable[[Any], object] = lambda result: None,
    ) -> Sequence[Any]:
        """Execute the call, and return the gradients of its results by `arrays`.

        `returned` receives the results. Raises `Refused` if the call itself fails.
        """
        returned(_first(lambda: call(arrays)))
        return ()


class Refused(Exception):
    """The program does not accept these arguments."""


def _first(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except TooLong:
        raise
    except Exception as error:
        raise Refused(f"{type(error).__name__}: {str(error)[:200]}") from error


def numbers_in(result: Any, framework: NumPy) -> list[Any]:
    """Return the arrays of a result: in containers, fields, and moments of distributions."""
    return list(itertools.islice(_numbers_in(result, framework, 0), 64))


def _numbers_in(result: Any, framework: NumPy, depth: int) -> Iterator[Any]:
    for leaf in leaves(result):
        if framework.is_array(leaf):
            yield leaf
        elif depth > 2 or leaf is None or isinstance(leaf, str | bytes | int | type):
            continue
        elif callable(getattr(leaf, "to_dense", None)):
            yield from _numbers_in(leaf.to_dense(), framework, depth + 1)
        elif hasattr(leaf, "log_prob"):
            for name in ("mean", "variance"):
                with contextlib.suppress(Exception):
                    found = getattr(leaf, name)
                    yield from _numbers_in(
                        found() if callable(found) else found, framework, depth + 1
                    )
        elif hasattr(leaf, "__dataclass_fields__"):
            yield from _numbers_in(
                [getattr(leaf, name, None) for name in leaf.__dataclass_fields__],
                framework,
                depth + 1,
            )


class TorchStyle(Style):
    recorder = "record_torch"

    def target_of(self, owner: type) -> tuple[Callable[..., Any], str] | None:
        import torch

        if issubclass(owner, torch.nn.Module) and owner.forward is not torch.nn.Module.forward:
            return owner.forward, ""
        return None

    def forward_and_back(
        self,
        call: Callable[[Sequence[Any]], Any],
        arrays: Sequence[Any],
        returned: Callable[[Any], object] = lambda result: None,
    ) -> Sequence[Any]:
        import torch

        watched = [
            each.detach().clone().requires_grad_() if each.dtype.is_floating_point else each
            for each in arrays
        ]
        result = _first(lambda: call([each.clone() for each in watched]))
        returned(result)
        found = [
            leaf
            for leaf in _first(lambda: numbers_in(result, self.framework))
            if isinstance(leaf, torch.Tensor)
            and leaf.requires_grad
            and leaf.dtype.is_floating_point
        ]
        if found:
            total: Any = sum((leaf * weights(torch, leaf)).sum() for leaf in found)
            total.backward()
        return [each.grad for each in watched if each.grad is not None]


class JaxStyle(Style):
    recorder = "record_jax"

    def things(self) -> Things:
        import jax

        return Things(self.framework.module, lambda: jax.random.PRNGKey(0))

    def target_of(self, owner: type) -> tuple[Callable[..., Any], str] | None:
        function = getattr(owner, "__call__", None)  # noqa: B004
        return (function, "") if inspect.isfunction(function) else None

    def called(self, owner: Any, method: str, made: dict[str, Any], given: dict[str, Any]) -> Any:
        import jax

        bases = {f"{base.__module__.partition('.')[0]}.{base.__name__}"
                 for base in owner.__mro__}  # fmt: skip
        if "flax.Module" in bases and "flax.linen" in str(owner.__mro__):
            subject = owner(**made)
            key = jax.random.PRNGKey(0)
            variables = jax.lax.stop_gradient(
                subject.init({"params": key, "dropout": key}, **given)
            )
            return subject.apply(variables, **given, rngs={"dropout": key})
        if "haiku.Module" in bases:
            import haiku  # type: ignore[import-not-found,unused-ignore]

            def program(**inputs: Any) -> Any:
                return owner(**made)(**inputs)

            transformed = haiku.transform_with_state(program)
            key = jax.random.PRNGKey(0)
            parameters, state = transformed.init(key, **given)
            return transformed.apply(parameters, state, key, **given)
        return super().called(owner, method, made, given)

    def forward_and_back(
        self,
        call: Callable[[Sequence[Any]], Any],
        arrays: Sequence[Any],
        returned: Callable[[Any], object] = lambda result: None,
    ) -> Sequence[Any]:
        import jax
        import jax.numpy as jnp

        returned(_first(lambda: call(arrays)))
        own = [place for place, each in enumerate(arrays) if each.dtype.kind == "f"]

        def pull(leaf: Any) -> Any:
            return (jnp.arange(leaf.size) % 5 * 0.125 + 0.75).reshape(leaf.shape)

        def total(watched: Sequence[Any]) -> Any:
            inputs = list(arrays)
            for place, each in zip(own, watched, strict=True):
                inputs[place] = each
            found = [
                leaf
                for leaf in numbers_in(call(inputs), self.framework)
                if jnp.issubdtype(jnp.asarray(leaf).dtype, jnp.floating)
            ]
            return sum((jnp.sum(leaf * pull(leaf)) for leaf in found), jnp.zeros(()))

        if not own:
            return ()
        gradients: Sequence[Any] = jax.grad(total)([arrays[place] for place in own])
        return gradients


class TensorFlowStyle(Style):
    recorder = "record_tensorflow"

    def target_of(self, owner: type) -> tuple[Callable[..., Any], str] | None:
        for name in ("update_state", "call", "__call__"):
            function = getattr(owner, name, None)
            if inspect.isfunction(function):
                return function, ""
        return None

    def called(self, owner: Any, method: str, made: dict[str, Any], given: dict[str, Any]) -> Any:
        subject = owner(**made)
        if method or not hasattr(subject, "update_state"):
            return super().called(owner, method, made, given)
        subject.update_state(**given)
        return subject.result()

    def forward_and_back(
        self,
        call: Callable[[Sequence[Any]], Any],
        arrays: Sequence[Any],
        returned: Callable[[Any], object] = lambda result: None,
    ) -> Sequence[Any]:
        tf: Any = importlib.import_module("tensorflow")
        own = [each for each in arrays if each.dtype.is_floating]
        with tf.GradientTape() as tape:
            tape.watch(own)
            result = _first(lambda: call(arrays))
            returned(result)
            found = [
                tf.reduce_sum(leaf)
                for leaf in map(tf.convert_to_tensor, numbers_in(result, self.framework))
                if leaf.dtype.is_floating
            ]
        if not found or not own:
            return ()
        gradients = tape.gradient(found, [*own, *tape.watched_variables()])
        return [tf.convert_to_tensor(each) for each in gradients if each is not None]


STYLES: Final[Mapping[str, type[Style]]] = {
    "torch": TorchStyle,
    "jax": JaxStyle,
    "tensorflow": TensorFlowStyle,
    "keras": TensorFlowStyle,
    "numpy": Style,
}


def style_of(framework: str) -> Style:
    """Return the style of a framework, which is imported."""
    return STYLES[framework](FRAMEWORKS[framework]())


def recorder_of(style: Style) -> Recorder:
    """Return the recorder; raises `ImportError` if the framework has none."""
    module = importlib.import_module(f"benchmarks.witnesses.{style.recorder}")
    recorder: Recorder = module.Recorder
    return recorder
