"""The renderer of a rewrite: the names, modules and kinds that are known at its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import libcst as cst

from mllint_nan.findings import Span
from mllint_nan.fixing.generations import is_before_one
from mllint_nan.flow.numbers import rests_on_parameters
from mllint_nan.flow.state import Occurrence, State
from mllint_nan.frameworks import registry
from mllint_nan.ir.kind import Kind
from mllint_nan.ir.term import QUALIFIED, Term, peel
from mllint_nan.rulebook.floors import parameters_of
from mllint_nan.rulebook.judge import Judge
from mllint_nan.rulebook.match import Substitution
from mllint_nan.rulebook.rule import Repair
from mllint_nan.rulebook.verdict import Verdict
from mllint_nan.syntax.module_names import Names, written_module
from mllint_nan.syntax.render import Renderer
from mllint_nan.syntax.source import Source


class _Visible(Mapping[str, int]):
    """By each name that is bound at a place: the key of the definition that reaches it."""

    def __init__(self, place: Occurrence) -> None:
        self._environment = place.state.environment
        self._assigned = place.scope.assigned

    def _is_bound(self, name: str) -> bool:
        # A name that the function binds later is local to it, and not bound yet.
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


def _prefixes(module: str, text: str) -> Iterator[tuple[str, str]]:
    """Yield each module of a path with its text: `torch.nn.functional`, then `torch.nn`, …"""
    while module and text:
        yield module, text
        module, _, last = module.rpartition(".")
        text, _, written = text.rpartition(".")
        if last != written:
            return


def renderer_of(
    source: Source,
    judge: Judge,
    verdict: Verdict,
    found: Substitution,
    target: Occurrence,
    span: Span,
    repair: Repair,
) -> Renderer:
    written = [(module, text) for module, text in _written_callees(source, verdict, found, target)]
    visible = _Visible(target)
    modules = tuple(
        (name, path) for name, path in target.state.environment.modules() if name in visible
    )
    generation = _generation(judge, found, verdict.framework)
    own = target.term.written if repair.replace is not None else None
    methods = [
        part.written.method
        for part in ((target.term,) if own is not None else found.passed)
        if part.written is not None
    ]
    return Renderer(
        source,
        verdict.framework,
        Names(modules, tuple(dict.fromkeys(written)), generation),
        span,
        found.terms,
        visible,
        parameters_of(judge, verdict, repair, found),
        prefers_methods=bool(methods) and all(methods),
        taken=tuple(
            outer.assigned for outer in target.scope.enclosing() if outer.kind == "function"
        ),
        rests={
            name: tuple((key, term) for key, term in pairs if not key.lstrip("-").isdigit())
            for name, pairs in found.rest.items()
        },
        kinds=_kinds(judge, verdict, found, repair),
    )


def _kinds(
    judge: Judge, verdict: Verdict, found: Substitution, repair: Repair
) -> Mapping[str, Kind]:
    """Which variables of the rewrite are numbers, and which are tensors."""
    bound = ((name, found.terms.get(name)) for name in repair.rewrite.variables())
    return {name: kind_of(judge, verdict, found, term) for name, term in bound if term is not None}


def kind_of(judge: Judge, verdict: Verdict, found: Substitution, term: Term) -> Kind:
    """Return the kind of a term; in JAX, one computed from parameters may be a tracer."""
    kind = judge.context(verdict, found).kind(term)
    is_traced = verdict.framework == "jax" and rests_on_parameters(term)
    return Kind.UNKNOWN if is_traced and kind is Kind.NUMBER else kind


def _written_callees(
    source: Source, verdict: Verdict, found: Substitution, target: Occurrence
) -> Iterator[tuple[str, str]]:
    for part in (*reversed(found.passed), target.term):
        if part.written is None or not isinstance(part.written.callee, cst.Attribute):
            continue
        module = written_module(part.written)
        prefix = part.written.callee.value
        if module is None or _module_at(prefix, target.state) != module:
            continue
        yield from _prefixes(module, source.slice(source.span(prefix)))


def _module_at(prefix: cst.BaseExpression, state: State) -> str | None:
    """The canonical module that a dotted name refers to."""
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
    # A submodule that the tables list under its parent does not have all of the parent's members.
    is_part = path.rpartition(".")[2] != module.rpartition(".")[2] and ".compat." not in path
    return None if is_part else module


def _generation(judge: Judge, found: Substitution, framework: str) -> str | None:
    if framework == "tensorflow" and is_before_one(judge.analysis):
        return registry.BEFORE_ONE
    for part in found.passed:
        if part.written is not None and not part.written.method:
            generation = registry.generation_of(part.written.path)
            if generation:
                return generation
    return None
