"""The context of a condition, and the registry of the predicates that rules can use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.domains.value import Value
from mllint_nan.flow.names import counts
from mllint_nan.flow.oracle import Oracle
from mllint_nan.flow.state import Analysis, Occurrence, Scope
from mllint_nan.flow.tested_terms import Tested
from mllint_nan.flow.trained import TRAINED, makes_parameter
from mllint_nan.flow.unrecorded import stops_gradients
from mllint_nan.flow.written_numbers import is_made_of_numbers
from mllint_nan.ir.kind import Kind
from mllint_nan.ir.term import (
    ATTRIBUTE,
    INPUT,
    OPAQUE,
    REFERENCE,
    Fact,
    Term,
    behind_views,
    is_literal,
    peel,
    walk,
)
from mllint_nan.rulebook.match import Substitution
from mllint_nan.rulebook.predicates.members import Member
from mllint_nan.rulebook.rule import Condition


@dataclass(slots=True, eq=False)
class Context:
    """A match and everything that is known about it; it is never modified."""

    analysis: Analysis
    oracle: Oracle
    occurrence: Occurrence
    found: Substitution

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The facts at the match, and on the paths to the definitions that the match chose."""
        holding = self.occurrence.state.facts
        return (*holding, *self.found.facts) if self.found.facts else holding

    @property
    def tested(self) -> list[Tested]:
        """What each of the facts tests, in their order."""
        return [self.oracle.tested(fact) for fact in self.facts]

    def value(self, term: Term) -> Value:
        return self.oracle.value(term, self.facts)

    def is_brought(self, term: Term, point: float) -> bool:
        """Whether a visible call passes an array that is known to contain the number, as zeros do.

        An array that is computed from unknown operands does not count.
        """
        start = self._given(term)
        return point in self._held(start) and not _is_filled_by_call(self.analysis, start)

    def is_brought_below_zero(self, term: Term) -> bool:
        """Whether a visible call passes an array that is known to contain a negative number."""
        start = self._given(term)
        held = self._held(start)
        return min(held, default=0.0) < 0 and not _is_filled_by_call(self.analysis, start)

    def _given(self, term: Term) -> Term:
        """The initial value of a trained variable or parameter; any other value itself."""
        start = behind_views(term)
        while start.operation is OPAQUE and start.operands:
            is_variable = makes_parameter(str(start.detail)) and len(start.operands) > 1
            if not is_variable and start.detail != TRAINED:
                break
            start = behind_views(start.operands[int(is_variable)])
        return start

    def _held(self, start: Term) -> frozenset[float]:
        """The numbers that an array passed by a visible call is known to contain."""
        if self.occurrence.call is None:
            return frozenset()
        if start.operation is OPAQUE and counts(str(start.detail)):
            return frozenset({0.0})
        value = self.value(start)
        is_known = value.is_constant or value.integer or is_made_of_numbers(start)
        return value.attained if is_known else frozenset()

    def kind(self, term: Term) -> Kind:
        """Whether a term is a Python number or a tensor, as far as that is known."""
        return self.oracle.numbers.kind(term, self.occurrence.scope)


@dataclass(frozen=True, slots=True)
class Predicate:
    """A question that rules can ask.

    If `is_proof`, an answer that silences a rule (NO to a `when`, YES to an `unless`) follows from
    ranges and structure alone, provided that the oracle of the context trusts no names. Execution
    cannot refute it. Any other answer is evidence, which at most lowers the confidence.
    """

    ask: Callable[..., Truth]
    arity: int
    is_proof: bool = False
    is_refuted: Callable[..., bool] | None = None
    """For a question that other files help to answer: whether this file alone shows NO."""
    members: dict[str, Predicate] = field(default_factory=dict)
    """For a predicate with members: the question of each member, by its word."""
    of: type[Member] | None = None
    names: tuple[str, ...] = ()
    """The names of the arguments, as its sentence (`says`) uses them."""
    says: str = ""


PREDICATES: dict[str, Predicate] = {}
_COPIES: Final = frozenset(("torch.tensor", "new_tensor"))


def predicate(ask: Callable[..., Truth]) -> Callable[..., Truth]:
    """Register a function of a context and terms as a predicate under its own name."""
    assert ask.__name__ not in PREDICATES, f"two predicates are called {ask.__name__}"
    PREDICATES[ask.__name__] = _question(ask)
    return ask


def _question(ask: Callable[..., Truth], *, is_proof: bool = False) -> Predicate:
    names = ask.__code__.co_varnames[1 : ask.__code__.co_argcount]
    says = " ".join((ask.__doc__ or "").split("\n\n")[0].split())
    return Predicate(ask, len(names), is_proof, names=names, says=says)


def proof(ask: Callable[..., Truth]) -> Callable[..., Truth]:
    """Register a predicate whose silencing answers are proofs."""
    predicate(ask)
    PREDICATES[ask.__name__] = replace(PREDICATES[ask.__name__], is_proof=True)
    return ask


def tells(
    *members: Member, is_proof: bool = False
) -> Callable[[Callable[..., Truth]], Callable[..., Truth]]:
    """Register a function of a context and terms as the one that answers these members."""

    def known_as(ask: Callable[..., Truth]) -> Callable[..., Truth]:
        for member in members:
            name = member.asked_by()
            asked = PREDICATES.setdefault(name, Predicate(ask, 0, of=type(member)))
            assert member.value not in asked.members, f"two functions tell {member}"
            asked.members[member.value] = _question(ask, is_proof=is_proof)
        return ask

    return known_as


def asking_the_project(
    is_refuted: Callable[..., bool],
) -> Callable[[Callable[..., Truth]], Callable[..., Truth]]:
    """Register a predicate that consults other files unless `is_refuted` already shows NO."""

    def known_as(ask: Callable[..., Truth]) -> Callable[..., Truth]:
        predicate(ask)
        PREDICATES[ask.__name__] = replace(PREDICATES[ask.__name__], is_refuted=is_refuted)
        return ask

    return known_as


def asked_by(condition: Condition) -> Predicate:
    """The predicate that a condition asks, or the member of it."""
    found = PREDICATES[condition.predicate]
    return found.members[condition.member] if condition.member else found


def is_copy(term: Term) -> bool:
    """Whether a term is a tensor of the same numbers through which nothing is differentiated."""
    return term.written is not None and term.written.path in _COPIES


def known(evident: bool) -> Truth:
    return Truth.YES if evident else Truth.NO


def through_views(term: Term) -> list[Term]:
    inner = peel(term)
    found = [inner]
    while inner.operation.kind == "view" and inner.operands:
        inner = peel(inner.operands[0])
        found.append(inner)
    return found


def made_from(
    context: Context, term: Term, passes: Callable[[Term], bool]
) -> Iterator[tuple[int, Term]]:
    """Yield each consumer of `term`, and of consumers that `passes`, after the key that it uses."""
    pending, seen = [term.key], set[int]()
    while pending:
        key = pending.pop()
        if key in seen:
            continue
        seen.add(key)
        for consumer in context.analysis.consumers.get(key, ()):
            yield key, consumer
            if passes(consumer):
                pending.append(consumer.key)


def leads_to(
    context: Context, term: Term, passes: Callable[[Term], bool], wanted: Callable[[Term], bool]
) -> bool:
    """Whether `wanted` accepts a consumer of `term`, or of the consumers that `passes` accepts.

    Answers are cached by both functions, so pass the same function objects each time: each term of
    the file is then visited once.
    """
    known = context.analysis.reaching.setdefault((passes, wanted), {})
    consumers = context.analysis.consumers
    came_from: dict[int, int | None] = {term.key: None}
    pending = [term.key]
    while pending:
        key: int | None = pending.pop()
        assert key is not None
        answer = known.get(key)
        if answer is None:
            made = consumers.get(key, ())
            answer = any(map(wanted, made))
            for consumer in () if answer else made:
                if consumer.key not in came_from and passes(consumer):
                    came_from[consumer.key] = key
                    pending.append(consumer.key)
        if answer:
            while key is not None:
                known[key] = True
                key = came_from[key]
            return True
    known.update(dict.fromkeys(came_from, False))
    return False


def passes_through(*names: str) -> Callable[[Term], bool]:
    """Return a test whether a term is a view or one of these operations."""
    return lambda term: term.operation.kind == "view" or term.operation.name in names


def has_inputs(term: Term) -> bool:
    return any(part.operation in (INPUT, OPAQUE, ATTRIBUTE) for part in walk(term))


def name_of(term: Term) -> str:
    """The name of the variable, parameter or attribute that a term reads; else an empty string."""
    if term.operation is REFERENCE and term.detail is not None:
        return str(term.detail).rpartition(".")[2]
    if term.operation in (ATTRIBUTE, INPUT):
        return str(term.detail)
    return ""


def is_self(term: Term) -> bool:
    inner = peel(term)
    return inner.operation is INPUT and inner.detail == "self"


def _is_filled_by_call(analysis: Analysis, made: Term) -> bool:
    """Whether an array seems to be filled by a method of another object, as by a communicator's."""
    if made.site is None:
        return False
    written = {one.key for one in analysis.made if one.site is made.site}
    returned = {peel(one).key for scope in analysis.functions.values() for one in scope.returned}
    return any(
        use.operation is OPAQUE
        and str(use.detail).startswith("call ")
        and use.operands[0].key != key
        and not analysis.consumers.get(use.key)
        and use.key not in returned
        for key in written
        for use in analysis.consumers.get(key, ())
    )


def stored_by(owner: Scope | None, name: str) -> list[Term]:
    """The values that the methods of a class, or of its base, store in an attribute of `self`."""
    if owner is not None and name not in owner.attributes:
        owner = owner.inherited.get(name)
    return owner.attributes.get(name, []) if owner is not None else []


def stored_in(context: Context, name: str) -> list[Term]:
    """The values that the class of the match, or its base, stores in an attribute of `self`."""
    return stored_by(context.occurrence.scope.owner, name)


def class_of(context: Context, term: Term, owner: Scope | None) -> Scope | None:
    """The class of an object: the owner's of `self`, or of what a visible construction makes."""
    made = peel(term)
    return owner if is_self(made) else context.analysis.classes.get(made.key)


def kept(context: Context, term: Term) -> list[Term]:
    """The values that the class of an object stores in the attribute of it that a term reads."""
    if term.operation is not ATTRIBUTE:
        return []
    owner = class_of(context, term.operands[0], context.occurrence.scope.owner)
    return stored_by(owner, str(term.detail))


def passed_for(context: Context, parameter: Term) -> list[Term]:
    """The arguments that calls in this file pass for a parameter."""
    return [argument for argument, _ in passed_within(context, parameter)]


def passed_within(context: Context, parameter: Term) -> list[tuple[Term, Scope | None]]:
    """The arguments that calls in this file pass for a parameter, each with the class around it."""
    function, name = context.analysis.parameters.get(parameter.key, (0, ""))
    bindings = context.analysis.bindings.get(function, ())
    return [(one.arguments[name], one.owner) for one in bindings if name in one.arguments]


def is_of_math(term: Term) -> bool:
    """Whether a function of `math` computes a term: a plain number, whatever it is given."""
    return term.written is not None and term.written.path.startswith("math.")


def framework_of(term: Term, analysis: Analysis) -> str | None:
    """The framework that computes a term; if nothing in the term shows it, the file's only one."""
    if term.framework is not None and term.framework != "math":
        return term.framework
    found = [
        part.framework for part in walk(term) if part.framework is not None and not is_literal(part)
    ]
    known = [name for name in found if name != "math"]
    if known:
        for preferred in ("torch", "jax", "tensorflow", "keras"):
            if preferred in known:
                return preferred
        return known[0]
    if found:
        return "math"
    tensors = [
        name for name in ("torch", "tensorflow", "keras", "jax") if name in analysis.frameworks
    ]
    if len(tensors) == 1:
        return tensors[0]
    if not tensors and analysis.frameworks:
        return "numpy" if "numpy" in analysis.frameworks else "math"
    if set(tensors) == {"tensorflow", "keras"}:
        return "tensorflow"
    return None


def is_aside(occurrence: Occurrence) -> bool:
    """Whether an operation is computed under `no_grad` or the like."""
    decorators = [part for scope in occurrence.scope.enclosing() for part in scope.decorators]
    return stops_gradients([*decorators[::-1], *occurrence.state.contexts])
