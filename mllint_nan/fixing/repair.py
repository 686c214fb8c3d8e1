"""From a verdict to a fix: the first repair of the rule that can be written at this place."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import libcst as cst

from mllint_nan.findings import Applicability, Edit, Fix, Span
from mllint_nan.fixing.hoists import Hoisting, node_of
from mllint_nan.fixing.layers import LayerExchange
from mllint_nan.fixing.leftovers import Leftovers
from mllint_nan.fixing.licence import Licence, licence_of
from mllint_nan.fixing.preceding import preceded
from mllint_nan.fixing.rendering import kind_of, renderer_of
from mllint_nan.fixing.replacement import edit_at, replacement
from mllint_nan.fixing.writes import Place, Writes, fresh_text
from mllint_nan.flow.state import Occurrence
from mllint_nan.flow.unrecorded import stops_gradients
from mllint_nan.frameworks import registry
from mllint_nan.frameworks.versions import Declared
from mllint_nan.ir import program as ir
from mllint_nan.ir.kind import Kind
from mllint_nan.ir.term import CONSTANT, REFERENCE, VARIABLE, Term, names_in, number_of, peel
from mllint_nan.rulebook.judge import Judge
from mllint_nan.rulebook.match import Substitution
from mllint_nan.rulebook.narrowing import narrowed
from mllint_nan.rulebook.pattern import THEN
from mllint_nan.rulebook.rule import Repair
from mllint_nan.rulebook.verdict import Verdict
from mllint_nan.syntax.imports import import_edit
from mllint_nan.syntax.precedence import Text, Unrenderable, Withheld
from mllint_nan.syntax.preferred_names import Kept
from mllint_nan.syntax.render import Renderer
from mllint_nan.syntax.source import Source, comments_in, descendants

_COMMENTED: Final = "the code to be replaced contains a comment"
_CHOICE: Final = "part of it differs between the paths that reach it"
_UNWRITABLE: Final = "its rule has a fix, but it cannot be written here"
_UNFOUNDED: Final = "its rule has a fix, whose conditions do not hold here"
_OTHER_FORM: Final = "its rule has no fix for this form"


@dataclass(frozen=True, slots=True)
class Chosen:
    """The repair that is written at a place, what its variables are bound to, and the fix."""

    repair: Repair
    found: Substitution
    fix: Fix


class Repairer:
    """Writes fixes for the verdicts of one file."""

    def __init__(
        self, source: Source, judge: Judge, declared: Callable[[], Declared] | None = None
    ) -> None:
        """`declared` returns the versions of the frameworks that the project allows."""
        self.source = source
        self.judge = judge
        self._declared = declared
        self._refusals: dict[int, str] = {}
        self._leftovers = Leftovers(source, judge.analysis)
        self._occurrences = {
            id(occurrence.term): occurrence
            for occurrence in (*judge.analysis.occurrences, *judge.analysis.effects)
        }
        self._writes = Writes(
            source,
            {id(one.term.site): one.term for one in judge.analysis.occurrences if one.term.site},
        )
        self._hoisting = Hoisting(source, judge)

    def chosen(self, verdict: Verdict) -> Chosen | None:
        """Return the fix of a verdict, or `None` if no repair of its rule can be written.

        If every fix needs something that an allowed version of a framework lacks, one is only
        shown.
        """
        lacking: list[str] = []
        chosen = self._first(verdict, self._declared, lacking)
        if chosen is not None or not lacking:
            return chosen
        newest = self._first(verdict, None, [])
        return newest and replace(newest, fix=newest.fix.only_shown(lacking[0]))

    def _first(
        self, verdict: Verdict, declared: Callable[[], Declared] | None, lacking: list[str]
    ) -> Chosen | None:
        """Return the first repair that can be written; add what versions lack to `lacking`."""
        if verdict.occurrence.call is not None:
            self._refusals[id(verdict)] = (
                "part of it is in another function, which other code may call"
            )
            return None
        refusals: list[tuple[int, str]] = []
        for repair in verdict.rule.fixes:
            if repair.frameworks and verdict.framework not in repair.frameworks:
                continue
            found = self._narrowed(repair, verdict)
            if found is None or found.through_choice:
                refusals.append((3, _OTHER_FORM) if found is None else (0, _CHOICE))
                continue
            licence = licence_of(self.judge, repair, verdict, found)
            if licence is None:
                refusals.append((2, _UNFOUNDED))
                continue
            try:
                fix = self._fix(repair, verdict, found, licence, Kept(declared, lacking))
                return Chosen(repair, found, fix)
            except Withheld as refusal:
                refusals.append((0, str(refusal)))
            except Unrenderable:
                refusals.append((1, _UNWRITABLE))
        if refusals:
            self._refusals[id(verdict)] = min(refusals, key=lambda one: one[0])[1]
        return None

    def refusal(self, verdict: Verdict) -> str | None:
        """Why no fix was written for a verdict whose rule has repairs."""
        return self._refusals.get(id(verdict))

    def _fix(
        self,
        repair: Repair,
        verdict: Verdict,
        found: Substitution,
        licence: Licence,
        kept: Kept,
    ) -> Fix:
        if repair.rewrite.term.operation is THEN:
            return preceded(self.source, repair, verdict, found, licence)
        if repair.layers is not None:
            return self._exchanged(repair, verdict, found, licence)
        return self._written(repair, verdict, found, licence, kept)

    def is_safe(self, verdict: Verdict) -> bool:
        """Whether a safe fix can be written, even if only shown; one that raises is none.

        The versions that the project allows are ignored: they do not affect the flaw.
        """
        try:
            chosen = self._first(verdict, None, [])
        except MemoryError:
            raise
        except Exception:
            return False  # the failure is reported where the fix is requested
        if chosen is None:
            return False
        made = chosen.fix.applicability
        is_shown = made is Applicability.DISPLAY_ONLY
        return Applicability.SAFE in (made, chosen.repair.applicability if is_shown else made)

    def _narrowed(self, repair: Repair, verdict: Verdict) -> Substitution | None:
        if repair.match is None:
            return verdict.found
        return narrowed(self.judge.matcher, repair.match, verdict)

    # Writing

    def _written(
        self,
        repair: Repair,
        verdict: Verdict,
        found: Substitution,
        licence: Licence,
        kept: Kept,
    ) -> Fix:
        edits: list[Edit] = []
        imports: list[str] = []
        replaced: list[tuple[cst.BaseExpression, Span]] = []
        moved: list[Span] = []
        shown = ""
        self._check_order(repair, verdict, found)
        for target in self._targets(repair, verdict, found):
            node = target.term.site
            if not isinstance(node, cst.BaseExpression):
                raise Unrenderable("the operation has no text of its own")
            span = self.source.span(node)
            renderer = renderer_of(self.source, self.judge, verdict, found, target, span, repair)
            renderer.kept = kept
            hoists = list(self._hoisting.hoists(repair, found, target, span, renderer))
            for hoist in hoists:
                early = Place(node_of(hoist), target.state.environment)
                self._writes.check_early(hoist.operand, early, node)
            bound = [found.terms.get(name) for name in sorted(repair.rewrite.variables())]
            self._check_unchanged(
                [one for one in bound if one and id(one) not in renderer.substituted], target, node
            )
            is_private = repair.replace is None and self._is_private(target.term, found)
            place = Place(node, target.state.environment, is_private)
            text = self._text(repair, found, place, renderer)
            self._check_text(node, text)
            was = kind_of(self.judge, verdict, found, target.term)
            if was is Kind.NUMBER and renderer.kind(repair.rewrite.term) is Kind.TENSOR:
                raise Withheld("a number would become a tensor")
            if renderer.is_unsettled:
                licence = licence.only_shown(
                    "its operand may be a number, for which the fix would raise an exception"
                )
            edits.append(replacement(self.source, node, text))
            replaced.append((node, edits[-1].span))
            moved += [self.source.span(node_of(hoist)) for hoist in hoists]
            edits += [edit for hoist in hoists for edit in self._hoisting.edits(hoist, span)]
            imports += renderer.imports
            shown = shown or text.code
            if comments_in(node) or any(comments_in(node_of(hoist)) for hoist in hoists):
                licence = licence.only_shown(_COMMENTED)
            if self._drops_label(found, span, text.code):
                licence = licence.not_safe()
        for statement in dict.fromkeys(imports):
            edits.append(import_edit(self.source, self.judge.analysis, statement))
        if _clash(edits):
            raise Unrenderable("the edits of the fix overlap")
        edits = self._cleaned(edits, replaced, moved)
        message = repair.message or f"Replace with `{_one_line(shown)}`"
        return Fix(message, licence.applicability, tuple(sorted(set(edits))), licence.reason)

    def _cleaned(
        self,
        edits: list[Edit],
        replaced: list[tuple[cst.BaseExpression, Span]],
        moved: list[Span],
    ) -> list[Edit]:
        """Return the edits, with removals of what only the replaced parts have read."""
        new = "\n".join(edit.content for edit in edits)
        for removal in self._leftovers.of(replaced, new, moved):
            within = [edit for edit in edits if removal.span.contains(edit.span)]
            added = [edit.content for edit in within if edit.span.start == edit.span.end]
            if len(added) > 1:
                return edits
            others = [edit for edit in edits if edit not in within]
            span = removal.inside if added else removal.span
            content = added[0].strip() if added else removal.content
            if removal.content and added:
                content = f"{removal.content}\n{content}"
            others.append(edit_at(self.source, span, content))
            if _clash(others):
                return edits
            edits = others
        return edits

    def _exchanged(
        self,
        repair: Repair,
        verdict: Verdict,
        found: Substitution,
        licence: Licence,
    ) -> Fix:
        """Return the fix that exchanges the layers where they are constructed."""
        layers, call = repair.layers, verdict.occurrence.term.site
        assert layers is not None
        if not isinstance(call, cst.BaseExpression) or verdict.occurrence.term.written is None:
            raise Unrenderable("the operation has no text of its own")
        if verdict.occurrence.term.written.path != layers.loss:
            raise Unrenderable("the loss is not a layer")
        operation = registry.functions(layers.last)[0].operation
        sites = {
            id(occurrence.term.site)
            for occurrence in self.judge.analysis.occurrences
            if occurrence.term.operation is operation
        }
        elsewhere = [
            part.site
            for part in found.passed
            if part.operation is operation and isinstance(part.site, cst.BaseExpression)
        ]
        exchange = LayerExchange(
            self.source, layers, call, lambda node: id(node) in sites, elsewhere
        )
        if licence.reason is None and not exchange.is_private:
            raise Withheld("other code reads the output of the layer")
        if any(map(comments_in, exchange.nodes)):
            licence = licence.only_shown(_COMMENTED)
        edits = [edit_at(self.source, span, text) for span, text in exchange.replacements]
        module, _, name = layers.becomes.rpartition(".")
        if exchange.is_bare and verdict.occurrence.state.environment.lookup(name) is None:
            statement = f"from {module} import {name}"
            edits.append(import_edit(self.source, self.judge.analysis, statement))
        if _clash(edits):
            raise Unrenderable("the edits of the fix overlap")
        message = repair.message or f"Use `{name}`, and remove the last layer"
        return Fix(message, licence.applicability, tuple(sorted(edits)), licence.reason)

    def _check_order(self, repair: Repair, verdict: Verdict, found: Substitution) -> None:
        """Check that the rewrite drops no assignment, exception or stopped gradient."""
        if repair.replace is None and any(map(self._changes_a_variable, found.passed)):
            raise Withheld("the operation modifies its operand in place")
        outside = stops_gradients(verdict.occurrence.state.contexts)
        for part in found.passed:
            made = self._occurrences.get(id(part))
            if made is not None and stops_gradients(made.state.contexts) != outside:
                raise Withheld("an operand is computed without gradients, but the fix would not be")
        if verdict.framework == "math" and found.references:
            raise Withheld("the earlier statement would still raise OverflowError")

    def _check_unchanged(
        self, operands: Iterable[Term], target: Occurrence, node: cst.BaseExpression
    ) -> None:
        """Check that the operands before the target keep their values until the target."""
        whole = self.source.span(node)
        for term in operands:
            if not isinstance(term.site, cst.BaseExpression):
                continue
            if self.source.span(term.site).end <= whole.start:
                place = Place(term.site, target.state.environment)
                self._writes.check_unchanged(term, place, node)

    def _text(self, repair: Repair, found: Substitution, place: Place, renderer: Renderer) -> Text:
        """The text of the rewrite; in place, where an operation then writes over it."""
        template, environment = repair.rewrite.term, place.environment
        if template.operation.kind == "effect":
            return renderer.render(template)  # the same call, with other settings

        def is_fresh(node: cst.CSTNode) -> bool:
            return self._writes.is_fresh(node, environment)

        if not is_fresh(place.node) and self._writes.is_overwritten(place):
            operand, *others = template.operands
            if not all(_is_number(part, found) for part in (*others, *template.settings.values())):
                raise Withheld("the operand is modified in place")
            bound = found.terms.get(operand.detail) if operand.operation is VARIABLE else None
            if bound is None or not self._writes.is_rewritten(
                place, bound.site if operand.detail != repair.replace else place.node
            ):
                raise Withheld("another operand would be modified in place")
            return renderer.render_in_place(template)
        text = renderer.render(template)
        self._writes.check(place, text.code, is_fresh=fresh_text(template, found.terms, is_fresh))
        return text

    def _check_text(self, node: cst.BaseExpression, text: Text) -> None:
        """Check that no name binding is lost, and that the new text is allowed inside f-strings."""
        inside = descendants(node)
        if any(isinstance(part, cst.NamedExpr) for part in inside) and ":=" not in text.code:
            raise Withheld("the code to be replaced binds a name with `:=`")
        around = self.source.parent(node)
        while around is not None and not isinstance(around, cst.BaseStatement):
            if isinstance(around, cst.FormattedString) and ('"' in text.code or "'" in text.code):
                raise Unrenderable("quotation marks end a formatted string before Python 3.12")
            around = self.source.parent(around)

    def _is_private(self, part: Term, found: Substitution) -> bool:
        """Whether the object that an in-place operation writes into has no name but its result's.

        An example is `p = softmax(x); p = p.log_()`, where nothing else reads the first `p`.
        """
        if part.written is None or not part.written.inplace or self._changes_a_variable(part):
            return False
        receiver = part.operands[0]
        made = peel(receiver)
        if receiver.operation is not REFERENCE or not isinstance(made.site, cst.BaseExpression):
            return False
        occurrence = self._occurrences.get(id(made))
        if occurrence is None or not self._writes.is_fresh(made.site, occurrence.state.environment):
            return False
        try:
            self._check_private(receiver.operands[0], found)
        except Unrenderable:
            return False
        return True

    def _changes_a_variable(self, part: Term) -> bool:
        """Whether an in-place operation changes a variable other than its result's."""
        if part.written is None or not part.written.inplace:
            return False
        receiver = part.operands[0]
        if receiver.operation is not REFERENCE or receiver.detail is None:
            return False
        definition = self.judge.analysis.definitions.get(id(part))
        target = definition[0].targets[0] if definition is not None else None
        return not (isinstance(target, ir.Name) and target.name == receiver.detail)

    def _targets(self, repair: Repair, verdict: Verdict, found: Substitution) -> list[Occurrence]:
        """Return the operations whose text is replaced."""
        if repair.replace is None:
            return [verdict.occurrence]
        targets: dict[int, Occurrence] = {}
        places = found.places.get(repair.replace, ())
        wraps = repair.replace in repair.rewrite.variables()
        root = self.source.span(verdict.occurrence.term.site)
        for place in places:
            inner = place
            if not wraps:
                while inner.operation is REFERENCE and inner.detail is not None:
                    inner = inner.operands[0]
            if not isinstance(inner.site, cst.BaseExpression):
                raise Unrenderable("the operand has no text of its own")
            if not root.contains(self.source.span(inner.site)):
                for reference in found.references:
                    self._check_private(reference.operands[0], found, places)
            occurrence = self._occurrence_of(inner, verdict, found)
            if occurrence.scope is not verdict.occurrence.scope:
                raise Withheld("the operation is in another function")
            targets[id(occurrence.term.site)] = occurrence
        if not targets:
            raise Unrenderable("nothing to replace")
        return list(targets.values())

    def _check_private(
        self, definition: Term, found: Substitution, replaced: Sequence[Term] | None = None
    ) -> None:
        """Check that only the match reads a definition, which may then change.

        If a part of the match is `replaced`, its other parts go on reading the definition.
        """
        if any(
            "." in str(reference.detail)
            for reference in found.references
            if reference.operands[0] is definition
        ):
            raise Withheld("other code may read the attribute")
        readers = self.judge.analysis.references.get(id(definition), [])
        matched = {id(reference) for reference in found.references}
        bound = itertools.chain(*found.places.values()) if replaced is None else replaced
        matched.update(map(id, bound))
        if any(id(reader) not in matched for reader in readers):
            raise Withheld("the variable has other uses")

    def _occurrence_of(self, term: Term, verdict: Verdict, found: Substitution) -> Occurrence:
        """Return the occurrence of `term`, or one at the nearest operation around it."""
        occurrence = self._occurrences.get(id(term))
        if occurrence is not None:
            return occurrence
        span = self.source.span(term.site)
        around = [verdict.occurrence]
        around += [
            self._occurrences[id(part)] for part in found.passed if id(part) in self._occurrences
        ]
        for candidate in reversed(around):
            site = candidate.term.site
            if site is not None and self.source.span(site).contains(span):
                return Occurrence(term, candidate.state, candidate.scope)
        raise Unrenderable("the operation is made elsewhere")

    def _drops_label(self, found: Substitution, span: Span, text: str) -> bool:
        """Whether a `name=` argument that something else may look up would be dropped."""
        for part in found.passed:
            if not isinstance(part.site, cst.Call):
                continue
            if not span.contains(self.source.span(part.site)):
                continue
            for argument in part.site.args:
                if (
                    argument.keyword is not None
                    and argument.keyword.value == "name"
                    and (self.source.slice(self.source.span(argument.value)) not in text)
                ):
                    return True
        return False


def _is_number(template: Term, found: Substitution) -> bool:
    """Whether a part of a rewrite is certainly a number, or left out."""
    if template.operation is VARIABLE:
        bound = found.terms.get(template.detail)
        return bound is None or number_of(bound) is not None
    if template.operation is CONSTANT:
        return number_of(template) is not None
    return bool(template.operands) and all(_is_number(part, found) for part in template.operands)


def _clash(edits: list[Edit]) -> bool:
    ordered = sorted(set(edits))
    return any(first.span.overlaps(second.span) for first, second in itertools.pairwise(ordered))


def _one_line(text: str) -> str:
    return " ".join(text.split())


__all__ = ["Repairer", "names_in"]
