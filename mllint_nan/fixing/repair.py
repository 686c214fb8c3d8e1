"""From a verdict to a fix: the first repair of the rule that can be written at this place."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

import libcst as cst

from mllint_nan.domains.truth import Truth
from mllint_nan.findings import Applicability, Edit, Fix, Hazard, Span
from mllint_nan.fixing.generations import is_before_one
from mllint_nan.fixing.layers import LayerExchange
from mllint_nan.fixing.leftovers import Leftovers
from mllint_nan.fixing.lifting import role_of, statement_of
from mllint_nan.fixing.lines import StatementLines
from mllint_nan.fixing.writes import Place, Writes, fresh_text
from mllint_nan.flow.formats import dtype_of
from mllint_nan.flow.names import path_of
from mllint_nan.flow.numbers import rests_on_parameters
from mllint_nan.flow.state import Occurrence, Origin, Scope, State
from mllint_nan.frameworks import registry
from mllint_nan.ir import program as ir
from mllint_nan.ir.kind import Kind
from mllint_nan.ir.term import (
    CONSTANT,
    OPAQUE,
    QUALIFIED,
    REFERENCE,
    SEQUENCE,
    VARIABLE,
    Term,
    names_in,
    number_of,
    peel,
    walk,
)
from mllint_nan.rulebook.floors import parameters_of
from mllint_nan.rulebook.formats import kept_in
from mllint_nan.rulebook.judge import Judge, Verdict
from mllint_nan.rulebook.match import Substitution
from mllint_nan.rulebook.meant import Intent
from mllint_nan.rulebook.pattern import THEN
from mllint_nan.rulebook.predicates.context import stops_gradients
from mllint_nan.rulebook.rule import Repair
from mllint_nan.syntax.imports import import_edit
from mllint_nan.syntax.negation import is_product
from mllint_nan.syntax.render import (
    ATOM,
    POWER,
    PRODUCT,
    SIGN,
    Names,
    Renderer,
    Text,
    Unrenderable,
    comments_in,
    descendants,
    is_cheap,
    is_fixed,
    is_repeatable,
    level_of,
    written_module,
)
from mllint_nan.syntax.source import Source

_COMMENTED: Final = "a comment stands in the code to be replaced"
_LEFT_TO_THE_READER: Final = "whether it fits the program is for you to say"
_GUARDS: Final = frozenset(("clip", "maximum", "where", "nan_to_num"))
_READ_OFTEN = 3
"""From how many times on even what costs little gets a name."""
_SIGN: Final = re.compile(r"[ \t]*(?P<sign>[+-])(?P<rest>=?[ \t]*)")
"""What stands between the operands of a sum or a difference, and of `+=` and `-=`."""


@dataclass(frozen=True, slots=True)
class _Hoist:
    """Give an operand a name of its own, one line above the statement that computes it."""

    statement: Span
    operand: Term
    name: str


@dataclass(frozen=True, slots=True)
class Chosen:
    """The repair of a rule that is written at a place, what its variables are, and the fix."""

    repair: Repair
    found: Substitution
    fix: Fix


class _Visible(Mapping[str, int]):
    """By each name that is bound at a place: the key of the definition that reaches it there."""

    def __init__(self, place: Occurrence) -> None:
        self._environment = place.state.environment
        self._assigned = place.scope.assigned

    def _is_bound(self, name: str) -> bool:
        # A name that the function binds later on is its own, and not bound yet.
        return name not in self._assigned or self._environment.own(name) is not None

    def __getitem__(self, name: str) -> int:
        term = self._environment.lookup(name) if self._is_bound(name) else None
        if term is None:
            raise KeyError(name)
        return term.key

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self._environment.names() if self._is_bound(name))

    def __len__(self) -> int:
        return sum(1 for _ in self)


@dataclass(frozen=True, slots=True)
class Licence:
    """Who may apply a fix, and why nobody may where it is only shown."""

    applicability: Applicability
    reason: str | None = None

    @classmethod
    def of(cls, repair: Repair) -> Licence:
        """What its rule says of a repair."""
        licence = cls(repair.applicability)
        if repair.applicability is Applicability.DISPLAY_ONLY:
            return licence.only_shown(repair.reason or _LEFT_TO_THE_READER)
        return licence

    def not_safe(self) -> Licence:
        """At most unsafe."""
        return replace(self, applicability=min(self.applicability, Applicability.UNSAFE))

    def only_shown(self, reason: str) -> Licence:
        """For a human; the first reason stands."""
        return Licence(Applicability.DISPLAY_ONLY, self.reason or reason)


class Repairer:
    """Writes fixes for the verdicts of one file."""

    def __init__(self, source: Source, judge: Judge) -> None:
        self.source = source
        self.judge = judge
        self._leftovers = Leftovers(source, judge.analysis)
        self._occurrences = {
            id(occurrence.term): occurrence
            for occurrence in (*judge.analysis.occurrences, *judge.analysis.effects)
        }
        self._writes = Writes(
            source,
            {id(one.term.site): one.term for one in judge.analysis.occurrences if one.term.site},
        )
        self._computing: set[int] | None = None
        """The `id` of every call that does nothing but compute; `None` before it is asked for."""

    def chosen(self, verdict: Verdict) -> Chosen | None:
        """The fix of a verdict, or `None` if no repair of its rule can be written."""
        if verdict.occurrence.call is not None:
            return None  # the match lies in two functions, one of which others may call
        for repair in verdict.rule.fixes:
            if repair.frameworks and verdict.framework not in repair.frameworks:
                continue
            found = self._narrowed(repair, verdict)
            if found is None or found.through_choice:
                continue
            licence = self._licence(repair, verdict, found)
            if licence is None:
                continue
            try:
                write = self._written if repair.layers is None else self._exchanged
                if repair.rewrite.term.operation is THEN:
                    write = self._preceded
                fix = write(repair, verdict, found, licence)
                return Chosen(repair, found, fix)
            except Unrenderable:
                continue
        return None

    def _narrowed(self, repair: Repair, verdict: Verdict) -> Substitution | None:
        if repair.match is None:
            return verdict.found
        for found in self.judge.matcher.match(repair.match.term, verdict.occurrence.term):
            shared = found.terms.keys() & verdict.found.terms.keys()
            if all(_same(found.terms[name], verdict.found.terms[name]) for name in shared):
                merged = {**verdict.found.terms, **found.terms}
                rest = {**verdict.found.rest, **found.rest}
                places = {**verdict.found.places, **found.places}
                return replace(found, terms=merged, rest=rest, places=places)
        return None

    def _licence(self, repair: Repair, verdict: Verdict, found: Substitution) -> Licence | None:
        licence = Licence.of(repair)
        if any(reference.written is not None for reference in found.references):
            licence = licence.not_safe()  # a subclass may differ
        kept = self._parameters(verdict)
        if any(
            kept[name] != verdict.rule.parameters[name]
            for name in repair.rewrite.variables() & kept.keys() - found.terms.keys()
        ):
            licence = licence.not_safe()  # it moves more than it says
        context = self.judge.context(verdict, found)
        if self.judge.origin(context) >= Origin.STRANGE:
            licence = licence.only_shown("its operand may be no tensor")
        if verdict.framework == "jax" and self._is_handed_on(verdict.occurrence.scope):
            licence = licence.only_shown("whatever takes the lambda may read its operations")
        if self._guards(repair, verdict) and self.judge.intent(context) > Intent.NONE:
            licence = licence.only_shown("the program looks for what it would take away")
        for condition in repair.requires:
            match self.judge.holds(condition, context):
                case Truth.NO:
                    return None
                case Truth.UNKNOWN:
                    licence = licence.not_safe()
                case Truth.YES:
                    pass
        return licence

    def _is_handed_on(self, scope: Scope) -> bool:
        """Whether a lambda is kept in a container, or given to what no framework of ours is.

        JAX lets others read a function as its list of primitive operations; they may know a
        logarithm and an exponential, and not the function with a derivative of its own that
        stands for both.
        """
        return any(
            consumer.operation is SEQUENCE
            or (
                consumer.operation is OPAQUE
                and str(consumer.detail).startswith("call ")
                and registry.framework_of(str(consumer.detail).removeprefix("call ")) is None
                and not str(consumer.detail).startswith("call builtins.")
                and consumer.operands[0].key != outer.key
            )
            for outer in scope.enclosing()
            if outer.name == "<lambda>"
            for consumer in self.judge.analysis.consumers.get(outer.key, ())
        )

    def _guards(self, repair: Repair, verdict: Verdict) -> bool:
        """Whether a repair makes a value finite by decree, instead of computing it otherwise."""
        if verdict.case.hazard is not Hazard.VALUE:
            return False
        if repair.rewrite.variables() & verdict.rule.parameters.keys():
            return True
        kinds = {part.operation.name for part in walk(repair.rewrite.term)}
        return repair.applicability is not Applicability.SAFE or bool(kinds & _GUARDS)

    def _parameters(self, verdict: Verdict) -> Mapping[str, float]:
        return kept_in(dtype_of(verdict.occurrence.term), verdict.rule.parameters)

    # Writing

    def _written(
        self,
        repair: Repair,
        verdict: Verdict,
        found: Substitution,
        licence: Licence,
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
            renderer = self._renderer(verdict, found, target, span, repair)
            hoists = list(self._hoists(repair, found, target, span, renderer))
            for hoist in hoists:
                early = Place(_node(hoist), target.state.environment)
                self._writes.check_early(hoist.operand, early, node)
            bound = [found.terms.get(name) for name in sorted(repair.rewrite.variables())]
            self._check_unchanged(
                [one for one in bound if one and id(one) not in renderer.substituted], target, node
            )
            is_private = repair.replace is None and self._is_private(target.term, found)
            place = Place(node, target.state.environment, is_private)
            text = self._text(repair, found, place, renderer)
            self._check_text(node, text)
            was = self._kind(verdict, found, target.term)
            if was is Kind.NUMBER and renderer.kind(repair.rewrite.term) is Kind.TENSOR:
                raise Unrenderable("a number would become a tensor")
            if renderer.is_unsettled:
                licence = licence.only_shown(
                    "its operand may be a number, for which it would raise"
                )
            edits.append(self._replacement(node, text))
            replaced.append((node, edits[-1].span))
            moved += [self.source.span(_node(hoist)) for hoist in hoists]
            edits += [edit for hoist in hoists for edit in self._hoisted(hoist, span)]
            imports += renderer.imports
            shown = shown or text.code
            if comments_in(node) or any(comments_in(_node(hoist)) for hoist in hoists):
                licence = licence.only_shown(_COMMENTED)
            if self._drops_label(found, span, text.code):
                licence = licence.not_safe()
        for statement in dict.fromkeys(imports):
            edits.append(import_edit(self.source, self.judge.analysis, statement))
        if _clash(edits):
            raise Unrenderable("the edits of the fix overlap")
        edits = self._cleaned(edits, replaced, moved)
        message = repair.message or f"Replace by `{_one_line(shown)}`"
        return Fix(message, licence.applicability, tuple(sorted(set(edits))), licence.reason)

    def _cleaned(
        self,
        edits: list[Edit],
        replaced: list[tuple[cst.BaseExpression, Span]],
        moved: list[Span],
    ) -> list[Edit]:
        """The edits with those that take away what only the replaced parts have read."""
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
            others.append(self._edit(span, content))
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
        """The fix that exchanges the layers where they are made."""
        layers, call = repair.layers, verdict.occurrence.term.site
        assert layers is not None
        if not isinstance(call, cst.BaseExpression) or verdict.occurrence.term.written is None:
            raise Unrenderable("the operation has no text of its own")
        if verdict.occurrence.term.written.path != layers.loss:
            raise Unrenderable("the loss is no layer")
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
            raise Unrenderable("something else reads the output of the layer")
        if any(map(comments_in, exchange.nodes)):
            licence = licence.only_shown(_COMMENTED)
        edits = [self._edit(span, text) for span, text in exchange.replacements]
        module, _, name = layers.becomes.rpartition(".")
        if exchange.is_bare and verdict.occurrence.state.environment.lookup(name) is None:
            statement = f"from {module} import {name}"
            edits.append(import_edit(self.source, self.judge.analysis, statement))
        if _clash(edits):
            raise Unrenderable("the edits of the fix overlap")
        message = repair.message or f"Make `{name}`, and take the last layer out"
        return Fix(message, licence.applicability, tuple(sorted(edits)), licence.reason)

    def _preceded(
        self,
        repair: Repair,
        verdict: Verdict,
        found: Substitution,
        licence: Licence,
    ) -> Fix:
        """The fix that has a call made in the line above; one that the match names is moved."""
        call, node = repair.rewrite.term.operands[0], verdict.occurrence.term.site
        lines = StatementLines(self.source)
        bound = found.terms.get(call.detail) if call.operation is VARIABLE else None
        made = bound if bound is not None else call
        parts = [
            found.terms.get(part.detail) if part.operation is VARIABLE else part
            for part in made.operands
        ]
        if not all(_is_known_by_name(part, verdict.occurrence) for part in parts):
            raise Unrenderable("the name holds something else by then")
        receiver, *arguments = (lines.text_of(part) for part in parts)
        spelling = registry.spelling_of_effect(made.operation, verdict.framework)
        text = f"{receiver}.{spelling.name}({', '.join(arguments)})"
        edits = [lines.inserted_above(node, text)]
        if bound is not None:
            edits.append(lines.removed(bound.site))
        message = repair.message or f"Call `{text}` before it"
        return Fix(message, licence.applicability, tuple(sorted(edits)), licence.reason)

    def _check_order(self, repair: Repair, verdict: Verdict, found: Substitution) -> None:
        """Neither an assignment nor an exception may be among what the rewrite leaves out."""
        if repair.replace is None and any(map(self._changes_a_variable, found.passed)):
            raise Unrenderable("the operation writes into its operand")
        outside = stops_gradients(verdict.occurrence.state.contexts)
        for part in found.passed:
            made = self._occurrences.get(id(part))
            if made is not None and stops_gradients(made.state.contexts) != outside:
                raise Unrenderable("an operand is made where no gradient flows")
        if verdict.framework == "math" and found.references:
            raise Unrenderable("the earlier statement would still raise OverflowError")

    def _check_unchanged(
        self, operands: Iterable[Term], target: Occurrence, node: cst.BaseExpression
    ) -> None:
        """What the rewrite reads at the target still holds what it held where it was read."""
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
                raise Unrenderable("the operand is written into")
            bound = found.terms.get(operand.detail) if operand.operation is VARIABLE else None
            if bound is None or not self._writes.is_rewritten(
                place, bound.site if operand.detail != repair.replace else place.node
            ):
                raise Unrenderable("another operand would be written into")
            return renderer.render_in_place(template)
        text = renderer.render(template)
        self._writes.check(place, text.code, is_fresh=fresh_text(template, found.terms, is_fresh))
        return text

    def _check_text(self, node: cst.BaseExpression, text: Text) -> None:
        """What the text leaves out binds no name, and what it adds may stand where it goes."""
        inside = descendants(node)
        if any(isinstance(part, cst.NamedExpr) for part in inside) and ":=" not in text.code:
            raise Unrenderable("a name is bound inside")
        around = self.source.parent(node)
        while around is not None and not isinstance(around, cst.BaseStatement):
            if isinstance(around, cst.FormattedString) and ('"' in text.code or "'" in text.code):
                raise Unrenderable("quotation marks end a formatted string before Python 3.12")
            around = self.source.parent(around)

    def _is_private(self, part: Term, found: Substitution) -> bool:
        """Whether the object that an in-place operation writes into has no name but its result's.

        So it is in `p = softmax(x); p = p.log_()`, where nothing else reads the first `p`.
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
        """Whether an in-place operation leaves its result in another variable than its own."""
        if part.written is None or not part.written.inplace:
            return False
        receiver = part.operands[0]
        if receiver.operation is not REFERENCE or receiver.detail is None:
            return False
        definition = self.judge.analysis.definitions.get(id(part))
        target = definition[0].targets[0] if definition is not None else None
        return not (isinstance(target, ir.Name) and target.name == receiver.detail)

    def _targets(self, repair: Repair, verdict: Verdict, found: Substitution) -> list[Occurrence]:
        """The operations whose text is replaced."""
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
                    self._check_private(reference.operands[0], found)
            occurrence = self._occurrence_of(inner, verdict, found)
            if occurrence.scope is not verdict.occurrence.scope:
                raise Unrenderable("the operation is made in another function")
            targets[id(occurrence.term.site)] = occurrence
        if not targets:
            raise Unrenderable("nothing to replace")
        return list(targets.values())

    def _check_private(self, definition: Term, found: Substitution) -> None:
        """A definition may change only if nothing but the match reads it."""
        if any(
            "." in str(reference.detail)
            for reference in found.references
            if reference.operands[0] is definition
        ):
            raise Unrenderable("others may read the attribute")
        readers = self.judge.analysis.references.get(id(definition), [])
        matched = {id(reference) for reference in found.references}
        matched |= {id(place) for places in found.places.values() for place in places}
        if any(id(reader) not in matched for reader in readers):
            raise Unrenderable("the variable has other uses")

    def _occurrence_of(self, term: Term, verdict: Verdict, found: Substitution) -> Occurrence:
        """What holds where `term` is written: itself, or the nearest operation around it."""
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

    def _renderer(
        self,
        verdict: Verdict,
        found: Substitution,
        target: Occurrence,
        span: Span,
        repair: Repair,
    ) -> Renderer:
        written = [(module, text) for module, text in self._written_callees(verdict, found, target)]
        visible = _Visible(target)
        modules = tuple(
            (name, path) for name, path in target.state.environment.modules() if name in visible
        )
        generation = self._generation(found, verdict.framework)
        own = target.term.written if repair.replace is not None else None
        methods = [
            part.written.method
            for part in ((target.term,) if own is not None else found.passed)
            if part.written is not None
        ]
        return Renderer(
            self.source,
            verdict.framework,
            Names(modules, tuple(dict.fromkeys(written)), generation),
            span,
            found.terms,
            visible,
            parameters_of(self.judge, verdict, repair, found),
            prefers_methods=bool(methods) and all(methods),
            taken=tuple(
                outer.assigned for outer in target.scope.enclosing() if outer.kind == "function"
            ),
            rests={
                name: tuple((key, term) for key, term in pairs if not key.lstrip("-").isdigit())
                for name, pairs in found.rest.items()
            },
            kinds=self._kinds(verdict, found, repair),
        )

    def _kinds(self, verdict: Verdict, found: Substitution, repair: Repair) -> Mapping[str, Kind]:
        """Which variables of the rewrite are numbers, and which tensors."""
        bound = ((name, found.terms.get(name)) for name in repair.rewrite.variables())
        return {name: self._kind(verdict, found, term) for name, term in bound if term is not None}

    def _kind(self, verdict: Verdict, found: Substitution, term: Term) -> Kind:
        """JAX may hand on as a tracer what a function was given: no number to be sure of."""
        kind = self.judge.context(verdict, found).kind(term)
        is_traced = verdict.framework == "jax" and rests_on_parameters(term)
        return Kind.UNKNOWN if is_traced and kind is Kind.NUMBER else kind

    def _written_callees(
        self, verdict: Verdict, found: Substitution, target: Occurrence
    ) -> Iterator[tuple[str, str]]:
        for part in (*reversed(found.passed), target.term):
            if part.written is None or not isinstance(part.written.callee, cst.Attribute):
                continue
            module = written_module(part.written)
            prefix = part.written.callee.value
            if module is None or self._module_at(prefix, target.state) != module:
                continue
            yield from _prefixes(module, self.source.slice(self.source.span(prefix)))

    def _module_at(self, prefix: cst.BaseExpression, state: State) -> str | None:
        """The canonical module that a dotted name stands for."""
        names: list[str] = []
        while isinstance(prefix, cst.Attribute):
            names.append(prefix.attr.value)
            prefix = prefix.value
        if not isinstance(prefix, cst.Name):
            return None
        bound = state.environment.lookup(prefix.value)
        if bound is None or peel(bound).operation is not QUALIFIED:
            return None
        path = ".".join((str(peel(bound).detail), *reversed(names)))
        module = registry.canonical_path(f"{path}.").rstrip(".")
        # A submodule that the tables list under its parent does not have all of its members.
        is_part = path.rpartition(".")[2] != module.rpartition(".")[2] and ".compat." not in path
        return None if is_part else module

    def _generation(self, found: Substitution, framework: str) -> str | None:
        if framework == "tensorflow" and is_before_one(self.judge.analysis):
            return registry.BEFORE_ONE
        for part in found.passed:
            if part.written is not None and not part.written.method:
                generation = registry.generation_of(part.written.path)
                if generation:
                    return generation
        return None

    def _replacement(self, node: cst.BaseExpression, text: Text) -> Edit:
        """The edit that puts `text` in place of `node`, and drops parentheses it had to have."""
        if text.has_minus and "\n" not in text.code and not _leads_with_minus(node):
            merged = self._merged(node, text.without_minus())
            if merged is not None:
                return merged
        whole = self.source.outside_parentheses(node)
        before = self.source.text[max(whole.start - 1, 0) : whole.start]
        if (
            node.lpar
            and text.level >= ATOM
            and "\n" not in self.source.slice(whole)
            and not (before.isalnum() or before == "_")
        ):
            return self._edit(whole, text.code)
        return self._edit(self.source.span(node), self._fitted(node, text))

    def _merged(self, node: cst.BaseExpression, opposite: Text) -> Edit | None:
        """The edit where `-opposite` follows a sign: `- -x` is `+ x`, and `-(-x)` is `x`."""
        parent = self.source.parent(node)
        if isinstance(parent, cst.UnaryOperation) and isinstance(parent.operator, cst.Minus):
            return None if comments_in(parent) else self._replacement(parent, opposite)
        if isinstance(parent, cst.BinaryOperation) and is_product(parent):
            return self._merged_product(node, parent, opposite)
        whole = self.source.outside_parentheses(node)
        if isinstance(parent, cst.BinaryOperation) and parent.right is node:
            before = self.source.outside_parentheses(parent.left).end
        elif isinstance(parent, cst.AugAssign):
            before = self.source.outside_parentheses(parent.target).end
        else:
            return None
        sign = _SIGN.fullmatch(self.source.text, before, whole.start)
        if sign is None:
            return None
        turned = "-" if sign["sign"] == "+" else "+"
        text = f"{turned}{sign['rest']}{opposite.at(PRODUCT)}"
        return self._edit(Span(sign.start("sign"), whole.end), text)

    def _merged_product(
        self, node: cst.BaseExpression, product: cst.BinaryOperation, opposite: Text
    ) -> Edit | None:
        """The same of a product with the factor `-opposite` that has or follows another minus."""
        span = self.source.span(product)
        if comments_in(product) or "\n" in self.source.slice(span):
            return None
        factor = self.source.outside_parentheses(node)
        text = opposite.at(PRODUCT + (product.right is node))
        after = f"{text}{self.source.text[factor.end : span.end]}"
        before = self.source.text[span.start : factor.start]
        if product.right is node and _leads_with_minus(product.left):
            return self._edit(span, f"{before[1:].lstrip()}{after}")
        return self._merged(product, Text(before + after, PRODUCT))

    def _fitted(self, node: cst.BaseExpression, text: Text) -> str:
        """The text with parentheses where its place asks for them."""
        if text.level >= ATOM or node.lpar or text.level >= level_of(node):
            return text.code
        parent = self.source.parent(node)
        if isinstance(parent, cst.BinaryOperation) and parent.right is node:
            level = level_of(parent)
            return text.at(SIGN if level == POWER else level + 1)
        if isinstance(parent, cst.BinaryOperation) and level_of(parent) != POWER:
            return text.at(level_of(parent))
        if isinstance(
            parent,
            cst.Arg
            | cst.Assign
            | cst.AnnAssign
            | cst.AugAssign
            | cst.Return
            | cst.Expr
            | cst.Index
            | cst.Element,
        ):
            return text.code
        return f"({text.code})"

    def _edit(self, span: Span, content: str) -> Edit:
        lines = self.source.lines
        return Edit(span, content, lines.position(span.start), lines.position(span.end))

    # Hoisting

    def _hoists(
        self,
        repair: Repair,
        found: Substitution,
        target: Occurrence,
        span: Span,
        renderer: Renderer,
    ) -> Iterator[_Hoist]:
        """Operands of another statement that would cost or change something if computed again."""
        for name in sorted(repair.rewrite.variables()):
            term = found.terms.get(name)
            if term is None or not isinstance(term.site, cst.BaseExpression):
                continue
            inside = span.contains(self.source.span(term.site))
            is_short = is_cheap(term) or (term.operation.kind == "leaf" and _is_dotted(term.site))
            if inside and (is_short or repair.rewrite.uses(name) < 2):
                continue
            if not inside and is_fixed(term):
                continue
            is_repeated = is_repeatable(term) and renderer.is_unchanged(term)
            if is_repeated and (not inside or repair.rewrite.uses(name) < _READ_OFTEN):
                continue
            hoist = self._hoist(term, found, target)
            if hoist is None and inside:
                hoist = self._lifted(term, found, target)
            if hoist is not None:
                renderer.substituted[id(term)] = hoist.name
                yield hoist

    def _hoist(self, term: Term, found: Substitution, target: Occurrence) -> _Hoist | None:
        """The statement that computes `term` first of all, on a line of its own."""
        assert isinstance(term.site, cst.BaseExpression)
        for part in found.passed:
            definition = self.judge.analysis.definitions.get(id(part))
            if definition is None:
                continue
            statement, scope = definition
            if scope is not target.scope or not isinstance(
                statement.value.site, cst.BaseExpression
            ):
                continue
            whole = self.source.span(statement.value.site)
            if not whole.contains(self.source.span(term.site)):
                continue
            if not _is_first(part, term):
                return None
            variable = statement.targets[0]
            assert isinstance(variable, ir.Name)
            kind = "condition" if term.operation.kind == "comparison" else _role(part)
            name = self._new_name(variable.name, kind, target.scope, target.state)
            return _Hoist(self.source.span(statement.site), term, name)
        return None

    def _lifted(self, term: Term, found: Substitution, target: Occurrence) -> _Hoist | None:
        """The operand on a line above its own statement; `None` if it may as well be repeated."""
        assert isinstance(term.site, cst.BaseExpression)
        statement = statement_of(self.source, term.site, self._acts)
        if statement is None or target.scope.kind == "class":
            if is_repeatable(term):
                return None
            raise Unrenderable("the operand would be computed twice")
        divides = any(part.operation.name == "div" for part in found.passed)
        role = role_of(term) or ("divisor" if divides else "operand")
        bound = [outer.assigned for outer in target.scope.enclosing()]
        for name in (role, f"{role}_1", f"{role}_2"):
            is_taken = any(name in names for names in bound)
            if not is_taken and target.state.environment.lookup(name) is None:
                return _Hoist(statement, term, name)
        raise Unrenderable("no free name")

    def _acts(self, call: cst.Call) -> bool:
        """Whether a call may do more than compute: it is no operation, or one in place."""
        if self._computing is None:
            self._computing = {
                id(occurrence.term.site)
                for occurrence in self.judge.analysis.occurrences
                if occurrence.term.written is None or not occurrence.term.written.inplace
            }
        return id(call) not in self._computing

    def _new_name(self, variable: str, kind: str, scope: Scope, state: State) -> str:
        for suffix in (f"_{kind}", "_operand", "_argument", f"_{kind}_1"):
            name = variable + suffix
            if name not in scope.assigned and state.environment.lookup(name) is None:
                return name
        raise Unrenderable("no free name")

    def _hoisted(self, hoist: _Hoist, target: Span) -> list[Edit]:
        node = _node(hoist)
        statement_span = hoist.statement
        operand_span = self.source.span(node)
        line_start = self.source.lines.start_of(
            self.source.lines.position(statement_span.start).row
        )
        indent = self.source.text[line_start : statement_span.start]
        if indent.strip():
            raise Unrenderable("the definition shares its line")
        code = self.source.slice(operand_span)
        if "\n" in code and level_of(node) < ATOM:
            code = f"({code})"
        newline = self.source.module.default_newline
        before = Span(statement_span.start, statement_span.start)
        inserted = self._edit(before, f"{hoist.name} = {code}{newline}{indent}")
        if target.contains(operand_span):  # what replaces the target speaks of the new name
            return [inserted]
        return [inserted, self._edit(operand_span, hoist.name)]

    def _drops_label(self, found: Substitution, span: Span, text: str) -> bool:
        """Whether a `name=` that something else may look up would vanish."""
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


def _is_known_by_name(part: Term | None, place: Occurrence) -> bool:
    """Whether the name or attribute that a later call reads holds the same at an earlier place."""
    path = path_of(part) if part is not None else ""
    if not path or part is None:
        return False
    name, _, rest = path.partition(".")
    if name == "self":
        return True
    base = part
    while base.operation is not REFERENCE:
        base = base.operands[0]
    held = place.state.environment.lookup(str(base.detail) if not rest else name)
    return held is not None and (held.key == base.key or "." in str(base.detail))


def _is_dotted(node: cst.BaseExpression) -> bool:
    """A name, or an attribute of one."""
    while isinstance(node, cst.Attribute):
        node = node.value
    return isinstance(node, cst.Name)


def _leads_with_minus(node: cst.BaseExpression) -> bool:
    """Whether a product begins with a minus that holds for all of it."""
    while isinstance(node, cst.BinaryOperation) and not node.lpar and is_product(node):
        node = node.left
    return (
        isinstance(node, cst.UnaryOperation)
        and isinstance(node.operator, cst.Minus)
        and not node.lpar
    )


def _role(part: Term) -> str:
    """What the operand of an operation is called."""
    return "logits" if peel(part).operation.name in ("softmax", "sigmoid") else "input"


def _node(hoist: _Hoist) -> cst.BaseExpression:
    assert isinstance(hoist.operand.site, cst.BaseExpression)
    return hoist.operand.site


def _is_first(part: Term, operand: Term) -> bool:
    """Whether `operand` is what evaluating `part` computes before anything else."""
    while True:
        part = peel(part)
        if not part.operands:
            return False
        first = part.operands[0]
        if first is operand:
            return True
        if first.operation is REFERENCE or part.operation.kind == "leaf":
            return False
        part = first


def _prefixes(module: str, text: str) -> Iterator[tuple[str, str]]:
    """`torch.nn.functional` as `torch.nn.functional`, and `torch.nn` as `torch.nn`, …"""
    while module and text:
        yield module, text
        module, _, last = module.rpartition(".")
        text, _, written = text.rpartition(".")
        if last != written:
            return


def _same(first: Term | None, second: Term | None) -> bool:
    if first is None or second is None:
        return first is second
    return first.key == second.key


def _is_number(template: Term, found: Substitution) -> bool:
    """Whether a part of a rewrite is a number whatever else happens, or left out."""
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
