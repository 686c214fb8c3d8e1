"""Names and terms: which definition a name has at a point, and which terms are made there."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from mllint_nan.flow.facts import facts_behind, facts_of, is_evaluating, taken
from mllint_nan.flow.formats import (
    HALF,
    default_format,
    layer_format,
    made_layer_format,
)
from mllint_nan.flow.regions import autocast, autocast_is_settled, casting, layer_called
from mllint_nan.flow.state import (
    EMPTY,
    Analysis,
    Blueprint,
    Caller,
    CallInSight,
    Deferred,
    Instance,
    Occurrence,
    Scope,
    State,
)
from mllint_nan.flow.storage import SHARING, has_all_of_it, path_of
from mllint_nan.flow.trained import keeps_in_bounds
from mllint_nan.flow.writing import forget_aliases, write_into
from mllint_nan.frameworks.differentiation import SHOWS_TRAINING, tells_training
from mllint_nan.ir import ops
from mllint_nan.ir.canonical import Builder
from mllint_nan.ir.program import FIRST_METHODS
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    CONSTANT,
    FUNCTION,
    INPUT,
    NOTHING,
    OPAQUE,
    QUALIFIED,
    REFERENCE,
    Fact,
    Term,
    Written,
    behind_views,
    constant_of,
    peel,
)

_TALLEST: Final = 200
"""The height of the tallest term that a variable keeps; taller ones become opaque."""
FACTS_MOST: Final = 128
"""How many outcomes of tests are remembered: the last ones of a path."""
PATHS_MOST: Final = 16_384
"""How many qualified names answers are cached for."""
_BUILTINS: Final = frozenset(dir(builtins))
TENSORS: Final = frozenset(("torch", "tensorflow", "keras", "jax"))
"""The frameworks that have tensors of their own."""
_TRAINING_CALLS: Final = frozenset(f"call {name}" for name in SHOWS_TRAINING)


class Names:
    """The current state of an evaluation, which assignments and guards replace."""

    __slots__ = (
        "_epochs",
        "analysis",
        "blueprint",
        "blueprints",
        "budget",
        "build",
        "casts",
        "converted",
        "deferred",
        "depth",
        "effects_of",
        "elsewhere",
        "filled",
        "forced",
        "forced_in",
        "frames",
        "instances",
        "layers",
        "models",
        "outputs",
        "recording",
        "scope",
        "state",
        "typed",
        "visiting",
        "volatile",
        "wrapped",
        "written",
    )

    def __init__(self, analysis: Analysis, builder: Builder) -> None:
        self.analysis = analysis
        self.build = builder
        self.state = EMPTY
        self.scope = Scope("<module>", "module")
        self.recording = True
        self.visiting: CallInSight | None = None
        """The call with whose arguments a body is evaluated once more."""
        self.elsewhere = ""
        """The path of a file that is evaluated for its calls of the analysed one."""
        self.effects_of: tuple[Scope, tuple[Fact, ...]] | None = None
        """The function whose call is evaluated for its effects, and the facts at that call."""
        self.depth = 0
        self.budget = 20_000
        self.deferred: list[Deferred] = []
        self.blueprint: Blueprint | None = None
        """The class being evaluated."""
        self.blueprints: dict[int, Blueprint] = {}
        """By key of a class as a value: its blueprint."""
        self.instances: dict[int, Instance] = {}
        """By key of an object whose construction is visible: its class and arguments."""
        self.layers: dict[Scope, dict[str, Term]] = {}
        """By class and attribute: the layer that the constructor stores there."""
        self.filled: set[int] = set()
        """The keys of those objects into whose attributes something has been written."""
        self.typed: dict[int, Blueprint] = {}
        """By key of a term that is annotated with a visible class: that class."""
        self.models: dict[int, Term] = {}
        """By key of a functional model that ends in an operation of one operand: its output."""
        self.outputs: dict[int, Term] = {}
        """By key of any functional model: its output, whatever computes that."""
        self.casts = False
        """Whether something has been cast to float16 without a visible cast."""
        self.converted: dict[int, Term] = {}
        """By key of a module converted to another format: the context that its calls enter."""
        self.wrapped: dict[int, Term] = {}
        """By key of a layer that calls a function: that function."""
        self.volatile: set[str] = set()
        """Names that some function declares `global` or `nonlocal`."""
        self.forced: dict[str, Term] = {}
        """By path: the value that is evaluated now, of those that other code sets."""
        self.forced_in: Scope | None = None
        """The function that is evaluated with that value."""
        self.frames: set[str] = set()
        """The paths of entries stored in attributes under a constant key: `g.ndata["h"]`."""
        self._epochs: dict[int, int] = {}
        self.written: set[int] = set()
        """The keys of the values that the inlined body has written into."""

    def bind(self, name: str, term: Term) -> None:
        self.scope.assigned.add(name)
        if term.height > _TALLEST:
            term = self.forgotten(term)
        before = self.state
        self.state = State(before.environment.bind(name, term), before.facts, before.contexts)

    def forgotten(self, term: Term) -> Term:
        """Return an opaque value in place of a term: only its framework is still known."""
        self.escape(term)
        return self.opaque("long", (), None, framework=term.framework)

    def assume(self, test: Term, holds: bool) -> None:
        """Record that from here on, `test` is known to be `holds` on this path."""
        if self.recording:
            self.analysis.conditions.add(test.key)
        told = facts_of(test, holds, FACTS_MOST)
        behind = [one for fact in told for one in facts_behind(fact.test, fact.holds)]
        facts = (*self.state.facts, *behind, *told)
        self.state = self.state.with_facts(facts[-FACTS_MOST:])

    def reference(self, name: str, site: object) -> Term:
        state = self.state
        definition = state.environment.lookup(name)
        if name in self.volatile and name not in self.forced:
            definition = self.build.leaf(INPUT, name, key=self.build.fresh())
        elif definition is None:
            definition = self.unbound(name)
        if definition.operation is CHOICE:
            definition = taken(definition, state.facts)
        if definition.operation is QUALIFIED:
            definition = self.number_behind(definition, name)
        term = Term(
            REFERENCE, (definition,), definition.key, site, NOTHING, definition.framework, name
        )
        if self.recording:
            self.analysis.referring.append(term)
            if definition.operation is FUNCTION:
                self.called(definition.key)
        return term

    def unbound(self, name: str) -> Term:
        """Return the term of a name without a visible binding: a builtin, or an input."""
        if name in _BUILTINS:
            return self.build.leaf(QUALIFIED, f"builtins.{name}")
        return self.build.leaf(INPUT, name)

    def number_behind(self, definition: Term, name: str) -> Term:
        """Return the number that an imported name stands for, else the definition itself."""
        raise NotImplementedError

    def number_of_member(self, member: Term, name: str, written: str | None) -> Term:
        """Return the number that `module.NAME` stands for, which other code may have set."""
        raise NotImplementedError

    def behind_name(self, definition: Term) -> Term:
        """Return what an imported name stands for, if another file is evaluated for its calls."""
        raise NotImplementedError

    def called(self, function: int) -> None:
        """Record that a function of this file is named here."""
        if self.recording:
            state = self.state
            caller = Caller(self.scope, state.contexts, is_evaluating(state.facts))
            self.analysis.callers.setdefault(function, []).append(caller)

    def keep(self, name: str, term: Term, *, is_dead: bool = False) -> None:
        """Record that an attribute of `self` may hold this term from now on, unless it is dead."""
        owner = self.scope.owner
        self.scope.stores.add(name)
        if owner is not None and (self.recording or owner.is_elsewhere):
            owner.attributes.setdefault(name, []).extend(() if is_dead else (term,))
            if self.scope.name != FIRST_METHODS[0]:
                owner.changing.add(name)
            elif self.state.facts and peel(term).operation is INPUT:
                self.analysis.kept_where.setdefault(peel(term).key, self.state.facts)

    def keep_part(self, attribute: Term, places: tuple[Term, ...], term: Term) -> None:
        """Record a write at places of an attribute of `self`, or an addition to all of it."""
        owner = self.scope.owner if self.recording else None
        base, _, name = path_of(attribute).rpartition(".")
        if base == "self" and owner is not None:
            owner.written.setdefault(name, []).append((places, term))

    def notice(self, path: str) -> None:
        """Record the use of a qualified name: some of them show that something is trained here."""
        if tells_training(path):
            self.trains()

    def trains(self) -> None:
        """Record that gradients are taken here, or that an optimizer is given a loss."""
        self.scope.trains_here = True
        for scope in self.scope.enclosing():
            scope.trains = True

    def opaque(
        self,
        what: str,
        operands: tuple[Term, ...],
        site: object,
        *,
        pure: bool = False,
        at: Sequence[Term] = (),
        framework: str | None = None,
    ) -> Term:
        key = None
        if pure:
            key = self.build.number("opaque", what, *[term.key for term in (*operands, *at)])
        if what in _TRAINING_CALLS:
            self.trains()
        term = self.build.leaf(OPAQUE, what, operands, site, framework, key)
        entered = self.entered()
        if operands and self.converted:
            made = self.converted.get(peel(operands[0]).key)
            entered = (made, *entered) if made is not None and not made.facts else entered
        regions = casting(entered) if entered else ()
        if regions:
            term = self._cast_by_region(term, layer_called(self, term), regions)
        if operands and peel(operands[0]).operation is OPAQUE:
            term = self._in_format_of_layer(term, entered)
        self.note(term)
        return term

    def operation(
        self,
        name: str,
        operands: tuple[Term, ...],
        site: object,
        settings: Mapping[str, Term] | None = None,
        framework: str | None = None,
        written: Written | None = None,
    ) -> Term:
        term = self.build.build(ops.operation(name), operands, settings, site, framework, written)
        entered = self.entered()
        if entered:
            regions = casting(entered)
            if regions:
                term = self._cast_by_region(term, name, regions)
            self.set_default(term)
        self.note(term)
        return term

    def entered(self) -> tuple[Term, ...]:
        """Return the contexts and decorators that hold here, innermost first."""
        contexts, decorators = self.state.contexts, self.scope.decorated
        return (*contexts[::-1], *decorators) if contexts else decorators

    def _cast_by_region(self, term: Term, name: str, regions: tuple[Term, ...]) -> Term:
        """Return the term in the format in which an enclosing `autocast` computes `name`."""
        lowered = autocast(name, regions)
        if lowered is None:
            return term
        cast = self.in_format(term, lowered)
        if not autocast_is_settled(regions):
            self.analysis.cast_perhaps.add(cast.key)
        return cast

    def in_format(self, term: Term, name: str) -> Term:
        """Return the same value in a format that the code itself does not show."""
        self.casts = self.casts or name == HALF
        return replace(term, format=name, key=self.build.number("format", name, term.key))

    def _in_format_of_layer(self, call: Term, entered: tuple[Term, ...]) -> Term:
        """Return the result of a Keras layer in the format that it or the policy names."""
        named = made_layer_format(call.operands[0])
        found = (named or layer_format(entered)) if named is not None else None
        if found is None or call.detail == "update":
            return call
        return replace(call, settings={"dtype": self.build.constant(found)})

    def set_default(self, term: Term) -> None:
        """Record the format that the program sets for terms that show none."""
        framework = term.framework
        if not self.state.contexts or term.default is not None:
            return
        present = self.analysis.frameworks & TENSORS
        if framework is None and len(present) == 1:
            (framework,) = present
        if framework is not None:
            term.default = default_format(self.entered(), framework)

    def note(self, term: Term) -> None:
        if not self.recording:
            # A term whose site is a row number belongs to the calling file.
            if self.visiting is not None and term.site is not None and type(term.site) is not int:
                self.note_visited(term, self.visiting)
                if self.visiting.is_by_defaults:
                    self.analysis.made.append(term)
            return
        analysis, operation = self.analysis, term.operation
        analysis.made.append(term)
        if self.state.contexts:
            analysis.entered.setdefault(term.key, []).append(self.state.contexts)
        if operation is OPAQUE:
            analysis.escaped.update([operand.key for operand in term.operands])
        elif operation.kind != "leaf":
            occurrence = Occurrence(term, self.state, self.scope)
            analysis.occurrences.append(occurrence)
            if operation.name == "gradient":
                self.trains()
            elif operation.name == "div":
                divisor = behind_views(term.operands[1])
                self.analysis.divisions.setdefault(divisor.key, []).append(occurrence)

    def note_visited(self, term: Term, call: CallInSight) -> None:
        """Record an operation that is evaluated with a call's arguments, if these may break it."""
        raise NotImplementedError

    def escape(self, term: Term) -> None:
        if self.recording:
            self.analysis.escaped.add(term.key)
            inner = peel(term)
            if inner.operation is CHOICE:
                self.analysis.options_escaped.update(option.key for option in inner.operands)

    def consume(self, term: Term) -> None:
        if self.recording:
            self.analysis.made.append(term)

    def choice(
        self,
        options: tuple[Term, ...],
        site: object = None,
        detail: str = "branch",
        facts: tuple[tuple[Fact, ...], ...] = (),
    ) -> Term:
        """Return a choice of `options`, each taken where its `facts` hold; equal ones are one."""
        is_of_loop = detail == "loop" or detail == "exit"
        distinct: dict[int, Term] = {}
        for option in options:
            distinct[option.key] = option
        if len(distinct) == 1 and site is None and not is_of_loop:
            return peel(options[0])
        framework = _framework_of_one(options)
        nothing: tuple[tuple[()], ...] = ((),) * len(distinct)
        conditions: tuple[tuple[Fact, ...], ...] = nothing
        if any(facts):
            known: dict[int, tuple[Fact, ...]] = {}
            for option, holding in zip(options, facts, strict=False):
                known[option.key] = () if option.key in known else holding
            conditions = tuple([known.get(key, ()) for key in distinct])
        if is_of_loop:
            number = self.build.fresh()
        else:
            paths = [tuple([(fact.test.key, fact.holds) for fact in path]) for path in conditions]
            number = self.build.number("choice", *distinct, *paths)
        term = Term(CHOICE, tuple(distinct.values()), number, site, NOTHING, framework, detail)
        term.facts = conditions
        return term

    def rebind(self, receiver: Term, term: Term) -> None:
        """Bind the variable that `receiver` names to `term`."""
        while _gives_back_written(receiver):
            receiver = receiver.operands[0]
        whole = receiver
        while peel(receiver) is receiver and has_all_of_it(receiver):
            receiver = receiver.operands[0]  # these share its elements
        self.note_bounds(receiver, term)
        if receiver.operation is ATTRIBUTE and receiver.detail in SHARING:
            write_into(self, receiver, term)
        elif receiver.operation is ATTRIBUTE and path_of(receiver):
            # A parameter stays one, even if it is written through `.data`.
            is_same = receiver is whole
            changed = term.copy() if is_same else self.refilled(receiver, term)
            self.bind(path_of(receiver), changed)
        elif receiver.operation is REFERENCE and receiver.detail is not None:
            forget_aliases(self, receiver)
            self.bind(receiver.detail, term.copy())
        else:
            write_into(self, receiver, term)

    def refilled(self, tensor: Term, written: Term) -> Term:
        """Return a tensor after a write to all of its elements; it stays the same object."""
        changed = self.opaque("update", (tensor, written), None, framework=tensor.framework)
        changed.settings = {"whole": self.build.constant(True)}
        return changed

    def note_bounds(self, receiver: Term, written: Term) -> None:
        """Record a write into a parameter that may serve to keep it within bounds."""
        if not self.recording or not keeps_in_bounds(written):
            return
        place = path_of(receiver).rpartition(".")[2]
        if place:
            self.analysis.bounded.setdefault(place, []).append(written)

    def frame_of(self, container: Term, places: Sequence[Term]) -> str:
        """Return the path of an attribute's entry under a string key, else an empty string."""
        if container.operation is not ATTRIBUTE or len(places) != 1:
            return ""
        key = constant_of(places[0])
        path = path_of(container) if isinstance(key, str) else ""
        return f"{path}[{key!r}]" if path else ""

    def forget_frames(self, owners: Iterable[Term]) -> None:
        """Forget the entries of objects that are given to a call that is not understood."""
        for owner in owners if self.frames else ():
            path = path_of(owner)
            for frame in self.frames if path else ():
                if frame.startswith((f"{path}.", f"{path}[")) and self.state.environment.own(frame):
                    self.bind(frame, self.opaque("update", (owner,), None))

    def touch(self, receiver: Term) -> None:
        """Forget the attributes of an object, which a method that is not understood may change."""
        self._epochs[receiver.key] = self._epochs.get(receiver.key, 0) + 1


def _gives_back_written(term: Term) -> bool:
    """Whether a term is the result of an in-place method: `x.sub_(1)`, which is x itself."""
    written = term.written if term.operation.kind != "leaf" and term.operands else None
    return written is not None and written.inplace and written.method


def _framework_of_one(options: tuple[Term, ...]) -> str | None:
    """Return the framework of a choice: a number on one path does not hide that of another."""
    is_number, is_unknown = False, False
    for option in options:
        if option.framework is None:
            is_unknown = is_unknown or peel(option).operation is not CONSTANT
        elif option.framework != "math":
            return option.framework
        else:
            is_number = True
    return "math" if is_number and not is_unknown else None


@lru_cache(PATHS_MOST)
def counts(called: str) -> bool:
    """Whether a call counts how often something occurs, as `call numpy.bincount` does."""
    return called.startswith("call ") and called.endswith(("bincount", "histogram", "histc"))
