"""Binding the arguments of a call to the parameters of a function or of an operation."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from mllint_nan.flow.containers import DICT, pairs, spread
from mllint_nan.flow.evaluated_arguments import Arguments
from mllint_nan.flow.names import Names
from mllint_nan.flow.state import Closure
from mllint_nan.flow.unrecorded import only_enters
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
"""Calls whose result computes the same as their first argument, perhaps with other weights."""


def bind_arguments(closure: Closure, arguments: Arguments) -> dict[str, Term] | None:
    """The argument of each parameter, or `None` where they do not match.

    Parameters with a star are left out.
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
    """The positional parameters, and whether more arguments may follow by position, or by name."""
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
    """The arguments that a parameter with a star collects: a tuple or a dictionary."""
    if arguments.others:
        return names.opaque("rest", (), None)
    own = [one.name for one in closure.parameters if not one.star]
    if parameter.star == "**":
        left = {name: term for name, term in arguments.keywords.items() if name not in own}
        return names.opaque(DICT, pairs(names, left), None)
    by_place, _, _ = _around_stars(closure, own)
    return names.build.leaf(SEQUENCE, "tuple", arguments.positional[len(by_place) :])


def fits(closure: Closure, arguments: Arguments) -> bool:
    """Whether it is visible which argument of a call each parameter gets.

    In `f(x, **options)` and `f(x, *batch)`, the last argument can only hold the other parameters. A
    function that computes nothing itself only passes it on, so such a call is not followed.
    """
    if not arguments.others:
        return True
    can_be_told = arguments.are_last and closure.computes
    return can_be_told and bind_arguments(closure, arguments) is not None


def keeps_function(decorator: Term) -> bool:
    """Whether a decorated function computes the same as without the decorator.

    It does below `@jax.jit`, `@torch.compile(...)` or `@partial(jax.jit, ...)`.
    """
    if only_enters(decorator):
        return True
    inner = qualified(decorator)
    if inner.operation is OPAQUE and str(inner.detail).startswith("call ") and inner.operands:
        callee = qualified(inner.operands[0])
        is_partial = callee.operation is QUALIFIED and callee.detail == "functools.partial"
        inner = qualified(inner.operands[1]) if is_partial and inner.operands[1:] else callee
    if inner.operation is not QUALIFIED:
        return False
    return inner.detail in _OF_CLASSES or registry.canonical_path(inner.detail) in WRAPPERS


def is_mapped_alike(arguments: Arguments) -> bool:
    """Whether the function that is mapped over the first axis computes the same on the whole.

    An elementwise function does, and a softmax over the last axis.
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
    """Whether a context is an `arg_scope`, in which functions have other defaults."""
    return "arg_scope" in str(peel(context).detail)


def _is_axis(term: Term) -> bool:
    """Whether an argument is an axis, a number or its name: a tensor is a second operand."""
    inner = peel(term)
    return inner.operation in (CONSTANT, INPUT, ATTRIBUTE) and inner.framework is None


def partially_applied(names: Names, site: object, arguments: Arguments) -> Term | None:
    """The closure that `functools.partial(f, …)` returns for a visible function."""
    inner = names.behind_name(arguments.positional[0])
    if inner.operation is not FUNCTION or arguments.others:
        return None
    whole: Closure = inner.detail
    first = Arguments(arguments.positional[1:], arguments.keywords)
    given = first if whole.given is None else first.behind(whole.given)
    closure = replace(whole, given=given)
    return names.build.leaf(FUNCTION, closure, site=site, key=names.build.fresh())


def own_signatures(names: Names, path: str) -> tuple[Signature, ...]:
    """The signature that the user declared for a function, in a tuple; empty if there is none.

    A relative import omits the beginning of the qualified name.
    """
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
    """The frameworks and signatures of a tensor method.

    For a tensor of unknown framework, those of the file's framework.
    """
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
    """The operation that a signature stands for, applied to the arguments if they fit."""
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
    if signature.leaves_nan_out:
        operands = (names.operation("without_nan", operands, None, None, framework),)
    if framework == "math" or written.path.startswith("scipy"):
        framework = next((o.framework for o in operands if o.framework), framework)
    if operation.name == "detach" and written.path.endswith("numpy"):
        framework = "numpy"  # `x.numpy()` and `convert_to_numpy(x)` return NumPy arrays
    term = names.operation(operation.name, operands, site, values, framework, written)
    if signature.pair or (signature.pair_with_axis and "axis" in term.settings):
        indices = names.opaque("indices", (term,), None, pure=True)
        return names.build.leaf(SEQUENCE, "pair", (term, indices), site, framework)
    return term


def bound_parameters(
    names: Names, signature: Signature, arguments: Arguments
) -> dict[str, Term] | None:
    """The values of the canonical parameters that a call sets, implied ones included."""
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
