"""Names and terms: what a name stands for at the current point, and what is made from what."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from mllint_nan.flow.facts import facts_of, is_evaluating, taken
from mllint_nan.flow.formats import HALF, default_format, layer_format, made_layer_format, shown
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
from mllint_nan.flow.telling import AROUND_LOGARITHMS, INFINITE, SINGULAR, TELLING
from mllint_nan.flow.trained import keeps_in_bounds
from mllint_nan.flow.writing import forget_aliases, write_into
from mllint_nan.flow.written import holds_numbers, holds_zero
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
"""Operations that a variable's value may be made by, one after the other, to be looked into."""
FACTS_MOST: Final = 128
"""Outcomes of tests that are remembered, the last ones of a path."""
PATHS_MOST: Final = 4096
"""Qualified names of which an answer is kept."""
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
        "elsewhere",
        "filled",
        "frames",
        "instances",
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
        """The path of the file, where another one is analysed."""
        self.depth = 0
        self.budget = 20_000
        self.deferred: list[Deferred] = []
        self.blueprint: Blueprint | None = None
        """The class being evaluated."""
        self.blueprints: dict[int, Blueprint] = {}
        """By key of a class as a value."""
        self.instances: dict[int, Instance] = {}
        """By key of an object that is made in sight."""
        self.filled: set[int] = set()
        """The keys of those into whose attributes something has been written."""
        self.typed: dict[int, Blueprint] = {}
        """By key of a parameter whose annotation is a class in sight: that class."""
        self.models: dict[int, Term] = {}
        """By key of a model that is made of layers in sight: its output."""
        self.outputs: dict[int, Term] = {}
        """The same of every model, whatever its last layer computes."""
        self.casts = False
        """Whether something has been cast to float16 without a cast in sight."""
        self.converted: dict[int, Term] = {}
        """By key of a module that has been cast to another format: what its calls enter."""
        self.wrapped: dict[int, Term] = {}
        """By key of a layer that calls a function: that function."""
        self.volatile: set[str] = set()
        """Names that some function declares `global` or `nonlocal`."""
        self.frames: set[str] = set()
        """Entries of attributes that are stored by a constant key: `g.ndata["h"]`."""
        self._epochs: dict[int, int] = {}
        self.written: set[int] = set()
        """The keys of the values that the body which is seen through has written into."""

    def bind(self, name: str, term: Term) -> None:
        self.scope.assigned.add(name)
        if term.height > _TALLEST:
            term = self.forgotten(term)
        before = self.state
        self.state = State(before.environment.bind(name, term), before.facts, before.contexts)

    def forgotten(self, term: Term) -> Term:
        """A value of which nothing is known any more but whose it is."""
        self.escape(term)
        return self.opaque("long", (), None, framework=term.framework)

    def assume(self, test: Term, holds: bool) -> None:
        """From here on this path, `test` is known to be `holds`."""
        if self.recording:
            self.analysis.conditions.add(test.key)
        facts = (*self.state.facts, *facts_of(test, holds, FACTS_MOST))
        self.state = self.state.with_facts(facts[-FACTS_MOST:])

    def reference(self, name: str, site: object) -> Term:
        state = self.state
        definition = state.environment.lookup(name)
        if name in self.volatile:
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
        """What a name stands for that nothing in sight binds."""
        if name in _BUILTINS:
            return self.build.leaf(QUALIFIED, f"builtins.{name}")
        return self.build.leaf(INPUT, name)

    def number_behind(self, definition: Term, name: str) -> Term:
        """The number that an imported name stands for, else the definition itself."""
        raise NotImplementedError

    def behind_name(self, definition: Term) -> Term:
        """What an imported name stands for, where another file is evaluated for its calls."""
        raise NotImplementedError

    def called(self, function: int) -> None:
        """A function of this file is named here."""
        if self.recording:
            state = self.state
            caller = Caller(self.scope, state.contexts, is_evaluating(state.facts))
            self.analysis.callers.setdefault(function, []).append(caller)

    def keep(self, name: str, term: Term) -> None:
        """An attribute of `self` may hold this from now on."""
        owner = self.scope.owner
        self.scope.stores.add(name)
        if owner is not None and (self.recording or owner.is_elsewhere):
            owner.attributes.setdefault(name, []).append(term)
            if self.scope.name != FIRST_METHODS[0]:
                owner.changing.add(name)
            elif self.state.facts and peel(term).operation is INPUT:
                self.analysis.kept_where.setdefault(peel(term).key, self.state.facts)

    def keep_part(self, attribute: Term, places: tuple[Term, ...], term: Term) -> None:
        """Something is written at places of an attribute of `self`, or added to all of it."""
        owner = self.scope.owner if self.recording else None
        base, _, name = path_of(attribute).rpartition(".")
        if base == "self" and owner is not None:
            owner.written.setdefault(name, []).append((places, term))

    def notice(self, path: str) -> None:
        """A qualified name is used: some of them tell that something is trained here."""
        if tells_training(path):
            self.trains()

    def trains(self) -> None:
        """Gradients are taken here, or a loss is handed to an optimizer."""
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
        """The contexts and decorators that hold here, from the innermost on."""
        contexts, decorators = self.state.contexts, self.scope.decorated
        return (*contexts[::-1], *decorators) if contexts else decorators

    def _cast_by_region(self, term: Term, name: str, regions: tuple[Term, ...]) -> Term:
        """The term as an enclosing `autocast` has the operation `name` computed."""
        lowered = autocast(name, regions)
        if lowered is None:
            return term
        cast = self.in_format(term, lowered)
        if not autocast_is_settled(regions):
            self.analysis.cast_perhaps.add(cast.key)
        return cast

    def in_format(self, term: Term, name: str) -> Term:
        """The same value in a format that nothing shows which is written there."""
        self.casts = self.casts or name == HALF
        return replace(term, format=name, key=self.build.number("format", name, term.key))

    def _in_format_of_layer(self, call: Term, entered: tuple[Term, ...]) -> Term:
        """What a layer of Keras gives, in the format that it or the program's policy names."""
        named = made_layer_format(call.operands[0])
        found = (named or layer_format(entered)) if named is not None else None
        if found is None or call.detail == "update":
            return call
        return replace(call, settings={"dtype": self.build.constant(found)})

    def set_default(self, term: Term) -> None:
        """Note the format that the program sets for what shows none."""
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
            # What has a row for a site stands in the file that makes the call.
            if self.visiting is not None and term.site is not None and type(term.site) is not int:
                self._note_visited(term, self.visiting)
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

    def _note_visited(self, term: Term, call: CallInSight) -> None:
        bit = term.operation.bit
        is_singular = bit & SINGULAR or (bit & AROUND_LOGARITHMS and term.inside & INFINITE)
        if not is_singular:
            return
        is_told = term.inside & ~bit & TELLING or shown(term) == HALF or bool(call.file)
        if is_told or any(holds_zero(one) or holds_numbers(one) for one in term.operands):
            occurrence = Occurrence(term, self.state, self.scope, call)
            self.analysis.visited.append(occurrence)

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
        """What holds one of `options`, each where its `facts` do; equal ones are one."""
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
        """The variable that `receiver` names now holds `term`."""
        while _gives_back_written(receiver):
            receiver = receiver.operands[0]
        whole = receiver
        while peel(receiver) is receiver and has_all_of_it(receiver):
            receiver = receiver.operands[0]  # these share its elements
        self.note_bounds(receiver, term)
        if receiver.operation is ATTRIBUTE and receiver.detail in SHARING:
            write_into(self, receiver, term)
        elif receiver.operation is ATTRIBUTE and path_of(receiver):
            # Through `.data` too, a parameter stays one.
            is_same = receiver is whole
            changed = term.copy() if is_same else self.refilled(receiver, term)
            self.bind(path_of(receiver), changed)
        elif receiver.operation is REFERENCE and receiver.detail is not None:
            forget_aliases(self, receiver)
            self.bind(receiver.detail, term.copy())
        else:
            write_into(self, receiver, term)

    def refilled(self, tensor: Term, written: Term) -> Term:
        """A tensor all of whose elements are written anew; it stays the object that it is."""
        changed = self.opaque("update", (tensor, written), None, framework=tensor.framework)
        changed.settings = {"whole": self.build.constant(True)}
        return changed

    def note_bounds(self, receiver: Term, written: Term) -> None:
        """Something is written into a parameter that may be there to keep it in bounds."""
        if not self.recording or not keeps_in_bounds(written):
            return
        place = path_of(receiver).rpartition(".")[2]
        if place:
            self.analysis.bounded.setdefault(place, []).append(written)

    def frame_of(self, container: Term, places: Sequence[Term]) -> str:
        """What the entry of an attribute at a text is known by, else ""."""
        if container.operation is not ATTRIBUTE or len(places) != 1:
            return ""
        key = constant_of(places[0])
        path = path_of(container) if isinstance(key, str) else ""
        return f"{path}[{key!r}]" if path else ""

    def forget_frames(self, owners: Iterable[Term]) -> None:
        """A call that is not understood may store other entries in what it is given."""
        for owner in owners if self.frames else ():
            path = path_of(owner)
            for frame in self.frames if path else ():
                if frame.startswith((f"{path}.", f"{path}[")) and self.state.environment.own(frame):
                    self.bind(frame, self.opaque("update", (owner,), None))

    def touch(self, receiver: Term) -> None:
        """A method that is not understood may change its object's attributes."""
        self._epochs[receiver.key] = self._epochs.get(receiver.key, 0) + 1


def _gives_back_written(term: Term) -> bool:
    """Whether it is what a method in place gives: `x.sub_(1)`, which is x itself."""
    written = term.written if term.operation.kind != "leaf" and term.operands else None
    return written is not None and written.inplace and written.method


def _framework_of_one(options: tuple[Term, ...]) -> str | None:
    """The framework of what holds one of `options`: numbers on one path make none of another."""
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
    """Whether `call numpy.bincount` or its kin gives how often something occurs."""
    return called.startswith("call ") and called.endswith(("bincount", "histogram", "histc"))
