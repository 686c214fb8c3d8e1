"""A rule that fired on an operation, what its match is made of, and how it was arrived at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from mllint_nan.domains.truth import Truth
from mllint_nan.findings import Applicability, Confidence, Hazard
from mllint_nan.flow.state import CallInSight, Occurrence
from mllint_nan.ir.term import REFERENCE, Term, peel, walk
from mllint_nan.rulebook.match import Substitution
from mllint_nan.rulebook.rule import Case, Condition, Rule

UNSHOWN: Final = "nothing shows that it occurs"
"""Why a rule without all of its evidence is not sure."""
UNREPAIRED: Final = "its shape is the only evidence, and no safe fix is available here"
"""Why a shape is not sure whose operand nothing is known of."""
UNMOVED: Final = "its shape is the flaw, but nothing visible moves its operand freely"
"""Why such a shape is not certain either where there is one."""


def no_reason() -> str | None:
    return None


@dataclass(frozen=True, slots=True)
class Verdict:
    """A rule that fired on an operation."""

    rule: Rule
    case: Case
    occurrence: Occurrence
    found: Substitution
    framework: str
    confidence: Confidence
    call: CallInSight | None = None
    """The one whose arguments make it so sure."""
    why: Callable[[], str | None] = no_reason
    """What gives the reason, for which other files may have to be asked."""
    lacks_evidence: bool = False
    """Whether it is no more than possible because nothing shows that it occurs."""
    audited: bool = False
    """Whether it stands for no evidence, but for the lack of a proof."""
    habit: Condition | None = None
    """What speaks against it and is no proof, if anything does."""
    rests_on_fix: bool = False
    """Whether a safe fix alone makes it likely: being wrong costs nothing then."""

    @property
    def sureness(self) -> tuple[Confidence, bool]:
        """In order: what rests on evidence is as sure as what rests on its fix, and surer."""
        return self.confidence, not self.rests_on_fix

    @property
    def unrepaired(self) -> Verdict:
        """What it is where no safe fix is offered."""
        return replace(
            self, confidence=Confidence.POSSIBLE, why=lambda: UNREPAIRED, rests_on_fix=False
        )

    @property
    def reason(self) -> str | None:
        """Why it is no more than possible."""
        return self.why()

    @property
    def is_of_accuracy(self) -> bool:
        """Whether it claims lost digits, and no more."""
        return self.case.hazard is Hazard.ACCURACY

    @property
    def message(self) -> str:
        """What is said of the operation: no more than is known."""
        if self.audited:
            return f"{self.case.message}; not proved safe: {self.reason}"
        if self.reason == UNSHOWN and self.case.unproved is not None:
            return self.case.unproved
        return self.case.message

    @property
    def reported(self) -> Term:
        """The unstable operation itself."""
        if self.case.report is not None:
            term = self.found.terms.get(self.case.report)
            if term is not None:
                return term
        return self.occurrence.term


class Claim(NamedTuple):
    """How sure a match is, and what that rests on."""

    confidence: Confidence | None
    """None where the rule stays quiet."""
    why: Callable[[], str | None] = no_reason
    lacks_evidence: bool = False
    rests_on_fix: bool = False
    moved_by: str = ""
    """What in sight moves the operand of a shape, in words."""


@dataclass(frozen=True, slots=True)
class CaseEvaluation:
    """One match of one rule, with the answers to its conditions in the order they were asked."""

    rule: Rule
    case: Case
    answers: tuple[tuple[str, Condition, Truth], ...]
    caps: tuple[str, ...]
    """What else keeps its confidence down, in words."""
    terms: Mapping[str, Term | None]
    """What the variables of its pattern stand for."""
    confidence: Confidence | None
    moved_by: str = ""
    """What in sight moves the operand, where that makes a shape so sure."""
    proofs: tuple[bool, ...] = ()
    """Of each answer that silences, whether it is a proof."""
    audited: bool = False


def claimed(
    rule: Rule,
    case: Case,
    occurrence: Occurrence,
    found: Substitution,
    framework: str,
    claim: Claim,
) -> Verdict:
    """The verdict of a rule that claims something of a match."""
    assert claim.confidence is not None
    return Verdict(
        rule,
        case,
        occurrence,
        found,
        framework,
        claim.confidence,
        why=claim.why,
        lacks_evidence=claim.lacks_evidence,
        rests_on_fix=claim.rests_on_fix,
    )


def is_mended(verdict: Verdict) -> bool:
    """Reported without any call, by a rule that repairs it where it stands."""
    is_safe = (repair.applicability is Applicability.SAFE for repair in verdict.rule.fixes)
    return verdict.confidence >= Confidence.LIKELY and any(is_safe)


def raised(known: Verdict | None, verdict: Verdict) -> Verdict:
    """What a call shows of a match, which its function alone may show less surely."""
    call = verdict.occurrence.call
    if known is not None and known.case is verdict.case and known.occurrence.call is None:
        return replace(
            known,
            confidence=verdict.confidence,
            why=verdict.why,
            lacks_evidence=False,
            rests_on_fix=verdict.rests_on_fix,
            call=call,
        )
    return replace(verdict, call=call)


def sites_of_statement(verdict: Verdict) -> set[int]:
    """The places of what a match is made of, without what other statements compute for it."""
    named = {
        id(part.site)
        for reference in _references(verdict.found)
        for part in walk(peel(reference))
        if part.site is not None
    }
    return matched_sites(verdict) - named


def _references(found: Substitution) -> Iterator[Term]:
    """Every reference that a match looks through."""
    for term in (*found.references, *_repeated(found)):
        while term.operation is REFERENCE:
            yield term
            term = term.operands[0]


def _repeated(found: Substitution) -> Iterator[Term]:
    """What a match is made of where a variable stands for the same once more."""
    passed = set(map(id, found.passed))
    for first, *others in found.places.values():
        pending = [(first, other) for other in others]
        while pending:
            one, other = pending.pop()
            if id(peel(one)) in passed:
                yield other
                pending += zip(peel(one).operands, peel(other).operands, strict=False)


def matched_sites(verdict: Verdict) -> set[int]:
    sites = {id(part.site) for part in _matched(verdict) if part.site is not None}
    sites.add(id(verdict.reported.site))
    return sites


def _matched(verdict: Verdict) -> Iterator[Term]:
    """What a match is made of; a sum or product that was opened up counts with its links."""
    pending = [verdict.occurrence.term, *verdict.found.passed, *_repeated(verdict.found)]
    while pending:
        term = peel(pending.pop())
        yield term
        if term.operation.name in ("neg", "mul", "add", "sub"):
            pending += [
                operand
                for operand in map(peel, term.operands)
                if operand.operation.name in ("neg", "mul", "add", "sub")
            ]
