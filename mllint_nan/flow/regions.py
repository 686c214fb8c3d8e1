"""Where a program casts implicitly to another format: in regions, and in whole modules."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from mllint_nan.flow.formats import dtype_name
from mllint_nan.ir.term import CONSTANT, OPAQUE, QUALIFIED, Term, constant_of, peel

if TYPE_CHECKING:
    from mllint_nan.flow.names import Names
    from mllint_nan.flow.state import Scope

_AUTOCASTS: Final = frozenset(
    (
        "torch.autocast",
        "torch.amp.autocast",
        "torch.amp.autocast_mode.autocast",
        "torch.cuda.amp.autocast",
        "torch.cuda.amp.autocast_mode.autocast",
        "torch.cpu.amp.autocast",
    )
)
# As measured with PyTorch 2 for CUDA.
_LOWERED: Final = frozenset(
    (
        "matmul",
        "einsum",
        "linear",
        "conv1d",
        "conv2d",
        "conv3d",
        "conv_transpose1d",
        "conv_transpose2d",
        "conv_transpose3d",
        "convtranspose1d",
        "convtranspose2d",
        "convtranspose3d",
        "addmm",
        "addbmm",
        "baddbmm",
        "addmv",
        "multi_dot",
        "scaled_dot_product_attention",
    )
)
_RAISED: Final = frozenset(
    (
        "pow",
        "square",
        "rsqrt",
        "exp",
        "expm1",
        "log",
        "log2",
        "log10",
        "log1p",
        "softmax",
        "log_softmax",
        "softplus",
        "sum",
        "prod",
        "norm",
        "normalize",
        "cumsum",
        "cumprod",
        "acos",
        "asin",
        "cosh",
        "sinh",
        "tan",
        "erfinv",
        "cosine_similarity",
        "distance",
        "mse",
        "l1",
        "smooth_l1",
        "layer_norm",
        "logsumexp",
        "reciprocal",
        "cross_entropy",
        "nll_loss",
        "binary_cross_entropy_with_logits",
    )
)


_RAISED_ON_CPU: Final = frozenset(
    (
        *("prod", "distance", "mse", "l1", "smooth_l1", "nll_loss", "cross_entropy"),
        "binary_cross_entropy_with_logits",
    )
)
"""Those raised on a CPU: all others stay in the lower precision. As measured with PyTorch 2.13."""
_BASES_MOST: Final = 3
MODULE: Final = "torch.nn.Module."
"""Before a method such as `half`: the context of calls by a module converted to that format."""
CONVERTING: Final = {
    "float16": "half",
    "bfloat16": "bfloat16",
    "float32": "float",
    "float64": "double",
}
_NAMES_OF_CONVERSIONS: Final = {f"{MODULE}{method}": name for name, method in CONVERTING.items()}
_KEEPS_PARAMETERS: Final = frozenset(
    (
        *("embedding", "embeddingbag", "layernorm", "rmsnorm", "groupnorm", "bilinear", "prelu"),
        *(f"{name}{n}d" for name in ("batchnorm", "instancenorm") for n in (1, 2, 3)),
        *("lstm", "gru", "rnn", "lstmcell", "grucell", "rnncell", "multiheadattention"),
    )
)
"""Layers that compute in the format of their parameters, besides those that multiply matrices."""


def is_switched_off(context: Term) -> bool:
    """Whether a context is a region of automatic casts that is not enabled."""
    inner = peel(context)
    return _casts(inner) and any(constant_of(one) is False for one in inner.operands[1:])


def casting(entered: Iterable[Term]) -> tuple[Term, ...]:
    """Return the contexts and decorators that may cast; most programs enter none."""
    return tuple([one for one in entered if _casts(peel(one))])


def _casts(context: Term) -> bool:
    if context.operation is QUALIFIED:
        return context.detail in _AUTOCASTS or str(context.detail).startswith(MODULE)
    if context.operation is not OPAQUE or not context.operands:
        return False
    callee = peel(context.operands[0])
    is_region = callee.operation is QUALIFIED and callee.detail in _AUTOCASTS
    return is_region or str(context.detail).startswith(f"call {MODULE}")


def autocast(operation: str, entered: Iterable[Term]) -> str | None:
    """Return the format that regions of automatic casts and converted modules give an operation.

    `entered` are contexts and decorators, innermost first. `None` outside of all of them, and for
    an operation that is computed in the format of its operands.
    """
    contexts = tuple(entered)
    name = operation.removeprefix("call ").rpartition(".")[2].lower()
    cast = _in_region(name, contexts)
    return cast if cast is not None else _in_module(name, contexts)


def _in_region(name: str, entered: Iterable[Term]) -> str | None:
    region = _region(entered)
    if region is None:
        return None
    callee, arguments = region
    if any(constant_of(argument) is False for argument in arguments):
        return None
    named = [one for one in map(dtype_name, arguments) if one is not None]
    on_cpu = ".cpu." in callee or any(constant_of(a) == "cpu" for a in arguments)
    lowered = named[0] if named else "bfloat16" if on_cpu else "float16"
    if name in _LOWERED:
        return lowered
    return "float32" if name in (_RAISED_ON_CPU if on_cpu else _RAISED) else None


def _in_module(name: str, entered: Iterable[Term]) -> str | None:
    """Return the format of a layer's result in a module that was converted as a whole."""
    if name not in _LOWERED and name not in _KEEPS_PARAMETERS:
        return None
    paths = (str(one.detail).removeprefix("call ") for one in map(peel, entered))
    path = next((path for path in paths if path.startswith(MODULE)), "")
    return _NAMES_OF_CONVERSIONS.get(path)


def autocast_is_settled(entered: Iterable[Term]) -> bool:
    """Whether no variable decides on the device, the format or the use of the innermost region.

    Nor may one decide whether a module is converted.
    """
    contexts = tuple(map(peel, entered))
    region = _region(contexts)
    arguments = region[1] if region is not None else ()
    for one in contexts:
        if one.operation is OPAQUE and str(one.detail).startswith(f"call {MODULE}"):
            arguments += one.operands[1:]
    return all(
        peel(argument).operation is CONSTANT or dtype_name(argument) is not None
        for argument in arguments
    )


def _region(entered: Iterable[Term]) -> tuple[str, tuple[Term, ...]] | None:
    """Return the name and the arguments of the innermost region of automatic casts."""
    for context in entered:
        inner = peel(context)
        callee = peel(inner.operands[0]) if inner.operation is OPAQUE and inner.operands else inner
        if callee.operation is QUALIFIED and callee.detail in _AUTOCASTS:
            return str(callee.detail), inner.operands[1:] if callee is not inner else ()
    return None


def layer_called(names: Names, call: Term) -> str:
    """Return the class of the layer that `self.layer(x)` calls, else the detail of the call."""
    what, owner = str(call.detail), names.scope.owner
    callee = peel(call.operands[0]) if call.operands else call
    if what == "call" and callee.operation is OPAQUE:
        return str(callee.detail)
    made = names.instances.get(callee.key)
    if made is not None:
        owner = made.blueprint.scope
    if owner is None or (made is None and callee.detail != "self") or not names.entered():
        return what
    stored = _stored_in_line(names, owner, what.removeprefix("call "), _BASES_MOST)
    kinds = {str(term.detail) for term in map(peel, stored) if term.operation is OPAQUE}
    return kinds.pop() if len(kinds) == 1 else what


def _stored_in_line(names: Names, owner: Scope, name: str, depth: int) -> list[Term]:
    """Return what a class stores in an attribute of `self`, else what its first base stores."""
    if name in owner.attributes or depth == 0:
        return owner.attributes.get(name, [])
    made = names.layers.get(owner, {})
    if name in made:  # the class is called before its constructor is evaluated in its own right
        return [made[name]]
    bases = (names.blueprints.get(peel(base).key) for base in owner.bases)
    base = next((one for one in bases if one is not None), None)
    return _stored_in_line(names, base.scope, name, depth - 1) if base is not None else []
