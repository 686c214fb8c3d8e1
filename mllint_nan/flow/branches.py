"""Branches and loops: paths part under a condition, and join where they meet.

The join of the reaching definitions is a choice that keeps the facts of each path, like the gated
functions of Ottenstein, Ballance and MacCabe, "The program dependence web" (PLDI 1990).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.assignments import Assignments
from mllint_nan.flow.containers import is_chain, is_dict
from mllint_nan.flow.entered_contexts import entered_by
from mllint_nan.flow.environment import Environment
from mllint_nan.flow.formats import sets_half
from mllint_nan.flow.queries import appended, assigned_in, can_break, filled, place_path
from mllint_nan.flow.state import Closure, State
from mllint_nan.ir import program as ir
from mllint_nan.ir.blocks import own_statements
from mllint_nan.ir.term import CHOICE, INPUT, QUALIFIED, SEQUENCE, Term, number_of, peel

_LAYERS_MOST: Final = 8
"""How many layers of a list a loop is followed through."""


class Branches(Assignments):
    """Evaluates the statements that contain blocks of others."""

    __slots__ = ("jumped", "unnamed")

    jumped: list[State]
    """The states in which rounds of the current loop end early, by `break` or `continue`."""
    unnamed: dict[int, tuple[str, ...]]
    """By `id` of a loop: the variables that it writes into without naming them."""

    def block(self, statements: ir.Block) -> None:
        """Evaluate statements until a path leaves them."""
        raise NotImplementedError

    def surroundings(self, closure: Closure) -> Environment:
        """The names that a body sees around it when it is called from where these are known."""
        raise NotImplementedError

    def _branches(self, branches: list[Callable[[], None]]) -> None:
        """Run alternatives from one state, and join those that reach the end."""
        before, ends = self.state, []
        for branch in branches:
            self.state, self.flows_on = before, True
            branch()
            if self.flows_on:
                ends.append(self.state)
        self.flows_on = bool(ends)
        self.state = self._join(before, ends) if ends else before

    def _join(self, before: State, ends: list[State]) -> State:
        contexts = before.contexts
        if any(end.contexts is not contexts for end in ends):
            known = {*map(id, contexts)}
            later = [one for end in ends for one in end.contexts if id(one) not in known]
            contexts = (*contexts, *filter(sets_half, later))
        if len(ends) == 1:
            return ends[0].within(contexts)
        environment = before.environment
        changed = dict.fromkeys(
            [name for end in ends for name in end.environment.changed_since(before.environment)]
        )
        paths = tuple([end.facts_since(before) for end in ends]) if changed else ()
        for name in changed:
            bound = list(zip(ends, paths, strict=True))
            if self._is_local(name, before):
                bound = [one for one in bound if one[0].environment.own(name) is not None]
            options = tuple([self._at_end(name, end) for end, _ in bound])
            holding = tuple([path for _, path in bound])
            environment = environment.bind(name, self.choice(options, facts=holding))
        return State(environment, before.facts, contexts)

    def _is_local(self, name: str, before: State) -> bool:
        """Whether a name that a path binds is unbound on the others, where its use would raise."""
        return (
            self.scope.kind == "function"
            and "." not in name
            and name not in self.volatile
            and before.environment.lookup(name) is None
        )

    def _at_end(self, name: str, end: State) -> Term:
        """The value of a name at the end of one of the paths."""
        known = end.environment.own(name)
        if known is not None:
            return known
        return self.build.leaf(INPUT, name, key=self.build.fresh() if "." in name else None)

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

    def _loop(
        self, statement: ir.While | ir.For, names: Sequence[str], body: Callable[[], None]
    ) -> None:
        before = self.state
        noted: tuple[list[Any], ...] = (
            self.analysis.occurrences,
            self.analysis.effects,
            self.returned,
        )
        counts = [len(one) for one in noted]
        found = self._written_unnamed(statement, self._rounds(names, body), before)
        if found:
            # From the second round on, the body sees what the first one has written.
            self.unnamed[id(statement)] = (*self.unnamed.get(id(statement), ()), *found)
            self.state = before
            for one, count in zip(noted, counts, strict=True):
                del one[count:]
            self._rounds((*names, *found), body)

    def _carried_by(self, statement: ir.While | ir.For) -> tuple[str, ...]:
        """The variables that a loop changes, as far as that is known."""
        return (*assigned_in(statement), *self.unnamed.get(id(statement), ()))

    def _written_unnamed(
        self, statement: ir.While | ir.For, changed: Sequence[str], before: State
    ) -> list[str]:
        """The variables that a loop writes into without naming them: by another name, in a call."""
        places = ir.targets_of(statement.target) if isinstance(statement, ir.For) else ()
        named = {*self._carried_by(statement), *map(place_path, places), *appended(statement.body)}
        return [
            name
            for name in changed
            if name not in named and before.environment.own(name) is not None
        ]

    def _rounds(self, names: Sequence[str], body: Callable[[], None]) -> list[str]:
        """Evaluate the body of a loop that carries these names; return those that it changes."""
        before = self.state
        phis: dict[str, Term] = {}
        carried = [name for name in names if not self._is_module_around(name)]
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
        changed = every.environment.changed_since(entered.environment)
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
        return changed

    def _is_module_around(self, name: str) -> bool:
        """Whether a name is that of a module, which `torch.relu_(x)` does not write into."""
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

        self._loop(statement, self._carried_by(statement), run)
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
        dictionaries = self._filled_with_callables(statement.body)
        filled_here = {*lists, *dictionaries}
        carried = [name for name in self._carried_by(statement) if name not in filled_here]
        starts = {name: self.state.environment.own(name) for name in lists}
        passed = self._passed_through(statement, iterable)
        self._loop(statement, carried, run)
        for name, term in passed.items():
            self.bind(name, term)
        for name, start in starts.items():
            final = self.state.environment.own(name)
            if start is not None and final is not None:
                options = [o for o in peel(final).operands if peel(o).operands]
                grown = peel(options[0]) if options else peel(final)
                if grown.operation is SEQUENCE and len(grown.operands) == 1:
                    self.bind(name, self.operation("collect", grown.operands, None))
        for name in dictionaries:
            full = _full(self.state.environment.own(name))
            if full is not None:
                self.bind(name, full)
        self.block(statement.orelse)

    def _filled_with_callables(self, body: ir.Block) -> list[str]:
        """The empty dictionaries in which a loop keeps objects, layers or functions by keys."""
        return [
            name
            for name, value in filled(body)
            if (term := self.state.environment.own(name)) is not None
            and is_dict(term)
            and not peel(term).operands
            and self.is_callable(self.quietly(value))
        ]

    def _passed_through(self, statement: ir.For, iterable: Term) -> dict[str, Term]:
        """The values of the variables after a loop that calls the layers of a list in turn.

        Empty if the loop does anything else.
        """
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
        names = ((name, final.own(name)) for name in self._carried_by(statement))
        return {name: term for name, term in names if term is not None}

    def _with(self, statement: ir.With) -> None:
        contexts, converted = self.state.contexts, list[tuple[Term, Term]]()
        for expression, target in statement.items:
            term = self.evaluate(expression)
            entered = entered_by(self, term)
            self.state = self.state.within((*self.state.contexts, *entered.contexts))
            converted += entered.converted
            for module, cast in entered.converted:
                self.rebind(module, cast)
            if target is not None:
                self.assign(target, term)
        self.block(statement.body)
        self.state = self.state.within(contexts)
        for module, _ in converted:
            self.rebind(module, peel(module))

    def _try(self, statement: ir.Try) -> None:
        before = self.state
        # Whatever the body assigns may or may not have happened when a handler runs.
        interrupted = before.environment
        for written in assigned_in(statement):
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

    def quietly(self, expression: ir.Expression) -> Term:
        recording, self.recording = self.recording, False
        visited = len(self.analysis.visited)
        try:
            return self.evaluate(expression)
        finally:
            self.recording = recording
            del self.analysis.visited[visited:]


def _full(filled_or_not: Term | None) -> Term | None:
    """The dictionary after rounds of a loop, of what it is if there are rounds or none."""
    if filled_or_not is None:
        return None
    inner = peel(filled_or_not)
    options = inner.operands if inner.operation is CHOICE else (inner,)
    return next((peel(one) for one in options if is_dict(one) and peel(one).operands), None)
