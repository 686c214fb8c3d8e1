"""Words that name rules: a code, a prefix of codes, a rule's name, its family's name, or `ALL`.

>>> from mllint_nan.rulebook.tool import SYNTAX_ERROR
>>> words = ("ALL", "NAN9", "tool", "NAN901", "syntax-error", "NAN2")
>>> [strength(word, SYNTAX_ERROR) for word in words]
[0, 4, 4, 6, 6, -1]

Every word that names a rule which is off by default can ignore it, and every one but a prefix
selects it: whoever wrote `NAN1` asked for what becomes NaN.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from typing import Final, Protocol

_OF_FAMILY: Final = len("NAN1")
"""A family is named as precisely as by the prefix that its codes have in common."""
_CODE: Final = re.compile(r"NAN\d{3}", re.IGNORECASE)
_LOOKS_LIKE: Final = str.maketrans("oil", "011")


class Named(Protocol):
    """What selection needs to know about a rule."""

    @property
    def code(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def family(self) -> str: ...

    @property
    def off_by_default(self) -> bool: ...


def strength(word: str, rule: Named) -> int:
    """How precisely a word names a rule: the length of a code or prefix; -1 if not at all."""
    if word == "ALL":
        return 0
    if rule.code.startswith(word.upper()):
        return len(word)
    if word.lower() == rule.name:
        return len(rule.code)
    return _OF_FAMILY if word.lower() == rule.family else -1


def nearest(asked: str, words: Iterable[str]) -> str | None:
    """The word that was probably meant, if one is similar; equal characters at equal places count.

    None for what looks like a code: any other code that differs in one digit is as likely.
    """
    if _CODE.fullmatch(asked):
        return None
    spelled = {word.lower(): word for word in words}
    asked = asked.lower()
    close = difflib.get_close_matches(asked, spelled, n=len(spelled), cutoff=0.6)
    alike = max(close, key=lambda word: _agreeing(asked, word), default=None)
    return None if alike is None else spelled[alike]


def _agreeing(asked: str, word: str) -> tuple[int, int]:
    """How many places of two words agree, exactly and with look-alike letters taken as digits."""
    texts = (asked, asked.translate(_LOOKS_LIKE))
    first, second = (sum(a == b for a, b in zip(text, word, strict=False)) for text in texts)
    return first, second


def strongest(words: Iterable[str], rule: Named) -> int:
    """How precisely the most precise of the words names a rule."""
    return max((strength(word, rule) for word in words), default=-1)


def selects(word: str, rule: Named) -> bool:
    """Whether a word that names a rule also switches it on."""
    is_prefix = rule.code.startswith(word.upper()) and len(word) < len(rule.code)
    return not (rule.off_by_default and is_prefix)


def most_selective(words: Iterable[str], rule: Named) -> int:
    """How precisely the most precise of the words selects a rule."""
    return strongest((word for word in words if selects(word, rule)), rule)
