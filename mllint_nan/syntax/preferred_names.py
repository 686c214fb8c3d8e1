"""Which spelling of an operation is preferred at a place, and which of them are too new there."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from mllint_nan.frameworks import registry
from mllint_nan.frameworks.signature import Signature
from mllint_nan.frameworks.versions import Declared, need_of, what_lacks
from mllint_nan.ir.kind import Kind
from mllint_nan.ir.ops import CATALOGUE
from mllint_nan.ir.term import CONSTANT, VARIABLE, Term, number_of, walk
from mllint_nan.syntax.module_names import Names
from mllint_nan.syntax.precedence import COMPARE, POWER, PRODUCT, SUM, Unrenderable

if TYPE_CHECKING:
    from mllint_nan.syntax.render import Renderer

_NAME: Final = re.compile(r"[\w.]+")
OPERATORS: Final[Mapping[str, tuple[str, int]]] = {
    "add": (" + ", SUM),
    "sub": (" - ", SUM),
    "mul": (" * ", PRODUCT),
    "div": (" / ", PRODUCT),
    "pow": ("**", POWER),
    "matmul": (" @ ", PRODUCT),
    "gt": (" > ", COMPARE),
    "ge": (" >= ", COMPARE),
    "lt": (" < ", COMPARE),
    "le": (" <= ", COMPARE),
    "eq": (" == ", COMPARE),
    "ne": (" != ", COMPARE),
}
TURNED: Final[Mapping[str, str]] = {" + ": " - ", " - ": " + "}
"""The operator that replaces one whose right operand loses a minus."""
_POINTWISE: Final = ("elementwise", "comparison")
_FILLED: Final = {0: "zeros_like", 1: "ones_like"}
"""The functions whose tensors replace a Python number."""


class TooNew(Unrenderable):
    """A version that the project allows lacks the function; the message says which and why."""


@dataclass(slots=True)
class Kept:
    """The versions with which a rewrite has to work."""

    declared: Callable[[], Declared] | None = None
    """The versions that the project allows; `None` permits whatever the newest one has."""
    lacking: list[str] = field(default_factory=list)
    """The reasons why something was not written."""

    def check(
        self,
        signature: Signature,
        framework: str,
        passed: Collection[str],
        has_number: bool,
        names: Names,
    ) -> None:
        """Raise `TooNew` if a version that the project allows lacks the call."""
        need = need_of(signature, framework, passed, has_number) if self.declared else None
        if need is None or self.declared is None:
            return
        lacking = what_lacks(need, self.declared(), _generation(names))
        if lacking:
            self.lacking.append(lacking)
            raise TooNew(lacking)


def _generation(names: Names) -> str | None:
    """The generation of the code around a rewrite, by its functions or its imports."""
    imported = (registry.canonical_path(f"{path}.") for _, path in names.visible)
    is_third = any(path.startswith("keras.ops.") for path in imported)
    return names.generation or ("3" if is_third else None)


def ranked(found: Iterable[Signature], names: Names, *, prefers_methods: bool) -> list[Signature]:
    """The signatures that a rewrite may use, those that resemble the code around it first."""
    preferred = [module for module, _ in names.written]
    imported = {registry.canonical_path(path) for _, path in names.visible}

    def rank(pair: tuple[int, Signature]) -> tuple[int, int]:
        index, signature = pair
        if signature.method:
            return (-1, index) if prefers_methods else (2 + len(preferred), index)
        module = signature.name.rpartition(".")[0]
        if signature.name in imported and module not in preferred:
            return (0, -1)
        if names.member_text(signature.name) is None:
            return (1 + len(preferred), index)
        if module in preferred:
            return (preferred.index(module), index)
        return (len(preferred), index)

    return [
        signature
        for _, signature in sorted(enumerate(found), key=rank)
        if not signature.constructor and not signature.inplace
    ]


def of_tensors(where: Term, renderer: Renderer) -> Term | None:
    """A selection with tensors instead of numbers, which old versions of PyTorch refuse.

    The tensor is made like the other operand, if that is pointwise and has a single variable, a
    name. Only 0, 1 and -1 are the same in every format; for another number the result is `None`.
    """
    operands = list(where.operands)
    for place, other in ((1, where.operands[2]), (2, where.operands[1])):
        if renderer.kind(where.operands[place]) is not Kind.NUMBER:
            continue
        like, number = _shaping(other, renderer), _number(where.operands[place], renderer)
        if like is None or number not in (-1, 0, 1):
            return None
        tensor = _applied(_FILLED[abs(int(number))], like)
        operands[place] = _applied("neg", tensor) if number < 0 else tensor
    if operands == list(where.operands):
        return None
    return Term(where.operation, tuple(operands), where.key, settings=where.settings)


def _shaping(term: Term, renderer: Renderer) -> Term | None:
    """The only variable of a term, with the shape of its result, if its text is a mere name.

    A longer text would be computed twice.
    """
    parts = list(walk(term))
    is_pointwise = all(
        part.operation in (VARIABLE, CONSTANT) or part.operation.kind in _POINTWISE
        for part in parts
    )
    shaped = [
        part
        for part in parts
        if part.operation is VARIABLE and renderer.kind(part) is not Kind.NUMBER
    ]
    is_one = len({part.detail for part in shaped}) == 1
    if not (is_pointwise and is_one and _NAME.fullmatch(renderer.render(shaped[0]).code)):
        return None
    return shaped[0]


def _number(template: Term, renderer: Renderer) -> float | None:
    """The value of a part of the rewrite that is a number, if it is known."""
    is_constant = template.operation is CONSTANT
    return number_of(template if is_constant else renderer.bindings.get(template.detail))


def _applied(name: str, operand: Term) -> Term:
    return Term(CATALOGUE[name], (operand,), operand.key)
