"""Which terms are complex: ranges, and the rules about them, apply only to real numbers."""

from __future__ import annotations

import re
from typing import Final

from mllint_nan.ir.canonical import Builder, names_complex
from mllint_nan.ir.term import ATTRIBUTE, CHOICE, CONSTANT, OPAQUE, SEQUENCE, Term, peel

_GIVES: Final = re.compile(
    r"^call (builtins|torch|numpy|scipy|tensorflow|jax|keras|librosa)\.(\S+\.)?"
    r"(i?fft([2n]|[23]d)?|rfft([2n]|[23]d)?|ihfft|stft|polar|complex(64|128|_)?|view_as_complex)$"
)
"""Functions of libraries that return complex numbers whatever their arguments are."""
_OF_SAME: Final = re.compile(r"^(part \d+|update|call (\S+\.)?(conj(ugate)?|copy|clone|to|ravel))$")
"""Opaque terms that are complex if their first operand is."""
_SAME_ATTRIBUTES: Final = frozenset(("T", "mT", "H", "mH", "data"))
_COMPUTED: Final = frozenset(("elementwise", "reduction", "along", "view"))
_PRODUCTS: Final = frozenset(("matmul", "dot", "einsum"))
_REAL: Final = frozenset(("abs", "norm", "size", "shape", "argmax", "argmin", "count_nonzero"))
"""Operations whose results are real numbers."""


class ComplexNumbers:
    """Answers for the terms of one file; none is complex if the file names nothing complex."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._known: dict[int, bool] = {}

    def holds(self, term: Term) -> bool:
        """Whether a term is complex on every path; no for a parameter, which may be anything."""
        if not self._builder.is_of_complex:
            return False
        term = peel(term)
        known = self._known.get(term.key)
        if known is None:
            self._known[term.key] = False  # for a term that contains itself
            known = self._known[term.key] = self._computed(term)
        return known

    def _computed(self, term: Term) -> bool:
        operation = term.operation
        if operation is CONSTANT:
            return isinstance(term.detail, complex)
        if operation is OPAQUE:
            what = str(term.detail)
            if _OF_SAME.search(what):
                return bool(term.operands) and self.holds(term.operands[0])
            return _GIVES.search(what) is not None
        if operation is ATTRIBUTE:
            return term.detail in _SAME_ATTRIBUTES and self.holds(term.operands[0])
        if operation is CHOICE:
            return bool(term.operands) and all(map(self.holds, term.operands))
        dtype = term.settings.get("dtype")
        if dtype is not None and peel(dtype).detail is not None:
            return names_complex(peel(dtype).detail)
        if operation is SEQUENCE:
            return any(map(self.holds, term.operands))
        if operation.name in _REAL:
            return False
        if operation.name in _PRODUCTS or operation.kind in _COMPUTED:
            return any(map(self.holds, _contained(term)))
        return False


def _contained(term: Term) -> tuple[Term, ...]:
    """The operands whose elements a result contains, or from which it is computed."""
    if term.operation.name == "where":
        return term.operands[1:]
    is_list = term.operation.name in ("concat", "stack", "collect")
    return term.operands[:1] if term.operation.kind == "view" and not is_list else term.operands
