"""Cut terms as source text in a framework, by the tables that fixes are written with."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from mllint_nan.findings import Span
from mllint_nan.frameworks.signature import Signature
from mllint_nan.ir.kind import Kind
from mllint_nan.ir.term import CONSTANT, VARIABLE, Term
from mllint_nan.syntax.module_names import Names
from mllint_nan.syntax.precedence import Unrenderable
from mllint_nan.syntax.render import Renderer
from mllint_nan.syntax.source import Source
from mllint_nan.verify.cut import Cut
from mllint_nan.verify.cutting import EXECUTABLE
from mllint_nan.verify.execution.decimals import FUNCTIONS, REDUCTIONS
from mllint_nan.verify.variables import FORMAT, MINUS_INFINITY, Uncuttable

_GENERATIONS: Final[Mapping[str, str]] = {"tensorflow": "2", "keras": "3"}
_VISIBLE: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "jax": (("optax", "optax"),),
    "numpy": (("scipy", "scipy"),),
}
_SPELLED_IN: Final[Mapping[str, tuple[str, ...]]] = {"keras": ("keras", "tensorflow")}


@dataclass(frozen=True, slots=True)
class Rendered:
    """The expressions of a cut, and the import statements that they and their inputs need."""

    imports: tuple[str, ...]
    before: str
    after: str
    exact: str
    """`before` in double precision."""
    rough: str | None
    """`before` in single precision, where the cut is in double precision."""
    shrunk: str | None
    """`after` with negligible epsilons, in double precision."""
    precise: str | None = None
    """`before` as calls of `FUNCTIONS`; None if it has other operations."""


class _Renderer(Renderer):
    """Prefers methods for casts: functions that construct a tensor are not equivalent."""

    def _candidates(self, template: Term) -> list[Signature]:
        found = super()._candidates(template)
        if template.operation.name == "cast":
            found.sort(key=lambda signature: not signature.method)
        return found


def render(cut: Cut) -> Rendered:
    """Return the texts of a cut; raises `Uncuttable` if its framework lacks an operation."""
    reasons: list[str] = []
    for framework in _SPELLED_IN.get(cut.framework, (cut.framework,)):
        try:
            return _rendered(cut, framework)
        except Unrenderable as error:
            reasons.append(str(error))
    raise Uncuttable(reasons[0])


def _rendered(cut: Cut, framework: str) -> Rendered:
    renderer = _Renderer(
        Source(""),
        framework,
        Names(_VISIBLE.get(framework, ()), (), _GENERATIONS.get(framework)),
        Span(0, 0),
        {},
        {},
        {},
    )
    numbers = [variable.name for variable in cut.variables if variable.is_number]

    def text(term: Term, dtype: str) -> str:
        return _text(renderer, term, dtype, numbers)

    before, after = (text(term, cut.dtype) for term in (cut.before, cut.after))
    exact = text(cut.before, "float64")
    rough = text(cut.before, "float32") if cut.dtype == "float64" else None
    shrunk = None if cut.shrunk is None else text(cut.shrunk, "float64")
    submodules = (
        f"import {module}"
        for module in ("optax", "scipy.special", "scipy.stats", "scipy.linalg")
        if f"{module}." in before + after
    )
    if before == after:
        raise Uncuttable("what the fix changes is left out of it")
    own = ("import torch",) if framework == "torch" else ()
    imports = tuple(dict.fromkeys((*own, *renderer.imports, *submodules)))
    return Rendered(imports, before, after, exact, rough, shrunk, _precise(cut.before))


def _text(renderer: Renderer, term: Term, dtype: str, numbers: Iterable[str]) -> str:
    atoms = {str(part.detail): part for part in _parts(term) if part.operation is VARIABLE}
    texts = {name: name for name in atoms}
    texts[MINUS_INFINITY] = 'float("-inf")'
    texts[FORMAT] = f"torch.{dtype}" if renderer.framework == "torch" else f'"{dtype}"'
    renderer.bindings = atoms
    renderer.substituted = {id(part): texts[name] for name, part in atoms.items()}
    renderer.kinds = dict.fromkeys(numbers, Kind.NUMBER)
    return renderer.render(term).code


def _precise(term: Term) -> str | None:
    """Return a term as calls of `FUNCTIONS`; None if it has other operations."""
    if term.operation is VARIABLE and term.detail not in (MINUS_INFINITY, FORMAT):
        return str(term.detail)
    if term.operation is CONSTANT and isinstance(term.detail, int | float):
        return f"number({term.detail!r})" if math.isfinite(term.detail) else None
    if term.operation.name not in FUNCTIONS:
        return None
    parts = [_precise(operand) for operand in term.operands]
    is_reduction = term.operation.name in REDUCTIONS
    if is_reduction and term.settings.keys() - {"axis", "keepdims"}:
        return None
    settings = {} if is_reduction else term.settings
    named = {name: _precise(setting) for name, setting in settings.items()}
    if None in parts or None in named.values():
        return None
    given = [str(part) for part in parts] + [f"{name}={part}" for name, part in named.items()]
    return f"{term.operation.name}({', '.join(given)})"


def _parts(term: Term) -> Iterator[Term]:
    """Yield the term and all its parts; raises `Uncuttable` for operations not to be executed."""
    if term.operation not in (VARIABLE, CONSTANT) and term.operation.name not in EXECUTABLE:
        raise Uncuttable(f"{term.operation.name} is not executed")
    yield term
    for child in term.children():
        yield from _parts(child)
