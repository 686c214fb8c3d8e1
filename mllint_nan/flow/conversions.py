"""Methods of a module that return it; some of them cast all of it to another format."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from mllint_nan.flow.applied_models import taken_by_call
from mllint_nan.flow.containers import is_container
from mllint_nan.flow.evaluated_arguments import Arguments
from mllint_nan.flow.formats import (
    KERAS_LAYER,
    KERAS_LOSS,
    dtype_name,
    layer_format,
    policy_format,
    shown,
)
from mllint_nan.flow.queries import expressions
from mllint_nan.flow.regions import CONVERTING, MODULE
from mllint_nan.flow.state import Blueprint, Closure
from mllint_nan.ir import program as ir
from mllint_nan.ir.blocks import own_statements
from mllint_nan.ir.canonical import Builder
from mllint_nan.ir.program import FIRST_METHODS
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CONSTANT,
    FUNCTION,
    NOTHING,
    OPAQUE,
    QUALIFIED,
    REFERENCE,
    Term,
    peel,
)

if TYPE_CHECKING:
    from mllint_nan.flow.call_expressions import CallEvaluator
    from mllint_nan.flow.calls import Calls
    from mllint_nan.flow.class_values import ClassEvaluator
    from mllint_nan.flow.framework_calls import FrameworkCalls

MOVES: Final = frozenset(
    (*CONVERTING.values(), "cpu", "cuda", "eval", "requires_grad_", "to", "train", "type")
)
"""Methods of a module that return the module."""
_LAYER: Final = re.compile(r"^call torch\.nn\.(modules\.\w+\.)?(?!Parameter|Buffer)[A-Z]\w*$")
_TREE_MAPS: Final = ("jax.tree.map", "jax.tree_map", "jax.tree_util.tree_map")


def is_layer_of_torch(inner: Term) -> bool:
    """Whether a call constructs a layer of PyTorch that is otherwise unknown, and not calls it."""
    if inner.operation is not OPAQUE or not inner.operands:
        return False
    return _LAYER.match(str(inner.detail)) is not None and (
        peel(inner.operands[0]).operation is QUALIFIED
    )


def conversion(build: Builder, method: str, arguments: Arguments) -> Term | None:
    """The context that calls of a module enter after a method that casts it, else `None`."""
    named: str | None = None
    if method in ("to", "type"):
        found = next(filter(None, map(dtype_name, arguments.everything())), None)
        named = CONVERTING.get(found) if found is not None else None
    elif method in CONVERTING.values():
        named = method
    return build.leaf(QUALIFIED, f"{MODULE}{named}") if named is not None else None


def moved(at: Calls, site: object, receiver: Term, entered: Term | None) -> Term:
    """A module after one of `MOVES`: if that casts, its calls enter the region from then on."""
    inner = peel(receiver)
    if entered is None or (_is_full(entered) and inner.key not in at.converted):
        return receiver
    cast = in_region(at, receiver, entered)
    if at.scope.name == FIRST_METHODS[0] and not at.state.facts:
        at.converted[inner.key] = entered  # the attribute holds it for other methods, too
    if has_name(receiver):
        at.rebind(receiver, cast)
    return Term(REFERENCE, (cast, receiver), cast.key, site, NOTHING, cast.framework, None)


def in_region(at: FrameworkCalls, module: Term, entered: Term) -> Term:
    """A copy of a module whose calls enter a region."""
    inner, key = peel(module), at.build.fresh()
    tables: tuple[dict[int, Any], ...] = (at.instances, at.typed, at.models, at.outputs, at.wrapped)
    for table in tables:
        if inner.key in table:
            table[key] = table[inner.key]
    facts = (at.state.facts,) if at.state.facts else ()
    at.converted[key] = replace(entered, facts=facts)
    return replace(inner, key=key)


def entered_by_call(at: FrameworkCalls, module: Term) -> Term | None:
    """The region that a call of a module enters; it may not, if it was cast under a condition."""
    entered = at.converted.get(module.key)
    if entered is None or not entered.facts:
        return entered
    holding = {(fact.test.key, fact.holds) for fact in at.state.facts}
    needed = {(fact.test.key, fact.holds) for fact in entered.facts[0]}
    if needed <= holding:
        return entered
    test = entered.facts[0][-1].test
    inside = entered.operands if entered.operation is OPAQUE else (entered,)
    path = str(peel(inside[0]).detail)
    return at.build.leaf(OPAQUE, f"call {path}", (*inside, test))


def has_name(module: Term) -> bool:
    """Whether a variable or an attribute holds the module, so that a method changes it there."""
    return module.detail is not None and module.operation in (REFERENCE, ATTRIBUTE)


def _is_full(entered: Term) -> bool:
    """Whether a cast is to single or double precision, in which modules are created anyway."""
    return entered.detail in (f"{MODULE}float", f"{MODULE}double")


def cast_by_layer(at: ClassEvaluator, layer: Term, method: Closure, given: Arguments) -> Arguments:
    """The arguments of `call` of a Keras layer or loss, cast to the format that it computes in."""
    arguments = taken_by_call(method, given)
    made = at.instances.get(peel(layer).key)
    of_layer = made is not None and at.is_derived(made.blueprint, KERAS_LAYER)
    if made is None or not (of_layer or at.is_derived(made.blueprint, KERAS_LOSS)):
        return arguments
    policy = made.given.keywords.get("dtype")
    name = policy_format(policy) if policy is not None else layer_format(at.entered())
    if name is None:
        return arguments
    if policy is None and not of_layer:
        name = "float32"

    def cast(term: Term) -> Term:
        inner = peel(term)
        is_tensor = inner.operation is not CONSTANT and not at.is_called(inner)
        if not is_tensor or is_container(inner) or (shown(inner) or "float32") == name:
            return term
        return at.in_format(inner, name)

    keywords = {key: cast(term) for key, term in arguments.keywords.items()}
    return Arguments(tuple(map(cast, arguments.positional)), keywords, arguments.others)


def format_of_input(at: ClassEvaluator, layer: Blueprint | None) -> str | None:
    """The format to which Keras casts what a layer is called with, by the policy of the program.

    `None` if there is none, or the class or one of its visible objects sets its own format.
    """
    if layer is None or not at.is_derived(layer, KERAS_LAYER):
        return None
    first = layer.text.method(FIRST_METHODS[0])
    sets_own = any(
        isinstance(one, ir.Call)
        and isinstance(one.callee, ir.Attribute)
        and one.callee.name == FIRST_METHODS[0]
        and any(given.keyword == "dtype" for given in one.arguments)
        for statement in (own_statements(first.body) if first is not None else ())
        for one in expressions(statement)
    )
    made = (one for one in at.instances.values() if one.blueprint is layer)
    is_set = sets_own or any("dtype" in one.given.keywords for one in made)
    return None if is_set else layer_format(at.entered())


def in_format_of_losses(at: FrameworkCalls, predicted: Term) -> Term:
    """What a loss of Keras 3 computes with: it casts a prediction, whatever the policy is."""
    is_cast = layer_format(at.entered()) is not None and not is_container(predicted)
    return at.in_format(peel(predicted), "float32") if is_cast else predicted


def is_tree_mapped(call: Term) -> bool:
    """Whether a call is `jax.tree.map(f, tree)`, under any of its names."""
    return call.operation is OPAQUE and str(call.detail).endswith(_TREE_MAPS)


def cast_by_map(at: CallEvaluator, tree: Term) -> Term:
    """The result of `jax.tree.map(lambda leaf: leaf.astype(jnp.float16), tree)`, in that format."""
    function = peel(tree.operands[1]) if len(tree.operands) == 3 else tree
    if function.operation is not FUNCTION:
        return tree
    leaf = at.opaque("leaf", (), None, framework="jax")
    cast = at.call_value(None, function, Arguments((leaf,), {}), None)
    name = shown(cast) if cast is not None else None
    return at.in_format(tree, name) if name is not None else tree
