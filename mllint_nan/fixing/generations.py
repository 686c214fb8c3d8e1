"""Which version of a framework a file is written for, judging by the names in it."""

from __future__ import annotations

from mllint_nan.flow.state import Analysis
from mllint_nan.frameworks import registry
from mllint_nan.ir.term import OPAQUE, Term


def is_before_one(analysis: Analysis) -> bool:
    """Whether a file calls something that TensorFlow 1.0 no longer has."""
    return any(registry.is_before_one(_path(term)) for term in analysis.made)


def _path(term: Term) -> str:
    """The qualified name that a term calls, or an empty string."""
    if term.written is not None:
        return term.written.path
    return str(term.detail).removeprefix("call ") if term.operation is OPAQUE else ""
