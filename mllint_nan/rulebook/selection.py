"""Words that name rules: a code, a prefix of codes, a rule's name, or `ALL`.

>>> from mllint_nan.rulebook.tool import SYNTAX_ERROR
>>> [strength(word, SYNTAX_ERROR) for word in ("ALL", "NAN9", "NAN901", "syntax-error", "NAN2")]
[0, 4, 6, 6, -1]
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Protocol


class Named(Protocol):
    """All that selecting needs to know of a rule."""

    @property
    def code(self) -> str: ...

    @property
    def name(self) -> str: ...


def strength(word: str, rule: Named) -> int:
    """How precisely a word names a rule: the length of a code or prefix; -1 if not at all."""
    if word == "ALL":
        return 0
    if rule.code.startswith(word.upper()):
        return len(word)
    return len(rule.code) if word.lower() == rule.name else -1


def nearest(asked: str, words: Iterable[str]) -> str | None:
    """Which of the words was meant, if one is like it; characters at their place tell most."""
    spelled = {word.lower(): word for word in words}
    asked = asked.lower()
    close = difflib.get_close_matches(asked, spelled, n=9, cutoff=0.5)
    alike = max(close, key=lambda word: sum(a == b for a, b in zip(asked, word)), default=None)  # noqa: B905
    return None if alike is None else spelled[alike]


def strongest(words: Iterable[str], rule: Named) -> int:
    """How precisely the most precise of the words names a rule."""
    return max((strength(word, rule) for word in words), default=-1)
