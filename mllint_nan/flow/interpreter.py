"""Statements in program order: which definition reaches which use, and what is known there.

Branches join, loops forget what they assign, functions are evaluated once on their own and seen
through at their calls. No bound is exceeded silently: what is too deep or too long is opaque.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.arguments import bind_arguments, keeps_function
from mllint_nan.flow.containers import (
    ELEMENT,
    NAMED_TUPLE,
    has_all,
    is_chain,
    is_container,
    is_dict,
    is_display,
    is_record,
    with_key_changed,
)
from mllint_nan.flow.effects import note_patch
from mllint_nan.flow.environment import Environment
from mllint_nan.flow.expressions import BINARY
from mllint_nan.flow.formats import layer_format, sets_format
from mllint_nan.flow.modules import Project
from mllint_nan.flow.names import mask_of, path_of
from mllint_nan.flow.origins import Origins
from mllint_nan.flow.queries import (
    OwnClass,
    appended,
    assigned,
    attributes_read,
    binds,
    can_break,
    is_simple,
    length_of,
    own_statements,
    place_path,
    statements,
    summary,
)
from mllint_nan.flow.state import (
    Analysis,
    Arguments,
    Blueprint,
    CallInSight,
    Closure,
    Deferred,
    Scope,
    State,
)
from mllint_nan.flow.trained import is_made
from mllint_nan.frameworks import registry
from mllint_nan.ir import program as ir
from mllint_nan.ir.canonical import Builder
from mllint_nan.ir.term import (
    CONSTANT,
    FUNCTION,
    INPUT,
    OPAQUE,
    QUALIFIED,
    REFERENCE,
    SEQUENCE,
    Term,
    constant_of,
    held,
    number_of,
    peel,
    qualified,
)

_SWITCHES: Final = frozenset(("call torch.set_grad_enabled",))
"""Calls that say for all that follows what their context says for its block."""
_ASSERTIONS: Final = frozenset(
    ("torch._assert", "tensorflow.Assert", "tensorflow.debugging.Assert")
)
_COMPARED_WITH_ZERO: Final[Mapping[str, str]] = {
    "assert_positive": "gt",
    "assert_non_negative": "ge",
    "assert_negative": "lt",
    "assert_non_positive": "le",
}
_COMPARED: Final[Mapping[str, str]] = {
    "assert_greater": "gt",
    "assert_greater_equal": "ge",
    "assert_less": "lt",
    "assert_less_equal": "le",
    "assert_none_equal": "ne",
}
_NUMBERS: Final = frozenset(("builtins.int", "builtins.float", "builtins.bool"))
_TENSOR_TYPES: Final = frozenset(("Tensor", "ndarray", "Array", "FloatTensor", "LongTensor"))
_PLAIN_DECORATORS: Final = frozenset(
    ("builtins.staticmethod", "builtins.classmethod", "builtins.property", "abc.abstractmethod")
)
_LEFT_MOST: Final = 4
"""How many values of an attribute are told apart."""
_LAYERS_MOST: Final = 8
"""How many layers of a list a loop is followed through."""
_RETURNS_MOST: Final = 8
"""In how many places a function returns that is seen through."""


def analyse(program: ir.Block) -> Analysis:
    """Evaluate a whole module."""
    interpreter = Interpreter()
    interpreter.run_module(program)
    return interpreter.analysis


class Interpreter(Origins):
    """Evaluates statements; `flows_on` is false once a path has left the block."""

    def __init__(self, project: Project | None = None) -> None:
        super().__init__(Analysis(), Builder(), project)
        self.state = State(Environment())
        self.jumped: list[State] = []
        """Where rounds of the current loop end early."""
        self._stars: list[str] = []
        self._evaluated_methods: dict[Scope, list[tuple[Deferred, Blueprint]]] = {}
        """By class: the methods that have been evaluated in their own right."""
        self._end: Environment | None = None
        """What the names of the module stand for where it ends."""

    def run_module(self, program: ir.Block) -> None:
        for statement in statements(program):
            if type(statement) is ir.Global:
                self.volatile.update(statement.names)
            elif type(statement) is ir.Import:
                for _, path in statement.bindings:
                    framework = registry.framework_of(path)
                    if framework is not None:
                        self.analysis.frameworks.add(framework)
        self.block(program)
        self._end = self.scope.final = self.state.environment
        while self.deferred:
            waiting, self.deferred = self.deferred, []
            for one in waiting:
                if self.is_evaluated(one):
                    self._run(one)
        if self.home is None:
            self._visit_by_attributes()
        if self.home is not None or self.project is None:
            self.finish()

    def finish(self) -> None:
        """Nothing is evaluated any more: of a file of a project, once its callers have been."""
        self.scope.final = None
        self.let_go()

    def is_evaluated(self, deferred: Deferred) -> bool:
        """Whether a function is evaluated in its own right."""
        return True

    def _visit_by_attributes(self) -> None:
        """Evaluate methods with what other methods leave in the attributes that they read."""
        for owner, methods in self._evaluated_methods.items():
            stored = self._left_in(owner)
            for deferred, blueprint in methods if stored else ():
                body = deferred.closure.body
                read = attributes_read(body) if isinstance(body, tuple) else set()
                names = [one for one in stored if one in read and one not in deferred.scope.stores]
                if names:
                    self._visit_method(deferred, blueprint, {one: stored[one] for one in names})

    def _left_in(self, owner: Scope) -> dict[str, Term]:
        """The attributes in which methods of a class leave nothing but what has a range."""
        found: dict[str, Term] = {}
        setting = [(name, owner) for name in owner.changing]
        setting += [(name, one) for name, one in owner.inherited.items() if name in one.changing]
        for name, scope in setting:
            terms = scope.attributes.get(name, ())
            computed = [term for term in terms if peel(term).operation is not CONSTANT]
            if computed and all(map(self.is_bounded_by_itself, computed)):
                found[name] = self.choice(tuple(computed[:_LEFT_MOST]))
        return found

    def _visit_method(
        self, deferred: Deferred, blueprint: Blueprint, stored: Mapping[str, Term]
    ) -> None:
        closure, outer = deferred.closure, self.blueprint
        if self._visits_left <= 0:
            return
        self._visits_left -= length_of(closure.body)
        around = Environment(self._surroundings(closure))
        self.blueprint = blueprint
        self.visiting = CallInSight(None, closure.scope)
        with self.apart(State(around, (), deferred.contexts)):
            self.scope = deferred.scope
            self.bind_parameters(closure)
            for name, term in stored.items():
                self.bind(f"self.{name}", held(term))
            self.run_body(closure)
        self.blueprint, self.visiting = outer, None

    # Blocks

    def block(self, statements: ir.Block) -> None:
        for statement in statements:
            if not self.flows_on:
                break
            self.statement(statement)

    def statement(self, statement: ir.Statement) -> None:
        _EXECUTED[type(statement)](self, statement)

    def _assign(self, statement: ir.Assign) -> None:
        term = self.evaluate(statement.value)
        self._define(statement, term)
        for target in statement.targets:
            self.assign(target, term)

    def _evaluate_statement(self, statement: ir.Evaluate) -> None:
        self._evaluate_alone(statement.value)

    def _return_statement(self, statement: ir.Return) -> None:
        value = statement.value
        self._return(self.build.constant(None) if value is None else self.evaluate(value))
        self.flows_on = False

    def _raise(self, statement: ir.Raise) -> None:
        for child in statement.children:
            self.evaluate(child)
        self.flows_on = False

    def _jump(self, statement: ir.Jump) -> None:
        self.jumped.append(self.state)
        self.flows_on = False

    def _assert(self, statement: ir.Assert) -> None:
        self.assume(self.evaluate(statement.test), True)

    def _delete_statement(self, statement: ir.Delete) -> None:
        for target in statement.targets:
            self._delete(target)

    def _global(self, statement: ir.Global) -> None:
        """`run_module` has noted its names."""

    def _delete(self, target: ir.Target) -> None:
        match target:
            case ir.Name(_, name):
                self.bind(name, self.build.leaf(INPUT, name, key=self.build.fresh()))
            case ir.Subscript():
                self.assign(target, self.build.constant(None))
            case ir.Targets(elements):
                for element in elements:
                    self._delete(element)
            case _:
                pass

    def _evaluate_alone(self, value: ir.Expression) -> None:
        grown = self._growing(value)
        term = self.evaluate(value)
        self.escape(term)
        if term.detail in _SWITCHES or sets_format(term):
            self.state = self.state.within((*self.state.contexts, term))
        for test in self._asserted(term):
            self.assume(test, True)
        if grown is not None and peel(term).operands:
            path, listed, method = grown
            element = peel(term).operands[-1]
            is_known = method != "insert" or (is_display(listed) and not peel(listed).operands)
            elements = peel(element).operands if method == "extend" else (element,)
            is_known = is_known and (method != "extend" or is_display(element))
            extended = self.grown(listed, elements) if is_known else None
            if extended is not None:
                self.bind(path, extended)
            elif is_container(listed):
                self.bind(path, self.forgotten(peel(listed)))

    def _growing(self, value: ir.Expression) -> tuple[str, Term, str] | None:
        """The variable that a call puts elements into, what it holds before, and the method."""
        match value:
            case ir.Call(_, ir.Attribute(_, base, method), arguments):
                count = 1 if method == "extend" else ir.APPENDING.get(method)
                path = place_path(base)
                listed = self.state.environment.lookup(path) if path else None
                is_plain = len(arguments) == count and not (
                    arguments[-1].keyword or arguments[-1].star
                )
                return (path, listed, method) if listed is not None and is_plain else None
            case _:
                return None

    def _asserted(self, call: Term) -> Iterator[Term]:
        """What holds behind a call that fails otherwise."""
        if call.operation is not OPAQUE or len(call.operands) < 2:
            return
        path = registry.canonical_path(str(call.detail).removeprefix("call "))
        module, _, name = path.rpartition(".")
        if path in _ASSERTIONS:
            yield call.operands[1]
        elif module in ("tensorflow", "tensorflow.debugging") and name in _COMPARED_WITH_ZERO:
            zero = self.build.constant(0)
            yield self.build.apply(_COMPARED_WITH_ZERO[name], call.operands[1], zero)
        elif module in ("tensorflow", "tensorflow.debugging") and name in _COMPARED:
            yield self.build.apply(_COMPARED[name], *call.operands[1:3])

    def _define(self, statement: ir.Assign, term: Term) -> None:
        if not self.recording or not statement.alone or len(statement.targets) != 1:
            return
        if isinstance(statement.targets[0], ir.Name):
            self.analysis.definitions[id(peel(term))] = (statement, self.scope)

    # Assignment

    def assign(self, target: ir.Target, term: Term) -> None:
        if type(target) is ir.Name:  # as nearly all of them are
            self.bind(target.name, held(term))
            return
        match target:
            case ir.Targets(elements):
                self._unpack(elements, term)
            case ir.Starred(inner):
                self.assign(inner, self.opaque("rest", (term,), None))
            case ir.Attribute(_, base, name):
                owner = self.evaluate(base)
                path = path_of(owner)
                is_asked = name == "requires_grad" and constant_of(term) is True
                if path and is_asked and is_made(owner):
                    self.rebind(owner, self.trained(peel(owner), None))
                if path and name == "data":
                    self.rebind(owner, self.refilled(owner, term))
                    self.note_bounds(owner, term)
                elif path:
                    self.bind(f"{path}.{name}", held(term))
                self.forget_instance(owner)
                if is_record(owner):
                    self._put(owner, base, self.build.constant(name), term)
                if path == "self":
                    self.keep(name, term)
                self.escape(term)
            case ir.Subscript(_, base, indices):
                container = self.evaluate(base)
                places = [self.evaluate(index) for index in indices]
                self.escape(term)
                note_patch(self, target.site, container, places, term)
                if is_container(container) and self._put(container, base, places[0], term):
                    return
                frame = self.frame_of(container, places)
                if frame:
                    self.frames.add(frame)
                    self.bind(frame, term)
                if container.operation is REFERENCE and container.detail is not None:
                    self.forget_aliases(container)
                    mask = mask_of(places[0]) if len(places) == 1 else None
                    parts = (container, term) if mask is None else (container, term, mask)
                    changed = self.opaque("update", parts, None, framework=container.framework)
                    self.bind(str(container.detail), changed)
            case ir.Unknown(_, children):
                for child in children:
                    self.evaluate(child)

    def _put(self, container: Term, place: ir.Expression, key: Term, term: Term) -> bool:
        """Have what a variable holds changed at one key; whether that is all there is to do."""
        path = place_path(place)
        if container.operation is REFERENCE and container.detail is not None:
            changed = with_key_changed(self, container, key, term)
            if changed is not None:
                self.forget_aliases(container)
                self.bind(str(container.detail), changed)
            return changed is not None
        whole = self.state.environment.lookup(path) if path else None
        if whole is not None:  # in a container that is itself in one
            self.bind(path, self.opaque("update", (whole, term), None, framework=whole.framework))
        return True

    def _unpack(self, elements: tuple[ir.Target, ...], term: Term) -> None:
        inner = peel(term)
        if inner.detail == NAMED_TUPLE and is_record(inner):
            inner = self.build.leaf(SEQUENCE, "tuple", inner.operands[1::2])
        is_whole = inner.operation is SEQUENCE and has_all(inner)
        exact = is_whole and len(inner.operands) == len(elements)
        starred = any(isinstance(element, ir.Starred) for element in elements)
        for position, element in enumerate(elements):
            if exact and not starred:
                self.assign(element, inner.operands[position])
            else:
                part = self.opaque(f"part {position}", (term,), None, framework=inner.framework)
                self.assign(element, part)

    def assign_elements(self, target: ir.Target, iterable: Term) -> None:
        """Bind the target of a loop over `iterable`."""
        inner = peel(iterable)
        if (
            inner.operation.name == "opaque"
            and inner.detail in ("call builtins.zip", "call builtins.enumerate")
            and isinstance(target, ir.Targets)
        ):
            arguments = inner.operands[1:]
            if inner.detail.endswith("enumerate"):
                arguments = (self.opaque("index", arguments[1:2], None), *arguments[:1])
                if len(target.elements) == 2:
                    self.assign(target.elements[0], arguments[0])
                    self.assign_elements(target.elements[1], arguments[1])
                    return
            if len(arguments) == len(target.elements):
                for element, source in zip(target.elements, arguments, strict=True):
                    self.assign_elements(element, source)
                return
        self.assign(target, self.element(iterable))

    def element(self, iterable: Term) -> Term:
        """Any one element of what is iterated over."""
        inner = peel(iterable)
        if inner.operation.name == "collect":
            return inner.operands[0]
        if inner.operation is SEQUENCE and inner.operands:
            return self.choice(inner.operands, None, ELEMENT)
        return self.operation("element", (iterable,), None, framework=inner.framework)

    def _augment(self, statement: ir.Augment) -> None:
        value = self.evaluate(statement.value)
        match statement.target:
            case ir.Name(site, name):
                old = self.reference(name, site)
                combined = self._combined(statement, old, value)
                self.forget_aliases(old)
                self.bind(name, combined)
            case ir.Attribute(site, base, name):
                owner = self.evaluate(base)
                old = self._attribute(site, owner, name)
                term = self._combined(statement, old, value)
                self.escape(term)
                if path_of(owner) and name == "data":
                    self.rebind(owner, self.refilled(owner, term))
                elif path_of(owner):
                    self.bind(f"{path_of(owner)}.{name}", term)
                if path_of(owner) == "self":
                    self.keep(name, term)
            case ir.Subscript():
                old = self.evaluate(statement.target)
                term = self._combined(statement, old, value)
                self.assign(statement.target, term)
            case _:
                pass

    def _combined(self, statement: ir.Augment, old: Term, value: Term) -> Term:
        if statement.operator == "+" and is_display(value):
            grown = self.grown(old, peel(value).operands)
            if grown is not None:
                return grown
        name = BINARY.get(statement.operator)
        if name is None:
            return self.opaque(statement.operator, (old, value), statement.site)
        return self.operation(name, (old, value), statement.site)

    # Control flow

    def _branches(self, branches: list[Callable[[], None]]) -> None:
        """Run alternatives from one state and join those that reach the end."""
        before, ends = self.state, []
        for branch in branches:
            self.state, self.flows_on = before, True
            branch()
            if self.flows_on:
                ends.append(self.state)
        self.flows_on = bool(ends)
        self.state = self._join(before, ends) if ends else before

    def _join(self, before: State, ends: list[State]) -> State:
        if len(ends) == 1:
            return ends[0].within(before.contexts)
        environment = before.environment
        paths = tuple(end.facts_since(before) for end in ends)
        changed = dict.fromkeys(
            name for end in ends for name in end.environment.changed_since(before.environment)
        )
        for name in changed:
            options = tuple(
                option
                if (option := end.environment.own(name)) is not None
                else self.build.leaf(INPUT, name, key=self.build.fresh() if "." in name else None)
                for end in ends
            )
            environment = environment.bind(name, self.choice(options, facts=paths))
        return State(environment, before.facts, before.contexts)

    def _if(self, statement: ir.If) -> None:
        test = self.evaluate(statement.test)
        decided = self.decided(test)
        if decided is not Truth.UNKNOWN:
            self.block(statement.body if decided is Truth.YES else statement.orelse)
            return

        def branch(block: ir.Block, holds: bool) -> Callable[[], None]:
            def run() -> None:
                self.assume(test, holds)
                self.block(block)

            return run

        self._branches([branch(statement.body, True), branch(statement.orelse, False)])

    def _loop(self, carried: list[str], body: Callable[[], None]) -> None:
        before = self.state
        phis: dict[str, Term] = {}
        carried = [name for name in carried if not self._is_module_around(name)]
        for name in carried:
            initial = self.state.environment.own(name)
            phi = self.choice((initial,) if initial is not None else (), None, "loop")
            phis[name] = phi
            self.bind(name, phi)
        entered = self.state
        outer, self.jumped = self.jumped, []
        body()
        jumped, self.jumped = self.jumped, outer
        ends = [self.state] if self.flows_on else []
        after = ends[0] if ends else entered
        every = self._join(entered, [*ends, *jumped]) if ends or jumped else entered
        self.flows_on = True
        environment = before.environment
        for name in dict.fromkeys((*carried, *every.environment.changed_since(before.environment))):
            start = entered.environment.own(name)
            skipped = all(jump.environment.own(name) is start for jump in jumped)
            end = after if skipped else every
            environment = environment.bind(name, self._after_loop(name, before, end, phis))
            final = every.environment.own(name)
            if name in phis and final is not None:
                facts = every.facts_since(before)
                self.analysis.carried[phis[name].key] = (final, facts)
        self.state = State(environment, before.facts, before.contexts)

    def _is_module_around(self, name: str) -> bool:
        """Whether a name is that of a module, into which `torch.relu_(x)` writes nothing."""
        environment = self.state.environment
        if environment.own(name) is not None:
            return False
        known = environment.lookup(name)
        return known is not None and known.operation is QUALIFIED

    def _after_loop(self, name: str, before: State, after: State, phis: Mapping[str, Term]) -> Term:
        initial, final = before.environment.own(name), after.environment.own(name)
        if final is None:
            final = initial
        assert final is not None
        summed = self._accumulated(initial, final, phis.get(name))
        if summed is not None:
            return summed
        facts = after.facts_since(before)
        if initial is None:
            return self.choice((final,), None, "exit", (facts,))
        return self.choice((initial, final), None, "exit", ((), facts))

    def _accumulated(self, initial: Term | None, final: Term, phi: Term | None) -> Term | None:
        """`total = 0; for …: total += e` is a sum, `parts.append(e)` a collection."""
        if initial is None or phi is None:
            return None
        inner = peel(final)
        if inner.operation.name == "add" and number_of(initial) == 0:
            for mine, other in (inner.operands, inner.operands[::-1]):
                if mine.key == phi.key:
                    return self.operation("sum", (other,), None)
        start = peel(initial)
        grows = start.operation is SEQUENCE and inner.operation is SEQUENCE
        if grows and not start.operands and len(inner.operands) == 1 and not is_chain(start):
            return self.operation("collect", inner.operands, None)
        return None

    def _while(self, statement: ir.While) -> None:
        def run() -> None:
            self.assume(self.evaluate(statement.test), True)
            self.block(statement.body)

        self._loop(assigned(statement.body), run)
        if not can_break(statement.body):
            self.assume(self.quietly(statement.test), False)
        self.block(statement.orelse)

    def _for(self, statement: ir.For) -> None:
        iterable = self.evaluate(statement.iterable)

        def run() -> None:
            self.assign_elements(statement.target, iterable)
            self.block(statement.body)

        lists = [
            name
            for name in appended(statement.body)
            if (term := self.state.environment.own(name)) is not None
            and peel(term).operation is SEQUENCE
            and not peel(term).operands
        ]
        carried = [name for name in assigned(statement.body) if name not in lists]
        starts = {name: self.state.environment.own(name) for name in lists}
        passed = self._passed_through(statement, iterable)
        self._loop(carried, run)
        for name, term in passed.items():
            self.bind(name, term)
        for name, start in starts.items():
            final = self.state.environment.own(name)
            if start is not None and final is not None:
                options = [o for o in peel(final).operands if peel(o).operands]
                grown = peel(options[0]) if options else peel(final)
                if grown.operation is SEQUENCE and len(grown.operands) == 1:
                    self.bind(name, self.operation("collect", grown.operands, None))
        self.block(statement.orelse)

    def _passed_through(self, statement: ir.For, iterable: Term) -> dict[str, Term]:
        """What the variables hold after a loop that calls the layers of a list in turn."""
        layers = peel(iterable).operands if self.is_list_of_layers(iterable) else ()
        if not layers:
            return {}
        inside = own_statements(statement.body)
        is_straight = all(isinstance(item, (ir.Assign, ir.Evaluate)) for item in inside)
        if not 0 < len(layers) <= _LAYERS_MOST or not is_straight or self.budget <= 0:
            return {}
        self.budget -= len(layers) * len(inside)
        with self.apart(self.state):
            for layer in layers:
                self.assign(statement.target, peel(layer))
                self.block(statement.body)
            final = self.state.environment
        names = ((name, final.own(name)) for name in assigned(statement.body))
        return {name: term for name, term in names if term is not None}

    def _with(self, statement: ir.With) -> None:
        contexts = self.state.contexts
        for expression, target in statement.items:
            term = self.evaluate(expression)
            self.state = self.state.within((*self.state.contexts, term))
            if target is not None:
                self.assign(target, term)
        self.block(statement.body)
        self.state = self.state.within(contexts)

    def _try(self, statement: ir.Try) -> None:
        before = self.state
        # Whatever the body assigns may or may not have happened when a handler runs.
        interrupted = before.environment
        for written in assigned(statement.body):
            if self._is_module_around(written):
                continue
            known = interrupted.own(written)
            options = (known,) if known is not None else ()
            interrupted = interrupted.bind(written, self.choice(options, None, "loop"))
        self.block(statement.body)
        flowed, after = self.flows_on, self.state
        if flowed:
            self.block(statement.orelse)
            flowed, after = self.flows_on, self.state
        ends = [after] if flowed else []
        for name, body in statement.handlers:
            self.state = before.where(interrupted)
            self.flows_on = True
            if name is not None:
                self.bind(name, self.build.leaf(INPUT, name))
            self.block(body)
            if self.flows_on:
                ends.append(self.state)
        self.flows_on = bool(ends)
        self.state = self._join(before, ends) if ends else before
        if statement.finalbody:
            flowed, self.flows_on = self.flows_on, True
            if not flowed:
                self.state = before.where(interrupted)
            self.block(statement.finalbody)
            self.flows_on = self.flows_on and flowed

    def _match(self, statement: ir.Match) -> None:
        subject = self.evaluate(statement.subject)
        failed: list[Term] = []

        def enter() -> None:
            for test in failed:
                self.assume(test, False)

        def branch(case: ir.Case) -> Callable[[], None]:
            def run() -> None:
                enter()
                tests = []
                if case.value is not None:
                    tests.append(self.operation("eq", (subject, self.evaluate(case.value)), None))
                for name in case.names:
                    captured = self.opaque("captured", (subject,), None)
                    self.bind(name, peel(subject) if case.takes_all else captured)
                if case.guard is not None:
                    tests.append(self.evaluate(case.guard))
                for test in tests:
                    self.assume(test, True)
                if len(tests) == 1 and (case.takes_all or case.value is not None):
                    failed.append(tests[0])
                self.block(case.body)

            return run

        branches = [branch(case) for case in statement.cases]
        last = statement.cases[-1]
        if not (last.takes_all and last.guard is None):
            branches.append(enter)
        self._branches(branches)

    # Definitions

    def _import(self, statement: ir.Import) -> None:
        self.analysis.imports.append((statement, self.scope))
        for name, path in statement.bindings:
            if name == "*":
                self._import_star(path)
            else:
                self.notice(path)
                self.bind(name, self.build.leaf(QUALIFIED, path))

    def unbound(self, name: str) -> Term:
        """What a name stands for that nothing in sight binds, but perhaps another file."""
        term = super().unbound(name)
        for star in self._stars if term.operation is INPUT and not name.startswith("_") else ():
            path = f"{star}{name}" if star.endswith(".") else f"{star}.{name}"
            if self.imported(path) is not None:
                return self.build.leaf(QUALIFIED, path)
        return term

    def _import_star(self, module: str) -> None:
        self._stars.append(module)
        for name in registry.members(module):
            self.bind(name, self.build.leaf(QUALIFIED, f"{module}.{name}"))

    def _function(self, statement: ir.Function) -> None:
        decorators = tuple(self.evaluate(item) for item in statement.decorators)
        for parameter in statement.parameters:
            if parameter.default is not None:
                self.evaluate(parameter.default)
        is_wrapped = not all(map(keeps_function, decorators))
        simple = is_simple(statement, is_wrapped=is_wrapped)
        closure = self.closure_of(statement, self.state.environment, self.scope, simple=simple)
        closure.keeps_calls = all(map(self._keeps_calls, decorators))
        term = self.build.leaf(FUNCTION, closure, site=statement.site, key=closure.key)
        self.bind(statement.name, term)
        given = {parameter.name for parameter in statement.parameters}
        for name in summary(statement).written_into:
            outer = self.state.environment.own(name) if name not in given else None
            if outer is None:
                continue
            is_filled = outer.operation.kind == "constant" and not binds(statement.body, name)
            if is_filled or is_dict(outer) or is_record(outer):
                self.bind(name, self.opaque("update", (outer,), None, framework=outer.framework))
        if self.recording:
            self.define(closure, statement, decorators)

    def _keeps_calls(self, decorator: Term) -> bool:
        """Whether a decorator has a function called with what its callers give it."""
        inner = qualified(decorator)
        if inner.operation is OPAQUE and inner.operands:  # made by a call, as `jit(static=0)`
            inner = qualified(inner.operands[0])
        if inner.operation is FUNCTION:
            body = inner.detail.body
            return isinstance(body, tuple) and any(map(_is_wrapper, body))
        path = str(inner.detail) if inner.operation is QUALIFIED else ""
        is_plain = path.startswith("functools.") or path in _PLAIN_DECORATORS
        return is_plain or registry.framework_of(path) is not None

    def define(
        self,
        closure: Closure,
        node: ir.Function | ir.Lambda | None = None,
        decorators: tuple[Term, ...] = (),
    ) -> None:
        """Have the body of a function evaluated in its own right, later."""
        scope = Scope(
            closure.name,
            "function",
            closure.scope,
            decorators,
            tuple(parameter.name for parameter in closure.parameters),
            node,
            key=closure.key,
        )
        self.analysis.functions[closure.key] = scope
        deferred = Deferred(closure, scope, self.blueprint, self.state.contexts)
        if self.blueprint is not None and closure.name == ir.FIRST_METHODS[0]:
            self.blueprint.deferred = deferred
        self.deferred.append(deferred)

    def after(self, deferred: Deferred) -> Environment | None:
        """What holds where a function ends, if what is around it has run to its end already."""
        around = _around(deferred.closure)
        if (self._end if around.kind == "module" else around.final) is not None:
            saved = (self.recording, self.depth, self.jumped)
            self.recording, self.depth, self.jumped = True, 0, []
            self._run(deferred)
            self.recording, self.depth, self.jumped = saved
        return deferred.scope.final

    def _run(self, deferred: Deferred) -> None:
        """Evaluate a function in its own right, if that has not happened yet."""
        if deferred.is_begun:
            return
        deferred.is_begun = True
        closure, scope = deferred.closure, deferred.scope
        parent = self._environment_of(closure)
        saved = (self.state, self.scope, self.flows_on, self.returned)
        outer = self.blueprint
        self.state = State(Environment(parent), (), deferred.contexts)
        self.scope, self.flows_on, self.returned = scope, True, []
        self.blueprint = deferred.blueprint
        self.bind_parameters(closure)
        self.run_body(closure)
        scope.final = self.state.environment
        scope.returned = tuple(term for term, _ in self.returned)
        if deferred.blueprint is not None and closure.scope.kind == "class":
            self._evaluated_methods.setdefault(closure.scope, []).append(
                (deferred, deferred.blueprint)
            )
        self.state, self.scope, self.flows_on, self.returned = saved
        self.blueprint, deferred.blueprint = outer, None

    def _environment_of(self, closure: Closure) -> Environment:
        """What a body sees of its surroundings when it is called: they have run to their end."""
        scope = _around(closure)
        if scope.kind == "module" and self._end is not None:
            return self._end
        if scope.final is None:
            return closure.environment
        # A name that is bound again before the call may have either value.
        environment = Environment(closure.environment)
        for name in scope.final.changed_since(closure.environment):
            options = tuple(
                option
                for known in (closure.environment, scope.final)
                if (option := known.own(name)) is not None
            )
            environment = environment.bind(name, self.choice(options, None, "loop"))
        return environment

    def bind_parameters(self, closure: Closure) -> None:
        for place, parameter in enumerate(closure.parameters):
            if not parameter.name:
                continue
            default = parameter.default
            operands: tuple[Term, ...] = ()
            if default is not None and isinstance(default, (ir.Constant, ir.Unary)):
                operands = (peel(self.quietly(default)),)
            key = self.build.fresh()
            self.analysis.parameters[key] = (closure.key, parameter.name)
            settings = {}
            if place == 1 and closure.name == "call" and self.is_keras_layer():
                found = layer_format(self.entered())
                settings = {"dtype": self.build.constant(found)} if found is not None else {}
            written = parameter.annotation
            annotation = self.type_named(written) if written is not None else None
            is_text = isinstance(written, ir.Constant)
            framework = _annotated(annotation) if annotation is not None and not is_text else None
            term = Term(INPUT, operands, key, None, settings, framework, parameter.name)
            self.set_default(term)
            self.note_parameter(term, parameter, closure, annotation)
            self.bind(parameter.name, term)

    def quietly(self, expression: ir.Expression) -> Term:
        recording, self.recording = self.recording, False
        try:
            return self.evaluate(expression)
        finally:
            self.recording = recording

    def run_body(self, closure: Closure) -> None:
        if isinstance(closure.body, tuple):
            self.block(closure.body)
        else:
            self._return(self.evaluate(closure.body))

    def _return(self, term: Term) -> None:
        self.escape(term)
        self.returned.append((term, self.state.facts))

    def apply_closure(self, closure: Closure, arguments: Arguments) -> Term | None:
        """What a call returns, one of several values if it does so in several places.

        `None` if it is not that simple, or may return nothing.
        """
        bound = bind_arguments(closure, arguments)
        if bound is None:
            return None
        self.depth += 1
        self.budget -= 1 + (len(closure.body) if isinstance(closure.body, tuple) else 0)
        try:
            facts = self.state.facts if self.visiting is not None else ()
            around = Environment(self._surroundings(closure))
            with self.apart(State(around, facts, self.state.contexts)):
                self.scope = self._scope_called(closure)
                for parameter in closure.parameters:
                    if parameter.star and parameter.name:
                        self.bind(parameter.name, self.opaque("rest", (), None))
                    elif parameter.star:
                        continue
                    elif parameter.name in bound:
                        self.bind(parameter.name, held(bound[parameter.name]))
                    elif parameter.default is not None:
                        self.bind(parameter.name, peel(self.evaluate(parameter.default)))
                    else:
                        return None
                self.run_body(closure)
                if self.flows_on and isinstance(closure.body, tuple):
                    return None
                return self._one_of_returned()
        finally:
            self.depth -= 1

    def _surroundings(self, closure: Closure) -> Environment:
        """What a body sees of its surroundings when it is called from where they are known."""
        around = _around(closure)
        if around.kind == "module" and around.final is not None:
            return around.final
        return closure.environment

    def _scope_called(self, closure: Closure) -> Scope:
        known = self.analysis.functions.get(closure.key) if self.visiting is not None else None
        return known or Scope(closure.name, "function", closure.scope)

    def _one_of_returned(self) -> Term | None:
        terms = tuple(term for term, _ in self.returned)
        if len(terms) < 2:
            return terms[0] if terms else None
        if len(terms) > _RETURNS_MOST or any(
            term.operation is CONSTANT and term.detail is None for term in map(peel, terms)
        ):
            return None
        return self.choice(terms, None, "return", tuple(facts for _, facts in self.returned))

    def _class(self, statement: ir.Class) -> None:
        outer_state, outer_scope, outer = self.state, self.scope, self.blueprint
        bases = tuple(self.evaluate(base) for base in statement.bases)
        scope = Scope(statement.name, "class", outer_scope, node=statement, bases=bases)
        blueprint = Blueprint(OwnClass(statement), outer_state.environment, scope, bases=bases)
        self.scope, self.blueprint = scope, blueprint
        # Methods do not see the names of the class body, so it gets a scope of its own.
        self.state = self.state.where(Environment(self.state.environment))
        for item in statement.body:
            if isinstance(item, ir.Function):
                decorators = tuple(self.evaluate(one) for one in item.decorators)
                if self.recording:
                    method = self.own_method(blueprint, item)
                    method.keeps_calls = all(map(self._keeps_calls, decorators))
                    self.define(method, item, decorators)
            else:
                self.statement(item)
        self.state, self.scope, self.blueprint = outer_state, outer_scope, outer
        self.bind(statement.name, self.class_value(blueprint))


def _annotated(annotation: Term) -> str | None:
    """The framework of what has a type: "math" of a number."""
    inner = peel(annotation)
    if inner.operation is not QUALIFIED:
        return None
    path = str(inner.detail)
    if path in _NUMBERS:
        return "math"
    return registry.framework_of(path) if path.rpartition(".")[2] in _TENSOR_TYPES else None


def _is_wrapper(statement: ir.Statement) -> bool:
    """`@functools.wraps(f)`: what is returned stands for the function that is decorated."""
    match statement:
        case ir.Function(_, _, _, _, decorators):
            calls = (one.callee for one in decorators if isinstance(one, ir.Call))
            names = (one for one in calls if isinstance(one, (ir.Name, ir.Attribute)))
            return any(one.name == "wraps" for one in names)
        case _:
            return False


def _around(closure: Closure) -> Scope:
    """What a body sees the names of: methods do not see those of their class."""
    scope = closure.scope
    while scope.kind == "class" and scope.parent is not None:
        scope = scope.parent
    return scope


_EXECUTED: Final[Mapping[type[Any], Callable[[Interpreter, Any], None]]] = {
    ir.Assign: Interpreter._assign,
    ir.Augment: Interpreter._augment,
    ir.Evaluate: Interpreter._evaluate_statement,
    ir.Return: Interpreter._return_statement,
    ir.Raise: Interpreter._raise,
    ir.Assert: Interpreter._assert,
    ir.Jump: Interpreter._jump,
    ir.Delete: Interpreter._delete_statement,
    ir.Import: Interpreter._import,
    ir.Global: Interpreter._global,
    ir.If: Interpreter._if,
    ir.While: Interpreter._while,
    ir.For: Interpreter._for,
    ir.With: Interpreter._with,
    ir.Try: Interpreter._try,
    ir.Match: Interpreter._match,
    ir.Function: Interpreter._function,
    ir.Class: Interpreter._class,
}
