"""Calls to canonical operations: functions, methods, layers, and functions of this file."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.decisions import decided
from mllint_nan.flow.einsum import contraction
from mllint_nan.flow.formats import HALF, autocast, is_cast_to_half, shown
from mllint_nan.flow.names import TELLING, Names, counts, holds_zero, mask_of
from mllint_nan.flow.queries import length_of
from mllint_nan.flow.state import (
    CALLED_BY_NAME,
    Analysis,
    Arguments,
    Binding,
    Blueprint,
    CallInSight,
    Closure,
    Occurrence,
)
from mllint_nan.frameworks import registry
from mllint_nan.frameworks.layers import layer_call
from mllint_nan.frameworks.spelling import Spelling
from mllint_nan.ir.canonical import Builder
from mllint_nan.ir.ops import operation
from mllint_nan.ir.program import MUTATORS, Attribute, Expression
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    CONSTANT,
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
    behind_views,
    constant_of,
    held,
    number_of,
    peel,
    qualified,
)

_CALLS_DEEPEST: Final = 3
_PATHS_MOST: Final = 4096
"""Qualified names of which an answer is kept."""
_ELEMENTS_MOST: Final = 64
"""Elements of a list that appending to it one by one makes known."""
_VISITED_MOST: Final = 2_000
"""Statements that are evaluated once more, each with the arguments of some call."""
_PARTIAL: Final = "functools.partial"
_STATIC: Final = "builtins.staticmethod"

CHAIN: Final = "chain"
GROWN: Final = "grown"
"""A list of unknown length; the operands are its last elements."""
_SEVERAL: Final = "several"
"""In a chain: layers of unknown number."""
_LAST_MOST: Final = 8
"""Of a list of unknown length."""
DICT: Final = "dict"
RECORD: Final = "record"
NAMED_TUPLE: Final = "named tuple"
"""Objects whose fields are in sight: operands as those of a dictionary."""
_RECORDS: Final = frozenset(("types.SimpleNamespace", "argparse.Namespace"))
_NAMED_TUPLES: Final = frozenset(("collections.namedtuple", "typing.NamedTuple"))
ANY_KEY: Final = "key"
"""A choice of what a dictionary holds, by a key that is not known."""
ELEMENT: Final = "element"
"""A choice of one element of a collection, not of a path."""
_LISTS: Final = frozenset(("torch.nn.ModuleList", "torch.nn.ModuleDict"))
_SELECTS: Final = frozenset(("numpy.select", "jax.numpy.select"))
_OF_SELECT: Final = ("condlist", "choicelist", "default")
_MODELS: Final = frozenset(("keras.Model", "keras.models.Model"))
_CHAINS: Final = frozenset(
    (
        "torch.nn.Sequential",
        "keras.Sequential",
        "keras.models.Sequential",
        "tensorflow.keras.Sequential",
        "tensorflow.keras.models.Sequential",
    )
)
_TENSOR_FRAMEWORKS: Final = ("torch", "tensorflow", "keras", "jax", "numpy")

_IDENTITIES: Final = frozenset(
    (
        "torch.tensor",
        "torch.as_tensor",
        "torch.from_numpy",
        "torch.Tensor",
        "torch.FloatTensor",
        "torch.autograd.Variable",
        "tensorflow.constant",
        "tensorflow.convert_to_tensor",
        "tensorflow.identity",
        "jax.numpy.array",
        "jax.numpy.asarray",
        "numpy.array",
        "numpy.asarray",
        "builtins.list",
        "builtins.tuple",
        "numpy.float32",
        "numpy.float64",
        "keras.ops.convert_to_tensor",
        "keras.backend.constant",
        "jax.device_put",
    )
)


_WRAPPERS: Final = frozenset(
    (
        "torch.compile",
        "torch.jit.script",
        "torch.jit.trace",
        "torch.nn.DataParallel",
        "torch.nn.parallel.DataParallel",
        "torch.nn.parallel.DistributedDataParallel",
        "jax.jit",
        "jax.checkpoint",
        "jax.remat",
        "jax.ad_checkpoint.checkpoint",
        "tensorflow.function",
    )
)
"""Calls that give back what computes the same as their first argument."""
_TRIANGLES: Final = frozenset(
    f"{module}.{side}" for module in ("torch", "numpy", "jax.numpy") for side in ("tril", "triu")
)
_MAPPERS: Final = frozenset(("jax.vmap", "jax.pmap", "torch.vmap", "torch.func.vmap"))
"""Calls that give back what computes the same of each element along an axis: axes are others."""
_APPLIERS: Final[Mapping[str, frozenset[str]]] = {
    "torch.nn.parallel.data_parallel": frozenset(),
    "torch.utils.checkpoint.checkpoint": frozenset(
        ("use_reentrant", "preserve_rng_state", "context_fn", "determinism_check", "debug")
    ),
}
"""Calls of their first argument with others; the keywords that are not passed on."""
_TAKES_CALLED: Final = frozenset((*_WRAPPERS, *_MAPPERS, *_APPLIERS))
_SETTERS: Final[Mapping[str, tuple[int, str]]] = {
    "scatter": (2, "src"),
    "scatter_": (2, "src"),
    "index_fill": (2, "value"),
    "index_fill_": (2, "value"),
    "index_copy": (2, "source"),
    "index_copy_": (2, "source"),
    "index_put": (1, "values"),
    "index_put_": (1, "values"),
}
"""Methods that set elements of a tensor of PyTorch: where their values stand."""
_DIFFERENTIATES: Final = frozenset(
    f"call {module}.{name}"
    for module, names in {"jax": ("grad", "value_and_grad"), "torch.func": ("grad",)}.items()
    for name in names
)
"""Calls that give back what calls their first argument, and gives its gradient."""
_PREPARES: Final = re.compile(r"(^|[._ ])accelerator$", re.I)
MOVES: Final = frozenset(("cpu", "cuda", "eval", "float", "requires_grad_", "to", "train"))
"""Methods of a module that give back the module."""


class Calls(Names):
    """Understands calls whose callee and arguments have been evaluated."""

    def __init__(self, analysis: Analysis, builder: Builder) -> None:
        super().__init__(analysis, builder)
        self._visits: set[tuple[int, ...]] = set()
        """The keys of functions that were visited, and of what they were given."""
        self._visits_left = _VISITED_MOST

    def call_value(
        self, site: object, callee: Term, arguments: Arguments, written_at: object
    ) -> Term | None:
        """The result of calling a value; `None` if it is not understood."""
        inner = qualified(callee)
        if callee.operation is REFERENCE and callee.written is not None:
            return self._call_elsewhere(site, inner, callee.written, arguments)
        if inner.operation is QUALIFIED:
            return self._call_function(site, inner.detail, arguments, written_at)
        if inner.operation is FUNCTION:
            return self._call_closure(site, inner.detail, arguments)
        if inner.key in self.instances or (inner.operation is INPUT and inner.detail == "self"):
            return self._call_instance(site, callee, arguments)
        if inner.operation is LAYER and not arguments.keywords:
            return self._call_layer(site, inner, arguments.positional)
        if is_chain(inner) and len(arguments.positional) == 1:
            return self._call_chain(site, inner, arguments.positional[0])
        if inner.operation is CHOICE and inner.detail not in (ELEMENT, "loop", "exit"):
            return self._call_any(site, inner.operands, arguments)
        if inner.key in self.models and arguments.positional:
            return self._call_model(site, callee, self.models[inner.key], arguments)
        if inner.operation is OPAQUE and inner.detail in _DIFFERENTIATES and inner.operands[1:]:
            moved = tuple(self.trained(peel(one), None) for one in arguments.positional)
            given = Arguments(moved, arguments.keywords)
            self.call_value(site, inner.operands[1], given, None)  # for what is found in it
        return None

    def _call_any(
        self, site: object, callees: tuple[Term, ...], arguments: Arguments
    ) -> Term | None:
        """One of several values is called: what it gives is one of theirs."""
        callees = tuple(one for one in callees if not _is_none(one))  # which is not called
        results = [
            self.call_value(None, callee, arguments, None)
            if peel(callee).operation is QUALIFIED or self.is_called(callee)
            else None
            for callee in callees
        ]
        if not any(results):
            return None
        options = (
            result or self.opaque("call", (callee, *arguments.everything()), None)
            for result, callee in zip(results, callees, strict=True)
        )
        return self.choice(tuple(options), site)

    def keep_model(self, made: Term, callee: Term, arguments: Arguments) -> None:
        """`Model(inputs, outputs)` of Keras: a model that is made of layers in sight."""
        named = qualified(callee)
        if named.operation is not QUALIFIED:
            return
        if registry.canonical_path(str(named.detail)) not in _MODELS:
            return
        outputs = (*arguments.positional[1:2], arguments.keywords.get("outputs"))
        output = peel(outputs[0]) if outputs[0] is not None else made
        self.outputs[made.key] = output
        if output.operation.operands == 1 and output.operation.kind != "leaf":
            self.models[made.key] = output

    def compile_model(self, model: Term, arguments: Arguments) -> None:
        """`model.compile(loss=…)` of Keras: that loss is taken of what the model gives."""
        loss = next(iter(arguments.positional[1:2]), arguments.keywords.get("loss"))
        if loss is None:
            return
        callee = peel(loss)
        if is_text(callee):
            callee = self.build.leaf(QUALIFIED, f"keras.losses.{callee.detail}")
        elif callee.operation not in (LAYER, QUALIFIED, FUNCTION):
            return
        labels, data = (self.opaque(what, (), None) for what in ("labels", "data"))
        output = self.outputs.get(peel(model).key)
        if output is None:
            output = self.call_value(None, model, Arguments((data,), {}), None)
        if output is not None:
            self.call_value(loss.site, callee, Arguments((labels, output), {}), None)

    def _call_model(
        self, site: object, model: Term, output: Term, arguments: Arguments
    ) -> Term | None:
        """A model of layers that were called one on another: its last operation, on new input."""
        body = self.opaque("call", (model, *arguments.everything()), None)
        computed_in = shown(output.operands[0])
        if computed_in is not None:
            body.settings = {"dtype": self.build.constant(computed_in)}
        settings, framework = output.settings, output.framework
        last = self.operation(output.operation.name, (body,), None, settings, framework)
        written = Written("call", False, None)
        operands = (last, *arguments.everything())
        return Term(REFERENCE, operands, last.key, site, NOTHING, framework, None, written)

    def _call_instance(self, site: object, instance: Term, arguments: Arguments) -> Term | None:
        """An object of a class in sight is called: its `forward`, by whatever name."""
        for name in CALLED_BY_NAME:
            method = self.method_of(instance, name)
            if method is not None:
                return self.call_own(site, method, arguments.after(instance))
        return None

    def method_of(self, receiver: Term, name: str) -> Closure | None:
        """The method of an object whose class is in sight."""
        raise NotImplementedError

    def attribute_of(self, receiver: Term, name: str) -> Term | None:
        """The stateless value of an attribute of an object whose class is in sight."""
        raise NotImplementedError

    def is_foreign(self, receiver: Term, name: str) -> bool:
        """Whether the class that sets an attribute stands in another file."""
        raise NotImplementedError

    def blueprint_of(self, callee: Term) -> Blueprint | None:
        """The class that is called, if it is in sight."""
        raise NotImplementedError

    def make(self, made: Term, blueprint: Blueprint, arguments: Arguments) -> None:
        """A term is an object of a class that is in sight."""
        raise NotImplementedError

    def note_call(self, result: Term, callee: Term, made: Blueprint | None) -> None:
        """What a call gives that is not understood: whose object that is."""
        raise NotImplementedError

    def note_method(self, result: Term, receiver: Term, name: str, method: Closure | None) -> None:
        """The same of a method, which is in sight or not."""
        raise NotImplementedError

    def trained(self, start: Term, site: object) -> Term:
        """A tensor that training moves away from how it starts."""
        raise NotImplementedError

    def imported(self, path: str) -> Term | None:
        """What a qualified name stands for that another file of the project binds."""
        raise NotImplementedError

    def _call_imported(
        self, site: object, path: str, arguments: Arguments, written_at: object
    ) -> Term | None:
        """A call of what another file of the project defines, or passes on."""
        found = self.imported(path)
        if found is None:
            return None
        inner = peel(found)
        if inner.operation is QUALIFIED:
            if registry.framework_of(inner.detail) is None:
                return None
            return self._call_function(site, inner.detail, arguments, written_at)
        return self._call_elsewhere(site, found, Written(path, False, None), arguments)

    def _call_elsewhere(
        self, site: object, callee: Term, written: Written, arguments: Arguments
    ) -> Term | None:
        """A call of a value that another file makes: `written` says so, and no fix is safe."""
        recording, self.recording = self.recording, False
        visiting = self.visiting
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
        return term

    def _call_chain(self, site: object, chain: Term, value: Term) -> Term:
        """One layer after the other; only the last result has a text, that of the call."""
        for position, layer in enumerate(chain.operands, 1):
            at = site if position == len(chain.operands) else None
            result = self.call_value(at, layer, Arguments((value,), {}), None)
            if result is None:
                what = str(peel(layer).detail).removeprefix("call ")
                result = self.opaque(f"call {what}", (layer, value), at, framework=layer.framework)
            value = result
        return value

    def _layers(self, site: object, path: str, arguments: Arguments) -> Term | None:
        """A container of layers, or a layer with an activation: what is called one by one."""
        known = registry.canonical_path(path)
        framework = registry.framework_of(path)
        if known in _CHAINS:
            layers = arguments.positional
            if len(layers) == 1 and is_grown(layers[0]):
                layers = (self._several(), *peel(layers[0]).operands)
            elif len(layers) == 1:
                layers = _listed(layers[0])
            known_layers = arguments.keywords.keys() <= {"name"}
            return (
                self.build.leaf(SEQUENCE, CHAIN, layers, site, framework, key=self.build.fresh())
                if known_layers
                else None
            )
        if known in _LISTS and not arguments.positional and not arguments.keywords:
            return self.build.leaf(SEQUENCE, "list", (), site, key=self.build.fresh())
        if known in _LISTS and len(arguments.positional) == 1:
            inside = peel(arguments.positional[0])
            return inside if is_container(inside) else None
        activation = arguments.keywords.get("activation")
        name = known.rpartition(".")[2]
        if known == "keras.layers.Activation" and arguments.positional:
            activation = arguments.positional[0]
        if activation is None or ".layers." not in known or not name[:1].isupper():
            return None
        inner = peel(activation)
        if is_text(inner):
            function = f"keras.activations.{inner.detail}"
            if not registry.functions(function):
                return None
            activation = self.build.leaf(QUALIFIED, function)
        elif inner.operation not in (QUALIFIED, FUNCTION):
            return None
        if known == "keras.layers.Activation" and "dtype" not in arguments.keywords:
            return activation
        layer = self.opaque(f"call {path}", arguments.everything(), None, framework=framework)
        return self.build.leaf(SEQUENCE, CHAIN, (layer, activation), site, framework)

    def chain_ending_in(
        self, site: object, callee: Term, arguments: Arguments, last: int
    ) -> Term | None:
        """`Sequential(*layers, Sigmoid())`: the `last` arguments stand behind all stars."""
        named = qualified(callee)
        path = str(named.detail) if named.operation is QUALIFIED else ""
        if registry.canonical_path(path) not in _CHAINS or arguments.keywords:
            return None
        tail = arguments.positional[len(arguments.positional) - last :]
        if is_grown(arguments.others[-1]):
            tail = (*peel(arguments.others[-1]).operands, *tail)
        if not tail:
            return None
        layers, framework = (self._several(), *tail), registry.framework_of(path)
        return self.build.leaf(SEQUENCE, CHAIN, layers, site, framework, key=self.build.fresh())

    def _several(self) -> Term:
        return self.opaque(_SEVERAL, (), None)

    def grown(self, listed: Term, elements: tuple[Term, ...]) -> Term | None:
        """A list or a chain of layers with more at its end; `None` where it is neither."""
        inner = peel(listed)
        framework = next((one.framework for one in elements if one.framework), inner.framework)
        if inner.operation is SEQUENCE and len(inner.operands) < _ELEMENTS_MOST:
            known = (*inner.operands, *elements)
            return self.build.leaf(SEQUENCE, inner.detail, known, None, framework)
        if _all(is_chain, inner):
            known = (self._several(), *elements)
            return self.build.leaf(SEQUENCE, CHAIN, known, None, framework, key=self.build.fresh())
        if inner.operation.name == "collect" and not any(map(self.is_called, elements)):
            drawn = self.choice((inner.operands[0], *elements), None, ELEMENT)
            return self.operation("collect", (drawn,), None)
        if _all(_is_list, inner):
            known = inner.operands if is_grown(inner) else ()
            last = (*known, *elements)[-_LAST_MOST:]
            return self.build.leaf(OPAQUE, GROWN, last, None, framework, key=self.build.fresh())
        return None

    def is_called(self, term: Term) -> bool:
        """Whether a value is known to be called: a layer, a function, an object with a class."""
        raise NotImplementedError

    def record(
        self, site: object, callee: Term, made: Blueprint | None, arguments: Arguments
    ) -> Term | None:
        """An object of a class that only keeps what it is given, by name."""
        kind, names = RECORD, self.fields_of(made) if made is not None else None
        inner = qualified(callee)
        if inner.operation is QUALIFIED and inner.detail in _RECORDS:
            names = ()
        elif inner.operation is OPAQUE and inner.operands:
            maker = peel(inner.operands[0])
            if maker.operation is QUALIFIED and maker.detail in _NAMED_TUPLES:
                kind, names = NAMED_TUPLE, _names_listed(inner.operands[2:3])
        if names is None or arguments.others or len(arguments.positional) > len(names):
            return None
        if made is not None and self.is_named_tuple(made):
            kind = NAMED_TUPLE
        given = dict(zip(names, arguments.positional, strict=False))
        given.update(arguments.keywords)
        if kind == NAMED_TUPLE:
            if not names or set(given) != set(names):
                return None
            given = {name: given[name] for name in names}
        framework = next((one.framework for one in given.values() if one.framework), None)
        return self.opaque(kind, self._pairs(given), site, framework=framework)

    def _pairs(self, given: Mapping[str, Term]) -> tuple[Term, ...]:
        """The operands of a dictionary with these keys."""
        return tuple(
            part for name, term in given.items() for part in (self.build.constant(name), held(term))
        )

    def changed(self, container: Term, key: Term, term: Term) -> Term | None:
        """A dictionary or a record in which one key has another value; `None` of all else."""
        inner = peel(container)
        if not (is_dict(inner) or is_record(inner)) or peel(key).operation is not CONSTANT:
            return None
        pairs = dict(zip(inner.operands[::2], inner.operands[1::2], strict=True))
        if any(peel(known).operation is not CONSTANT for known in pairs):
            return None
        kept = {known: value for known, value in pairs.items() if known.key != key.key}
        kept[peel(key)] = held(term)
        operands = tuple(part for pair in kept.items() for part in pair)
        framework = inner.framework or term.framework
        return self.opaque(str(inner.detail), operands, None, framework=framework)

    def fields_of(self, blueprint: Blueprint) -> tuple[str, ...] | None:
        """The fields of a `dataclass` or a `NamedTuple`; `None` of any other class."""
        raise NotImplementedError

    def is_named_tuple(self, blueprint: Blueprint) -> bool:
        """Whether a class is derived from `NamedTuple`."""
        raise NotImplementedError

    def _dictionary_method(
        self, site: object, inner: Term, method: str, key: Term | None
    ) -> Term | None:
        """What `get`, `values` and `items` give of a dictionary that is written out."""
        keys, kept = inner.operands[::2], inner.operands[1::2]
        if method == "get" and key is not None:
            return part_of(inner, key)
        if key is not None or not kept:
            return None
        values = self.build.leaf(SEQUENCE, "tuple", kept, site, inner.framework)
        if method == "values":
            return values
        if method != "items":
            return None
        zipped = self.build.leaf(QUALIFIED, "builtins.zip")
        parts = (zipped, self.build.leaf(SEQUENCE, "tuple", keys, None), values)
        return self.opaque("call builtins.zip", parts, site, framework=inner.framework)

    def _call_layer(self, site: object, layer: Term, positional: tuple[Term, ...]) -> Term | None:
        spelling: Spelling = layer.detail
        operation = spelling.operation
        needed = operation.parameters[: operation.operands]
        given = dict(zip(spelling.call or needed, positional, strict=False))
        if any(name not in given for name in needed):
            return None
        return self.operation(
            operation.name,
            tuple(given[name] for name in needed),
            site,
            layer.settings,
            layer.framework,
            Written(spelling.name, False, None),
        )

    def call_own(self, site: object, method: Closure, arguments: Arguments) -> Term | None:
        """The result of a method of the class being evaluated.

        It says so in `written`: a subclass may have another method of that name.
        """
        term = self._call_closure(site, method, arguments)
        if term is not None:
            term.written = Written(f"self.{method.name}", True, None)
        return term

    def _call_closure(self, site: object, closure: Closure, arguments: Arguments) -> Term | None:
        if closure.given is not None:
            arguments = arguments.behind(closure.given)
        self.note_binding(closure, arguments)
        if arguments.others or self.depth >= _CALLS_DEEPEST or self.budget <= 0:
            return None
        value: Term | None = None
        visiting = self.visiting
        is_visited = not closure.simple and closure.keeps_calls and self._visits_left > 0
        is_seen = closure.simple or is_visited
        if self.recording and is_seen and self._tells(arguments):
            self.visiting = CallInSight(site, self.scope, self.elsewhere, (closure.name,))
        elif visiting is not None:
            self.visiting = replace(visiting, through=(*visiting.through, closure.name))
        try:
            if closure.simple:
                value = self.apply_closure(closure, arguments)
            elif is_visited and self.visiting is not None:
                self._visit(closure, arguments)
        finally:
            self.visiting = visiting
        if value is None:
            return None
        bound = bind_arguments(closure, arguments) if closure.written_into else None
        for name in closure.written_into:
            given = bound.get(name) if bound is not None else None
            if given is not None and (is_dict(given) or is_record(given)):
                self.rebind(given, self.opaque("update", (given,), None))
        operands = (held(value), *arguments.everything())
        term = Term(REFERENCE, operands, value.key, site, NOTHING, value.framework, None)
        self.consume(term)
        if self.recording:
            self.analysis.calls.setdefault(closure.key, []).append(term)
        return term

    def _tells(self, arguments: Arguments) -> bool:
        """Whether a body may compute something else in a call than in any."""
        lowered = autocast("matmul", self.entered()) if self.state.contexts else None
        return lowered == HALF or any(map(self._is_telling, arguments.everything()))

    def _is_telling(self, argument: Term) -> bool:
        """Whether an argument has a range or a format of its own, or can be called."""
        inner = peel(argument)
        if inner.inside & TELLING or self.is_called(inner) or is_cast_to_half(inner):
            return True
        if holds_zero(inner) or (inner.operation is OPAQUE and counts(str(inner.detail))):
            return True
        if inner.operation is QUALIFIED:
            path = str(inner.detail)
            if registry.framework_of(path) is None:
                known = self.imported(path)
                return known is not None and self.is_called(known)
            return path.rpartition(".")[2].islower()
        return is_container(inner) and any(map(self._is_telling, inner.operands[:_LAST_MOST]))

    def is_bounded_by_itself(self, value: Term) -> bool:
        """Whether a value has a range of its own."""
        return bool(peel(value).inside & TELLING)

    def _visit(self, closure: Closure, arguments: Arguments) -> None:
        """Evaluate a body with the arguments of one call, only for what is found in it."""
        given = arguments.everything()
        place = (closure.key, *(argument.key for argument in given))
        if place in self._visits or not self._tells(arguments):
            return
        self._visits.add(place)
        self._visits_left -= length_of(closure.body)
        self.apply_closure(closure, arguments)

    def _partial(self, site: object, arguments: Arguments) -> Term | None:
        """`functools.partial(f, …)` of a function in sight."""
        inner = peel(arguments.positional[0])
        if inner.operation is not FUNCTION or arguments.others:
            return None
        whole: Closure = inner.detail
        first = Arguments(arguments.positional[1:], arguments.keywords)
        given = first if whole.given is None else first.behind(whole.given)
        closure = replace(whole, given=given)
        return self.build.leaf(FUNCTION, closure, site=site, key=self.build.fresh())

    def decided(self, test: Term) -> Truth:
        """Whether a condition holds in the call that is being seen through.

        Elsewhere a constant is a setting, which somebody changes by hand: both ways are taken.
        """
        return decided(test) if self.depth else Truth.UNKNOWN

    def note_binding(self, closure: Closure, arguments: Arguments) -> None:
        """A function of this file is called with these arguments."""
        if self.recording:
            bound = bind_arguments(closure, arguments)
            if bound is None or arguments.others:
                unknown = self.opaque("rest", (), None)
                bound = {parameter.name: unknown for parameter in closure.parameters}
            binding = Binding(bound, self.state.facts)
            self.analysis.bindings.setdefault(closure.key, []).append(binding)
            self.analysis.bound.append(binding)

    def apply_closure(self, closure: Closure, arguments: Arguments) -> Term | None:
        """The one value that a call returns, or `None` if it is not that simple."""
        raise NotImplementedError

    def _call_function(
        self, site: object, path: str, arguments: Arguments, written_at: object
    ) -> Term | None:
        if path == _PARTIAL and arguments.positional:
            return self._partial(site, arguments)
        framework = registry.framework_of(path)
        layers = self._layers(site, path, arguments) if _may_be_layers(path) else None
        if layers is not None:
            return layers
        if framework is None:
            own = self._own(path)
            if not own:
                return self._call_imported(site, path, arguments, written_at)
            spellings = own
        else:
            spellings = registry.functions(path) or self._own(path)
        if spellings and spellings[0].operation.name == "einsum":
            contracted = self._contracted(site, framework, arguments)
            if contracted is not None:
                return contracted
        for spelling in spellings:
            written = Written(path, spelling.method, written_at, spelling.inplace)
            term = self._apply(site, spelling, framework, arguments, written)
            if term is not None:
                if spelling.inplace and arguments.positional:
                    self.rebind(arguments.positional[0], term)
                return term
        return self._call_by_name(site, path, framework, arguments)

    def _call_by_name(
        self, site: object, path: str, framework: str | None, arguments: Arguments
    ) -> Term | None:
        """What functions give that are no operation of their own: wrappers, layers, writes."""
        known = registry.canonical_path(path)
        if (
            known in _TAKES_CALLED
            and arguments.positional
            and (
                self.is_called(arguments.positional[0])
                or (known in _MAPPERS and _is_mapped_alike(arguments))
            )
        ):
            applied = self._applied(site, known, arguments)
            if applied is not None:
                return applied
        if known in _TRIANGLES and arguments.positional:
            return self._triangle(site, arguments.positional[0])
        if known.startswith("tensorflow."):
            activated = self._activated(site, path, arguments)
            if activated is not None:
                return activated
        if known == "tensorflow.tensor_scatter_nd_update" and len(arguments.positional) == 3:
            tensor, _, updates = arguments.positional
            return self.opaque("update", (tensor, updates), site, framework=framework)
        if known.startswith("torch.") and known.removeprefix("torch.") in _SETTERS:
            array, *others = arguments.positional or (None,)
            if array is not None:
                rest = Arguments(tuple(others), arguments.keywords)
                return self._set(site, array, known.removeprefix("torch."), rest)
        if known in _IDENTITIES and arguments.positional:
            return self._identity(site, known, arguments.positional[0], framework)
        if known in _SQUARED_DIFFERENCES and len(arguments.positional) == 2:
            difference = self.operation("sub", arguments.positional, None, framework=framework)
            return self.operation("square", (difference,), site, framework=framework)
        if known in _SELECTS:
            return self._select(site, arguments, framework)
        if known == "tensorflow.nn.moments" and arguments.positional:
            parts = tuple(
                self.operation(name, arguments.positional[:1], None, framework=framework)
                for name in ("mean", "var")
            )
            return self.build.leaf(SEQUENCE, "tuple", parts, site, framework)
        if known == "builtins.dict" and not arguments.positional:
            return self.opaque(DICT, self._pairs(arguments.keywords), site)
        if known == "builtins.map" and len(arguments.positional) == 2:
            return self._map(site, *arguments.positional)
        return None

    def _select(self, site: object, arguments: Arguments, framework: str | None) -> Term | None:
        """`select(conditions, choices, default)`: the choice of the first condition that holds."""
        named = {**dict(zip(_OF_SELECT, arguments.positional, strict=False)), **arguments.keywords}
        conditions, choices = named.get("condlist"), named.get("choicelist")
        if conditions is None or choices is None or arguments.others:
            return None
        if not (is_display(conditions) and is_display(choices)):
            return None
        tests, values = peel(conditions).operands, peel(choices).operands
        if len(tests) != len(values) or not tests:
            return None
        result = named.get("default", self.build.constant(0))
        for place, (test, value) in enumerate(zip(tests[::-1], values[::-1], strict=True), 1):
            at = site if place == len(tests) else None
            result = self.operation("where", (test, value, result), at, framework=framework)
        return result

    def _contracted(self, site: object, framework: str | None, arguments: Arguments) -> Term | None:
        """An `einsum` of operands with the same subscripts: a sum, a diagonal, a product."""
        equation, *operands = arguments.positional or (None,)
        named = constant_of(equation)
        if not isinstance(named, str) or arguments.others or not 1 <= len(operands) <= 2:
            return None
        plan = contraction(named, len(operands))
        if plan is None:
            return None
        steps: list[tuple[str, tuple[Term, ...], dict[str, Term]]] = []
        if operands[1:]:
            steps.append(("mul", tuple(operands[1:]), {}))
        if plan.selects_diagonal:
            steps.append(("diagonal", (), {}))
        if plan.axes:
            numbers = tuple(map(self.build.constant, plan.axes))
            axis = numbers[0] if len(numbers) == 1 else self.build.leaf(SEQUENCE, "tuple", numbers)
            steps.append(("sum", (), {"axis": axis}))
        if plan.is_rearranged or not steps:
            steps.append(("transpose" if plan.is_rearranged else "identity", (), {}))
        term = operands[0]
        for number, (name, others, settings) in enumerate(steps, 1):
            at = site if number == len(steps) else None
            term = self.operation(name, (term, *others), at, settings, framework)
        return term

    def _triangle(self, site: object, matrix: Term) -> Term | None:
        """One side of the diagonal of what was computed, and 0 on the other; a mask is opaque."""
        inner = peel(matrix)
        if inner.operation.kind in ("leaf", "constant", "comparison", "view"):
            return None
        places = tuple(self.opaque("index", (), None) for _ in range(2))
        condition = self.operation("ge", places, None)
        return self.operation(
            "where", (condition, matrix, self.build.constant(0)), site, None, inner.framework
        )

    def _applied(self, site: object, known: str, arguments: Arguments) -> Term | None:
        """A function or a module that is wrapped, or called by another."""
        function, *others = arguments.positional
        if known in _WRAPPERS:
            return function
        if known in _MAPPERS:
            inner, written = peel(function), Written(known, False, None)
            return Term(REFERENCE, (inner,), inner.key, site, NOTHING, None, None, written)
        controls = _APPLIERS.get(known)
        if controls is None or not others:
            return None
        if known == "torch.nn.parallel.data_parallel":
            passed = peel(others[0]).operands if is_display(others[0]) else tuple(others[:1])
            return self.call_value(site, function, Arguments(passed, {}), None)
        keywords = {n: term for n, term in arguments.keywords.items() if n not in controls}
        return self.call_value(site, function, Arguments(tuple(others), keywords), None)

    def _activated(self, site: object, path: str, arguments: Arguments) -> Term | None:
        """`tf.layers.dense(x, 10, activation=f)`: a layer that is made and called, and then f."""
        layer = layer_call(path)
        if layer is None:
            return None
        activation = arguments.keywords.get(layer.activation)
        if activation is None and len(arguments.positional) > layer.place:
            activation = arguments.positional[layer.place]
        if activation is None:
            if layer.default is None or any(map(_sets_arguments, self.state.contexts)):
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

    def _set(self, site: object, array: Term, method: str, arguments: Arguments) -> Term | None:
        """A tensor in which some elements are set to given values."""
        place, name = _SETTERS[method]
        given, keywords = arguments.positional, arguments.keywords
        if place == 2 and given and not isinstance(number_of(given[0]), int):
            return None  # no axis: a plot, a message between processes
        value = given[place] if len(given) > place else keywords.get(name, keywords.get("value"))
        if value is None or len(given) > place + 1 or {"reduce", "accumulate"} & keywords.keys():
            return None
        return self.opaque("update", (array, value), site, framework="torch")

    def _own(self, path: str) -> tuple[Spelling, ...]:
        """The spelling of an own function; a relative import leaves out how its name begins."""
        own = self.analysis.operations
        if not own:
            return ()
        if path.startswith("."):
            end = f".{path.lstrip('.')}"
            return tuple(spelling for name, spelling in own.items() if name.endswith(end))[:1]
        return (own[path],) if path in own else ()

    def _identity(self, site: object, path: str, value: Term, framework: str | None) -> Term:
        """A call that gives back its argument as a tensor; a literal stays one."""
        inner = peel(value)
        if inner.operation is CONSTANT and not is_text(inner):
            return Term(CONSTANT, (), inner.key, site, NOTHING, framework, inner.detail)
        name = "detach" if path in _DETACHING else "identity"
        if framework == "math":  # a list or tuple is whatever its elements are
            framework = None
        return self.operation(name, (value,), site, framework=framework)

    def _map(self, site: object, function: Term, iterable: Term) -> Term | None:
        """`map(f, xs)` is a collection of `f(x)`."""
        result = self.call_value(None, function, Arguments((self.element(iterable),), {}), None)
        return None if result is None else self.operation("collect", (result,), site)

    def element(self, iterable: Term) -> Term:
        """Any one element of what is iterated over."""
        raise NotImplementedError

    def call_method(
        self, site: object, receiver: Term, method: str, arguments: Arguments, written_at: object
    ) -> Term | None:
        """The result of a tensor method; `None` if it is not understood."""
        inner = peel(receiver)
        if is_dict(inner):
            key = arguments.positional[0] if arguments.positional else None
            found = self._dictionary_method(site, inner, method, key)
            if found is not None:
                operands = (peel(found), receiver, *arguments.everything())
                return Term(REFERENCE, operands, found.key, site, NOTHING, found.framework, None)
        if method in MOVES and self.is_called(inner):
            return receiver
        if method == "prepare" and self._is_prepared(receiver, arguments):
            return self._prepared(site, arguments.positional)
        if inner.operation in (FUNCTION, LAYER) or is_text(receiver):
            return None
        if method in MUTATORS and (is_container(inner) or inner.operation.name == "collect"):
            return None
        if method in _SETTERS and self._may_be_torch(inner):
            changed = self._set(site, receiver, method, arguments)
            if changed is not None:
                if method.endswith("_"):
                    self.rebind(receiver, changed)
                return changed
        for framework, spelling in self._methods(method, inner.framework):
            written = Written(method, True, written_at, spelling.inplace)
            term = self._apply(site, spelling, framework, arguments.after(receiver), written)
            if term is not None:
                if spelling.inplace:
                    self.rebind(receiver, term)
                return term
        return None

    def _may_be_torch(self, inner: Term) -> bool:
        if inner.framework is None:
            return "torch" in self.analysis.frameworks
        return inner.framework == "torch"

    def _is_prepared(self, receiver: Term, arguments: Arguments) -> bool:
        """`accelerator.prepare(model, optimizer)`."""
        held = str(receiver.detail or peel(receiver).detail)
        is_model = any(map(self.is_called, arguments.positional))
        return is_model and not arguments.keywords and _PREPARES.search(held) is not None

    def _prepared(self, site: object, prepared: tuple[Term, ...]) -> Term:
        """What an `Accelerator` gives back computes what it was given."""
        if len(prepared) == 1:
            return prepared[0]
        return self.build.leaf(SEQUENCE, "tuple", prepared, site)

    def _methods(self, method: str, framework: str | None) -> list[tuple[str, Spelling]]:
        """The methods of a tensor; of one of unknown origin, those of the file's framework."""
        found = registry.methods(method)
        if not found:
            return []
        if framework is not None:
            return [row for row in found if row[0] == framework]
        present = {row[0] for row in found} & self.analysis.frameworks
        for home in _TENSOR_FRAMEWORKS:
            if home in present:
                return [row for row in found if row[0] == home]
        return []

    def _apply(
        self,
        site: object,
        spelling: Spelling,
        framework: str | None,
        arguments: Arguments,
        written: Written,
    ) -> Term | None:
        """The operation that a spelling stands for, if the arguments fit it."""
        values = self._bound(spelling, arguments)
        if values is None:
            return None
        operation = spelling.operation
        if spelling.constructor:
            return self.build.leaf(LAYER, spelling, site=site, framework=framework, settings=values)
        needed = operation.parameters[: operation.operands]
        for name in needed:
            if name not in values:
                return None
        operands = tuple([values.pop(name) for name in needed])
        if operation.name in ("concat", "stack", "collect"):
            operands = _spread(operands[0])
        if framework == "math" or written.path.startswith("scipy"):
            framework = next((o.framework for o in operands if o.framework), framework)
        term = self.operation(operation.name, operands, site, values, framework, written)
        if spelling.pair_with_axis and "axis" in term.settings:
            indices = self.opaque("indices", (term,), None, pure=True)
            return self.build.leaf(SEQUENCE, "pair", (term, indices), site, framework)
        return term

    def note_effect(
        self,
        call: Term,
        receiver: Term | None,
        callee: Term | None,
        written: Expression,
        arguments: Arguments,
    ) -> None:
        """A call that is not understood may be one that is made for what it does."""
        if not self.recording or call.operation is not OPAQUE or call.site is None:
            return
        is_method = receiver is not None and isinstance(written, Attribute)
        called = qualified(callee) if callee is not None else None
        if is_method and isinstance(written, Attribute):
            name = written.name
        elif called is not None and called.operation is QUALIFIED:
            name = str(called.detail)
        else:
            return
        home = peel(receiver).framework if receiver is not None else None
        given = arguments.after(receiver) if receiver is not None else arguments
        for framework, spelling in registry.effects(name, is_method=is_method):
            is_at_home = home == framework or framework in self.analysis.frameworks
            if is_method and not is_at_home:
                continue
            binding = registry.bind_effect(spelling, len(given.positional), given.keywords)
            if binding is not None:
                at = Written(name, is_method, written.site)
                self._note_effect(call, binding, given, framework, at)
                return

    def note_patch(self, site: object, array: Term, places: Sequence[Term], value: Term) -> None:
        """`x[isnan(x)] = 0`: what `where(isnan(x), 0, x)` is, made in place."""
        mask = mask_of(places[0]) if len(places) == 1 else None
        if not self.recording or mask is None or not asks_for_nan(mask, array):
            return
        term = self.build.build(
            operation("where"), (mask, value, array), None, site, array.framework
        )
        self.analysis.effects.append(Occurrence(term, self.state, self.scope))

    def _note_effect(
        self,
        call: Term,
        binding: registry.Binding,
        arguments: Arguments,
        framework: str,
        written: Written,
    ) -> None:
        operation = binding.spelling.operation
        values = {name: self.build.constant(value) for name, value in binding.settings.items()}
        for name, place in binding.arguments.items():
            values[name] = (
                arguments.positional[place] if isinstance(place, int) else arguments.keywords[place]
            )
        operands = tuple(values.pop(name) for name in operation.parameters[: operation.operands])
        term = self.build.build(operation, operands, values, call.site, framework, written)
        term.key = call.key  # what is made from its result is made from this
        self.analysis.effects.append(Occurrence(term, self.state, self.scope))

    def _bound(self, spelling: Spelling, arguments: Arguments) -> dict[str, Term] | None:
        """The canonical parameters that a call gives values to, implied ones included."""
        binding = registry.bind(spelling, len(arguments.positional), arguments.keywords)
        if binding is None:
            return None
        values: dict[str, Term] = {}
        if binding.settings:
            for name, value in binding.settings.items():
                values[name] = self.build.constant(value)
        for name, place in binding.arguments.items():
            values[name] = (
                arguments.positional[place] if isinstance(place, int) else arguments.keywords[place]
            )
        first = binding.arguments.get("shape")
        if spelling.variadic and isinstance(first, int) and len(arguments.positional) > first + 1:
            values["shape"] = self.build.leaf(SEQUENCE, "tuple", arguments.positional[first:])
            self.consume(values["shape"])
        takes_axis = spelling.pair_with_axis and "axis" in binding.arguments
        return None if takes_axis and not _is_axis(values["axis"]) else values


@lru_cache(_PATHS_MOST)
def _may_be_layers(path: str) -> bool:
    """Whether a qualified name is that of a container of layers, or of a class of layers."""
    known = registry.canonical_path(path)
    is_class = ".layers." in known and known.rpartition(".")[2][:1].isupper()
    return is_class or known in _CHAINS or known in _LISTS


_DETACHING: Final = frozenset(
    ("torch.tensor", "torch.Tensor", "torch.from_numpy", "tensorflow.constant")
)
_SQUARED_DIFFERENCES: Final = frozenset(
    ("tensorflow.squared_difference", "tensorflow.math.squared_difference")
)


def bind_arguments(closure: Closure, arguments: Arguments) -> dict[str, Term] | None:
    """What a call gives each parameter, or `None` where that is not plain to see.

    What parameters with a star collect is left out.
    """
    names: list[str] = []
    by_place: list[str] | None = None
    takes_more = takes_others = False
    for parameter in closure.parameters:
        if not parameter.star:
            names.append(parameter.name)
        elif parameter.star == "*":
            by_place = [*names]
            takes_more = takes_more or bool(parameter.name)
        else:
            takes_others = True
    if by_place is None:
        by_place = names
    if len(arguments.positional) > len(by_place) and not takes_more:
        return None
    bound = dict(zip(by_place, arguments.positional, strict=False))
    for name, term in arguments.keywords.items():
        if name in bound or (name not in names and not takes_others):
            return None
        if name in names:
            bound[name] = term
    return bound


def keeps_function(decorator: Term) -> bool:
    """`@jax.jit`, `@torch.compile(...)`, `@partial(jax.jit, ...)`: it computes what it did."""
    inner = qualified(decorator)
    if inner.operation is OPAQUE and str(inner.detail).startswith("call ") and inner.operands:
        callee = qualified(inner.operands[0])
        is_partial = callee.operation is QUALIFIED and callee.detail == "functools.partial"
        inner = qualified(inner.operands[1]) if is_partial and inner.operands[1:] else callee
    if inner.operation is not QUALIFIED:
        return False
    return inner.detail == _STATIC or registry.canonical_path(inner.detail) in _WRAPPERS


def _is_mapped_alike(arguments: Arguments) -> bool:
    """Whether what is mapped over the first axis computes the same of the whole.

    A function of each element does, and a softmax over the last axis.
    """
    function = qualified(arguments.positional[0])
    if function.operation is not QUALIFIED or len(arguments.positional) > 1 or arguments.keywords:
        return False
    spellings = registry.functions(str(function.detail))
    return bool(spellings) and all(
        one.operation.kind == "elementwise"
        or (one.operation.kind == "along" and one.defaults.get("axis") == -1)
        for one in spellings
    )


def _sets_arguments(context: Term) -> bool:
    """`arg_scope`, in which functions have other defaults."""
    return "arg_scope" in str(peel(context).detail)


def _spread(term: Term) -> tuple[Term, ...]:
    inner = peel(term)
    if inner.operation is SEQUENCE and inner.operands:
        return inner.operands
    return (term,)


def _is_axis(term: Term) -> bool:
    """An axis is a number or a name for one; a tensor in its place is a second operand."""
    inner = peel(term)
    return inner.operation in (CONSTANT, INPUT, ATTRIBUTE) and inner.framework is None


def _listed(term: Term) -> tuple[Term, ...]:
    """The layers of a list or of an `OrderedDict` of pairs, else the term alone."""
    inner = peel(term)
    if is_display(inner):
        return inner.operands
    if inner.operation is OPAQUE and inner.detail == "call collections.OrderedDict":
        pairs = [peel(pair) for pair in peel(inner.operands[-1]).operands]
        if pairs and all(is_display(pair) and len(pair.operands) == 2 for pair in pairs):
            return tuple(pair.operands[1] for pair in pairs)
    return (term,)


def asks_for_nan(mask: Term, array: Term) -> bool:
    """Whether a condition holds where elements of an array are NaN: `x != x` is one."""
    inner = peel(mask)
    while inner.operation.name in ("logical_not", "logical_or"):
        inner = peel(inner.operands[0])
    if inner.operation.name in ("isnan", "isinf", "isfinite"):
        return behind_views(inner.operands[0]).key == behind_views(array).key
    return inner.operation.name == "ne" and inner.operands[0].key == inner.operands[1].key


def is_display(term: Term) -> bool:
    """Elements that are written out one by one."""
    inner = peel(term)
    return inner.operation is SEQUENCE and inner.detail in ("list", "tuple")


def is_grown(term: Term) -> bool:
    """A list of which the last elements are known."""
    inner = peel(term)
    return inner.operation is OPAQUE and inner.detail == GROWN


def has_all(term: Term) -> bool:
    """Whether a display or a chain holds nothing but what its operands are."""
    return not any(
        part.operation is OPAQUE and part.detail == _SEVERAL for part in map(peel, term.operands)
    )


def _is_list(term: Term) -> bool:
    is_listed = term.operation is SEQUENCE and term.detail == "list"
    return is_listed or is_grown(term) or term.operation.name == "collect"


def _all(is_kind: Callable[[Term], bool], term: Term) -> bool:
    """Whether a value is of a kind on every path, as far as it is in sight."""
    inner = peel(term)
    if inner.operation is CHOICE:
        return bool(inner.operands) and all(_all(is_kind, option) for option in inner.operands)
    return is_kind(inner)


def is_dict(term: Term) -> bool:
    """A dictionary that is written out: its operands are keys and values in turn."""
    while term.operation is REFERENCE:
        term = term.operands[0]
    return term.operation is OPAQUE and term.detail == DICT


def is_record(term: Term) -> bool:
    """An object whose fields are in sight."""
    while term.operation is REFERENCE:
        term = term.operands[0]
    return term.operation is OPAQUE and term.detail in (RECORD, NAMED_TUPLE)


def part_of(container: Term, key: Term) -> Term | None:
    """What stands at a constant index or key of what is written out."""
    inner = peel(container)
    if inner.operation is not SEQUENCE and inner.operation is not OPAQUE:
        return None
    place = constant_of(key)
    listed = inner.operands if inner.operation is SEQUENCE and has_all(inner) else ()
    if inner.operation is OPAQUE and inner.detail == NAMED_TUPLE:
        listed = inner.operands[1::2]
    if listed and isinstance(place, int):
        return listed[place] if -len(listed) <= place < len(listed) else None
    if is_dict(inner) and place is not None:
        for known, kept in zip(inner.operands[::2], inner.operands[1::2], strict=True):
            if known.key == peel(key).key:
                return kept
    return None


def field_of(record: Term, name: str) -> Term | None:
    """The value of a field of a record, if it was given one."""
    inner = peel(record)
    if not is_record(inner):
        return None
    pairs = zip(inner.operands[::2], inner.operands[1::2], strict=True)
    return next((kept for known, kept in pairs if constant_of(known) == name), None)


def _names_listed(terms: tuple[Term, ...]) -> tuple[str, ...] | None:
    """The names in `["a", "b"]` or `"a b"`."""
    inner = peel(terms[0]) if terms else None
    if inner is None:
        return None
    if is_text(inner):
        return tuple(str(inner.detail).replace(",", " ").split())
    names = [constant_of(one) for one in inner.operands] if is_display(inner) else [None]
    return tuple(map(str, names)) if all(isinstance(name, str) for name in names) else None


def is_container(term: Term) -> bool:
    """What holds elements that are in sight."""
    inner = peel(term)
    if inner.operation is OPAQUE:
        return inner.detail in (DICT, GROWN)
    return inner.operation is SEQUENCE


def is_chain(term: Term) -> bool:
    """Layers that are called one after the other."""
    inner = peel(term)
    return inner.operation is SEQUENCE and inner.detail == CHAIN


def is_super(term: Term) -> bool:
    """`super()`: the object as its bases know it."""
    inner = peel(term)
    return inner.operation is OPAQUE and inner.detail == "call builtins.super"


def _is_none(term: Term) -> bool:
    inner = peel(term)
    return inner.operation is CONSTANT and inner.detail is None


def is_text(term: Term) -> bool:
    """Whether the term is a string literal."""
    while term.operation is REFERENCE:
        term = term.operands[0]
    return term.operation is CONSTANT and isinstance(term.detail, (str, bytes))
