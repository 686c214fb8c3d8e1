"""Which files need no analysis, judged by their bytes before any parser is loaded."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from mllint_nan.frameworks.origins import ROOTS, modules
from mllint_nan.syntax.decoding import WIDE_MARKS
from mllint_nan.syntax.suppressions import names_rules

if TYPE_CHECKING:
    from mllint_nan.flow.modules import Project

_MODULES: Final = tuple(name.encode() for name in sorted(modules()))
_HANDED_ON: Final = re.compile(rb"\b(?:np|jnp|tf|xp)\.\w|\bTensor\b")
"""Names that a project re-exports: `from .backend import np`, `from .core import Tensor`."""
_OF_TENSORS: Final = re.compile(
    rb"\.(?:a(?:rc)?(?:cos|sin|tan)h?2?|clamp|clip|cumsum|digamma|div|erfinv|exp(?:m1|2)?|lgamma"
    rb"|log(?:_softmax|sumexp|it|1p|2|10)?|max|mean|min|norm|pow|prod|r?sqrt|reciprocal|sigmoid"
    rb"|softmax|softplus|std|sum|var)_?\("
)
"""Methods of tensors that a file may call without importing a framework."""
_DEFINED: Final = re.compile(rb"^(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)", re.MULTILINE)
_IMPORTED: Final = re.compile(rb"^[ \t]*(?:from|import)[ \t]+(\w+)", re.MULTILINE)


def needs_analysis(
    data: bytes, operations: Iterable[tuple[str, str]] = (), project: Project | None = None
) -> bool:
    """Whether the bytes name a framework, or have comments about rules that are worth judging.

    A file that names none is analysed if it calls methods of tensors, and a file of the project
    that imports a framework may call its definitions.

    A file in wide characters, or one that is no text, is always read, if only to say that it
    cannot be: it is not searched for names.

    `operations` are the user's functions by qualified name, each with what it computes.
    """
    return (
        any(name in data for name in _MODULES)
        or _HANDED_ON.search(data) is not None
        or data.startswith(WIDE_MARKS)
        or b"\0" in data
        or any(path.partition(".")[0].encode() in data for path, _ in operations)
        or names_rules(data)
        or (project is not None and _is_given_tensors(data, project))
    )


def frameworks_imported(data: bytes) -> frozenset[str]:
    """The frameworks that a file imports, judged by its text."""
    roots = {ROOTS.get(root.decode()) for root in _IMPORTED.findall(data)}
    return frozenset(root for root in roots if root is not None and root != "math")


def _is_given_tensors(data: bytes, project: Project) -> bool:
    if _OF_TENSORS.search(data) is None:
        return False
    defined = {name.decode() for name in _DEFINED.findall(data)}
    return bool(defined) and any(caller.frameworks for caller in project.callers(defined))
