"""Verdicts: rules that fired on operations, the parts of their matches, and how they came about."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from mllint_nan.domains.truth import Truth
from mllint_nan.findings import Applicability, Confidence, Hazard
from mllint_nan.flow.state import CallInSight, Occurrence
from mllint_nan.ir.term import REFERENCE, Term, peel, walk
from mllint_nan.rulebook.match import Substitution
from mllint_nan.rulebook.predicates.members import Form, Zero
from mllint_nan.rulebook.rule import Case, Condition, Rule

UNSHOWN: Final = "nothing shows that it occurs"
"""Why a rule that lacks some of its evidence is only possible."""
UNREPAIRED: Final = "the pattern is the only evidence, and no safe fix is available here"
"""Why a shape is only possible if nothing is known about its operand."""
UNMOVED: Final = "the pattern is the flaw, but nothing visible moves its operand freely"
"""Why such a shape is not certain if there is a safe fix."""


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
    """The call whose arguments give it this confidence."""
    why: Callable[[], str | None] = no_reason
    """Computes the reason, for which other files may have to be read."""
    lacks_evidence: bool = False
    """Whether it is only possible because nothing shows that it occurs."""
    audited: bool = False
    """Whether it reports the lack of a proof, not evidence."""
    habit: Condition | None = None
    """The condition that suggests it is safe without proving it, if there is one."""
    rests_on_fix: bool = False
    """Whether only a safe fix makes it likely: a false alarm then costs nothing."""
    paths: tuple[Occurrence, ...] = ()
    """The operation on each path, if it is reported because every path breaks it."""

    @property
    def sureness(self) -> tuple[Confidence, bool]:
        """A sort key: at the same confidence, evidence ranks above a safe fix."""
        return self.confidence, not self.rests_on_fix

    @property
    def unrepaired(self) -> Verdict:
        """The verdict if no safe fix is offered."""
        return replace(
            self, confidence=Confidence.POSSIBLE, why=lambda: UNREPAIRED, rests_on_fix=False
        )

    @property
    def reason(self) -> str | None:
        """Why it is no more than possible."""
        return self.why()

    @property
    def is_of_accuracy(self) -> bool:
        """Whether it only claims lost digits."""
        return self.case.hazard is Hazard.ACCURACY

    @property
    def message(self) -> str:
        """The message about the operation, which claims no more than is known."""
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
    """The confidence in a match, and what it rests on."""

    confidence: Confidence | None
    """None if the rule stays quiet."""
    why: Callable[[], str | None] = no_reason
    lacks_evidence: bool = False
    rests_on_fix: bool = False
    moved_by: str = ""
    """What visibly moves the operand of a shape, in words."""


@dataclass(frozen=True, slots=True)
class CaseEvaluation:
    """One match of one rule, with the answers to its conditions in the order they were asked."""

    rule: Rule
    case: Case
    answers: tuple[tuple[str, Condition, Truth], ...]
    caps: tuple[str, ...]
    """What else limits its confidence, in words."""
    terms: Mapping[str, Term | None]
    """What the variables of its pattern stand for."""
    confidence: Confidence | None
    moved_by: str = ""
    """What visibly moves the operand, if that makes the shape certain."""
    proofs: tuple[bool, ...] = ()
    """For each answer that silences, whether it is a proof."""
    audited: bool = False


def claimed(
    rule: Rule,
    case: Case,
    occurrence: Occurrence,
    found: Substitution,
    framework: str,
    claim: Claim,
) -> Verdict:
    """The verdict for a claim about a match; the claim's confidence must not be None."""
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


def rests_on_settings(case: Case) -> bool:
    """Whether a case asks what calls set: it is asked again once those of other files are known."""
    return any(condition.member == Zero.UNSET.value for condition in case.when)


def is_about_half(case: Case) -> bool:
    """Whether a case is only about values of float16."""
    return any(one.member == Form.HALF.value for one in case.when)


def is_made_by_another(effect: Occurrence, case: Case) -> bool:
    """Whether a function that is called has an effect, and a case asks for more than the order."""
    return effect.call is not None and case.hazard is not Hazard.STEP


def least_by_calls(case: Case) -> Confidence:
    """How sure a claim must be if only the arguments of calls bring it about.

    A format is a fact of a call, so a claim about float16 need be no surer than its rule allows.
    """
    return min(case.at_most, Confidence.LIKELY) if is_about_half(case) else Confidence.LIKELY


def is_mended(verdict: Verdict) -> bool:
    """Whether a verdict is likely, before calls are judged, and its rule has a safe fix."""
    is_safe = (repair.applicability is Applicability.SAFE for repair in verdict.rule.fixes)
    return verdict.confidence >= Confidence.LIKELY and any(is_safe)


def raised(known: Verdict | None, verdict: Verdict) -> Verdict:
    """The known verdict of the function alone, if any, raised to what a call shows."""
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
    """The sites of the parts of a match, except those that other statements compute for it."""
    named = {
        id(part.site)
        for reference in _references(verdict.found)
        for part in walk(peel(reference))
        if part.site is not None
    }
    return matched_sites(verdict) - named


def _references(found: Substitution) -> Iterator[Term]:
    """Yield every reference that a match looks through."""
    for term in (*found.references, *_repeated(found)):
        while term.operation is REFERENCE:
            yield term
            term = term.operands[0]


def _repeated(found: Substitution) -> Iterator[Term]:
    """Yield the parts of a match at which a variable occurs again with the same value."""
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
    """Yield the parts of a match, including the links of sums and products that were opened up."""
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
