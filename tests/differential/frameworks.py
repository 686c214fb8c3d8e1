"""Arrays of each framework: how they are made, read, and differentiated."""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

Arrays = Sequence[Any]
Loss = Callable[[Arrays], Any]


class NumPy:
    name = "numpy"
    dtypes: tuple[str, ...] = ("float64", "float32")

    def array(self, numbers: np.ndarray[Any, Any]) -> Any:
        return np.array(numbers)

    def is_array(self, value: Any) -> bool:
        return isinstance(value, np.ndarray | np.generic)

    def numbers(self, value: Any) -> np.ndarray[Any, Any]:
        return np.asarray(value)

    def seed(self) -> None:
        random.seed(0)
        np.random.seed(0)

    def gradients(self, call: Loss, arrays: Arrays) -> list[np.ndarray[Any, Any]] | None:
        """Of the weighted sum of all results by each array; None where there is none."""
        return None

    def module(self) -> Any:
        """What stands for a layer that is passed."""
        return lambda *inputs, **_: inputs[0]


class Torch(NumPy):
    name = "torch"
    dtypes = ("float32", "float64")

    def __init__(self) -> None:
        self.torch = importlib.import_module("torch")

    def array(self, numbers: np.ndarray[Any, Any]) -> Any:
        return self.torch.from_numpy(np.array(numbers))

    def is_array(self, value: Any) -> bool:
        return isinstance(value, self.torch.Tensor) or super().is_array(value)

    def numbers(self, value: Any) -> np.ndarray[Any, Any]:
        if not isinstance(value, self.torch.Tensor):
            return np.asarray(value)
        value = value.detach()
        if value.is_sparse:
            value = value.to_dense()
        is_half = value.dtype in (self.torch.bfloat16, self.torch.float16)
        return np.array((value.float() if is_half else value).cpu().numpy())

    def seed(self) -> None:
        super().seed()
        # `torch.manual_seed` formats the stack for each kind of device that may come later.
        self.torch.default_generator.manual_seed(0)

    def gradients(self, call: Loss, arrays: Arrays) -> list[np.ndarray[Any, Any]] | None:
        torch = self.torch
        watched = [
            each.detach().clone().requires_grad_() if each.dtype.is_floating_point else each
            for each in arrays
        ]
        result = call([each.clone() for each in watched])
        total = sum(
            (leaf * weights(torch, leaf)).sum()
            for leaf in leaves(result)
            if isinstance(leaf, torch.Tensor) and leaf.requires_grad and not leaf.is_complex()
        )
        if not isinstance(total, torch.Tensor):
            return None
        own = [each for each in watched if each.requires_grad]
        parts = torch.autograd.grad(total, own, allow_unused=True)
        return [
            self.numbers(torch.zeros_like(each) if part is None else part)
            for each, part in zip(own, parts, strict=True)
        ]

    def module(self) -> Any:
        return self.torch.nn.Identity()


def weights(module: Any, leaf: Any) -> Any:
    """What each element of a result counts; none as much as its neighbours."""
    count = 1
    for length in leaf.shape:
        count *= int(length)
    row = module.arange(count) % 5 * 0.125 + 0.75
    return row.reshape(leaf.shape).to(leaf.dtype)


class Jax(NumPy):
    name = "jax"
    dtypes = ("float32",)

    def __init__(self) -> None:
        self.jax = importlib.import_module("jax")
        self.jnp = importlib.import_module("jax.numpy")

    def array(self, numbers: np.ndarray[Any, Any]) -> Any:
        return self.jnp.asarray(numbers)

    def is_array(self, value: Any) -> bool:
        return isinstance(value, self.jax.Array) or super().is_array(value)

    def gradients(self, call: Loss, arrays: Arrays) -> list[np.ndarray[Any, Any]] | None:
        jnp = self.jnp
        places = [
            place
            for place, each in enumerate(arrays)
            if jnp.issubdtype(jnp.asarray(each).dtype, jnp.floating)
        ]

        def total(watched: Arrays) -> Any:
            inputs = list(arrays)
            for place, each in zip(places, watched, strict=True):
                inputs[place] = each
            found = [
                leaf
                for leaf in leaves(call(inputs))
                if self.is_array(leaf) and jnp.issubdtype(jnp.asarray(leaf).dtype, jnp.floating)
            ]
            return sum((jnp.sum(leaf) for leaf in found), jnp.zeros(()))

        parts = self.jax.grad(total)([arrays[place] for place in places])
        return [np.asarray(part) for part in parts]


class TensorFlow(NumPy):
    name = "tensorflow"
    dtypes = ("float32",)

    def __init__(self) -> None:
        self.tf = importlib.import_module("tensorflow")

    def array(self, numbers: np.ndarray[Any, Any]) -> Any:
        return self.tf.constant(numbers)

    def is_array(self, value: Any) -> bool:
        return isinstance(value, self.tf.Tensor | self.tf.Variable) or super().is_array(value)

    def numbers(self, value: Any) -> np.ndarray[Any, Any]:
        return np.asarray(value)

    def seed(self) -> None:
        super().seed()
        self.tf.random.set_seed(0)

    def gradients(self, call: Loss, arrays: Arrays) -> list[np.ndarray[Any, Any]] | None:
        tf = self.tf
        own = [each for each in arrays if each.dtype.is_floating]
        with tf.GradientTape() as tape:
            tape.watch(own)
            found = [leaf for leaf in leaves(call(arrays)) if self.is_array(leaf)]
            total = [
                tf.reduce_sum(leaf)
                for leaf in map(tf.convert_to_tensor, found)
                if leaf.dtype.is_floating
            ]
        if not total:
            return None
        parts = tape.gradient(total, own)
        return [
            np.asarray(tf.zeros_like(each) if part is None else tf.convert_to_tensor(part))
            for each, part in zip(own, parts, strict=True)
        ]


FRAMEWORKS: Final[Mapping[str, type[NumPy]]] = {
    "torch": Torch,
    "jax": Jax,
    "tensorflow": TensorFlow,
    "keras": TensorFlow,
    "numpy": NumPy,
    "math": NumPy,
}


def leaves(value: Any) -> list[Any]:
    """What stands in tuples, lists and mappings, in their order."""
    if isinstance(value, Mapping):
        return [leaf for each in value.values() for leaf in leaves(each)]
    if isinstance(value, list | tuple):
        return [leaf for each in value for leaf in leaves(each)]
    return [value]
