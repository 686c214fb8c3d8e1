"""Every singular operation that is not proved safe, and that no rule reports.

Rules report where something shows that the bad value occurs. An audit turns that around: it rests
on proofs alone, asks an oracle that believes no names, and leaves nothing out that it cannot
exclude.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.findings import REASONS, Confidence
from mllint_nan.flow.state import Analysis, Occurrence
from mllint_nan.ir.term import ATTRIBUTE, CONSTANT, INPUT, OPAQUE, Term, behind_views
from mllint_nan.rulebook.candidates import by_root
from mllint_nan.rulebook.judge import Judge
from mllint_nan.rulebook.match import Substitution
from mllint_nan.rulebook.pattern import may_match
from mllint_nan.rulebook.predicates import Context, framework_of
from mllint_nan.rulebook.rule import Case, Condition, Rule, Variable
from mllint_nan.rulebook.verdict import CaseEvaluation, Verdict, sites_of_statement

_COMPUTED, _ARGUMENT, _GIVEN, _ATTRIBUTE, _HABIT = REASONS
_PREFERRED: Final = ("torch", "jax", "tensorflow", "keras", "numpy")


class Audit:
    """Finds the occurrences in a judge's file that nothing proves safe."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._by_root: Mapping[str, list[tuple[Rule, Case, Term]]] = by_root(
            (rule, case) for rule in judge.rules for case in rule.audits
        )

    def verdicts(self, selected: Collection[str] | None = None) -> list[Verdict]:
        """One verdict per operation that is not proved safe, among the selected codes if given.

        A rule's own verdict on the operation takes precedence, unless it is about lost digits; so
        does that of a rule that overrides the audited one and is about the same statement. Of
        several audits, the one with the lower code counts.
        """
        descriptions = [one for one in self._judge.verdicts(selected) if not one.is_of_accuracy]
        places = {id(one.reported.site) for one in descriptions}
        places.update(id(one.occurrence.term.site) for one in descriptions)
        overridden = {
            (code, site)
            for one in descriptions
            for site in (sites_of_statement(one) if one.rule.overrides else ())
            for code in one.rule.overrides
        }
        found: dict[int, Verdict] = {}
        for occurrence in self._judge.analysis.occurrences:
            place = id(occurrence.term.site)
            if occurrence.term.site is None or place in places:
                continue
            for rule, case, pattern in self._by_root.get(occurrence.term.operation.name, ()):
                if (rule.code, place) in overridden or rule.code in self._judge.failures:
                    continue
                if selected is not None and rule.code not in selected:
                    continue
                known = found.get(place)
                if known is not None and known.rule.code <= rule.code:
                    continue
                verdict = self._tried(rule, case, pattern, occurrence)
                if verdict is not None:
                    found[place] = verdict
        return list(found.values())

    def evaluations(
        self, occurrence: Occurrence, rules: Sequence[Rule]
    ) -> Iterator[CaseEvaluation]:
        """Yield the audits that apply to an operation, with the answers that may prove it safe."""
        for rule, case, pattern in self._by_root.get(occurrence.term.operation.name, ()):
            found = self._match(case, pattern, occurrence) if rule in rules else None
            if found is None:
                continue
            context = self._context(occurrence, found)
            answers = tuple(
                ("unless", condition, self._judge.holds(condition, context))
                for condition in case.unless
            )
            is_safe = any(truth is Truth.YES for _, _, truth in answers)
            is_left_out = is_safe or self._judge.is_of_others(context)
            habit = None if is_left_out else self._habit(rule, case, context)
            yield CaseEvaluation(
                rule,
                case,
                answers,
                () if is_left_out else (f"not proved safe: {self._reason(case, context, habit)}",),
                found.terms,
                None if is_left_out else Confidence.POSSIBLE,
                proofs=(True,) * len(answers),
                audited=True,
            )

    def _tried(
        self, rule: Rule, case: Case, pattern: Term, occurrence: Occurrence
    ) -> Verdict | None:
        """The verdict of an audit; if its rule raises, only that rule fails."""
        try:
            return self._judged(rule, case, pattern, occurrence)
        except MemoryError:
            raise
        except Exception as error:
            self._judge.fail(rule, error)
            return None

    def _judged(
        self, rule: Rule, case: Case, pattern: Term, occurrence: Occurrence
    ) -> Verdict | None:
        found = self._match(case, pattern, occurrence)
        framework = _computed_by(occurrence.term, self._judge.analysis)
        if found is None or framework is None or not self._judge.is_reached(occurrence):
            return None
        context = self._context(occurrence, found)
        if self._is_excused(case, context) or self._judge.is_of_others(context):
            return None
        habit = self._habit(rule, case, context)
        reason = self._reason(case, context, habit)
        return Verdict(
            rule,
            case,
            occurrence,
            found,
            framework,
            Confidence.POSSIBLE,
            why=lambda: reason,
            audited=True,
            habit=habit,
        )

    def _match(self, case: Case, pattern: Term, occurrence: Occurrence) -> Substitution | None:
        if _computed_by(occurrence.term, self._judge.analysis) not in case.frameworks:
            return None
        if not may_match(pattern, occurrence.term):
            return None
        return next(self._judge.matcher.match(pattern, occurrence.term), None)

    def _context(self, occurrence: Occurrence, found: Substitution) -> Context:
        return Context(self._judge.analysis, self._judge.strict, occurrence, found)

    def _is_excused(self, case: Case, context: Context) -> bool:
        return self._excuse(case, context) is not None

    def _excuse(self, case: Case, context: Context) -> Condition | None:
        """The first condition that excuses an operation."""
        holds = self._judge.holds
        return next((one for one in case.unless if holds(one, context) is Truth.YES), None)

    def _reason(self, case: Case, context: Context, habit: Condition | None) -> str:
        """Why an operation is not proved safe: one of `REASONS`."""
        if habit is not None:
            return _HABIT
        found = context.found
        named = (name for condition in case.unless for name in _variables(condition))
        operands = (found.terms.get(name) for name in named)
        operand = next((behind_views(term) for term in operands if term is not None), None)
        if operand is None or operand.operation is CONSTANT:
            return _COMPUTED
        reasons = {INPUT: _ARGUMENT, OPAQUE: _GIVEN, ATTRIBUTE: _ATTRIBUTE}
        return reasons.get(operand.operation, _COMPUTED)

    def _habit(self, rule: Rule, case: Case, context: Context) -> Condition | None:
        """The condition that proves it safe if names are believed, or excuses it to the rule."""
        occurrence, found = context.occurrence, context.found
        believing = Context(self._judge.analysis, self._judge.oracle, occurrence, found)
        return self._excuse(case, believing) or self._evidence(rule, occurrence)

    def _evidence(self, rule: Rule, occurrence: Occurrence) -> Condition | None:
        """The condition with which the rule itself excuses an operation that it matches."""
        framework = framework_of(occurrence.term, self._judge.analysis)
        for other, case, pattern in self._judge.candidates(occurrence.term):
            if other is not rule or framework not in case.frameworks:
                continue
            found = next(self._judge.matcher.match(pattern, occurrence.term), None)
            if found is None:
                continue
            context = Context(self._judge.analysis, self._judge.oracle, occurrence, found)
            excuse = self._excuse(case, context)
            if excuse is not None:
                return excuse
        return None


def _variables(condition: Condition) -> list[str]:
    return [part.name for part in condition.arguments if isinstance(part, Variable)]


def _computed_by(term: Term, analysis: Analysis) -> str | None:
    """The framework of an operation, or the likeliest if several may compute it."""
    framework = framework_of(term, analysis)
    if framework is not None and framework != "math":
        return framework
    if term.written is not None and term.written.path.startswith("math."):
        return framework
    return next((name for name in _PREFERRED if name in analysis.frameworks), framework)
