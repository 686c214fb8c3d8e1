"""Applies rules to an analysed file: which operations they match, and how sure the claims are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial

from mllint_nan.domains.truth import Truth
from mllint_nan.findings import Confidence, Hazard
from mllint_nan.flow.call_order import calls_after
from mllint_nan.flow.caller_dependence import open_definitions
from mllint_nan.flow.names import TENSORS
from mllint_nan.flow.oracle import Oracle
from mllint_nan.flow.ownership import Origin
from mllint_nan.flow.provenance import Provenance
from mllint_nan.flow.state import Analysis, Occurrence, Scope
from mllint_nan.ir.canonical import Builder
from mllint_nan.ir.kind import Kind
from mllint_nan.ir.term import Term
from mllint_nan.project_files import is_test
from mllint_nan.rulebook.by_option import on_every_path, paths_to
from mllint_nan.rulebook.candidates import candidates_of
from mllint_nan.rulebook.contexts import Contexts
from mllint_nan.rulebook.default_paths import unless_left_out
from mllint_nan.rulebook.evidence import (
    EXCLUDED,
    REPLACED,
    UNCALLED,
    UNRUN,
    answer,
    arguments,
    claim_of_shape,
    evidence_of_project,
    is_redefined,
    is_unrun,
    lack_of_evidence,
    why_possible,
)
from mllint_nan.rulebook.harmless import why_harmless
from mllint_nan.rulebook.intent import Intent, Told, intent_of, is_in_unit_test
from mllint_nan.rulebook.match import Matcher, Substitution
from mllint_nan.rulebook.precedence import one_a_place, strength, without_overridden
from mllint_nan.rulebook.predicates import Context, asked_by, framework_of
from mllint_nan.rulebook.predicates.batches import is_on_training_path
from mllint_nan.rulebook.predicates.constructed import class_that_decides, is_excluded
from mllint_nan.rulebook.predicates.context import is_aside
from mllint_nan.rulebook.predicates.downstream import is_fed_on
from mllint_nan.rulebook.predicates.leaves import is_of_numbers, is_of_parameters, is_of_spreads
from mllint_nan.rulebook.predicates.operands import is_of_complex
from mllint_nan.rulebook.predicates.reached import result_is_used
from mllint_nan.rulebook.predicates.uncalled import is_uncalled
from mllint_nan.rulebook.predicates.zero_starts import is_zero_at_start
from mllint_nan.rulebook.rule import Case, Condition, Rule
from mllint_nan.rulebook.verdict import (
    Claim,
    Verdict,
    claimed,
    is_about_half,
    is_made_by_another,
    is_mended,
    least_by_calls,
    matched_sites,
    raised,
    rests_on_settings,
)
from mllint_nan.rulebook.visited import can_hold, is_epsilon_replaced, stands


class Judge:
    """Applies rules to the occurrences of one file."""

    def __init__(
        self,
        rules: Sequence[Rule],
        analysis: Analysis,
        builder: Builder,
        remarks: Callable[[object], str] | None = None,
        visit: Callable[[Collection[str], Collection[Scope]], None] | None = None,
        *,
        are_calls_idle: bool = False,
    ) -> None:
        """`remarks` returns the comments beside a site, if the text has been kept.

        `visit` evaluates other files' calls of the definitions with these names, so that they are
        judged too. `are_calls_idle`: an evaluation of the same text has shown that no call tells
        anything.
        """
        self.analysis = analysis
        self._are_calls_idle = are_calls_idle
        self._visit = visit
        self._builder = builder
        self._remarks = remarks
        self.oracle = Oracle(builder, analysis)
        self._provenance = Provenance(analysis)
        self.matcher = Matcher(builder, partial(_calls_after, analysis))
        self._contexts = Contexts(analysis, self.matcher, self.oracle)
        self._is_test = is_test(analysis.path)
        self.silenced: Counter[str] = Counter()
        """How often each code was overridden; a fix may bring such findings back."""
        self.every: list[Verdict] | None = None
        self.is_repaired: Callable[[Verdict], bool] | None = None
        """Whether a safe fix is offered for a verdict, where fixes can be written at all."""
        self.failures: dict[str, Exception] = {}
        """By code: the error that a rule raised; such a rule has no verdicts."""
        self._reached: dict[int, bool] = {}
        self.rules = rules
        self.answering: frozenset[str] | None = None
        """The codes of the rules that may match anything, if the text was judged before."""
        self._candidates = candidates_of(rules)
        self._strict: Oracle | None = None
        self._told = Told()
        self.calls_tell = False
        """Whether some call's arguments make anything likely, or a failed rule could not say so."""

    def verdicts(self, selected: Collection[str] | None = None) -> list[Verdict]:
        """One verdict for each operation, by the surest or most specific of the selected rules."""
        if self.every is None:
            self.every = [self.settled(verdict) for verdict in self.matched()]
        matched = self.every
        if selected is not None:
            matched = [verdict for verdict in matched if verdict.rule.code in selected]
        descriptions = one_a_place(list(without_overridden(matched, self._limit)))
        self.silenced = Counter(v.rule.code for v in matched)
        self.silenced.subtract(v.rule.code for v in descriptions)
        return descriptions

    def settled(self, verdict: Verdict) -> Verdict:
        """The verdict, lowered if it rests on a fix that cannot be offered.

        Until fixes are asked for, they are assumed to be available.
        """
        is_held = not verdict.rests_on_fix or self.is_repaired is None or self.is_repaired(verdict)
        return verdict if is_held else verdict.unrepaired

    def matched(self) -> list[Verdict]:
        """One verdict for each rule and operation."""
        found: dict[tuple[str, int], Verdict] = {}
        for occurrence in (*self.analysis.occurrences, *self.analysis.effects):
            self._note(occurrence, found)
        for place, known in self._visit_callers(found):
            del found[place]
            self._note(known.occurrence, found)
        self._judge_calls(found)
        return [one for one in found.values() if one.rule.code not in self.failures]

    def _note(self, occurrence: Occurrence, found: dict[tuple[str, int], Verdict]) -> None:
        """Add the verdicts on one operation."""
        term = occurrence.term
        candidates = self.candidates(term) if term.site is not None else ()
        if not candidates or not self.is_reached(occurrence):
            return
        framework = framework_of(term, self.analysis)
        forms = [
            (rule, partial(self._tried, rule, case, pattern, framework))
            for rule, case, pattern in (candidates if framework is not None else ())
            if framework in case.frameworks and not is_made_by_another(occurrence, case)
        ]
        paths = paths_to(occurrence) if forms else ()
        for rule, tried in forms:
            verdict = tried(occurrence)
            if paths:
                others = (one for own, one in forms if own is rule and one is not tried)
                verdict = on_every_path(verdict, occurrence, paths, tried, others)
            if verdict is None or verdict.reported.site is None:
                continue  # what is in another file is reported there
            if verdict.confidence > Confidence.POSSIBLE:
                verdict = unless_left_out(self.analysis, verdict, occurrence, tried)
            place = (rule.code, id(verdict.reported.site))
            known = found.get(place)
            if known is None or strength(known) < strength(verdict):
                found[place] = verdict

    def _visit_callers(
        self, found: Mapping[tuple[str, int], Verdict]
    ) -> list[tuple[tuple[str, int], Verdict]]:
        """Evaluate the callers in other files on which the verdicts may depend.

        Return the verdicts that may change then: those that settings decide.
        """
        if self._visit is None:
            return []
        if self._is_test:
            found = {}
        likely = {
            place: one for place, one in found.items() if one.confidence > Confidence.POSSIBLE
        }
        unsure = {place for place, one in likely.items() if rests_on_settings(one.case)}
        self.calls_tell = self.calls_tell or bool(unsure)
        suspects = [one.occurrence for one in found.values() if one.lacks_evidence]
        suspects += [found[place].occurrence for place in unsure]
        is_alone = self._is_test or self._are_calls_idle
        names = frozenset() if is_alone else open_definitions(self.analysis, suspects)
        owners = {
            place: class_that_decides(self.analysis, one.occurrence, by_unset=place in unsure)
            for place, one in likely.items()
        }
        decided = {owner for owner in owners.values() if owner is not None}
        self._visit(names, {*decided, *self._owners_by_defaults()})
        self._visit = None
        self._contexts = Contexts(self.analysis, self.matcher, self.oracle)
        return [(place, found[place]) for place in likely if owners[place] or place in unsure]

    def _owners_by_defaults(self) -> Iterator[Scope]:
        """The classes whose settings decide what is only likely with the defaults of these."""
        visited = self.analysis.visited if not self._is_test and not self._are_calls_idle else ()
        for occurrence in visited:
            is_by_defaults = occurrence.call is not None and occurrence.call.is_by_defaults
            owner = class_that_decides(self.analysis, occurrence) if is_by_defaults else None
            framework = framework_of(occurrence.term, self.analysis) if owner is not None else None
            for rule, case, pattern in self.candidates(occurrence.term) if framework else ():
                verdict = self._tried(rule, case, pattern, framework or "", occurrence)
                if owner is not None and verdict and verdict.confidence > Confidence.POSSIBLE:
                    yield owner
                    break

    def _judge_calls(self, found: dict[tuple[str, int], Verdict]) -> None:
        """Add the verdicts that only the arguments of visible calls bring about."""
        if not self.analysis.visited or self._is_test or self._are_calls_idle:
            return
        sites = {id(one.term.site) for one in self.analysis.visited}
        uncalled = [one for one in self.analysis.occurrences if id(one.term.site) in sites]
        judged = {(id(one.term.site), one.term.key) for one in uncalled}
        plain = {id(one.term.site): one for one in uncalled}
        settled = map(self.settled, found.values())
        mended = {site for one in settled if is_mended(one) for site in matched_sites(one)}
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
                if framework not in case.frameworks or case.at_most < least_by_calls(case):
                    continue
                if self._is_cut(case, occurrence, plain):
                    continue
                verdict = self._tried(rule, case, pattern, framework, occurrence)
                if verdict is None or verdict.confidence < least_by_calls(case):
                    continue
                self.calls_tell = True
                if verdict.reported.site is None:
                    continue
                place = (rule.code, id(verdict.reported.site))
                known = found.get(place)
                if known is None and (place[1] in mended or self._is_foreign(occurrence, plain)):
                    continue
                at_rest = plain.get(id(occurrence.term.site))
                if at_rest is not None and is_epsilon_replaced(at_rest.term, occurrence.term):
                    at_rest = None
                if known is None and at_rest and self._is_excused(case, pattern, at_rest):
                    continue
                if known is not None and stands(known, case):
                    continue
                if known is None or known.sureness < verdict.sureness:
                    found[place] = raised(known, verdict)

    def _is_cut(self, case: Case, visited: Occurrence, plain: Mapping[int, Occurrence]) -> bool:
        """Whether no gradient reaches the operation, whatever it is called with."""
        known = plain.get(id(visited.term.site))
        if case.hazard is not Hazard.GRADIENT or known is None:
            return False
        return not result_is_used(self.analysis, known.term)

    def _is_excused(self, case: Case, pattern: Term, occurrence: Occurrence) -> bool:
        """Whether an `unless` condition excuses an operation whatever it is called with."""
        found = next(self.matcher.match(pattern, occurrence.term), None)
        if found is None:
            return False
        context = Context(self.analysis, self.oracle, occurrence, found)
        return any(self.holds(condition, context) is Truth.YES for condition in case.unless)

    def _is_foreign(self, visited: Occurrence, plain: Mapping[int, Occurrence]) -> bool:
        """Whether the operation, judged without any call, acts on objects of another class."""
        known = plain.get(id(visited.term.site))
        if known is None:
            return False
        origin = self._provenance.worst((known.term,), known.state.facts, known.scope)
        return origin >= Origin.FOREIGN

    def _tried(
        self, rule: Rule, case: Case, pattern: Term, framework: str, occurrence: Occurrence
    ) -> Verdict | None:
        """The verdict of a rule; if the rule raises, only that rule fails."""
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
        """The oracle that believes no names."""
        if self._strict is None:
            self._strict = Oracle(self._builder, self.analysis, believes_names=False)
        return self._strict

    def fail(self, rule: Rule, error: Exception) -> None:
        """Record the error of a rule: it has no verdicts, and later rules get fresh oracles."""
        self.failures[rule.code] = error
        self.calls_tell = True
        self.oracle = Oracle(self._builder, self.analysis)
        self._contexts = Contexts(self.analysis, self.matcher, self.oracle)
        self._strict = None

    def candidates(self, term: Term) -> tuple[tuple[Rule, Case, Term], ...]:
        """The patterns that may match a term."""
        found = self._candidates.of(term)
        if self.answering is None or not found:
            return found
        return tuple(one for one in found if one[0].code in self.answering)

    def is_reached(self, occurrence: Occurrence) -> bool:
        """Whether the flags that calls of a private function pass let one reach the operation."""
        facts = occurrence.state.facts  # the same tuple for everything between two tests
        reached = self._reached.get(id(facts))
        if reached is None:
            reached = self._reached[id(facts)] = can_hold(self.analysis, facts)
        return reached

    def _judged(
        self, rule: Rule, case: Case, pattern: Term, occurrence: Occurrence, framework: str
    ) -> Verdict | None:
        best: Verdict | None = None
        for context in self._contexts.of(pattern, occurrence):
            claim = self.claim(rule, case, context)
            if claim.confidence is None:
                continue
            verdict = claimed(rule, case, occurrence, context.found, framework, claim)
            if best is None or verdict.sureness > best.sureness:
                best = verdict
            if best.sureness == (self._limit(case), True):
                break
        return best

    def claim(self, rule: Rule, case: Case, context: Context) -> Claim:
        """The confidence in a match, and a function for the reason why it is only possible.

        Other files are consulted last, and only if the answer depends on them.
        """
        evidence, left = self._evidence_here(case, context)
        if evidence is None or (rule.family == "compositions" and is_of_complex(context)):
            return Claim(None)
        if evidence is Confidence.POSSIBLE:
            return Claim(evidence, partial(lack_of_evidence, case, context), lacks_evidence=True)
        lowest, cap = min(self.caps(case, context), key=lambda cap: cap[0])
        if lowest is Confidence.POSSIBLE:
            return Claim(lowest, partial(why_possible, case, context, left, cap))
        evidence = evidence_of_project(evidence, left, context)
        if evidence is Confidence.POSSIBLE:
            return Claim(evidence, partial(lack_of_evidence, case, context), lacks_evidence=True)
        if is_redefined(context):
            return Claim(Confidence.POSSIBLE, lambda: REPLACED)
        if is_excluded(context, context.facts):
            return Claim(Confidence.POSSIBLE, lambda: EXCLUDED)
        if is_unrun(context):
            return Claim(Confidence.POSSIBLE, lambda: UNRUN)
        if is_uncalled(context, context.facts):
            return Claim(Confidence.POSSIBLE, lambda: UNCALLED)
        if case.when:
            return Claim(min(evidence, lowest))
        return claim_of_shape(rule, case, context, lowest)

    def evidence(self, case: Case, context: Context) -> Confidence | None:
        """The confidence that the conditions of a case alone give; None if they silence it."""
        evidence, left = self._evidence_here(case, context)
        return None if evidence is None else evidence_of_project(evidence, left, context)

    def _evidence_here(
        self, case: Case, context: Context
    ) -> tuple[Confidence | None, Sequence[Condition]]:
        """The confidence that this file's evidence gives, and the conditions left to other files.

        The `when` conditions are asked first: nine matches in ten have no evidence.
        """
        confidence = Confidence.CERTAIN
        left: list[Condition] = []
        for condition in case.when:
            is_refuted = asked_by(condition).is_refuted
            if is_refuted is not None and not condition.is_negated:
                if is_refuted(context, *arguments(condition, context)):
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
        if any(self._silences(condition, context) for condition in case.unless):
            return None, ()
        return (None, ()) if self.origin(context) >= Origin.FOREIGN else (confidence, left)

    def _silences(self, condition: Condition, context: Context) -> bool:
        """Whether an `unless` condition holds, which silences the rule."""
        is_refuted = asked_by(condition).is_refuted
        if is_refuted is not None and condition.is_negated:
            return is_refuted(context, *arguments(condition, context))
        return self.holds(condition, context) is Truth.YES

    def origin(self, context: Context) -> Origin:
        """The origin of the objects that the operations of a match are applied to.

        NumPy takes objects that convert themselves to arrays, but their methods are their own:
        there, a foreign origin counts as STRANGE, and any other as OPEN.
        """
        term = context.occurrence.term
        if term.operation.kind == "effect":
            return Origin.OPEN  # its rule asks whose object is acted upon
        parts = (term, *context.found.passed)
        origin = self._provenance.worst(parts, context.facts, context.occurrence.scope)
        if framework_of(term, self.analysis) in TENSORS:
            return origin
        return Origin.STRANGE if origin >= Origin.FOREIGN else Origin.OPEN

    def is_of_others(self, context: Context) -> bool:
        """Whether the operands are objects of other classes, whose operators are their own."""
        term, scope = context.occurrence.term, context.occurrence.scope
        if self.origin(context) >= Origin.FOREIGN:
            return True
        origins = [self._provenance.origin(part, context.facts, scope) for part in term.operands]
        known = [
            origin is Origin.FOREIGN or context.kind(part) is Kind.NUMBER
            for origin, part in zip(origins, term.operands, strict=True)
        ]
        return term.written is None and Origin.FOREIGN in origins and all(known)

    def caps(self, case: Case, context: Context) -> Iterator[tuple[Confidence, str]]:
        """Yield the caps that the place of a match puts on its confidence, each with the reason."""
        if case.when and context.found.on_some_paths and not is_on_training_path(context):
            # The evidence comes from one path; another may have taken care of it.
            yield Confidence.POSSIBLE, "the code has this form on only one of several paths"
        if case.hazard is Hazard.VALUE and case.when and self.intent(context) is Intent.MEANT:
            # The fix of a rule without conditions computes the same value, no less intended.
            yield Confidence.POSSIBLE, "the program intends a non-finite value"
        for reason in why_harmless(case, context, self._builder):
            yield Confidence.POSSIBLE, reason
        if self.origin(context) >= Origin.STRANGE:
            yield Confidence.POSSIBLE, "its operand may belong to a library that is not a framework"
        if context.occurrence.term.operation.kind == "effect":
            pass  # the following caps are about computed values
        elif self._is_only_looked_at(case, context):
            yield Confidence.POSSIBLE, "it is computed without gradients and only inspected"
        elif is_of_numbers(context):
            yield Confidence.POSSIBLE, "it is computed only from numbers in the code or a grid"
        elif is_zero_at_start(context):
            pass  # it breaks right where training starts
        elif is_of_parameters(context, context.occurrence.term):
            # Training moves a parameter anywhere, but seldom to the one point of a gradient hazard,
            # and the parameter of a spread stays below 0.
            is_likely = case.hazard is not Hazard.GRADIENT and not is_of_spreads(
                context.occurrence.term
            )
            cap = Confidence.LIKELY if is_likely else Confidence.POSSIBLE
            yield cap, "it is computed only from parameters of a model"
        if self._is_test:
            # A test calls what it needs with inputs of its own, often the bad ones on purpose.
            yield Confidence.POSSIBLE, "the file is a test"
        elif is_in_unit_test(context.occurrence.scope):
            yield Confidence.POSSIBLE, "it is in a unit test"
        yield case.at_most, "the rule never claims more"

    def _is_only_looked_at(self, case: Case, context: Context) -> bool:
        """Whether a match without gradients is only inspected, so that it spoils no training."""
        if not is_aside(context.occurrence):
            return False
        if case.hazard is Hazard.VALUE and is_about_half(case):
            return False  # models are cast to float16 to be run without gradients
        return case.hazard is Hazard.GRADIENT or not is_fed_on(context, context.occurrence.term)

    def intent(self, context: Context) -> Intent:
        """How clearly the program intends NaN or infinity as the result of a match."""
        site = context.occurrence.term.site
        remarks = self._remarks(site) if self._remarks is not None and site is not None else ""
        return intent_of(context, remarks, self._told)

    def _limit(self, case: Case) -> Confidence:
        return case.at_most

    def holds(self, condition: Condition, context: Context) -> Truth:
        """The answer to one condition of a rule."""
        return answer(condition, context)

    def context(self, verdict: Verdict, found: Substitution | None = None) -> Context:
        """The context in which a verdict's conditions were asked; `found` replaces its match."""
        return Context(self.analysis, self.oracle, verdict.occurrence, found or verdict.found)


def _calls_after(analysis: Analysis, call: Term) -> Iterator[Term]:
    return (one.term for one in calls_after(analysis.effects, call))
