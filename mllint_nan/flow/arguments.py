"""What the arguments of a call give the parameters of a function or of an operation."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from mllint_nan.flow.containers import DICT, pairs, spread
from mllint_nan.flow.given import Arguments
from mllint_nan.flow.names import Names
from mllint_nan.flow.state import Closure
from mllint_nan.frameworks import registry
from mllint_nan.frameworks.signature import Signature
from mllint_nan.ir.program import Parameter
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CONSTANT,
    FUNCTION,
    INPUT,
    LAYER,
    OPAQUE,
    QUALIFIED,
    SEQUENCE,
    Term,
    Written,
    peel,
    qualified,
)

PARTIAL: Final = "functools.partial"
_OF_CLASSES: Final = ("builtins.staticmethod", "builtins.classmethod")
_TENSOR_FRAMEWORKS: Final = ("torch", "tensorflow", "keras", "jax", "numpy")
WRAPPERS: Final = frozenset(
    (
        "torch.compile",
        "torch.jit.script",
        "torch.jit.trace",
        "torch.nn.DataParallel",
        "torch.nn.parallel.DataParallel",
        "torch.nn.parallel.DistributedDataParallel",
        "torch.nn.SyncBatchNorm.convert_sync_batchnorm",
        "copy.copy",
        "copy.deepcopy",
        "jax.jit",
        "jax.checkpoint",
        "jax.remat",
        "jax.ad_checkpoint.checkpoint",
        "equinox.apply_updates",
        "equinox.filter_checkpoint",
        "equinox.filter_jit",
        "equinox.nn.inference_mode",
        "flax.linen.compact",
        "flax.nnx.jit",
        "flax.nnx.remat",
        "tensorflow.function",
    )
)
"""Calls that give back what computes the same as their first argument, with other parameters."""


def bind_arguments(closure: Closure, arguments: Arguments) -> dict[str, Term] | None:
    """What a call gives each parameter, or `None` where that is not plain to see.

    What parameters with a star collect is left out.
    """
    names = [parameter.name for parameter in closure.parameters if not parameter.star]
    by_place, takes_more, takes_others = names, False, False
    if len(names) < len(closure.parameters):
        by_place, takes_more, takes_others = _around_stars(closure, names)
    if len(arguments.positional) > len(by_place) and not takes_more:
        return None
    bound = dict(zip(by_place, arguments.positional, strict=False))
    for name, term in arguments.keywords.items():
        if name in bound or (name not in names and not takes_others):
            return None
        if name in names:
            bound[name] = term
    return bound


def _around_stars(closure: Closure, names: list[str]) -> tuple[list[str], bool, bool]:
    """The parameters by position, and whether more can be given by position, or by name."""
    by_place, takes_more, takes_others = names, False, False
    before = 0
    for parameter in closure.parameters:
        if not parameter.star:
            before += 1
        elif parameter.star == "*":
            by_place = names[:before]
            takes_more = takes_more or bool(parameter.name)
        else:
            takes_others = True
    return by_place, takes_more, takes_others


def starred(names: Names, closure: Closure, arguments: Arguments, parameter: Parameter) -> Term:
    """What a parameter with a star collects of a call: a tuple, or a dictionary."""
    if arguments.others:
        return names.opaque("rest", (), None)
    own = [one.name for one in closure.parameters if not one.star]
    if parameter.star == "**":
        left = {name: term for name, term in arguments.keywords.items() if name not in own}
        return names.opaque(DICT, pairs(names, left), None)
    by_place, _, _ = _around_stars(closure, own)
    return names.build.leaf(SEQUENCE, "tuple", arguments.positional[len(by_place) :])


def fits(closure: Closure, arguments: Arguments) -> bool:
    """Whether it is in sight which arguments of a call the parameters of a function are.

    `f(x, **options)`: what `options` holds is one of the others, whatever that is. A function that
    computes nothing itself only hands it on, and is not looked into.
    """
    if not arguments.others:
        return True
    can_be_told = arguments.are_named and closure.computes
    return can_be_told and bind_arguments(closure, arguments) is not None


def keeps_function(decorator: Term) -> bool:
    """`@jax.jit`, `@torch.compile(...)`, `@partial(jax.jit, ...)`: it computes what it did."""
    inner = qualified(decorator)
    if inner.operation is OPAQUE and str(inner.detail).startswith("call ") and inner.operands:
        callee = qualified(inner.operands[0])
        is_partial = callee.operation is QUALIFIED and callee.detail == "functools.partial"
        inner = qualified(inner.operands[1]) if is_partial and inner.operands[1:] else callee
    if inner.operation is not QUALIFIED:
        return False
    return inner.detail in _OF_CLASSES or registry.canonical_path(inner.detail) in WRAPPERS


def is_mapped_alike(arguments: Arguments) -> bool:
    """Whether what is mapped over the first axis computes the same of the whole.

    A function of each element does, and a softmax over the last axis.
    """
    function = qualified(arguments.positional[0])
    if function.operation is not QUALIFIED or len(arguments.positional) > 1 or arguments.keywords:
        return False
    signatures = registry.functions(str(function.detail))
    return bool(signatures) and all(
        one.operation.kind == "elementwise"
        or (one.operation.kind == "along" and one.defaults.get("axis") == -1)
        for one in signatures
    )


def sets_arguments(context: Term) -> bool:
    """`arg_scope`, in which functions have other defaults."""
    return "arg_scope" in str(peel(context).detail)


def _is_axis(term: Term) -> bool:
    """An axis is a number or a name for one; a tensor in its place is a second operand."""
    inner = peel(term)
    return inner.operation in (CONSTANT, INPUT, ATTRIBUTE) and inner.framework is None


def partially_applied(names: Names, site: object, arguments: Arguments) -> Term | None:
    """`functools.partial(f, …)` of a function in sight."""
    inner = names.behind_name(arguments.positional[0])
    if inner.operation is not FUNCTION or arguments.others:
        return None
    whole: Closure = inner.detail
    first = Arguments(arguments.positional[1:], arguments.keywords)
    given = first if whole.given is None else first.behind(whole.given)
    closure = replace(whole, given=given)
    return names.build.leaf(FUNCTION, closure, site=site, key=names.build.fresh())


def own_signatures(names: Names, path: str) -> tuple[Signature, ...]:
    """The signature of an own function; a relative import leaves out how its name begins."""
    own = names.analysis.operations
    if not own:
        return ()
    if path.startswith("."):
        end = f".{path.lstrip('.')}"
        return tuple(signature for name, signature in own.items() if name.endswith(end))[:1]
    return (own[path],) if path in own else ()


def may_be_torch(names: Names, inner: Term) -> bool:
    if inner.framework is None:
        return "torch" in names.analysis.frameworks
    return inner.framework == "torch"


def methods_of(names: Names, method: str, framework: str | None) -> list[tuple[str, Signature]]:
    """The methods of a tensor; of one of unknown origin, those of the file's framework."""
    found = registry.methods(method)
    if not found:
        return []
    if framework is not None:
        return [row for row in found if row[0] == framework]
    present = {row[0] for row in found} & names.analysis.frameworks
    for home in _TENSOR_FRAMEWORKS:
        if home in present:
            return [row for row in found if row[0] == home]
    return []


def applied_signature(
    names: Names,
    site: object,
    signature: Signature,
    framework: str | None,
    arguments: Arguments,
    written: Written,
) -> Term | None:
    """The operation that a signature stands for, if the arguments fit it."""
    values = bound_parameters(names, signature, arguments)
    if values is None:
        return None
    operation = signature.operation
    if signature.constructor:
        return names.build.leaf(LAYER, signature, site=site, framework=framework, settings=values)
    needed = operation.parameters[: operation.operands]
    for name in needed:
        if name not in values:
            return None
    operands = tuple([values.pop(name) for name in needed])
    if operation.name in ("concat", "stack", "collect"):
        operands = spread(operands[0])
    if framework == "math" or written.path.startswith("scipy"):
        framework = next((o.framework for o in operands if o.framework), framework)
    if operation.name == "detach" and written.path.endswith("numpy"):
        framework = "numpy"  # which is what `x.numpy()` and `convert_to_numpy(x)` give
    term = names.operation(operation.name, operands, site, values, framework, written)
    if signature.pair_with_axis and "axis" in term.settings:
        indices = names.opaque("indices", (term,), None, pure=True)
        return names.build.leaf(SEQUENCE, "pair", (term, indices), site, framework)
    return term


def bound_parameters(
    names: Names, signature: Signature, arguments: Arguments
) -> dict[str, Term] | None:
    """The canonical parameters that a call gives values to, implied ones included."""
    binding = registry.bind(signature, len(arguments.positional), arguments.keywords)
    if binding is None:
        return None
    values: dict[str, Term] = {}
    if binding.settings:
        for name, value in binding.settings.items():
            values[name] = names.build.constant(value)
    for name, place in binding.arguments.items():
        values[name] = (
            arguments.positional[place] if isinstance(place, int) else arguments.keywords[place]
        )
    first = binding.arguments.get("shape")
    if signature.variadic and isinstance(first, int) and len(arguments.positional) > first + 1:
        values["shape"] = names.build.leaf(SEQUENCE, "tuple", arguments.positional[first:])
        names.consume(values["shape"])
    takes_axis = signature.pair_with_axis and "axis" in binding.arguments
    return None if takes_axis and not _is_axis(values["axis"]) else values
