"""How frameworks call the models that a program defines, where that is not as it is written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from typing import Final

from mllint_nan.flow.arguments import WRAPPERS
from mllint_nan.flow.containers import field_of
from mllint_nan.flow.given import Arguments
from mllint_nan.flow.state import Closure
from mllint_nan.ir.term import ATTRIBUTE, CHOICE, SEQUENCE, Term, constant_of, peel

MAPPERS: Final = frozenset(
    (
        *("jax.vmap", "jax.pmap", "torch.vmap", "torch.func.vmap"),
        *("equinox.filter_vmap", "flax.nnx.vmap", "numpy.vectorize", "jax.numpy.vectorize"),
    )
)
"""Calls that give back what computes the same of each element along an axis: axes are others."""
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
"""Calls of their first argument with others; the keywords that are not passed on."""
TAKES_TUPLE: Final[Mapping[str, int]] = {
    "torch.nn.parallel.data_parallel": 0,
    "torch.func.functional_call": 1,
}
"""Those that are given them as one, behind so many others."""
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
"""Calls that give back what calls their first argument, and gives its gradient."""
OF_STATE: Final = ("flax.training.train_state.TrainState", "create")
"""A class of which a state of training is derived, and the method that makes one."""
KEEPS_GIVEN: Final = frozenset((".".join(OF_STATE),))
"""Calls that give what keeps all that it is given, by name."""
_KERAS_TAKES: Final = frozenset(("training", "mask"))
_FLAX_MODULE: Final = re.compile(r"^flax\.linen\.(\w+\.)*\w*Module$")
_OF_APPLY: Final = frozenset(("capture_intermediates", "method", "mutable", "rngs"))


def are_moved(gradient: Term) -> Iterator[bool]:
    """Of each argument whether `jax.grad(f, argnums)` or its kin differentiates by it.

    By the first one if nothing tells; truths, as `has_aux=True`, are no numbers of arguments.
    """
    given = [
        part
        for one in map(peel, gradient.operands[2:])
        for part in (one.operands if one.operation is SEQUENCE else (one,))
    ]
    numbers = {constant_of(part) for part in given if type(constant_of(part)) is int} or {0}
    return (number in numbers for number in count())


def is_flax_module(bases: Iterable[Term]) -> bool:
    return any(_FLAX_MODULE.match(str(peel(base).detail)) for base in bases)


def taken_by_call(method: Closure, arguments: Arguments) -> Arguments:
    """`model(x, training=True)` of Keras: a `call` is given only what it has a parameter for."""
    taken = {one.name for one in method.parameters}
    if any(one.star == "**" for one in method.parameters) or taken >= _KERAS_TAKES:
        return arguments
    kept = {
        name: term
        for name, term in arguments.keywords.items()
        if name in taken or name not in _KERAS_TAKES
    }
    return Arguments(arguments.positional, kept, arguments.others, arguments.are_named)


def module_applied(receiver: Term, method: str) -> Term | None:
    """What `module.apply` of Flax applies, or `state.apply_fn` of a state of its training."""
    if method == "apply":
        return receiver
    if method != "apply_fn":
        return None
    inner = peel(receiver)
    if inner.operation is CHOICE and inner.operands:
        inner = peel(inner.operands[0])  # whatever a step replaces, it is the same function
    kept = field_of(inner, method)
    if kept is None or peel(kept).operation is not ATTRIBUTE:
        return None
    return peel(kept).operands[0]


def transformed(receiver: Term) -> tuple[Term, int] | None:
    """The function that `apply` of Haiku calls, and how many arguments stand before its own."""
    inner, before = peel(receiver), 2
    if inner.detail == "call haiku.without_apply_rng" and inner.operands[1:]:
        inner, before = peel(inner.operands[1]), 1
    if inner.detail != "call haiku.transform" or not inner.operands[1:]:
        return None
    return inner.operands[1], before


def given_to_apply(arguments: Arguments) -> Arguments:
    """What `model.apply(variables, x, rngs=...)` of Flax gives the method that it calls."""
    kept = {name: term for name, term in arguments.keywords.items() if name not in _OF_APPLY}
    return Arguments(arguments.positional[1:], kept, arguments.others, arguments.are_named)


def gives_state(arguments: Arguments) -> bool:
    """Whether `apply` gives what the module has written, too, behind its result."""
    mutable = arguments.keywords.get("mutable")
    return mutable is not None and constant_of(mutable) is not False
