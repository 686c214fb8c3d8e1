"""Calls and assignments that are made for their effect on a value, not for their result."""

from __future__ import annotations

from collections.abc import Sequence

from mllint_nan.flow.evaluated_arguments import Arguments
from mllint_nan.flow.masks import mask_of
from mllint_nan.flow.names import Names
from mllint_nan.flow.state import CallInSight, Occurrence
from mllint_nan.frameworks import registry
from mllint_nan.ir.ops import operation
from mllint_nan.ir.program import Attribute, Expression
from mllint_nan.ir.term import OPAQUE, QUALIFIED, Term, Written, behind_views, peel, qualified


def asks_for_nan(mask: Term, array: Term) -> bool:
    """Whether a condition tests if elements of an array are NaN or infinite, as `x != x` does."""
    inner = peel(mask)
    while inner.operation.name in ("logical_not", "logical_or"):
        inner = peel(inner.operands[0])
    if inner.operation.name in ("isnan", "isinf", "isfinite"):
        return behind_views(inner.operands[0]).key == behind_views(array).key
    return inner.operation.name == "ne" and inner.operands[0].key == inner.operands[1].key


def note_effect(
    names: Names,
    call: Term,
    receiver: Term | None,
    callee: Term | None,
    written: Expression,
    arguments: Arguments,
) -> None:
    """Record an opaque call if a framework's table has it as one that is made for its effect."""
    is_followed = names.recording or names.effects_of is not None
    if not is_followed or call.operation is not OPAQUE or (names.recording and call.site is None):
        return
    is_method = receiver is not None and isinstance(written, Attribute)
    if is_method and isinstance(written, Attribute):
        name = written.name
    else:
        called = qualified(callee) if callee is not None else None
        if called is None or called.operation is not QUALIFIED:
            return
        name = str(called.detail)
    found = registry.effects(name, is_method=is_method)
    if not found:
        return
    home = peel(receiver).framework if receiver is not None else None
    given = arguments.after(receiver) if receiver is not None else arguments
    for framework, signature in found:
        is_at_home = home == framework or framework in names.analysis.frameworks
        if is_method and not is_at_home:
            continue
        binding = registry.bind_effect(signature, len(given.positional), given.keywords)
        if binding is not None:
            at = Written(name, is_method, written.site)
            _keep_effect(names, call, binding, given, framework, at)
            return


def note_patch(
    names: Names, site: object, array: Term, places: Sequence[Term], value: Term
) -> None:
    """Record `x[isnan(x)] = 0` as an effect: `where(isnan(x), 0, x)`, made in place."""
    mask = mask_of(places[0]) if len(places) == 1 else None
    if not names.recording or mask is None or not asks_for_nan(mask, array):
        return
    term = names.build.build(operation("where"), (mask, value, array), None, site, array.framework)
    names.analysis.effects.append(Occurrence(term, names.state, names.scope))


def _keep_effect(
    names: Names,
    call: Term,
    binding: registry.Binding,
    arguments: Arguments,
    framework: str,
    written: Written,
) -> None:
    operation = binding.signature.operation
    values = {name: names.build.constant(value) for name, value in binding.settings.items()}
    for name, place in binding.arguments.items():
        values[name] = (
            arguments.positional[place] if isinstance(place, int) else arguments.keywords[place]
        )
    operands = tuple(values.pop(name) for name in operation.parameters[: operation.operands])
    term = names.build.build(operation, operands, values, call.site, framework, written)
    term.key = call.key  # what is made from the call's result is made from this
    if names.recording:
        names.analysis.effects.append(Occurrence(term, names.state, names.scope))
    elif names.effects_of is not None:
        # The caller makes the call, too, in its own order.
        caller, facts = names.effects_of
        state = names.state.with_facts((*facts, *names.state.facts))
        names.analysis.effects.append(Occurrence(term, state, caller, CallInSight(None, caller)))
