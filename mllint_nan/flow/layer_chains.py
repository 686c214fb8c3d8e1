"""Containers of layers, and layers with an activation: layers that are called in sequence."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from mllint_nan.flow.containers import (
    CHAIN,
    DICT,
    SEVERAL,
    is_container,
    is_display,
    is_grown,
    is_text,
    listed_layers,
)
from mllint_nan.flow.evaluated_arguments import Arguments
from mllint_nan.flow.formats import shown
from mllint_nan.flow.names import PATHS_MOST, Names
from mllint_nan.frameworks import registry
from mllint_nan.frameworks.layers import activation_place
from mllint_nan.frameworks.signature import Signature
from mllint_nan.ir.term import (
    CHOICE,
    FUNCTION,
    INPUT,
    NOTHING,
    QUALIFIED,
    REFERENCE,
    SEQUENCE,
    Term,
    Written,
    peel,
    qualified,
)

_DICTIONARY: Final = "torch.nn.ModuleDict"
LISTS: Final = frozenset(("torch.nn.ModuleList", _DICTIONARY))
_MODELS: Final = frozenset(("keras.Model", "keras.models.Model"))
_LAMBDA: Final = "keras.layers.Lambda"
_OF_LAMBDA: Final = frozenset(("function", "name", "output_shape", "mask", "dtype", "trainable"))
"""Keywords of a `Lambda` layer that give its function no arguments."""
CHAINS: Final = frozenset(
    (
        "torch.nn.Sequential",
        "keras.Sequential",
        "keras.models.Sequential",
        "tensorflow.keras.Sequential",
        "tensorflow.keras.models.Sequential",
    )
)


@lru_cache(PATHS_MOST)
def may_be_layers(path: str) -> bool:
    """Whether a qualified name denotes a container of layers or a class of layers."""
    known = registry.canonical_path(path)
    is_class = ".layers." in known and known.rpartition(".")[2][:1].isupper()
    return is_class or known in CHAINS or known in LISTS


def keep_model(names: Names, made: Term, callee: Term, arguments: Arguments) -> None:
    """Record the output of a Keras `Model(inputs, outputs)`, and the f of a `Lambda(f)`."""
    named = qualified(callee)
    known = registry.canonical_path(str(named.detail)) if named.operation is QUALIFIED else ""
    if known == _LAMBDA and arguments.keywords.keys() <= _OF_LAMBDA:
        function = next(iter(arguments.positional), arguments.keywords.get("function"))
        if function is not None:
            names.wrapped[made.key] = function
    if known not in _MODELS:
        return
    outputs = (*arguments.positional[1:2], arguments.keywords.get("outputs"))
    output = peel(outputs[0]) if outputs[0] is not None else made
    names.outputs[made.key] = output
    if output.operation.operands == 1 and output.operation.kind != "leaf":
        names.models[made.key] = output


def model_applied(
    names: Names, site: object, model: Term, output: Term, arguments: Arguments
) -> Term | None:
    """Return the call of a functional model: its last operation, applied to an opaque body."""
    body = names.opaque("call", (model, *arguments.everything()), None)
    computed_in = shown(output.operands[0])
    if computed_in is not None:
        body.settings = {"dtype": names.build.constant(computed_in)}
    settings, framework = output.settings, output.framework
    last = names.operation(output.operation.name, (body,), None, settings, framework)
    written = Written("call", False, None)
    operands = (last, *arguments.everything())
    return Term(REFERENCE, operands, last.key, site, NOTHING, framework, None, written)


def layers_of(names: Names, site: object, path: str, arguments: Arguments) -> Term | None:
    """Return the layers of a container, or a layer with its activation, as a sequence."""
    known = registry.canonical_path(path)
    framework = registry.framework_of(path)
    if known in CHAINS:
        layers = arguments.positional
        if len(layers) == 1 and is_grown(layers[0]):
            layers = (several_layers(names), *peel(layers[0]).operands)
        elif len(layers) == 1:
            layers = listed_layers(layers[0])
        known_layers = arguments.keywords.keys() <= {"name"}
        return (
            names.build.leaf(SEQUENCE, CHAIN, layers, site, framework, key=names.build.fresh())
            if known_layers
            else None
        )
    if known == _DICTIONARY and not arguments.everything():
        return names.opaque(DICT, (), site)
    if known in LISTS and not arguments.positional and not arguments.keywords:
        return names.build.leaf(SEQUENCE, "list", (), site, key=names.build.fresh())
    if known in LISTS and len(arguments.positional) == 1:
        inside = peel(arguments.positional[0])
        is_listed = is_container(inside) or inside.operation.name == "collect"
        return inside if is_listed or inside.operation is INPUT else None
    activation = arguments.keywords.get("activation")
    name = known.rpartition(".")[2]
    place = activation_place(path)
    if place is not None and place < len(arguments.positional) and not arguments.others:
        activation = arguments.positional[place]
    if activation is None or ".layers." not in known or not name[:1].isupper():
        return None
    inner = peel(activation)
    if is_text(inner):
        function = f"keras.activations.{inner.detail}"
        if not registry.functions(function):
            return None
        activation = names.build.leaf(QUALIFIED, function)
    elif inner.operation not in (QUALIFIED, FUNCTION):
        return None
    if known == "keras.layers.Activation" and "dtype" not in arguments.keywords:
        return activation
    layer = names.opaque(f"call {path}", arguments.everything(), None, framework=framework)
    return names.build.leaf(SEQUENCE, CHAIN, (layer, activation), site, framework)


def chain_ending_in(
    names: Names, site: object, callee: Term, arguments: Arguments, last: int
) -> Term | None:
    """Return the chain of `Sequential(*layers, Sigmoid())`: `last` arguments follow all stars."""
    named = qualified(callee)
    path = str(named.detail) if named.operation is QUALIFIED else ""
    if registry.canonical_path(path) not in CHAINS or arguments.keywords:
        return None
    tail = arguments.positional[len(arguments.positional) - last :]
    tail = (*_last_of(arguments.others[-1]), *tail)
    if not tail:
        return None
    layers, framework = (several_layers(names), *tail), registry.framework_of(path)
    return names.build.leaf(SEQUENCE, CHAIN, layers, site, framework, key=names.build.fresh())


def _last_of(listed: Term) -> tuple[Term, ...]:
    """Return the last elements of a starred list, if they are known.

    A loop that fills the list is assumed to have run once.
    """
    inner = peel(listed)
    if inner.operation is CHOICE and inner.detail == "exit":
        filled = [one for one in map(peel, inner.operands) if one.operands]
        inner = filled[0] if len(filled) == 1 else inner
        return inner.operands if is_grown(inner) or is_display(inner) else ()
    return inner.operands if is_grown(inner) else ()


def several_layers(names: Names) -> Term:
    return names.opaque(SEVERAL, (), None)


def layer_applied(
    names: Names, site: object, layer: Term, positional: tuple[Term, ...]
) -> Term | None:
    signature: Signature = layer.detail
    operation = signature.operation
    needed = operation.parameters[: operation.operands]
    given = dict(zip(signature.call or needed, positional, strict=False))
    if any(name not in given for name in needed):
        return None
    return names.operation(
        operation.name,
        tuple(given[name] for name in needed),
        site,
        layer.settings,
        layer.framework,
        Written(signature.name, False, None),
    )
