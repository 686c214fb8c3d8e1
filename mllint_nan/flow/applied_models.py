"""How frameworks call the models of a program where the call is not written out in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from typing import Final

from mllint_nan.flow.arguments import WRAPPERS
from mllint_nan.flow.containers import field_of
from mllint_nan.flow.evaluated_arguments import Arguments
from mllint_nan.flow.state import Closure
from mllint_nan.ir.term import ATTRIBUTE, CHOICE, SEQUENCE, Term, constant_of, peel

KERAS: Final = ("keras", "tensorflow")
"""The frameworks of Keras's models."""
PREDICTS: Final = frozenset(("predict", "predict_on_batch"))
"""Methods of Keras's models that return what a call does, as an array."""
MAPPERS: Final = frozenset(
    (
        *("jax.vmap", "jax.pmap", "torch.vmap", "torch.func.vmap"),
        *("equinox.filter_vmap", "flax.nnx.vmap", "numpy.vectorize", "jax.numpy.vectorize"),
    )
)
"""Calls that return a function applied to each element along an axis: its axes differ."""
MAPS: Final = frozenset(
    ("builtins.map", "jax.lax.map", "tensorflow.map_fn", "tensorflow.vectorized_map")
)
"""Calls of their first argument with each element of their second."""
APPLIERS: Final[Mapping[str, frozenset[str]]] = {
    "torch.nn.parallel.data_parallel": frozenset(),
    "torch.func.functional_call": frozenset(),
    "torch.utils.checkpoint.checkpoint": frozenset(
        ("use_reentrant", "preserve_rng_state", "context_fn", "determinism_check", "debug")
    ),
}
"""Functions that call their first argument with the others; the keywords that they keep."""
TAKES_TUPLE: Final[Mapping[str, int]] = {
    "torch.nn.parallel.data_parallel": 0,
    "torch.func.functional_call": 1,
}
"""Those that take these arguments as one tuple; how many arguments precede it."""
TAKES_CALLED: Final = frozenset((*WRAPPERS, *MAPPERS, *APPLIERS))
DIFFERENTIATES: Final = frozenset(
    f"call {module}.{name}"
    for module, names in {
        **dict.fromkeys(("jax", "flax.nnx"), ("grad", "value_and_grad")),
        "equinox": ("filter_grad", "filter_value_and_grad"),
        "torch.func": ("grad",),
    }.items()
    for name in names
)
"""Calls that return a function which calls their first argument and returns its gradient."""
OF_STATE: Final = ("flax.training.train_state.TrainState", "create")
"""The base class of training states in Flax, and the method that makes one."""
KEEPS_GIVEN: Final = frozenset((".".join(OF_STATE),))
"""Calls whose result keeps all keyword arguments as its attributes."""
_KERAS_TAKES: Final = frozenset(("training", "mask"))
_FLAX_MODULE: Final = re.compile(r"^flax\.linen\.(\w+\.)*\w*Module$")
_OF_APPLY: Final = frozenset(("capture_intermediates", "method", "mutable", "rngs"))


def are_moved(gradient: Term) -> Iterator[bool]:
    """Yield for each argument whether `jax.grad(f, argnums)` or the like differentiates by it.

    The first one is the default. Booleans such as `has_aux=True` are not argument numbers.
    """
    given = [
        part
        for one in map(peel, gradient.operands[2:])
        for part in (one.operands if one.operation is SEQUENCE else (one,))
    ]
    numbers = {constant_of(part) for part in given if type(constant_of(part)) is int} or {0}
    for number in count():  # mypyc would make a list of a generator expression
        yield number in numbers


def is_flax_module(bases: Iterable[Term]) -> bool:
    return any(_FLAX_MODULE.match(str(peel(base).detail)) for base in bases)


def taken_by_call(method: Closure, arguments: Arguments) -> Arguments:
    """The arguments that Keras passes to `call`: `training` and `mask` only if it takes them."""
    taken = {one.name for one in method.parameters}
    if any(one.star == "**" for one in method.parameters) or taken >= _KERAS_TAKES:
        return arguments
    kept = {
        name: term
        for name, term in arguments.keywords.items()
        if name in taken or name not in _KERAS_TAKES
    }
    return Arguments(arguments.positional, kept, arguments.others, arguments.are_last)


def module_applied(receiver: Term, method: str) -> Term | None:
    """The module that `module.apply` of Flax, or `apply_fn` of its training state, applies."""
    if method == "apply":
        return receiver
    if method != "apply_fn":
        return None
    inner = peel(receiver)
    if inner.operation is CHOICE and inner.operands:
        inner = peel(inner.operands[0])  # a training step never replaces this function
    kept = field_of(inner, method)
    if kept is None or peel(kept).operation is not ATTRIBUTE:
        return None
    return peel(kept).operands[0]


def transformed(receiver: Term) -> tuple[Term, int] | None:
    """The function that `apply` of Haiku calls, and how many arguments precede its own."""
    inner, before = peel(receiver), 2
    if inner.detail == "call haiku.without_apply_rng" and inner.operands[1:]:
        inner, before = peel(inner.operands[1]), 1
    if inner.detail != "call haiku.transform" or not inner.operands[1:]:
        return None
    return inner.operands[1], before


def given_to_apply(arguments: Arguments) -> Arguments:
    """The arguments that `model.apply(variables, x, rngs=...)` of Flax passes to its method."""
    kept = {name: term for name, term in arguments.keywords.items() if name not in _OF_APPLY}
    return Arguments(arguments.positional[1:], kept, arguments.others, arguments.are_last)


def gives_state(arguments: Arguments) -> bool:
    """Whether `apply` returns the state that the module has written, too, after its result."""
    mutable = arguments.keywords.get("mutable")
    return mutable is not None and constant_of(mutable) is not False
