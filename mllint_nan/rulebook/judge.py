"""Rules against an analysed file: which operations they match, and how sure the claim is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from mllint_nan.domains.truth import Truth
from mllint_nan.findings import Applicability, Confidence, Hazard
from mllint_nan.flow.names import TENSORS
from mllint_nan.flow.oracle import Oracle
from mllint_nan.flow.outside import open_definitions
from mllint_nan.flow.provenance import Provenance
from mllint_nan.flow.sequels import calls_after
from mllint_nan.flow.state import Analysis, CallInSight, Occurrence, Origin
from mllint_nan.ir.canonical import Builder
from mllint_nan.ir.kind import Kind
from mllint_nan.ir.term import (
    CONSTANT,
    INPUT,
    REFERENCE,
    Fact,
    Term,
    peel,
    walk,
)
from mllint_nan.project_files import is_test
from mllint_nan.rulebook.match import Matcher, Substitution
from mllint_nan.rulebook.meant import Intent, Told, intent_of
from mllint_nan.rulebook.pattern import may_match
from mllint_nan.rulebook.predicates import PREDICATES, Context, ask, framework_of
from mllint_nan.rulebook.predicates.batches import is_on_training_path
from mllint_nan.rulebook.predicates.carried import result_is_used
from mllint_nan.rulebook.predicates.context import stops_gradients
from mllint_nan.rulebook.predicates.downstream import is_fed_on
from mllint_nan.rulebook.predicates.served import (
    is_of_grid,
    is_of_parameters,
    is_of_spreads,
    training_of,
    untrained_name,
)
from mllint_nan.rulebook.rule import Case, Condition, Rule, Variable
from mllint_nan.training import Training

_MATCHES_MOST = 24
_OF_TRAINING: Final = frozenset(("gradient_flows", "is_trained_on", "is_learned_from"))
"""The predicates that names of files, classes and functions have a say in."""


UNSHOWN: Final = "nothing shows that it occurs"
"""Why a rule without all of its evidence is not sure."""
UNTRAINED: Final = "nothing in this project trains through it"
"""Why a flaw of a gradient is no more than possible whose uses are all in sight."""


def _no_reason() -> str | None:
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
    why: Callable[[], str | None] = _no_reason
    """What gives the reason, for which other files may have to be asked."""
    lacks_evidence: bool = False
    """Whether it is no more than possible because nothing shows that it occurs."""
    audited: bool = False
    """Whether it stands for no evidence, but for the lack of a proof."""

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
    proofs: tuple[bool, ...] = ()
    """Of each answer that silences, whether it is a proof."""
    audited: bool = False


class Judge:
    """Applies rules to the occurrences of one file."""

    def __init__(
        self,
        rules: Sequence[Rule],
        analysis: Analysis,
        builder: Builder,
        remarks: Callable[[object], str] | None = None,
        visit: Callable[[Collection[str]], None] | None = None,
    ) -> None:
        """`remarks` gives the comments beside a site, where the text has been kept.

        `visit` has what the module defines by these names judged as other files call it.
        """
        self.analysis = analysis
        self._visit = visit
        self._builder = builder
        self._remarks = remarks
        self.oracle = Oracle(builder, analysis)
        self._provenance = Provenance(analysis)
        self.matcher = Matcher(builder, partial(_calls_after, analysis))
        self._is_test = is_test(analysis.path)
        self.silenced: Counter[str] = Counter()
        """How often each code was overridden; a fix may bring such findings back."""
        self._matched: list[Verdict] | None = None
        self.failures: dict[str, Exception] = {}
        """By code: what a rule raised, which has no verdicts then."""
        self._reached: dict[int, bool] = {}
        self.rules = rules
        self._by_root = _all_by_root(rules)
        self._candidates: dict[tuple[str, int], tuple[tuple[Rule, Case, Term], ...]] = {}
        """By an operation and all that is in a term: the patterns that may match it."""
        self._strict: Oracle | None = None
        self._told = Told()

    def verdicts(self, selected: Collection[str] | None = None) -> list[Verdict]:
        """One verdict for each operation, of the rule that is the surest or the most specific.

        Of the rules whose codes are selected, if any are: no other one speaks for these.
        """
        matched = self._matched = self.matched() if self._matched is None else self._matched
        if selected is not None:
            matched = [verdict for verdict in matched if verdict.rule.code in selected]
        descriptions = _one_a_place(list(_without_overridden(matched, self._limit)))
        self.silenced = Counter(v.rule.code for v in matched)
        self.silenced.subtract(v.rule.code for v in descriptions)
        return descriptions

    def matched(self) -> list[Verdict]:
        """One verdict for each rule and operation."""
        found: dict[tuple[str, int], Verdict] = {}
        for occurrence in (*self.analysis.occurrences, *self.analysis.effects):
            term = occurrence.term
            candidates = self.candidates(term) if term.site is not None else ()
            if not candidates or not self.is_reached(occurrence):
                continue
            framework = framework_of(term, self.analysis)
            for rule, case, pattern in candidates if framework is not None else ():
                if framework not in case.frameworks:
                    continue
                verdict = self._tried(rule, case, pattern, occurrence, framework)
                if verdict is None or verdict.reported.site is None:
                    continue  # what stands in another file is reported there
                place = (rule.code, id(verdict.reported.site))
                known = found.get(place)
                if known is None or _strength(known) < _strength(verdict):
                    found[place] = verdict
        self._visit_callers(found.values())
        self._judge_calls(found)
        return [one for one in found.values() if one.rule.code not in self.failures]

    def _visit_callers(self, found: Iterable[Verdict]) -> None:
        """Have the callers in other files evaluated of what may depend on them."""
        if self._visit is None:
            return
        suspects = (one.occurrence for one in found if one.lacks_evidence)
        self._visit(() if self._is_test else open_definitions(self.analysis, suspects))
        self._visit = None

    def _judge_calls(self, found: dict[tuple[str, int], Verdict]) -> None:
        """Add what the arguments of the calls in sight bring about, and nothing else does."""
        if not self.analysis.visited or self._is_test:
            return
        sites = {id(one.term.site) for one in self.analysis.visited}
        uncalled = [one for one in self.analysis.occurrences if id(one.term.site) in sites]
        judged = {(id(one.term.site), one.term.key) for one in uncalled}
        plain = {id(one.term.site): one for one in uncalled}
        mended = {site for one in found.values() if _is_mended(one) for site in _matched_sites(one)}
        for occurrence in self.analysis.visited:
            at = (id(occurrence.term.site), occurrence.term.key)
            if at in judged or not self.is_reached(occurrence):
                continue
            judged.add(at)
            candidates = self.candidates(occurrence.term)
            if not candidates:
                continue
            framework = framework_of(occurrence.term, self.analysis)
            for rule, case, pattern in candidates if framework is not None else ():
                if framework not in case.frameworks or self._limit(case) < Confidence.LIKELY:
                    continue
                if self._is_cut(case, occurrence, plain):
                    continue
                verdict = self._tried(rule, case, pattern, occurrence, framework)
                if verdict is None or verdict.confidence < Confidence.LIKELY:
                    continue
                if verdict.reported.site is None:
                    continue
                place = (rule.code, id(verdict.reported.site))
                known = found.get(place)
                if known is None and (place[1] in mended or self._is_foreign(occurrence, plain)):
                    continue
                at_rest = plain.get(id(occurrence.term.site))
                if known is None and at_rest and self._is_excused(case, pattern, at_rest):
                    continue
                if known is not None and known.reason not in (None, UNSHOWN):
                    continue  # what keeps a match from being likely holds for its calls too
                if known is None or known.confidence < verdict.confidence:
                    found[place] = _raised(known, verdict)

    def _is_cut(self, case: Case, visited: Occurrence, plain: Mapping[int, Occurrence]) -> bool:
        """Whether no gradient comes back to the operation, whatever it is called with."""
        known = plain.get(id(visited.term.site))
        if case.hazard is not Hazard.GRADIENT or known is None:
            return False
        return not result_is_used(self.analysis, known.term)

    def _is_excused(self, case: Case, pattern: Term, occurrence: Occurrence) -> bool:
        """Whether what becomes of an operation excuses it, whatever it is called with."""
        found = next(self.matcher.match(pattern, occurrence.term), None)
        if found is None:
            return False
        context = Context(self.analysis, self.oracle, occurrence, found)
        return any(self.holds(condition, context) is Truth.YES for condition in case.unless)

    def _is_foreign(self, visited: Occurrence, plain: Mapping[int, Occurrence]) -> bool:
        """Whether the operation, without any call, is one of another class's objects."""
        known = plain.get(id(visited.term.site))
        if known is None:
            return False
        origin = self._provenance.worst((known.term,), known.state.facts, known.scope)
        return origin >= Origin.FOREIGN

    def _tried(
        self, rule: Rule, case: Case, pattern: Term, occurrence: Occurrence, framework: str
    ) -> Verdict | None:
        """The verdict of a rule, which fails alone."""
        if rule.code in self.failures:
            return None
        try:
            return self._judged(rule, case, pattern, occurrence, framework)
        except MemoryError:
            raise
        except Exception as error:
            self.fail(rule, error)
            return None

    @property
    def strict(self) -> Oracle:
        """What is known of values without believing any name."""
        if self._strict is None:
            self._strict = Oracle(self._builder, self.analysis, believes_names=False)
        return self._strict

    def fail(self, rule: Rule, error: Exception) -> None:
        """A rule has no verdicts any more; what it was about to find out is unknown to it alone."""
        self.failures[rule.code] = error
        self.oracle = Oracle(self._builder, self.analysis)
        self._strict = None

    def candidates(self, term: Term) -> tuple[tuple[Rule, Case, Term], ...]:
        """The patterns that may match a term."""
        root = term.operation.name
        if root not in self._by_root:
            return ()
        place = (root, term.inside)
        found = self._candidates.get(place)
        if found is None:
            found = tuple([one for one in self._by_root[root] if may_match(one[2], term)])
            self._candidates[place] = found
        return found

    def is_reached(self, occurrence: Occurrence) -> bool:
        """Some call of a private function passes flags with which it gets to the operation."""
        facts = occurrence.state.facts  # one and the same for all that stands between two tests
        reached = self._reached.get(id(facts))
        if reached is None:
            reached = self._reached[id(facts)] = self._can_hold(facts)
        return reached

    def _can_hold(self, facts: tuple[Fact, ...]) -> bool:
        for fact in facts:
            flag = peel(fact.test)
            if flag.operation is not INPUT:
                continue
            passed = [peel(term) for term, _ in self.analysis.passed(flag)]
            if passed and all(
                term.operation is CONSTANT and bool(term.detail) is not fact.holds
                for term in passed
            ):
                return False
        return True

    def evaluations(
        self, occurrence: Occurrence, rules: Sequence[Rule]
    ) -> Iterator[CaseEvaluation]:
        """Those of the rules that match an operation, and why they speak or stay quiet."""
        framework = framework_of(occurrence.term, self.analysis)
        for rule, case, pattern in self.candidates(occurrence.term):
            if framework not in case.frameworks or rule not in rules:
                continue
            found = next(self.matcher.match(pattern, occurrence.term), None)
            if found is None:
                continue
            context = Context(self.analysis, self.oracle, occurrence, found)
            answers = tuple(
                (kind, condition, self.holds(condition, context))
                for kind, conditions in (("unless", case.unless), ("when", case.when))
                for condition in conditions
            )
            strict = Context(self.analysis, self.strict, occurrence, found)
            proofs = tuple(
                PREDICATES[condition.predicate].is_proof and self.holds(condition, strict) is truth
                for _, condition, truth in answers
            )
            evidence = self._evidence(case, context)
            confidence, _, _ = self._confidence(case, context)
            caps = tuple(
                reason
                for cap, reason in (self._caps(case, context) if evidence is not None else ())
                if cap == confidence != evidence
            )
            if confidence in (None, Confidence.POSSIBLE) and _asks_of_training(case):
                name = untrained_name(context)
                if name is not None:
                    caps = (*caps, f"`{name}` is taken for something that is not trained")
            yield CaseEvaluation(rule, case, answers, caps, found.terms, confidence, proofs)

    def _judged(
        self, rule: Rule, case: Case, pattern: Term, occurrence: Occurrence, framework: str
    ) -> Verdict | None:
        best: Verdict | None = None
        matches = self.matcher.match(pattern, occurrence.term)
        for count, found in enumerate(matches):
            if count >= _MATCHES_MOST:
                break
            context = Context(self.analysis, self.oracle, occurrence, found)
            confidence, why, lacks = self._confidence(case, context)
            if confidence is None:
                continue
            if best is None or confidence > best.confidence:
                best = Verdict(
                    rule,
                    case,
                    occurrence,
                    found,
                    framework,
                    confidence,
                    why=why,
                    lacks_evidence=lacks,
                )
            if best.confidence is self._limit(case):
                break
        return best

    def _confidence(
        self, case: Case, context: Context
    ) -> tuple[Confidence | None, Callable[[], str | None], bool]:
        """How sure a match is, what gives the reason why it is only possible, and `lacks_evidence`.

        Other files are asked last, and only where it depends on them.
        """
        evidence, left = self._evidence_here(case, context)
        if evidence is None:
            return None, _no_reason, False
        if evidence is Confidence.POSSIBLE:
            return evidence, partial(_lack_of_evidence, case, context), True
        lowest, cap = min(self._caps(case, context), key=lambda cap: cap[0])
        if lowest is Confidence.POSSIBLE:
            return lowest, partial(_why_possible, case, context, left, cap), False
        evidence = _evidence_of_project(evidence, left, context)
        if evidence is Confidence.POSSIBLE:
            return evidence, partial(_lack_of_evidence, case, context), True
        return min(evidence, lowest), _no_reason, False

    def _evidence(self, case: Case, context: Context) -> Confidence | None:
        """What the conditions of a case say alone."""
        evidence, left = self._evidence_here(case, context)
        return None if evidence is None else _evidence_of_project(evidence, left, context)

    def _evidence_here(
        self, case: Case, context: Context
    ) -> tuple[Confidence | None, Sequence[Condition]]:
        """What they say as far as this file tells, and those that other files are to be asked."""
        if any(self._silences(condition, context) for condition in case.unless):
            return None, ()
        confidence = Confidence.CERTAIN
        left: list[Condition] = []
        for condition in case.when:
            is_refuted = PREDICATES[condition.predicate].is_refuted
            if is_refuted is not None and not condition.is_negated:
                if is_refuted(context, *_arguments(condition, context)):
                    return None, ()
                left.append(condition)
                continue
            match self.holds(condition, context):
                case Truth.NO:
                    return None, ()
                case Truth.UNKNOWN:
                    confidence = min(confidence, Confidence.POSSIBLE)
                case Truth.YES:
                    confidence = min(confidence, Confidence.LIKELY)
        return (None, ()) if self.origin(context) >= Origin.FOREIGN else (confidence, left)

    def _silences(self, condition: Condition, context: Context) -> bool:
        """Whether a condition holds under which a rule does not speak."""
        is_refuted = PREDICATES[condition.predicate].is_refuted
        if is_refuted is not None and condition.is_negated:
            return is_refuted(context, *_arguments(condition, context))
        return self.holds(condition, context) is Truth.YES

    def origin(self, context: Context) -> Origin:
        """Whose objects the operations of a match are applied to.

        NumPy takes what converts itself to an array; the methods of such an object are its own.
        """
        term = context.occurrence.term
        if term.operation.kind == "effect":
            return Origin.OPEN  # whose object is acted upon is what its rule asks
        parts = (term, *context.found.passed)
        origin = self._provenance.worst(parts, context.facts, context.occurrence.scope)
        if framework_of(term, self.analysis) in TENSORS:
            return origin
        return Origin.STRANGE if origin >= Origin.FOREIGN else Origin.OPEN

    def is_of_others(self, context: Context) -> bool:
        """Whether all that goes in are objects of other classes, whose operators are their own."""
        term, scope = context.occurrence.term, context.occurrence.scope
        if self.origin(context) >= Origin.FOREIGN:
            return True
        origins = [self._provenance.origin(part, context.facts, scope) for part in term.operands]
        known = [
            origin is Origin.FOREIGN or context.kind(part) is Kind.NUMBER
            for origin, part in zip(origins, term.operands, strict=True)
        ]
        return term.written is None and Origin.FOREIGN in origins and all(known)

    def _caps(self, case: Case, context: Context) -> Iterator[tuple[Confidence, str]]:
        """The highest confidence that the place of a match allows, and why."""
        if case.when and context.found.through_choice and not is_on_training_path(context):
            # The evidence is that of one path; another may have taken care of it.
            yield Confidence.POSSIBLE, "what is matched is there on one of several paths only"
        if case.hazard is Hazard.VALUE and case.when and self.intent(context) is Intent.MEANT:
            # A match without conditions is another way to compute the same, which is no less meant.
            yield Confidence.POSSIBLE, "the program says itself that the value is not finite"
        if self.origin(context) >= Origin.STRANGE:
            yield Confidence.POSSIBLE, "it may be the object of a library that is no framework"
        if context.occurrence.term.operation.kind == "effect":
            pass  # what follows is about what is computed
        elif self._is_only_looked_at(case, context):
            yield Confidence.POSSIBLE, "it is computed without gradients, and only looked at"
        elif is_of_grid(context.occurrence.term):
            yield Confidence.POSSIBLE, "it is made of nothing but a grid of numbers"
        elif any(context.is_brought(one, 0.0) for one in context.occurrence.term.operands):
            pass  # where training starts is where it breaks
        elif is_of_parameters(context, context.occurrence.term):
            # Training moves a parameter anywhere, but seldom to the one point of a gradient hazard,
            # and a spread stays below 0.
            is_likely = case.hazard is not Hazard.GRADIENT and not is_of_spreads(
                context.occurrence.term
            )
            cap = Confidence.LIKELY if is_likely else Confidence.POSSIBLE
            yield cap, "it is made of nothing but parameters of a model"
        if self._is_test:
            # A test calls what it needs with inputs of its own, often the bad ones on purpose.
            yield Confidence.POSSIBLE, "the file is a test"
        yield case.at_most, "the rule claims no more"

    def _is_only_looked_at(self, case: Case, context: Context) -> bool:
        """Computed without gradients, it spoils no training, unless its value itself goes on."""
        if not is_aside(context.occurrence):
            return False
        return case.hazard is Hazard.GRADIENT or not is_fed_on(context, context.occurrence.term)

    def intent(self, context: Context) -> Intent:
        """What the program says of NaN and infinities in the result of a match."""
        site = context.occurrence.term.site
        remarks = self._remarks(site) if self._remarks is not None and site is not None else ""
        return intent_of(context, remarks, self._told)

    def _limit(self, case: Case) -> Confidence:
        return case.at_most

    def holds(self, condition: Condition, context: Context) -> Truth:
        """The answer to one condition of a rule."""
        return _answer(condition, context)

    def context(self, verdict: Verdict, found: Substitution | None = None) -> Context:
        """Where a verdict's conditions were asked."""
        return Context(self.analysis, self.oracle, verdict.occurrence, found or verdict.found)


def _is_mended(verdict: Verdict) -> bool:
    """Reported without any call, by a rule that repairs it where it stands."""
    is_safe = (repair.applicability is Applicability.SAFE for repair in verdict.rule.fixes)
    return verdict.confidence >= Confidence.LIKELY and any(is_safe)


def _raised(known: Verdict | None, verdict: Verdict) -> Verdict:
    """What a call shows of a match, which its function alone may show less surely."""
    call = verdict.occurrence.call
    if known is not None and known.case is verdict.case and known.occurrence.call is None:
        return replace(
            known, confidence=verdict.confidence, why=verdict.why, lacks_evidence=False, call=call
        )
    return replace(verdict, call=call)


def by_root(cases: Iterable[tuple[Rule, Case]]) -> dict[str, list[tuple[Rule, Case, Term]]]:
    """The patterns of cases by the operations that they begin with."""
    found: dict[str, list[tuple[Rule, Case, Term]]] = {}
    for rule, case in cases:
        for pattern in case.patterns:
            for root in pattern.roots():
                found.setdefault(root, []).append((rule, case, pattern.term))
    return found


_rooted: list[tuple[Sequence[Rule], dict[str, list[tuple[Rule, Case, Term]]]]] = []
"""The rules that were last asked for, which are the same for all files, and their patterns."""


def _all_by_root(rules: Sequence[Rule]) -> dict[str, list[tuple[Rule, Case, Term]]]:
    for known, found in _rooted:
        if known is rules:
            return found
    found = by_root((rule, case) for rule in rules for case in rule.cases)
    if isinstance(rules, tuple):  # nothing else stays what it is
        _rooted[:] = [(rules, found)]
    return found


def _asks_of_training(case: Case) -> bool:
    asked = {condition.predicate for condition in (*case.when, *case.unless)}
    return not asked.isdisjoint(_OF_TRAINING)


def _is_untrained(case: Case, context: Context) -> bool:
    return _asks_of_training(case) and training_of(context).training is Training.BESIDE


# What gives the reason of a verdict, which the judge keeps, must not keep the judge itself.


def _why_possible(case: Case, context: Context, left: Sequence[Condition], cap: str) -> str:
    """The cap of a match, unless other files do not give the evidence either."""
    evidence = _evidence_of_project(Confidence.CERTAIN, left, context)
    return _lack_of_evidence(case, context) if evidence is Confidence.POSSIBLE else cap


def _evidence_of_project(
    evidence: Confidence, left: Sequence[Condition], context: Context
) -> Confidence:
    """The evidence with that of the conditions which other files answer, and none refutes."""
    for condition in left:
        if evidence is Confidence.POSSIBLE:
            break
        is_met = _answer(condition, context) is Truth.YES
        evidence = min(evidence, Confidence.LIKELY if is_met else Confidence.POSSIBLE)
    return evidence


def _answer(condition: Condition, context: Context) -> Truth:
    answer = ask(context, condition.predicate, _arguments(condition, context))
    return answer.not_() if condition.is_negated else answer


def _arguments(condition: Condition, context: Context) -> tuple[Any, ...]:
    return tuple([_argument(part, context) for part in condition.arguments])


def _argument(part: Any, context: Context) -> Any:
    if not isinstance(part, Variable):
        return part
    if part.name == "result":
        return context.occurrence.term
    return context.found.terms.get(part.name)


def _lack_of_evidence(case: Case, context: Context) -> str:
    return UNTRAINED if _is_untrained(case, context) else UNSHOWN


def _calls_after(analysis: Analysis, call: Term) -> Iterator[Term]:
    return (one.term for one in calls_after(analysis.effects, call))


def is_aside(occurrence: Occurrence) -> bool:
    """Computed under `no_grad` or the like."""
    decorators = [part for scope in occurrence.scope.enclosing() for part in scope.decorators]
    return stops_gradients([*decorators[::-1], *occurrence.state.contexts])


def _without_overridden(
    verdicts: Iterable[Verdict], limit: Callable[[Case], Confidence]
) -> Iterator[Verdict]:
    """Where two matches share an operation, the rule that overrides the other one speaks.

    It does if it is as sure as the other one, or as sure as it may be. What becomes NaN or infinite
    overrides in this way what only loses digits. One rule speaks once of nested matches, of the
    outermost.
    """
    verdicts = list(verdicts)
    parts = [_matched_sites(verdict) for verdict in verdicts]
    by_site: dict[int, list[int]] = {}
    for index, sites in enumerate(parts):
        for site in sites:
            by_site.setdefault(site, []).append(index)
    for index, verdict in enumerate(verdicts):
        own = id(verdict.reported.site)
        around = by_site.get(own, ())
        inside = {other for site in parts[index] for other in by_site.get(site, ())}
        silenced = any(
            _overrides(verdicts[other], verdict, limit)
            and (other in around or id(verdicts[other].reported.site) in parts[index])
            for other in inside
        ) or any(
            verdicts[other].rule is verdict.rule and id(verdicts[other].reported.site) != own
            for other in around
        )
        if not silenced:
            yield verdict


def _overrides(one: Verdict, other: Verdict, limit: Callable[[Case], Confidence]) -> bool:
    if one.is_of_accuracy is not other.is_of_accuracy:
        return other.is_of_accuracy and one.confidence >= other.confidence
    is_as_sure = one.confidence >= min(other.confidence, limit(one.case))
    return is_as_sure and other.rule.code in one.rule.overrides


def _one_a_place(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The surest of those that report the same operation; one of digits stands beside it.

    Where no rule states the order of equally sure ones, the one whose match is made of more speaks,
    or else the one with the lower code.
    """
    descriptions: dict[tuple[int, bool], Verdict] = {}
    for verdict in verdicts:
        place = id(verdict.reported.site), verdict.is_of_accuracy
        descriptions[place] = max(descriptions.get(place, verdict), verdict, key=_strength)
    heard = {id(verdict) for verdict in descriptions.values()}
    return [verdict for verdict in verdicts if id(verdict) in heard]


def _strength(verdict: Verdict) -> tuple[Confidence, int, int]:
    return verdict.confidence, len(_matched_sites(verdict)), -int(verdict.rule.code[3:])


def sites_of_statement(verdict: Verdict) -> set[int]:
    """The places of what a match is made of, without what other statements compute for it."""
    named = {
        id(part.site)
        for reference in _references(verdict.found)
        for part in walk(peel(reference))
        if part.site is not None
    }
    return _matched_sites(verdict) - named


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


def _matched_sites(verdict: Verdict) -> set[int]:
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
