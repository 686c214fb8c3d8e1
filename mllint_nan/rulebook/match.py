"""Matches patterns against terms, modulo commutation, the order of sums, and views.

Matching modulo an equational theory: Baader and Nipkow, "Term Rewriting and All That" (1998).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from mllint_nan.ir.canonical import Builder
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    CONSTANT,
    NOTHING,
    OPAQUE,
    REFERENCE,
    SEQUENCE,
    VARIABLE,
    Fact,
    Term,
    number_of,
    peel,
)
from mllint_nan.rulebook.pattern import EACH, EITHER, NAMED, REST, THEN, VIEW, WITHIN, may_match

_SUMMANDS_MOST: Final = 6
_WITHIN_DEEPEST: Final = 8
_CHOICES_MOST: Final = 4
"""A limit, as each of several definitions may itself rest on several."""
_JOINS: Final = frozenset(("stack", "concat"))
_OPAQUE_TO_GRADIENTS: Final = frozenset(
    ("detach", "where", "clip", "argmax", "argmin", "size", "shape", "stack", "concat")
)


@dataclass(slots=True, eq=False, init=False)
class Substitution:
    """What the variables of a pattern stand for. It is never changed.

    A setting that the code leaves out is bound to `None`. `places` keeps every term that a variable
    or a `name := p` matched; `passed` are all terms between the root and the leaves, `references`
    the variables that were looked through. `choices` counts how often one of several reaching
    definitions was picked, `misses` how often another of them does not match, and `facts` are what
    holds on the way to those picked.
    """

    terms: Mapping[str, Term | None]
    places: Mapping[str, tuple[Term, ...]]
    rest: Mapping[str, tuple[tuple[str, Term], ...]]
    passed: tuple[Term, ...]
    references: tuple[Term, ...]
    choices: int
    facts: tuple[Fact, ...]
    misses: int

    def __init__(
        self,
        terms: Mapping[str, Term | None] = NOTHING,
        places: Mapping[str, tuple[Term, ...]] = NOTHING,
        rest: Mapping[str, tuple[tuple[str, Term], ...]] = NOTHING,
        passed: tuple[Term, ...] = (),
        references: tuple[Term, ...] = (),
        choices: int = 0,
        facts: tuple[Fact, ...] = (),
        misses: int = 0,
    ) -> None:
        self.terms = terms
        self.places = places
        self.rest = rest
        self.passed = passed
        self.references = references
        self.choices = choices
        self.facts = facts
        self.misses = misses

    @property
    def through_choice(self) -> bool:
        """Whether one of several reaching definitions was picked."""
        return self.choices > 0

    @property
    def on_some_paths(self) -> bool:
        """Whether the pattern would not match another of the reaching definitions."""
        return self.misses > 0

    def by_choice(self, facts: tuple[Fact, ...] = ()) -> Substitution:
        """The same substitution, found on one of several paths, where these facts hold."""
        held = (*self.facts, *facts) if facts else self.facts
        return self._on_path(self.choices + 1, held, self.misses)

    def by_miss(self) -> Substitution:
        """The same substitution, where another path does not match."""
        return self._on_path(self.choices, self.facts, self.misses + 1)

    def _on_path(self, choices: int, facts: tuple[Fact, ...], misses: int) -> Substitution:
        return Substitution(
            self.terms,
            self.places,
            self.rest,
            self.passed,
            self.references,
            choices,
            facts,
            misses,
        )

    def bind(self, name: str, term: Term | None) -> Substitution | None:
        """The substitution with `name` bound to `term`; None if it stands for something else."""
        if name == "_":
            return self
        if name in self.terms:
            known = self.terms[name]
            same = known is term or (
                known is not None and term is not None and known.key == term.key
            )
            if not same:
                return None
            if term is None:
                return self
            places = {**self.places, name: (*self.places.get(name, ()), term)}
            return self._with(self.terms, places)
        known_places = self.places if term is None else {**self.places, name: (term,)}
        return self._with({**self.terms, name: term}, known_places)

    def _with(
        self, terms: Mapping[str, Term | None], places: Mapping[str, tuple[Term, ...]]
    ) -> Substitution:
        return Substitution(
            terms,
            places,
            self.rest,
            self.passed,
            self.references,
            self.choices,
            self.facts,
            self.misses,
        )

    def pass_through(self, term: Term) -> Substitution:
        """The substitution with `term`, and the references that led to it, on the way."""
        references = self.references
        while term.operation is REFERENCE:
            references = (*references, term)
            term = term.operands[0]
        passed = (*self.passed, term)
        return Substitution(
            self.terms,
            self.places,
            self.rest,
            passed,
            references,
            self.choices,
            self.facts,
            self.misses,
        )


_UNBOUND: Final = Substitution()


class Matcher:
    """Matches patterns against the terms of one file."""

    def __init__(
        self, builder: Builder, later: Callable[[Term], Iterable[Term]] = lambda term: ()
    ) -> None:
        """`later` returns the calls that may follow a given one, in order."""
        self._builder = builder
        self._later = later

    def match(self, pattern: Term, term: Term) -> Iterator[Substitution]:
        """Yield every way in which `term` is an instance of `pattern`."""
        return self._match(pattern, term, _UNBOUND)

    def _match(self, pattern: Term, term: Term, found: Substitution) -> Iterator[Substitution]:
        operation = pattern.operation
        if operation is VARIABLE:
            bound = found.bind(pattern.detail, term)
            if bound is not None:
                yield bound
            return
        if operation is NAMED:
            for below in self._match(pattern.operands[0], term, found):
                bound = below.bind(pattern.detail, term)
                if bound is not None:
                    yield bound
            return
        if operation is EITHER:
            for option in pattern.operands:
                yield from self._match(option, term, found)
            return
        if operation is THEN:
            for first in self._match(pattern.operands[0], term, found):
                for later in self._later(term):
                    yield from self._match(pattern.operands[1], later, first)
            return
        if operation is VIEW:
            yield from self._match_view(pattern, term, found)
            return
        if operation is EACH:
            yield from self._match_each(pattern.operands[0], term, found, 0)
            return
        if operation is WITHIN:
            yield from self._match_within(pattern.operands[0], term, found, 0)
            return
        inner = peel(term)
        if inner.operation is CHOICE:
            if found.choices < _CHOICES_MOST:
                yield from self._match_choice(pattern, inner, found)
            return
        if operation is CONSTANT:
            if _same_constant(pattern, inner):
                yield found
            return
        if operation.name in ("add", "sub") and inner.operation.name in ("add", "sub"):
            yield from self._match_sum(pattern, inner, found.pass_through(term))
            return
        if inner.operation is not operation:
            return
        found = found.pass_through(term)
        if operation is SEQUENCE:
            yield from self._match_operands(pattern.operands, inner.operands, found)
            return
        for settled in self._match_settings(pattern, inner, found):
            yield from self._match_operands(pattern.operands, inner.operands, settled)
            if operation.commutative and len(inner.operands) == 2:
                yield from self._match_operands(pattern.operands, inner.operands[::-1], settled)

    def _match_choice(
        self, pattern: Term, choice: Term, found: Substitution
    ) -> Iterator[Substitution]:
        each: list[list[Substitution]] = []
        for position, option in enumerate(choice.operands):
            picked = found.by_choice(choice.facts[position] if choice.facts else ())
            each.append(list(self._match(pattern, option, picked)))
        # What a loop carries, or ends with, is not among the operands.
        is_of_loop = choice.detail in ("loop", "exit")
        is_missed = is_of_loop or not all(each)
        for results in each:
            for result in results:
                yield result.by_miss() if is_missed else result

    def _match_operands(
        self, patterns: tuple[Term, ...], terms: tuple[Term, ...], found: Substitution
    ) -> Iterator[Substitution]:
        if len(patterns) != len(terms):
            return
        if not patterns:
            yield found
            return
        for first in self._match(patterns[0], terms[0], found):
            yield from self._match_operands(patterns[1:], terms[1:], first)

    def _match_settings(
        self, pattern: Term, term: Term, found: Substitution
    ) -> Iterator[Substitution]:
        if not term.settings and not pattern.settings and pattern.detail is None:
            yield found
            return
        left_over = [
            (name, value) for name, value in term.settings.items() if name not in pattern.settings
        ]
        if pattern.detail is not None:
            known = dict(found.rest.get(pattern.detail, ()))
            merged = {**known, **dict(left_over)}
            found = replace(found, rest={**found.rest, pattern.detail: tuple(merged.items())})
        elif left_over:
            return
        results: list[Substitution] = [found]
        for name, wanted in pattern.settings.items():
            given = term.settings.get(name)
            advanced: list[Substitution] = []
            for result in results:
                if given is not None:
                    advanced += self._match(wanted, given, result)
                elif wanted.operation is VARIABLE:
                    bound = result.bind(wanted.detail, None)
                    advanced += [bound] if bound is not None else []
            results = advanced
        yield from results

    def _match_view(self, view: Term, term: Term, found: Substitution) -> Iterator[Substitution]:
        pattern, inner = view.operands[0], peel(term)
        is_matched = False
        for result in self._match(pattern, term, found):
            is_matched = True
            yield result
        is_left = not is_matched and found.choices < _CHOICES_MOST
        if inner.operation is CHOICE and is_left:  # what some of the options are views of
            yield from self._match_choice(view, inner, found)
        if inner.operation.kind == "view" and inner.operands:
            options = (
                inner.operands
                if inner.operation.name in ("concat", "stack")
                else inner.operands[:1]
            )
            for option in options:
                if may_match(pattern, option):
                    yield from self._match_view(view, option, found.pass_through(term))

    def _match_each(
        self, pattern: Term, term: Term, found: Substitution, depth: int
    ) -> Iterator[Substitution]:
        yield from self._match(pattern, term, found)
        inner = peel(term)
        if depth >= _WITHIN_DEEPEST or inner.operation.name in _JOINS:
            return
        if inner.operation.kind not in ("elementwise", "comparison", "view"):
            return
        for operand in inner.operands[: 1 if inner.operation.kind == "view" else None]:
            if may_match(pattern, operand):
                passed = found.pass_through(term)
                yield from self._match_each(pattern, operand, passed, depth + 1)

    def _match_within(
        self, pattern: Term, term: Term, found: Substitution, depth: int
    ) -> Iterator[Substitution]:
        yield from self._match(pattern, term, found)
        inner = peel(term)
        if depth >= _WITHIN_DEEPEST or inner.operation.name in _OPAQUE_TO_GRADIENTS:
            return
        if inner.operation.kind in ("leaf", "comparison", "constant") and inner.operation not in (
            CHOICE,
        ):
            return
        for operand in inner.operands:
            if may_match(pattern, operand):
                passed = found.pass_through(term)
                yield from self._match_within(pattern, operand, passed, depth + 1)

    # Sums

    def _match_sum(self, pattern: Term, term: Term, found: Substitution) -> Iterator[Substitution]:
        """Match sums: a variable that holds one is first taken for one summand, then opened up."""
        parts = _summands(pattern, self._builder, opens=False, most=_SUMMANDS_MOST)
        rest = [part for part in parts if part[1].operation is REST]
        wanted = [part for part in parts if part[1].operation is not REST]
        wanted.sort(key=lambda part: part[1].operation is VARIABLE)
        closed, opened = (
            _summands(term, self._builder, opens=opens, most=_SUMMANDS_MOST)
            for opens in (False, True)
        )
        for given in (closed, opened) if len(opened) != len(closed) else (closed,):
            if len(wanted) > len(given):
                continue
            if len(wanted) == len(given) or rest:
                yield from self._match_summands(wanted, given, rest, found)

    def _match_summands(
        self,
        wanted: list[tuple[int, Term]],
        given: list[tuple[int, Term]],
        rest: list[tuple[int, Term]],
        found: Substitution,
    ) -> Iterator[Substitution]:
        if not wanted:
            if rest:
                name = str(rest[0][1].detail)
                left = tuple((str(sign), part) for sign, part in given)
                yield replace(found, rest={**found.rest, name: left})
            elif not given:
                yield found
            return
        sign, first = wanted[0]
        for index, (given_sign, part) in enumerate(given):
            if sign != given_sign:
                continue
            for advanced in self._match(first, part, found):
                others = given[:index] + given[index + 1 :]
                yield from self._match_summands(wanted[1:], others, rest, advanced)


def _is_unnamed(term: Term) -> bool:
    """Whether a term is not a variable; a variable at the root is opened all the same."""
    return term.operation is not REFERENCE or term.detail is None


def _summands(term: Term, builder: Builder, *, opens: bool, most: int) -> list[tuple[int, Term]]:
    """The signed parts of a sum; with `opens`, also of the sums that variables hold.

    A sum of more than `most` parts yields the empty list.
    """
    found: list[tuple[int, Term]] = []
    pending: list[tuple[int, Term]] = [(1, term)]
    while pending:
        if len(found) + len(pending) > most:
            return []
        sign, part = pending.pop()
        inner = peel(part) if opens or _is_unnamed(part) else part
        below = _opened(inner, builder)
        if below is None:
            found.append((sign, part))
        else:
            pending += [(sign * own, piece) for own, piece in reversed(below)]
    return found


def _opened(term: Term, builder: Builder) -> list[tuple[int, Term]] | None:
    """The signed parts of a sum, a negation or a product with a negated factor; None for others."""
    match term.operation.name:
        case "add":
            return [(1, operand) for operand in term.operands]
        case "sub":
            return [(1, term.operands[0]), (-1, term.operands[1])]
        case "neg":
            return [(-1, term.operands[0])]
        case "mul":
            first, second = term.operands
            if peel(first).operation.name == "neg":
                return [(-1, builder.apply("mul", peel(first).operands[0], second))]
            if peel(second).operation.name == "neg":
                return [(-1, builder.apply("mul", first, peel(second).operands[0]))]
            return None
        case "constant":
            value = number_of(term)
            if value is None or value >= 0:
                return None
            positive = builder.constant(-value, term.site)
            return [(-1, positive)]
        case _:
            return None


_KEEPS_NUMBER: Final = frozenset(("cast", "identity", "detach"))
"""Operations that turn a literal into a tensor of the same number."""
_FILLED: Final = {"ones_like": 1, "ones": 1, "zeros_like": 0, "zeros": 0}


def _same_constant(pattern: Term, term: Term) -> bool:
    if term.operation.name in _FILLED:
        return (
            not isinstance(pattern.detail, bool) and pattern.detail == _FILLED[term.operation.name]
        )
    while term.operation.name in _KEEPS_NUMBER:
        term = peel(term.operands[0])
    if term.operation is not CONSTANT:
        return False
    wanted, given = pattern.detail, term.detail
    if isinstance(wanted, bool) or wanted is None or isinstance(wanted, str):
        return given is wanted or (isinstance(wanted, str) and given == wanted)
    return isinstance(given, (int, float)) and not isinstance(given, bool) and bool(given == wanted)


__all__ = ["ATTRIBUTE", "OPAQUE", "Matcher", "Substitution"]
