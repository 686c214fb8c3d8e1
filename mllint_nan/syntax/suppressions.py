"""The comments by which an author silences findings.

Only comments count, never the text of a string, and rows are the physical rows of the file.

>>> silenced = Suppressions.of("a = log(p)  # noqa: NAN101")
>>> silenced.covers("NAN101", 1, 1), silenced.covers("NAN203", 1, 1)
(True, False)
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

_MENTION = re.compile(r"noqa|mllint-nan:", re.IGNORECASE)
_LINE_END = re.compile(r"\r\n|\r|\n")

# Far faster than `tokenize`, and it reads f-strings alike on every Python. A string that spans
# one row is matched within that row, so no misreading crosses it.
_COMMENT_OR_STRING = re.compile(
    r"""(?P<comment>\#[^\r\n]*)
        |'''(?:\\.|[^\\])*?'''|\"\"\"(?:\\.|[^\\])*?\"\"\"
        |'(?:\\(?:\r\n|.)|[^\\\r\n'])*'|"(?:\\(?:\r\n|.)|[^\\\r\n"])*\"""",
    re.VERBOSE | re.DOTALL,
)

# As ruff reads it: `noqa:` must be followed by a code, and what follows the codes is a reason.
_CODE = r"(?:NAN\d*\b|[A-Z]+\d+)"
_CODES = rf"(?:\s*:[\s,]*(?P<codes>{_CODE}(?:[\s,]*{_CODE})*)|(?!\s*:)(?=\s|\#|$))"
_NOQA = re.compile(rf"\#\s*noqa{_CODES}", re.IGNORECASE)
_FILE_NOQA = re.compile(rf"\#\s*(?:flake8|ruff)\s*[:=]\s*noqa{_CODES}", re.IGNORECASE)
_OURS = re.compile(
    r"\#\s*mllint-nan:\s*(?P<verb>ignore|skip-file)(?![\w-])(?:\[(?P<names>[^\]]*)\])?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Directive:
    """One request for silence; `rules` are codes, prefixes or rule names, None means all."""

    rules: tuple[str, ...] | None

    def names(self, code: str, name: str) -> bool:
        if self.rules is None:
            return True
        return any(code.startswith(rule.upper()) or rule.lower() == name for rule in self.rules)


@dataclass(frozen=True, slots=True)
class Suppressions:
    """What the comments of one file silence."""

    rows: Mapping[int, tuple[Directive, ...]] = field(default_factory=dict)
    whole_file: tuple[Directive, ...] = ()

    @classmethod
    def of(cls, text: str) -> Suppressions:
        """Read the comments of `text`; text that is not Python raises nothing."""
        if not _MENTION.search(text):
            return cls()
        rows: dict[int, tuple[Directive, ...]] = defaultdict(tuple)
        whole_file: list[Directive] = []
        for row, comment, is_alone in _comments(text):
            rows[row] += tuple(_row_directives(comment))
            whole_file += _file_directives(comment, is_alone)
        return cls({row: found for row, found in rows.items() if found}, tuple(whole_file))

    @property
    def skips_file(self) -> bool:
        """Whether no finding of any rule is wanted in this file."""
        return any(directive.rules is None for directive in self.whole_file)

    def covers(self, code: str, first_row: int, last_row: int, name: str = "") -> bool:
        """Whether a finding of rule `code`, called `name`, on these rows is silenced."""
        near = (*self.rows.get(first_row, ()), *self.rows.get(last_row, ()))
        return any(directive.names(code, name) for directive in (*self.whole_file, *near))


def _comments(text: str) -> Iterator[tuple[int, str, bool]]:
    """Row, text and "nothing else stands on the row" of each comment that may be a directive."""
    row, counted = 1, 0
    for lexeme in _COMMENT_OR_STRING.finditer(text):
        comment = lexeme["comment"]
        if comment is None or not _MENTION.search(comment):
            continue
        ends = list(_LINE_END.finditer(text, counted, lexeme.start()))
        row, counted = row + len(ends), ends[-1].end() if ends else counted
        yield row, comment, not text[counted : lexeme.start()].strip()


def _row_directives(comment: str) -> Iterator[Directive]:
    for noqa in _NOQA.finditer(comment):
        yield Directive(_codes(noqa["codes"]))
    for ours in _OURS.finditer(comment):
        if ours["verb"].lower() == "ignore":
            yield Directive(_split(ours["names"]))


def _file_directives(comment: str, is_alone: bool) -> Iterator[Directive]:
    noqa = _FILE_NOQA.match(comment) if is_alone else None
    if noqa:
        yield Directive(_codes(noqa["codes"]))
    if any(ours["verb"].lower() == "skip-file" for ours in _OURS.finditer(comment)):
        yield Directive(None)


def _codes(listed: str | None) -> tuple[str, ...] | None:
    return None if listed is None else tuple(re.findall(_CODE, listed, re.IGNORECASE))


def _split(listed: str | None) -> tuple[str, ...] | None:
    return None if listed is None else tuple(re.findall(r"[^\s,]+", listed))
