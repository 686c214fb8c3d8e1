"""Which files need no analysis, judged by their bytes before any parser is loaded."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from mllint_nan.frameworks.origins import modules
from mllint_nan.syntax.decoding import WIDE_MARKS
from mllint_nan.syntax.suppressions import names_rules

_MODULES: Final = tuple(name.encode() for name in sorted(modules()))
_HANDED_ON: Final = re.compile(rb"\b(?:np|jnp|tf|xp)\.\w|\bTensor\b")
"""Names that a project re-exports: `from .backend import np`, `from .core import Tensor`."""


def needs_analysis(data: bytes, operations: Iterable[tuple[str, str]] = ()) -> bool:
    """Whether the bytes name a framework, or have comments about rules that are worth judging.

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
    )
