"""The syntax of comments addressed to the tool, and the meaning of misspelt ones.

>>> [(one.said, one.meant) for one in misspelt("# mllint-nan: disable=NAN101")]
[('disable=NAN101', '# mllint-nan: disable[NAN101]')]
>>> [one.meant for one in misspelt("# mllint_nan: ignore  # mllint-nan: ignroe NAN1, NAN203")]
['# mllint-nan: ignore', '# mllint-nan: ignore[NAN1, NAN203]']
>>> list(misspelt("# mllint-nan: ignore[NAN101] as p > 0"))
[]
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_VERBS: Final = ("ignore", "disable", "enable", "skip-file")
_SYNONYMS: Final = {"noqa": "ignore", "off": "disable", "on": "enable", "skip": "skip-file"}
_NAMED: Final = r"NAN\d+\b"
_LISTED: Final = re.compile(rf"{_NAMED}|\b[a-z]+(?:-[a-z]+)+\b", re.IGNORECASE)

OURS: Final = re.compile(
    r"\#\s*mllint-nan:\s*(?P<verb>ignore|disable|enable|skip-file)"
    r"(?:(?<!skip-file)\[(?P<codes>[^\[\]]*\w[^\[\]]*)\]"
    rf"|(?=\s|\#|$)(?!\s*[=:\[(]\s*{_NAMED}|\s+{_NAMED}|\s*[=\[]))",
    re.IGNORECASE,
)
"""A directive; the text after it is a reason."""
_ADDRESSED: Final = re.compile(
    r"\#\s*mllint[-_ ]?nan"
    r"(?:\s*:|(?=\s+(?:ignore|disable|enable|skip-file)\s*(?:[\[=(]|\#|$)))"
    r"[ \t]*(?P<said>[^#\r\n]*)",
    re.IGNORECASE,
)
_LIST: Final = re.compile(r"\s*(?:[\[=(:]\s*|(?=NAN\d))(?P<listed>[^\])]*)", re.IGNORECASE)
_LONGEST: Final = 40


@dataclass(frozen=True, slots=True)
class Misspelt:
    """Something that looks like a directive but is none, from `start` to `end` in the comment."""

    start: int
    end: int
    said: str
    meant: str | None
    """The correct spelling; `None` if it cannot be guessed."""


def misspelt(comment: str) -> Iterator[Misspelt]:
    """Yield every part of a comment that addresses the tool in words that it does not know."""
    for found in _ADDRESSED.finditer(comment):
        if OURS.match(comment, found.start()) is not None:
            continue
        said = found["said"].strip()
        shown = said if len(said) <= _LONGEST else f"{said[: _LONGEST - 1]}…"
        end = found.start() + len(found[0].rstrip())
        yield Misspelt(found.start(), end, shown, _meant(said))


def _meant(said: str) -> str | None:
    word = re.match(r"[\w-]*", said)
    assert word is not None
    asked = word[0].lower().replace("_", "-")
    close = difflib.get_close_matches(asked, _VERBS, 1, cutoff=0.6)
    verb = _SYNONYMS.get(asked) or (close[0] if close else None)
    if verb is None:
        return None
    written = f"# mllint-nan: {verb}"
    rules = _LIST.match(said, word.end())
    if verb == "skip-file" or rules is None:
        return written
    return f"{written}[{', '.join(_LISTED.findall(rules['listed'])) or 'NAN101'}]"
