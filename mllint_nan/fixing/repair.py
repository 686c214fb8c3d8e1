"""From a verdict to a fix: the first repair of the rule that can be written at this place."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import libcst as cst

from mllint_nan.domains.truth import Truth
from mllint_nan.findings import Applicability, Edit, Fix, Span
from mllint_nan.fixing.layers import LayerExchange
from mllint_nan.flow.formats import dtype_of
from mllint_nan.flow.numbers import rests_on_parameters
from mllint_nan.flow.state import Occurrence, Scope, State
from mllint_nan.frameworks import registry
from mllint_nan.ir import program as ir
from mllint_nan.ir.kind import Kind
from mllint_nan.ir.term import QUALIFIED, REFERENCE, Term, names_in, peel
from mllint_nan.rulebook.formats import kept_in
from mllint_nan.rulebook.judge import Judge, Verdict
from mllint_nan.rulebook.match import Substitution
from mllint_nan.rulebook.predicates.context import stops_gradients
from mllint_nan.rulebook.rule import Repair
from mllint_nan.syntax.imports import import_edit
from mllint_nan.syntax.render import (
    ATOM,
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


@dataclass(frozen=True, slots=True)
class _Hoist:
    """Give an operand a name of its own, one line above the statement that computes it."""

    statement: ir.Assign
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


class Repairer:
    """Writes fixes for the verdicts of one file."""

    def __init__(self, source: Source, judge: Judge) -> None:
        self.source = source
        self.judge = judge
        self._occurrences = {
            id(occurrence.term): occurrence for occurrence in judge.analysis.occurrences
        }

    def chosen(self, verdict: Verdict) -> Chosen | None:
        """The fix of a verdict, or `None` if no repair of its rule can be written."""
        for repair in verdict.rule.fixes:
            if repair.frameworks and verdict.framework not in repair.frameworks:
                continue
            found = self._narrowed(repair, verdict)
            if found is None or found.through_choice:
                continue
            applicability = self._licence(repair, verdict, found)
            if applicability is None:
                continue
            try:
                write = self._written if repair.layers is None else self._exchanged
                fix = write(repair, verdict, found, applicability)
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

    def _licence(
        self, repair: Repair, verdict: Verdict, found: Substitution
    ) -> Applicability | None:
        applicability = repair.applicability
        if any(reference.written is not None for reference in found.references):
            applicability = min(applicability, Applicability.UNSAFE)  # a subclass may differ
        kept = self._parameters(verdict)
        if any(
            kept[name] != verdict.rule.parameters[name]
            for name in repair.rewrite.variables() & kept.keys() - found.terms.keys()
        ):
            applicability = min(applicability, Applicability.UNSAFE)  # it moves more than it says
        context = self.judge.context(verdict, found)
        for condition in repair.requires:
            match self.judge.holds(condition, context):
                case Truth.NO:
                    return None
                case Truth.UNKNOWN:
                    applicability = min(applicability, Applicability.UNSAFE)
                case Truth.YES:
                    pass
        return applicability

    def _parameters(self, verdict: Verdict) -> Mapping[str, float]:
        return kept_in(dtype_of(verdict.occurrence.term), verdict.rule.parameters)

    # Writing

    def _written(
        self,
        repair: Repair,
        verdict: Verdict,
        found: Substitution,
        applicability: Applicability,
    ) -> Fix:
        edits: list[Edit] = []
        imports: list[str] = []
        shown = ""
        self._check_order(repair, verdict, found)
        for target in self._targets(repair, verdict, found):
            node = target.term.site
            if not isinstance(node, cst.BaseExpression):
                raise Unrenderable("the operation has no text of its own")
            span = self.source.span(node)
            renderer = self._renderer(verdict, found, target, span, repair)
            hoists = list(self._hoists(repair, found, target, span, renderer))
            text = renderer.render(repair.rewrite.term)
            self._check_text(node, text)
            was = self._kind(verdict, found, target.term)
            if was is Kind.NUMBER and renderer.kind(repair.rewrite.term) is Kind.TENSOR:
                raise Unrenderable("a number would become a tensor")
            if renderer.is_unsettled:  # it would raise for a number
                applicability = Applicability.DISPLAY_ONLY
            edits.append(self._replacement(node, text))
            edits += [edit for hoist in hoists for edit in self._hoisted(hoist, span)]
            imports += renderer.imports
            shown = shown or text.code
            if comments_in(node) or any(comments_in(_node(hoist)) for hoist in hoists):
                applicability = Applicability.DISPLAY_ONLY
            if self._drops_label(found, span, text.code):
                applicability = min(applicability, Applicability.UNSAFE)
        for statement in dict.fromkeys(imports):
            edits.append(import_edit(self.source, self.judge.analysis, statement))
        if _clash(edits):
            raise Unrenderable("the edits of the fix overlap")
        message = repair.message or f"Replace by `{_one_line(shown)}`"
        return Fix(message, applicability, tuple(sorted(set(edits))))

    def _exchanged(
        self,
        repair: Repair,
        verdict: Verdict,
        found: Substitution,
        applicability: Applicability,
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
        if applicability is not Applicability.DISPLAY_ONLY and not exchange.is_private:
            raise Unrenderable("something else reads the output of the layer")
        if any(map(comments_in, exchange.nodes)):
            applicability = Applicability.DISPLAY_ONLY
        edits = [self._edit(span, text) for span, text in exchange.replacements]
        module, _, name = layers.becomes.rpartition(".")
        if exchange.is_bare and verdict.occurrence.state.environment.lookup(name) is None:
            statement = f"from {module} import {name}"
            edits.append(import_edit(self.source, self.judge.analysis, statement))
        if _clash(edits):
            raise Unrenderable("the edits of the fix overlap")
        message = repair.message or f"Make `{name}`, and take the last layer out"
        return Fix(message, applicability, tuple(sorted(edits)))

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
        generation = self._generation(found)
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
            self._parameters(verdict),
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

    def _generation(self, found: Substitution) -> str | None:
        for part in found.passed:
            if part.written is not None and not part.written.method:
                generation = registry.generation_of(part.written.path)
                if generation:
                    return generation
        return None

    def _replacement(self, node: cst.BaseExpression, text: Text) -> Edit:
        """The edit that puts `text` in place of `node`, and drops parentheses it had to have."""
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

    def _fitted(self, node: cst.BaseExpression, text: Text) -> str:
        """The text with parentheses where its place asks for them."""
        if text.level >= ATOM or node.lpar or text.level >= level_of(node):
            return text.code
        parent = self.source.parent(node)
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
            if inside and (is_cheap(term) or repair.rewrite.uses(name) < 2):
                continue
            if not inside and is_fixed(term):
                continue
            if is_repeatable(term) and renderer.is_unchanged(term):
                continue
            hoist = self._hoist(term, found, target)
            if hoist is None and inside:
                continue
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
            return _Hoist(statement, term, name)
        return None

    def _new_name(self, variable: str, kind: str, scope: Scope, state: State) -> str:
        for suffix in (f"_{kind}", "_operand", "_argument", f"_{kind}_1"):
            name = variable + suffix
            if name not in scope.assigned and state.environment.lookup(name) is None:
                return name
        raise Unrenderable("no free name")

    def _hoisted(self, hoist: _Hoist, target: Span) -> list[Edit]:
        node = _node(hoist)
        statement_span = self.source.span(hoist.statement.site)
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


def _clash(edits: list[Edit]) -> bool:
    ordered = sorted(set(edits))
    return any(first.span.overlaps(second.span) for first, second in itertools.pairwise(ordered))


def _one_line(text: str) -> str:
    return " ".join(text.split())


__all__ = ["Repairer", "names_in"]
