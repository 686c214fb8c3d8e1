"""Calls as canonical operations: of functions, methods, layers, and functions of this file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from mllint_nan.flow.applied_models import (
    APPLIERS,
    DIFFERENTIATES,
    KEEPS_GIVEN,
    KERAS,
    MAPPERS,
    MAPS,
    OF_STATE,
    PREDICTS,
    TAKES_CALLED,
    TAKES_TUPLE,
    are_moved,
    module_applied,
)
from mllint_nan.flow.arguments import (
    PARTIAL,
    WRAPPERS,
    applied_signature,
    is_mapped_alike,
    may_be_torch,
    methods_of,
    own_signatures,
    partially_applied,
    sets_arguments,
)
from mllint_nan.flow.array_namespaces import namespace_returned
from mllint_nan.flow.checks import passed_on
from mllint_nan.flow.containers import (
    CHAIN,
    DICT,
    ELEMENT,
    GROWN,
    LAST_MOST,
    NAMED_TUPLE,
    RECORD,
    holds_of_all,
    is_chain,
    is_container,
    is_dict,
    is_display,
    is_grown,
    is_list,
    is_text,
    names_listed,
    pairs,
    splits_tensor,
)
from mllint_nan.flow.conversions import MOVES, conversion, entered_by_call, is_layer_of_torch, moved
from mllint_nan.flow.einops import EINOPS, by_pattern
from mllint_nan.flow.equivalents import (
    EQUIVALENTS,
    IDENTITIES,
    SETTERS,
    einsum_applied,
    equivalent,
    identity,
    prepared,
    triangle,
    unlisted,
    with_elements_set,
)
from mllint_nan.flow.evaluated_arguments import Arguments
from mllint_nan.flow.framework_calls import HANDS_BACK, TAKEN, FrameworkCalls
from mllint_nan.flow.layer_chains import (
    layer_applied,
    layers_of,
    may_be_layers,
    model_applied,
    several_layers,
)
from mllint_nan.flow.precision import given_in_full, prepared_in
from mllint_nan.flow.progress_bars import ITERATES, iterated
from mllint_nan.flow.state import Blueprint, CallInSight, Closure
from mllint_nan.flow.triangles import SIDES, TRIANGLES
from mllint_nan.frameworks import registry
from mllint_nan.frameworks.layers import layer_call
from mllint_nan.ir.program import MUTATORS
from mllint_nan.ir.term import (
    CHOICE,
    FUNCTION,
    INPUT,
    LAYER,
    NOTHING,
    OPAQUE,
    QUALIFIED,
    REFERENCE,
    SEQUENCE,
    Term,
    Written,
    held,
    peel,
    qualified,
)
from mllint_nan.naming import names

_APPENDED_MOST: Final = 64
_RECORDS: Final = frozenset(("types.SimpleNamespace", "argparse.Namespace"))
_NAMED_TUPLES: Final = frozenset(("collections.namedtuple", "typing.NamedTuple"))
_PREPARES: Final = names("preparing")
_TRANSFORMED: Final = frozenset((OF_STATE[1], "apply"))
_PREPARING: Final = frozenset(("prepare", "prepare_model", "setup", "setup_module"))
"""Methods of such an object that return their arguments."""


class Calls(FrameworkCalls):
    """Understands calls whose callee and arguments have been evaluated."""

    __slots__ = ()

    def call_value(
        self, site: object, callee: Term, arguments: Arguments, written_at: object
    ) -> Term | None:
        """The result of calling a value; `None` if it is not understood."""
        inner = qualified(callee)
        entered = entered_by_call(self, inner) if self.converted else None
        if entered is None:
            return self._call_value(site, callee, inner, arguments, written_at)
        outside = self.state.contexts
        self.state = self.state.within((*outside, entered))
        result = self._call_value(site, callee, inner, arguments, written_at)
        self.state = self.state.within(outside)
        return given_in_full(self, entered, result)

    def _call_value(
        self, site: object, callee: Term, inner: Term, arguments: Arguments, written_at: object
    ) -> Term | None:
        """The result within the region that the callee, whose value is `inner`, enters."""
        if callee.operation is REFERENCE and callee.written is not None:
            return self._call_elsewhere(site, inner, callee.written, arguments)
        if inner.operation is QUALIFIED:
            return self._call_function(site, inner.detail, arguments, written_at)
        if inner.operation is FUNCTION:
            return self.call_closure(site, inner.detail, arguments)
        is_own = inner.operation is INPUT and inner.detail == "self"
        if is_own or inner.key in self.instances or inner.key in self.typed:
            return self.call_instance(site, callee, arguments)
        if inner.operation is LAYER and not arguments.keywords:
            return layer_applied(self, site, inner, arguments.positional)
        if is_chain(inner) and len(arguments.positional) == 1:
            return self._call_chain(site, inner, arguments.positional[0])
        if inner.operation is CHOICE:
            return self.call_choice(site, inner, arguments)
        if inner.key in self.models and arguments.positional:
            return model_applied(self, site, callee, self.models[inner.key], arguments)
        if inner.key in self.wrapped:
            return self._call_wrapped(site, callee, self.wrapped[inner.key], arguments)
        if inner.operation is OPAQUE and inner.detail in DIFFERENTIATES and inner.operands[1:]:
            moved = tuple(
                self.trained(peel(one), None) if is_moved and not self.is_called(one) else one
                for one, is_moved in zip(arguments.positional, are_moved(inner), strict=False)
            )  # called only for the findings in it
            self.call_value(site, inner.operands[1], Arguments(moved, arguments.keywords), None)
        return None

    def call_instance(self, site: object, instance: Term, arguments: Arguments) -> Term | None:
        """The result of calling an object of a visible class: its `forward`, by whatever name."""
        raise NotImplementedError

    def apply_module(self, site: object, module: Term, arguments: Arguments) -> Term | None:
        """The result of `module.apply(variables, x)` of Flax, if the module's class is visible."""
        raise NotImplementedError

    def call_transformed(
        self, site: object, receiver: Term, method: str, arguments: Arguments
    ) -> Term | None:
        """The result of `apply` of a function that Haiku transforms, or of `TrainState.create`."""
        raise NotImplementedError

    def attribute_of(self, receiver: Term, name: str) -> Term | None:
        """The stateless value of an attribute of an object whose class is visible."""
        raise NotImplementedError

    def is_foreign(self, receiver: Term, name: str) -> bool:
        """Whether the class that sets an attribute is in another file."""
        raise NotImplementedError

    def note_call(self, result: Term, callee: Term, made: Blueprint | None) -> None:
        """Record whose object the result of an opaque call is."""
        raise NotImplementedError

    def note_method(self, result: Term, receiver: Term, name: str, method: Closure | None) -> None:
        """Record whose object the result of an opaque call of a method, visible or not, is."""
        raise NotImplementedError

    def trained(self, start: Term, site: object) -> Term:
        """A tensor that training moves away from its initial value."""
        raise NotImplementedError

    def _call_imported(
        self, site: object, path: str, arguments: Arguments, written_at: object
    ) -> Term | None:
        """The result of calling what another file of the project defines or re-exports."""
        found = self.imported(path)
        if found is None:
            return passed_on(self, site, path, arguments)
        inner = peel(found)
        if inner.operation is QUALIFIED:
            if registry.framework_of(inner.detail) is None:
                return None
            return self._call_function(site, inner.detail, arguments, written_at)
        return self._call_elsewhere(site, found, Written(path, False, None), arguments)

    def _call_elsewhere(
        self, site: object, callee: Term, written: Written, arguments: Arguments
    ) -> Term | None:
        """The result of calling a value of another file; `written` marks it, so no fix is safe."""
        recording, visiting, self.recording = self.recording, self.visiting, False
        if recording and visiting is None:
            self.visiting = CallInSight(site, self.scope, self.elsewhere)
        try:
            result = self.call_value(None, callee, arguments, None)
        finally:
            self.recording, self.visiting = recording, visiting
        if result is None:
            return None
        operands = (held(result), *arguments.everything())
        term = Term(REFERENCE, operands, result.key, site, NOTHING, result.framework, None, written)
        self.consume(term)
        if recording and callee.key in self.analysis.functions:  # of this file, behind a mapper
            self.analysis.calls.setdefault(callee.key, []).append(term)
        return term

    def _call_wrapped(
        self, site: object, layer: Term, function: Term, arguments: Arguments
    ) -> Term | None:
        """The result of a layer that wraps a function; a call of the layer is recorded as well."""
        result = self.call_value(None, function, arguments, None)
        if result is None:
            return None
        self.opaque("call", (layer, *arguments.everything()), None)
        operands = (held(result), layer, *arguments.everything())
        written = Written("call", False, None)
        return Term(REFERENCE, operands, result.key, site, NOTHING, result.framework, None, written)

    def _call_chain(self, site: object, chain: Term, value: Term) -> Term:
        """The result of applying layers in turn; only the last has a site, that of the call."""
        for position, layer in enumerate(chain.operands, 1):
            at = site if position == len(chain.operands) else None
            result = self.call_value(at, layer, Arguments((value,), {}), None)
            if result is None:
                what = str(peel(layer).detail).removeprefix("call ")
                result = self.opaque(f"call {what}", (layer, value), at, framework=layer.framework)
            value = result
        return value

    def grown(self, listed: Term, elements: tuple[Term, ...]) -> Term | None:
        """A list or a chain of layers with more elements at its end; `None` for anything else."""
        inner = peel(listed)
        framework = next((one.framework for one in elements if one.framework), inner.framework)
        if inner.operation is SEQUENCE and len(inner.operands) < _APPENDED_MOST:
            known = (*inner.operands, *elements)
            return self.build.leaf(SEQUENCE, inner.detail, known, None, framework)
        if holds_of_all(is_chain, inner):
            known = (several_layers(self), *elements)
            return self.build.leaf(SEQUENCE, CHAIN, known, None, framework, key=self.build.fresh())
        if inner.operation.name == "collect" and not any(map(self.is_called, elements)):
            drawn = self.choice((inner.operands[0], *elements), None, ELEMENT)
            return self.operation("collect", (drawn,), None)
        if holds_of_all(is_list, inner):
            known = inner.operands if is_grown(inner) else ()
            last = (*known, *elements)[-LAST_MOST:]
            return self.build.leaf(OPAQUE, GROWN, last, None, framework, key=self.build.fresh())
        return None

    def record(
        self, site: object, callee: Term, made: Blueprint | None, arguments: Arguments
    ) -> Term | None:
        """An object of a class that only stores its arguments by name; `None` for any other."""
        kind, names = RECORD, self.fields_of(made) if made is not None else None
        inner = qualified(callee)
        if inner.operation is QUALIFIED and inner.detail in _RECORDS:
            names = ()
        elif inner.operation is OPAQUE and inner.operands:
            maker = peel(inner.operands[0])
            if maker.operation is QUALIFIED and maker.detail in _NAMED_TUPLES:
                kind, names = NAMED_TUPLE, names_listed(inner.operands[2:3])
        if names is None or arguments.others or len(arguments.positional) > len(names):
            return None
        if made is not None and self.is_named_tuple(made):
            kind = NAMED_TUPLE
        given = dict(zip(names, arguments.positional, strict=False))
        given.update(arguments.keywords)
        if made is not None:
            given.update(self.given_by_default(made, [one for one in names if one not in given]))
        if kind == NAMED_TUPLE:
            if not names or set(given) != set(names):
                return None
            given = {name: given[name] for name in names}
        framework = next((one.framework for one in given.values() if one.framework), None)
        return self.opaque(kind, pairs(self, given), site, framework=framework)

    def fields_of(self, blueprint: Blueprint) -> tuple[str, ...] | None:
        """The fields of a `dataclass` or a `NamedTuple`; `None` for any other class."""
        raise NotImplementedError

    def given_by_default(self, blueprint: Blueprint, names: Iterable[str]) -> Mapping[str, Term]:
        """The constants, functions, classes and objects that are the defaults of these fields."""
        raise NotImplementedError

    def is_named_tuple(self, blueprint: Blueprint) -> bool:
        """Whether a class is derived from `NamedTuple`."""
        raise NotImplementedError

    def _call_function(
        self, site: object, path: str, arguments: Arguments, written_at: object
    ) -> Term | None:
        if path == PARTIAL and arguments.positional:
            return partially_applied(self, site, arguments)
        framework = registry.framework_of(path)
        layers = layers_of(self, site, path, arguments) if may_be_layers(path) else None
        if layers is not None:
            return layers
        if framework is None:
            own = own_signatures(self, path) or registry.functions(path)
            if not own:
                found = self._call_imported(site, path, arguments, written_at)
                return found or self._call_by_name(site, path, None, arguments)
            signatures = own
        else:
            signatures = registry.functions(path) or own_signatures(self, path)
        if signatures and signatures[0].operation.name == "einsum":
            arguments = unlisted(arguments) if framework == "torch" else arguments
            contracted = einsum_applied(self, site, framework, arguments)
            if contracted is not None:
                return contracted
        for signature in signatures:
            written = Written(path, signature.method, written_at, signature.inplace)
            term = applied_signature(self, site, signature, framework, arguments, written)
            if term is not None:
                if signature.inplace and arguments.positional:
                    self.rebind(arguments.positional[0], term)
                return term
        return self._call_by_name(site, path, framework, arguments)

    def _call_by_name(
        self, site: object, path: str, framework: str | None, arguments: Arguments
    ) -> Term | None:
        """The result of functions that are no operations themselves: wrappers, layers, writes."""
        known = registry.canonical_path(path)
        self.differentiate(known, arguments)
        if (
            known in TAKES_CALLED
            and arguments.positional
            and (
                self.is_callable(arguments.positional[0])
                or (known in MAPPERS and is_mapped_alike(arguments))
            )
        ):
            applied = self._applied(site, known, arguments)
            if applied is not None:
                return applied
        if known in TRIANGLES and arguments.positional:
            return triangle(self, site, known, arguments)
        if known.startswith("tensorflow."):
            activated = self._activated(site, path, arguments)
            if activated is not None:
                return activated
        if known == "tensorflow.tensor_scatter_nd_update" and len(arguments.positional) == 3:
            tensor, _, updates = arguments.positional
            return self.opaque("update", (tensor, updates), site, framework=framework)
        if known.startswith("torch.") and known.removeprefix("torch.") in SETTERS:
            array, *others = arguments.positional or (None,)
            if array is not None:
                rest = Arguments(tuple(others), arguments.keywords)
                return with_elements_set(self, site, array, known.removeprefix("torch."), rest)
        if known in TAKEN:
            self.trained_by(known, arguments)
        if known in HANDS_BACK:
            return self.handed_back(site, known, arguments)
        if known in IDENTITIES and arguments.positional:
            return identity(self, site, known, arguments.positional[0], framework)
        if known in EQUIVALENTS:
            return equivalent(self, site, known, arguments, framework)
        if known in ITERATES:
            return iterated(self, site, known, arguments)
        if known in EINOPS:
            return by_pattern(self, site, known, arguments)
        if (known == "builtins.dict" or known in KEEPS_GIVEN) and not arguments.positional:
            kind = DICT if known == "builtins.dict" else RECORD
            return self.opaque(kind, pairs(self, arguments.keywords), site)
        if known == "builtins.getattr" and len(arguments.positional) == 2:
            return self.named_member(site, *arguments.positional)
        if known in MAPS and len(arguments.positional) == 2:
            return self._map(site, *arguments.positional)
        return namespace_returned(self, site, known)

    def _applied(self, site: object, known: str, arguments: Arguments) -> Term | None:
        """The result of wrapping a function or a module, or of passing it to what calls it."""
        function, *others = arguments.positional
        if known in WRAPPERS:
            return function
        if known in MAPPERS:
            inner, written = peel(function), Written(known, False, None)
            return Term(REFERENCE, (inner,), inner.key, site, NOTHING, None, None, written)
        controls = APPLIERS.get(known)
        if controls is None or not others:
            return None
        if known in TAKES_TUPLE:
            given = others[TAKES_TUPLE[known]] if len(others) > TAKES_TUPLE[known] else others[0]
            passed = peel(given).operands if is_display(given) else (given,)
            return self.call_value(site, function, Arguments(passed, {}), None)
        keywords = {n: term for n, term in arguments.keywords.items() if n not in controls}
        return self.call_value(site, function, Arguments(tuple(others), keywords), None)

    def _activated(self, site: object, path: str, arguments: Arguments) -> Term | None:
        """The result of `tf.layers.dense(x, 10, activation=f)`: `f` of an opaque layer's output."""
        layer = layer_call(path)
        if layer is None:
            return None
        activation = arguments.keywords.get(layer.activation)
        if activation is None and len(arguments.positional) > layer.place:
            activation = arguments.positional[layer.place]
        if activation is None:
            if layer.default is None or any(map(sets_arguments, self.state.contexts)):
                return None
            activation = self.build.leaf(QUALIFIED, layer.default)
        inner = qualified(activation)
        if is_text(inner):
            activation = self.build.leaf(QUALIFIED, f"keras.activations.{inner.detail}")
        elif inner.operation not in (QUALIFIED, FUNCTION):
            return None
        operands = arguments.everything()
        made = self.opaque(f"call {path}", operands, None, framework="tensorflow")
        return self.call_value(site, activation, Arguments((made,), {}), None)

    def _map(self, site: object, function: Term, iterable: Term) -> Term | None:
        """The result of `map(f, xs)`: a collection of `f(x)`."""
        result = self.call_value(None, function, Arguments((self.element(iterable),), {}), None)
        return None if result is None else self.operation("collect", (result,), site)

    def element(self, iterable: Term) -> Term:
        """A term for any element of an iterable."""
        raise NotImplementedError

    def call_method(
        self, site: object, receiver: Term, method: str, arguments: Arguments, written_at: object
    ) -> Term | None:
        """The result of a tensor method; `None` if it is not understood."""
        inner = peel(receiver)
        if is_dict(inner):
            found = self.of_dictionary(site, receiver, method, arguments)
            if found is not None:
                return found
        if method in MOVES and (self.is_called(inner) or is_layer_of_torch(inner)):
            return moved(self, site, receiver, conversion(self.build, method, arguments))
        if method in _TRANSFORMED:
            result = self.call_transformed(site, receiver, method, arguments)
            if result is not None:
                return result
        module = module_applied(receiver, method)
        if module is not None:
            return self.apply_module(site, module, arguments)
        if method in _PREPARING and self._is_prepared(receiver, arguments):
            return prepared(self, site, prepared_in(self, receiver, arguments.positional))
        if inner.operation in (FUNCTION, LAYER) or is_text(receiver):
            return None
        if method == "split" and inner.framework is None and not splits_tensor(arguments):
            return None
        if method in PREDICTS and inner.framework in KERAS and arguments.positional:
            return self.call_value(site, receiver, arguments.first(), written_at)
        if method in MUTATORS and (is_container(inner) or inner.operation.name == "collect"):
            return None
        if method in SETTERS and may_be_torch(self, inner):
            changed = with_elements_set(self, site, receiver, method, arguments)
            if changed is not None:
                if method.endswith("_"):
                    self.rebind(receiver, changed)
                return changed
        if method in SIDES and may_be_torch(self, inner):
            return triangle(self, site, method, arguments.after(receiver))
        for framework, signature in methods_of(self, method, inner.framework):
            written = Written(method, True, written_at, signature.inplace)
            term = applied_signature(
                self, site, signature, framework, arguments.after(receiver), written
            )
            if term is not None:
                if signature.inplace:
                    self.rebind(receiver, term)
                return term
        return None

    def _is_prepared(self, receiver: Term, arguments: Arguments) -> bool:
        """Whether a call is like `accelerator.prepare(model, optimizer)`."""
        held = str(receiver.detail or peel(receiver).detail)
        is_model = any(map(self.is_called, arguments.positional))
        return is_model and not arguments.keywords and _PREPARES.search(held) is not None
