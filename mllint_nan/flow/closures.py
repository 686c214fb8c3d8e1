"""Calls of visible functions: the body is evaluated with the arguments of the call.

Call strings of bounded length, as in Sharir and Pnueli, "Two approaches to interprocedural data
flow analysis" (1981).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.applied_models import module_applied
from mllint_nan.flow.arguments import bind_arguments, fits
from mllint_nan.flow.conditions import decided
from mllint_nan.flow.containers import LAST_MOST, is_container, is_dict, is_record
from mllint_nan.flow.evaluated_arguments import Arguments
from mllint_nan.flow.formats import (
    HALF,
    is_cast_to_half,
    layer_format,
    masks_in_half,
    policy_format,
    shown,
)
from mllint_nan.flow.names import FACTS_MOST, Names, counts
from mllint_nan.flow.operation_bits import (
    AROUND_LOGARITHMS,
    INFINITE,
    MASKING,
    SINGULAR,
    SQUARING,
    TELLING,
)
from mllint_nan.flow.queries import length_of
from mllint_nan.flow.regions import autocast
from mllint_nan.flow.state import Analysis, Binding, CallInSight, Closure, Occurrence
from mllint_nan.flow.storage import is_tensor, roots
from mllint_nan.flow.writing import forget_sharing
from mllint_nan.flow.written_numbers import holds_numbers, holds_zero
from mllint_nan.frameworks import registry
from mllint_nan.ir import program as ir
from mllint_nan.ir.canonical import Builder
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CONSTANT,
    FUNCTION,
    NOTHING,
    OPAQUE,
    QUALIFIED,
    REFERENCE,
    Fact,
    Term,
    Written,
    held,
    peel,
)

_CALLS_DEEPEST: Final = 5
"""A program calls a trainer, which calls a model and a loss; a model calls other models."""
_VISITED_MOST: Final = 2_000
"""Statements that are evaluated once more, each with the arguments of some call."""
_SETTINGS: Final = frozenset((CONSTANT, QUALIFIED, FUNCTION))
_NO_FACTS: Final[tuple[Fact, ...]] = ()
"""Assigned instead of a literal `()`, to which mypyc narrows an attribute within a function."""
_NO_FORMATS: Final[tuple[Term, ...]] = ()


class Closures(Names):
    """Evaluates the bodies of visible functions for their calls."""

    __slots__ = ("_entered", "_learned", "_visits", "_visits_left", "formats_set", "known_at_end")

    def __init__(self, analysis: Analysis, builder: Builder) -> None:
        super().__init__(analysis, builder)
        self._visits: set[tuple[int, ...]] = set()
        """The visits so far: the key of a function, followed by those of its arguments."""
        self._visits_left = _VISITED_MOST
        self._entered: set[tuple[int, ...]] = set()
        """The calls in progress: the key of a function, followed by those of callable arguments."""
        self.known_at_end: tuple[Fact, ...] = ()
        """The facts at all ends of the body that was evaluated last for a call."""
        self.formats_set: tuple[Term, ...] = ()
        """The calls in that body, and before it, that set a format for everything that follows."""
        self._learned: tuple[object, tuple[Fact, ...]] = (None, ())
        """The place of the last call of a visible function, and the facts that hold after it."""

    def imported(self, path: str) -> Term | None:
        """The value that another file of the project binds to a qualified name."""
        raise NotImplementedError

    def is_called(self, term: Term) -> bool:
        """Whether a value is a known callable: a layer, a function, a visible class's object."""
        raise NotImplementedError

    def is_object(self, term: Term) -> bool:
        """Whether a value is an object of a visible class; of an annotated one, if it is called."""
        raise NotImplementedError

    def note_visited(self, term: Term, call: CallInSight) -> None:
        bit = term.operation.bit
        is_singular = (
            bit & SINGULAR
            or (bit & AROUND_LOGARITHMS and term.inside & INFINITE)
            or (bit & MASKING and masks_in_half(term))
            or (bit & SQUARING and self.casts and shown(term) == HALF)
        )
        if not is_singular:
            return
        is_told = call.is_by_defaults or call.passes_models or bool(call.file)
        is_told = is_told or bool(term.inside & ~bit & TELLING) or shown(term) == HALF
        if is_told or any(holds_zero(one) or holds_numbers(one) for one in term.operands):
            occurrence = Occurrence(term, self.state, self.scope, call)
            self.analysis.visited.append(occurrence)

    def call_own(self, site: object, method: Closure, arguments: Arguments) -> Term | None:
        """The result of a method of the class being evaluated.

        `written` marks it, because a subclass may override the method.
        """
        term = self.call_closure(site, method, arguments)
        if term is not None:
            term.written = Written(f"self.{method.name}", True, None)
        return term

    def call_closure(self, site: object, closure: Closure, arguments: Arguments) -> Term | None:
        if closure.given is not None:
            arguments = arguments.behind(closure.given)
        outside, self.written = self.written, set()
        result = self._call_closure(site, closure, arguments)
        may_write = self.written or closure.filled or closure.augmented
        written = self._written_by(closure, arguments) if may_write else None
        self.written = outside
        if written:
            self.written |= written
            forget_sharing(self, written)
        return result

    def _written_by(self, closure: Closure, arguments: Arguments) -> frozenset[int]:
        """The keys of the values that a call has written into."""
        bound = bind_arguments(closure, arguments) or {}
        own = {parameter.name for parameter in closure.parameters}
        around = self.state.environment
        filled = [
            term
            for name in closure.filled
            if (term := bound.get(name) if name in own else around.lookup(name)) is not None
        ]
        raised = [bound[name] for name in closure.augmented if name in bound]
        filled += filter(is_tensor, raised)
        return frozenset(self.written).union(*map(roots, filled))

    def _call_closure(self, site: object, closure: Closure, arguments: Arguments) -> Term | None:
        self.note_binding(closure, arguments)
        self.known_at_end, self.formats_set = _NO_FACTS, _NO_FORMATS
        if self.depth >= _CALLS_DEEPEST or self.budget <= 0 or not fits(closure, arguments):
            return None
        callees = (one.key for one in arguments.everything() if self.is_called(one))
        entered = (closure.key, *callees)
        if entered in self._entered:
            return None  # recursion repeats the same
        value: Term | None = None
        visiting = self.visiting
        is_visited = not closure.simple and closure.keeps_calls and self._visits_left > 0
        is_seen = closure.simple or is_visited
        if self.recording and is_seen and self._tells(arguments):
            passes = any(self.is_object(one) for one in arguments.everything())
            through = (closure.name,)
            self.visiting = CallInSight(
                site, self.scope, self.elsewhere, through, passes_models=passes
            )
        elif visiting is not None:
            self.visiting = _passed_on(visiting, closure.name)
        self._entered.add(entered)
        outer = self.effects_of
        if self.recording:
            self.effects_of = (self.scope, self.state.facts)
        try:
            if closure.simple:
                value = self.apply_closure(closure, arguments)
            elif closure.is_check:
                self.apply_closure(closure, arguments)
            elif is_visited and self.visiting is not None:
                self._visit(closure, arguments)
        finally:
            self.visiting, self.effects_of = visiting, outer
            self._entered.discard(entered)
        if site is not None:
            self._learned = (site, self.known_at_end)
        if self.formats_set:
            self._keep_formats()
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

    def _keep_formats(self) -> None:
        """After a call: assume the formats that its body has set."""
        known = {*map(id, self.state.contexts)}
        later = [one for one in self.formats_set if id(one) not in known]
        if later:
            self.state = self.state.within((*self.state.contexts, *later))

    def learn(self, expression: ir.Expression) -> None:
        """After a statement that is one call: assume what holds if its function did not raise."""
        place, facts = self._learned
        if facts and isinstance(expression, ir.Call) and place is expression.site:
            self.state = self.state.with_facts((*self.state.facts, *facts)[-FACTS_MOST:])
        self._learned = (None, ())

    def _tells(self, arguments: Arguments) -> bool:
        """Whether the arguments of a call may change what the body computes."""
        entered = self.entered() if self.state.contexts else ()
        is_half = entered and HALF in (autocast("matmul", entered), layer_format(entered))
        given = arguments.everything()
        return bool(is_half) or _is_twice(given) or any(map(self.is_telling, given))

    def is_telling(self, argument: Term) -> bool:
        """Whether an argument has a known range or format, is written out, or is callable."""
        inner = peel(argument)
        if inner.inside & TELLING or self.is_called(inner) or is_cast_to_half(inner):
            return True
        if (self.casts and shown(inner) == HALF) or policy_format(inner) == HALF:
            return True
        if holds_zero(inner) or holds_numbers(inner):
            return True
        if inner.operation is OPAQUE and counts(str(inner.detail)):
            return True
        if inner.operation is ATTRIBUTE and inner.detail == "grad":
            return True
        if module_applied(inner, "apply_fn") is not None:
            return True
        if inner.operation is QUALIFIED:
            path = str(inner.detail)
            if registry.framework_of(path) is None:
                known = self.imported(path)
                return known is not None and self.is_called(known)
            return path.rpartition(".")[2].islower()
        return is_container(inner) and any(map(self.is_telling, inner.operands[:LAST_MOST]))

    def _visit(self, closure: Closure, arguments: Arguments) -> None:
        """Evaluate a body with the arguments of one call, only for the findings in it."""
        given = arguments.everything()
        place = (closure.key, *(argument.key for argument in given))
        if place in self._visits or not self._tells(arguments):
            return
        self._visits.add(place)
        self._visits_left -= length_of(closure.body)
        self.apply_closure(closure, arguments)

    def decided(self, test: Term) -> Truth:
        """Whether a condition holds in the call that is being inlined, or for the visit's settings.

        Otherwise a constant is a setting that users change: both branches are taken.
        """
        visit = self.visiting
        has_settings = visit is not None and (visit.is_by_defaults or bool(visit.setting))
        if self.depth or has_settings:
            return decided(test, self.known_in_call)
        return Truth.UNKNOWN

    def known_in_call(self, term: Term) -> Term:
        """What a condition of a call that is being inlined tests."""
        return peel(term)

    def note_binding(self, closure: Closure, arguments: Arguments) -> None:
        """Record that a function of this file is called with these arguments."""
        if self.recording:
            bound = bind_arguments(closure, arguments)
            if bound is None or arguments.others:
                unknown = self.opaque("rest", (), None)
                known = bound if bound is not None and arguments.are_last else {}
                bound = {one.name: known.get(one.name, unknown) for one in closure.parameters}
            binding = Binding(bound, self.state.facts, self.scope.owner)
            self.analysis.bindings.setdefault(closure.key, []).append(binding)

    def apply_closure(self, closure: Closure, arguments: Arguments) -> Term | None:
        """The value that a call returns, or `None` if it is not that simple."""
        raise NotImplementedError


def _passed_on(call: CallInSight, function: str) -> CallInSight:
    """The same call, whose arguments a further function passes on."""
    through = (*call.through, function)
    known = (call.is_by_defaults, call.passes_models, call.setting)
    return CallInSight(call.site, call.caller, call.file, through, *known)


def _is_twice(arguments: Sequence[Term]) -> bool:
    """Whether some array is passed for two parameters, as for the distances within one set."""
    given = [inner for inner in map(peel, arguments) if inner.operation not in _SETTINGS]
    return len({inner.key for inner in given}) < len(given)


def held_at_all(ends: list[tuple[Fact, ...]], before: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """The facts that a body has established on every path to its end."""
    if not ends or not all(ends):
        return ()
    shared = set.intersection(*({(f.test.key, f.holds) for f in facts} for facts in ends))
    shared -= {(fact.test.key, fact.holds) for fact in before}
    return tuple(fact for fact in ends[0] if (fact.test.key, fact.holds) in shared)
