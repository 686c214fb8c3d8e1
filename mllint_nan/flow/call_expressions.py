"""Calls as expressions: what is called, with which arguments, and what the call may change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from mllint_nan.flow.arguments import fits
from mllint_nan.flow.conditional_calls import call_by_condition
from mllint_nan.flow.containers import (
    ANY_KEY,
    field_of,
    has_names,
    is_dict,
    is_display,
    is_record,
    is_super,
    is_text,
)
from mllint_nan.flow.conversions import cast_by_map, is_tree_mapped
from mllint_nan.flow.counts import adds_at_indices
from mllint_nan.flow.distributions import density, density_of, gives_density, method_of_normal
from mllint_nan.flow.effects import note_effect, note_patch
from mllint_nan.flow.equivalents import with_diagonal_filled
from mllint_nan.flow.evaluated_arguments import Arguments
from mllint_nan.flow.expressions import Evaluator
from mllint_nan.flow.forwarded_arguments import note_handed
from mllint_nan.flow.generators import is_generator
from mllint_nan.flow.layer_chains import chain_ending_in, keep_model
from mllint_nan.flow.masks import mask_of
from mllint_nan.flow.precision import PRECISIONS, run_by, runs_models
from mllint_nan.flow.state import Closure
from mllint_nan.flow.storage import path_of
from mllint_nan.flow.trained import (
    concerns_training,
    handed,
    is_optimizer,
    makes_parameter,
    maps_update,
    origins_of,
    restraint,
    takes_gradients,
    takes_step,
)
from mllint_nan.flow.written_arguments import asks_for_gradient, without_output, written_by
from mllint_nan.frameworks import registry
from mllint_nan.frameworks.signature import Signature
from mllint_nan.ir import program as ir
from mllint_nan.ir.term import (
    CONSTANT,
    FUNCTION,
    INPUT,
    OPAQUE,
    QUALIFIED,
    REFERENCE,
    Term,
    constant_of,
    peel,
    qualified,
)

_INDEXED: Final[Mapping[str, str]] = {
    "set": "",
    "add": "add",
    "mul": "mul",
    "multiply": "mul",
    "divide": "div",
    "power": "pow",
    "min": "minimum",
    "max": "maximum",
}
"""The methods of JAX's `x.at[index]`, and the operation that makes the new elements."""
_MAKES_LAYERS: Final = ("torch.nn.", "flax.linen.", "flax.nnx.")
_NOTHING_GIVEN: Final = Arguments((), {}, (), True)
_WRITES_BACK: Final = frozenset(("call assign", "call assign_add", "call copy_"))


def takes_shape(signature: Signature) -> bool:
    """Whether all positional arguments, apart from the object of a method, form one shape."""
    own = signature.parameters[1:] if signature.method else signature.parameters
    by_place = [name for name in own if name not in signature.keyword_only]
    return (
        signature.variadic
        and len(by_place) == 1
        and signature.canonical.get(by_place[0], by_place[0]) == "shape"
    )


def _behind_stars(call: ir.Call) -> int:
    """How many arguments follow the last one with a star."""
    stars = [place for place, argument in enumerate(call.arguments) if argument.star]
    return len(call.arguments) - 1 - max(stars, default=-1)


def _is_in_place(result: Term, given: Arguments) -> bool:
    """Whether the keywords of a call say that its first argument holds the result afterwards."""
    is_patched = result.operation.name == "nan_to_num" and result.framework == "numpy"
    if is_patched and constant_of(given.keywords.get("copy")) is False:
        return True
    return constant_of(given.keywords.get("inplace")) is True


def _is_called(callee: ir.Expression, method: str) -> bool:
    return isinstance(callee, ir.Attribute) and callee.name == method


class CallEvaluator(Evaluator):
    """Evaluates calls: the callee, the arguments, and then the result."""

    __slots__ = ()

    def _is_stored(self, receiver: Term, name: str, is_classified: bool) -> bool:
        value = self.attribute_of(receiver, name) if is_classified else None
        if value is not None:
            return value.key not in self.instances
        if is_classified and self.type_of_attribute(receiver, name) is not None:
            return True
        if receiver.operation is REFERENCE and is_record(receiver):
            return field_of(receiver, name) is not None
        path = path_of(receiver)
        return bool(path) and self.state.environment.own(f"{path}.{name}") is not None

    def evaluate_call(self, expression: ir.Call) -> Term:
        """The result of a call of a method or of another value."""
        receiver: Term | None = None
        callee: Term | None = None
        method: Closure | None = None
        is_classified = False
        written = expression.callee
        if isinstance(written, ir.Attribute):
            update = self._indexed_update(expression) if written.name in _INDEXED else None
            if update is not None:
                return update
            receiver = self.evaluate(written.base)
            is_named = qualified(receiver).operation is QUALIFIED
            if is_named:
                receiver = self.object_behind(receiver)
            is_classified = self.is_of_class(receiver)
            if is_classified:
                method = self.method_of(receiver, written.name)
                if method is not None:
                    self.called(method.key)
                else:
                    self.note_base(receiver, written.name)
            if is_generator(receiver):
                callee = self._drawing_function(written)
            is_member = is_named and method is None and receiver.key not in self.instances
            if callee is None and (
                is_member or self._is_stored(receiver, written.name, is_classified)
            ):
                callee = self._attribute(written.site, receiver, written.name)
            if callee is not None:
                receiver = None
        else:
            callee = self.evaluate(written)
        given = self._arguments(expression)
        if given.keywords and given.positional:
            note_handed(self.analysis, given, self.state.facts)
        arguments, output = without_output(callee, given)
        result: Term | None = None
        at = written.site
        made = self.blueprint_of(callee) if callee is not None else None
        if receiver is not None and method is not None and not method.is_property:
            result = self.call_own(expression.site, method, self._passed(method, receiver, given))
            if result is None and method.makes_own:
                made = self.blueprint_of(receiver)
                arguments = Arguments((), {}, given.everything())
        elif callee is not None and self._is_settled(callee, arguments):
            result = self.call_value(expression.site, callee, arguments, at)
        elif arguments.others and callee is not None and peel(callee).detail == ANY_KEY:
            result = self.call_choice(expression.site, peel(callee), arguments)
        elif arguments.others and callee is not None:
            last = _behind_stars(expression)
            result = chain_ending_in(self, expression.site, callee, arguments, last)
            if result is None:
                result = self._made_in_shape(expression, callee, arguments)
        elif arguments.others:
            # Arguments with a star are understood only as parts of a shape.
            result = self._of_shape(expression, receiver, arguments)
        elif callee is not None:
            result = self.call_value(expression.site, callee, arguments, at)
        elif receiver is not None and isinstance(written, ir.Attribute):
            name = written.name
            is_held = method is not None or (
                is_classified and self.attribute_of(receiver, name) is not None
            )
            if is_held:  # in an attribute, or by a property
                held = self._attribute(None, receiver, name)
                result = self.call_value(expression.site, held, arguments, at)
            else:
                result = method_of_normal(self, expression.site, receiver, name, arguments)
                if result is None:
                    result = density_of(self, expression.site, receiver, name, arguments)
                if result is None:
                    result = self.call_method(expression.site, receiver, name, arguments, at)
        if result is None:
            if callee is not None:
                result = self.record(expression.site, callee, made, given)
            elif receiver is not None and _is_called(expression.callee, "compile"):
                self.compile_model(receiver, given)
            if result is None:
                result = self._opaque_call(expression, receiver, callee, given)
                if is_tree_mapped(result):
                    result = cast_by_map(self, result)
            if made is not None:
                self.make(result, made, arguments)
            if callee is not None:
                keep_model(self, result, callee, arguments)
                self.note_call(result, callee, made)
            elif receiver is not None and isinstance(written, ir.Attribute):
                self.note_method(result, receiver, written.name, method)
            if result.operation is OPAQUE:
                self._note_training(result, str(result.detail), receiver, given)
            note_effect(self, result, receiver, callee, expression.callee, given)
            if runs_models(result):
                run_by(self, result, receiver, given)
            return result
        if output is not None:
            if result.written is not None:
                result.written = replace(result.written, inplace=True)
            self.rebind(output, result)
        elif given.positional and _is_in_place(result, given):
            self.rebind(given.positional[0], result)
        if asks_for_gradient(result, given):
            result = self.trained(result, expression.site)
            if receiver is not None and receiver.operation is REFERENCE:
                self.rebind(receiver, result)
        return result

    def _call_by_name(
        self, site: object, path: str, framework: str | None, arguments: Arguments
    ) -> Term | None:
        known = registry.canonical_path(path)
        if gives_density(known):
            return density(self, site, known, arguments, framework)
        chosen = call_by_condition(self, site, known, framework, arguments)
        return chosen or super()._call_by_name(site, path, framework, arguments)

    def _passed(self, method: Closure, receiver: Term, given: Arguments) -> Arguments:
        """The arguments of a method, after its object or its class if it takes one."""
        first = method.parameters[0].name if method.parameters else ""
        is_class = self.blueprint_of(receiver) is not None
        if first not in ("self", "cls") or (is_class and first == "self"):
            return given
        bound = self.reference("self", None) if is_super(receiver) else receiver
        return given.after(self.class_of(bound) if first == "cls" and not is_class else bound)

    def object_behind(self, receiver: Term) -> Term:
        """The object of a visible class that an imported name stands for, else the receiver."""
        raise NotImplementedError

    def class_of(self, receiver: Term) -> Term:
        """The class of an object, as its class methods receive it."""
        raise NotImplementedError

    def _is_settled(self, callee: Term, arguments: Arguments) -> bool:
        """Whether it is visible what the callee is given besides the arguments with stars."""
        if not arguments.others or not arguments.are_last:
            return False
        inner = qualified(callee)
        if inner.operation is FUNCTION:
            return fits(inner.detail, arguments)
        return inner.key in self.instances or inner.key in self.typed

    def _drawing_function(self, written: ir.Attribute) -> Term | None:
        """`generator.normal`: the function of NumPy's module that draws like it."""
        path = f"numpy.random.{written.name}"
        if not registry.functions(path):
            return None
        return self.build.leaf(QUALIFIED, path, site=written.site, framework=None)

    def _of_shape(
        self, expression: ir.Call, receiver: Term | None, arguments: Arguments
    ) -> Term | None:
        """The result of `x.view(*shape)`, where arguments with a star are parts of a shape."""
        written = expression.callee
        if receiver is None or not isinstance(written, ir.Attribute):
            return None
        spelled = (signature for _, signature in registry.methods(written.name))
        gathered = self._gathered(expression, arguments)
        if gathered is None or not any(map(takes_shape, spelled)):
            return None
        return self.call_method(expression.site, receiver, written.name, gathered, written.site)

    def _made_in_shape(
        self, expression: ir.Call, callee: Term, arguments: Arguments
    ) -> Term | None:
        """The result of `rand(*shape)`, where arguments with a star are parts of a shape."""
        inner = qualified(callee)
        if inner.operation is not QUALIFIED:
            return None
        gathered = self._gathered(expression, arguments)
        if gathered is None or not any(map(takes_shape, registry.functions(str(inner.detail)))):
            return None
        return self.call_value(expression.site, callee, gathered, expression.callee.site)

    def _gathered(self, expression: ir.Call, arguments: Arguments) -> Arguments | None:
        """The arguments, with all positional ones gathered into one shape."""
        if any(argument.star == "**" for argument in expression.arguments):
            return None
        parts = (*arguments.positional, *arguments.others)
        return Arguments((self.opaque("shape", parts, None, pure=True),), arguments.keywords)

    def _note_training(
        self, made: Term, called: str, receiver: Term | None, arguments: Arguments
    ) -> None:
        """Record what an opaque call says about training: parameters, optimizers, steps."""
        if not concerns_training(called) and called not in _WRITES_BACK:
            return
        owner = self.scope.owner
        if not self.recording and (owner is None or not owner.is_elsewhere):
            return
        if not self.recording and not makes_parameter(called):
            return
        if makes_parameter(called):
            kept = restraint(called, arguments)
            if kept is not None:
                self.analysis.restrained[made.key] = kept
        elif is_optimizer(called):
            tensors = (term for given in handed(arguments) for term in origins_of(given))
            self.analysis.updated.update(term.key for term in tensors)
            self.analysis.steps = True
        elif takes_step(called) or maps_update(called, arguments):
            self.analysis.steps = True
        if takes_gradients(called, receiver, arguments):
            self.trains()
        if receiver is not None and arguments.positional and called in _WRITES_BACK:
            self.note_bounds(receiver, arguments.positional[0])
            if peel(arguments.positional[0]).operation.name != "sub":  # no step of a descent
                self.analysis.assigned.add(path_of(receiver).rpartition(".")[2])

    def _indexed_update(self, expression: ir.Call) -> Term | None:
        """The new array that JAX's `x.at[index].set(value)` or the like returns, else `None`."""
        match expression:
            case ir.Call(
                site,
                ir.Attribute(_, ir.Subscript(_, ir.Attribute(_, base, "at"), indices), name),
                (argument, *_),
            ):
                array = self.evaluate(base)
                places = [self.evaluate(index) for index in indices]
                mask = mask_of(places[0]) if len(places) == 1 else None
                value = self.evaluate(argument.value)
                combining = _INDEXED[name]
                if combining:
                    value = self.operation(combining, (array, value), None)
                parts = (array, value) if mask is None else (array, value, mask)
                note_patch(self, site, array, places, value)
                changed = self.opaque("update", parts, site, pure=True, at=places, framework="jax")
                self.analysis.written_at.setdefault(changed.key, []).append(tuple(places))
                return changed
            case _:
                return None

    def _arguments(self, expression: ir.Call) -> Arguments:
        if not expression.arguments:
            return _NOTHING_GIVEN
        positional: list[Term] = []
        keywords: dict[str, Term] = {}
        others: list[Term] = []
        are_last = True
        is_open = False
        for argument in expression.arguments:
            term = self.evaluate(argument.value)
            if argument.star == "*" and is_display(term):
                positional.extend(peel(term).operands)
            elif argument.star == "**" and is_dict(term) and has_names(term):
                kept = peel(term).operands
                keywords.update(zip(map(str, map(constant_of, kept[::2])), kept[1::2], strict=True))
            elif argument.star:
                others.append(term)
                is_open = is_open or argument.star == "*"
                are_last = are_last and (bool(positional) or argument.star == "**")
            elif argument.keyword is not None:
                keywords[argument.keyword] = term
            else:
                positional.append(term)
                are_last = are_last and not is_open
        return Arguments(tuple(positional), keywords, tuple(others), are_last)

    def _opaque_call(
        self, expression: ir.Call, receiver: Term | None, callee: Term | None, arguments: Arguments
    ) -> Term:
        """The opaque term of a call that is not understood, which may change its object."""
        what, framework = "", None
        if self.frames:
            owners = arguments.everything()
            self.forget_frames(owners if receiver is None else (receiver, *owners))
        for term, parts in written_by(expression, receiver, callee, arguments):
            self._write(callee, term, parts)
        if receiver is not None and isinstance(expression.callee, ir.Attribute):
            self._keep_buffer(expression.callee.name, arguments)
            for added in arguments.positional if expression.callee.name == "assign_add" else ():
                self.keep_part(receiver, (), added)
            self.touch(receiver)
            what, framework = expression.callee.name, peel(receiver).framework
        elif callee is not None:
            inner = peel(callee)
            if inner.operation in (QUALIFIED, INPUT):
                what = str(inner.detail)
            elif inner.operation is FUNCTION:
                what = inner.detail.name
            if inner.operation is QUALIFIED and not what.startswith("builtins."):
                framework = registry.framework_of(what)
        operands = arguments.everything()
        if callee is not None:
            operands = (callee, *operands)
        if receiver is not None:
            operands = (receiver, *operands)
        made = self.opaque(
            f"call {what}" if what else "call", operands, expression.site, framework=framework
        )
        if arguments.keywords:
            self._note_keywords(made, arguments.keywords)
            if what.startswith(_MAKES_LAYERS) and "dtype" in arguments.keywords:
                made.settings = {"dtype": arguments.keywords["dtype"]}
            told = next(filter(None, map(arguments.keywords.get, PRECISIONS)), None)
            if told is not None:
                made.settings = {"precision": told}
        if adds_at_indices(what) and (receiver or arguments.positional):
            self.rebind(receiver or arguments.positional[0], made)
        return made

    def _write(self, callee: Term | None, term: Term, parts: tuple[Term, ...]) -> None:
        """Rebind a variable into which a call writes what its elements come from then."""
        if parts == (term, term):  # its own elements, in other places
            changed: Term | None = self.operation("transpose", (peel(term),), None)
        else:
            changed = with_diagonal_filled(self, callee, parts)
        if changed is None:
            changed = self.opaque("update", parts, None, framework=term.framework)
        self.rebind(term, changed)

    def _note_keywords(self, made: Term, keywords: Mapping[str, Term]) -> None:
        """Record the keywords of an opaque call: for which terms, and which are `True`."""
        switched_on = []
        for keyword, term in keywords.items():
            if term.operation is not CONSTANT:
                self.analysis.handed_as.setdefault(term.key, set()).add(keyword)
            if constant_of(term) is True:
                switched_on.append(keyword)
        if switched_on:
            self.analysis.switched_on[peel(made).key] = frozenset(switched_on)

    def _keep_buffer(self, method: str, arguments: Arguments) -> None:
        """Record what `self.register_buffer("name", t)` or the like stores in an attribute.

        So does `self.add_state("name", default=t)` of a metric. Only a parameter is trained.
        """
        if method not in ("register_buffer", "register_parameter", "add_state"):
            return
        given = arguments.positional
        if method == "add_state" and "default" in arguments.keywords:
            given = (*given[:1], arguments.keywords["default"])
        if len(given) > 1 and is_text(given[0]):
            is_trained = method == "register_parameter"
            kept = given[1] if is_trained else self.operation("detach", (given[1],), None)
            self.keep(str(constant_of(given[0])), kept)
