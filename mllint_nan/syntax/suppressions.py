"""The comments by which an author silences findings.

Only comments count, never the text of a string, and rows are the physical rows of the file.
Rows that a backslash or a string of several rows joins are one, as in flake8.

>>> silenced = Suppressions.of("a = log(p)  # noqa: NAN101")
>>> silenced.covers("NAN101", 1, 1), silenced.covers("NAN203", 1, 1)
(True, False)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache
from typing import Final

from mllint_nan.findings import Finding, Span
from mllint_nan.syntax.directives import OURS, misspelt

_MENTION = re.compile(r"noqa|mllint[-_ ]?nan", re.IGNORECASE)
_LINE_END = re.compile(r"\r\n|\r|\n")

# Far faster than `tokenize`, and it reads f-strings alike on every Python. A string that spans
# one row is matched within that row, so no misreading crosses it.
_STRING = r"""'''(?:\\.|[^\\])*?'''|\"\"\"(?:\\.|[^\\])*?\"\"\"
        |'(?:\\(?:\r\n|.)|[^\\\r\n'])*'|"(?:\\(?:\r\n|.)|[^\\\r\n"])*\""""
_LEXEME = re.compile(
    rf"(?P<comment>\#[^\r\n]*)|(?P<string>{_STRING})|(?P<joint>\\(?:\r\n|\r|\n))",
    re.VERBOSE | re.DOTALL,
)
_STRUCTURE = re.compile(
    rf"\#[^\r\n]*|{_STRING}|\\(?:\r\n|\r|\n)|(?P<open>[(\[{{])|(?P<close>[)\]}}])|(?P<end>\r\n|\r|\n)",
    re.VERBOSE | re.DOTALL,
)
_COMMENT_ROW = re.compile(r"[ \t\f]*\#[^\r\n]*(?:\r\n|\r|\n|$)")

# As ruff reads it: `noqa:` must be followed by a code, and what follows the codes is a reason.
_CODE = r"(?:NAN\d*\b|[A-Z]+\d+)"
_CODES = rf"(?:\s*:[\s,]*(?P<codes>{_CODE}(?:[\s,]*{_CODE})*)|(?!\s*:)(?=\s|\#|$))"
_NOQA = re.compile(rf"\#\s*noqa{_CODES}", re.IGNORECASE)
_FILE_NOQA = re.compile(rf"\#\s*(?:flake8|ruff)\s*[:=]\s*noqa{_CODES}", re.IGNORECASE)
_NAMES_RULES = re.compile(rb"mllint[-_ ]?nan|noqa[^\r\n]*\bNAN\d", re.IGNORECASE)
_LAST_ROW: Final = 2**31


class Form(Enum):
    """The kinds of comments that silence findings."""

    NOQA = "noqa"
    FILE_NOQA = "flake8: noqa"
    IGNORE = "ignore"
    DISABLE = "disable"
    SKIP_FILE = "skip-file"


@dataclass(frozen=True, slots=True)
class Directive:
    """A request to silence one rule; `rule` is a code, a prefix or a name, None means all.

    It covers findings that start or end on `rows`. `place` is its span from its `#` on, `listed`
    the span of its rules, and `end` the end of its comment.
    """

    rule: str | None
    rows: range
    form: Form
    place: Span
    listed: Span | None
    end: int
    enabled_at: Span | None = None
    """For a `disable`: the comment that ends it, if that ends nothing else."""

    def names(self, code: str, name: str) -> bool:
        if self.rule is None:
            return True
        return code.startswith(self.rule.upper()) or self.rule.lower() == name

    def covers(self, code: str, name: str, first_row: int, last_row: int) -> bool:
        near = first_row in self.rows or last_row in self.rows
        return near and self.names(code, name)

    def stands_inside(self, code: str, name: str, first_row: int, last_row: int) -> bool:
        """Whether it is meant for such a finding, but on rows between its first and its last."""
        is_meant = self.form is Form.IGNORE or (self.form is Form.NOQA and self.rule is not None)
        between = first_row < self.rows.start and self.rows.stop - 1 < last_row
        return is_meant and between and self.names(code, name)


@dataclass(frozen=True, slots=True)
class Mistake:
    """A comment that looks like a directive but silences nothing; `meant` is the right spelling."""

    place: Span
    said: str
    meant: str | None


@dataclass(frozen=True, slots=True)
class Suppressions:
    """What the comments of one file silence."""

    directives: tuple[Directive, ...] = ()
    mistakes: tuple[Mistake, ...] = ()

    @classmethod
    def of(cls, text: str) -> Suppressions:
        """Read the comments of `text`; text that is not Python raises nothing."""
        lowered = text.lower()  # ten times as fast as a case-insensitive search
        if "noqa" not in lowered and "mllint" not in lowered:
            return cls()
        comments, joined = _scan(text)
        found = [
            directive for comment in comments for directive in _directives(comment, text, joined)
        ]
        mistakes = [
            Mistake(Span(comment.start + one.start, comment.start + one.end), one.said, one.meant)
            for comment in comments
            for one in misspelt(comment.text)
        ]
        return cls((*found, *_regions(comments, joined)), tuple(mistakes))

    @property
    def is_empty(self) -> bool:
        """Whether no comment is addressed to a linter."""
        return not (self.directives or self.mistakes)

    @property
    def skips_file(self) -> bool:
        """Whether no finding of any rule is wanted in this file."""
        return any(
            directive.form in (Form.SKIP_FILE, Form.FILE_NOQA) and directive.rule is None
            for directive in self.directives
        )

    def covering(self, code: str, name: str, first_row: int, last_row: int) -> list[Directive]:
        """The directives that silence a finding of rule `code`, called `name`, on these rows."""
        return [
            directive
            for directive in self.directives
            if directive.covers(code, name, first_row, last_row)
        ]

    def inside(self, finding: Finding) -> list[Directive]:
        """The directives that are meant for a finding but are where they do not count."""
        rows = finding.start.row, finding.end.row
        return [
            directive
            for directive in self.directives
            if directive.stands_inside(finding.code, finding.name, *rows)
        ]

    def covers(self, code: str, first_row: int, last_row: int, name: str = "") -> bool:
        """Whether a finding of rule `code`, called `name`, on these rows is silenced."""
        return bool(self.covering(code, name, first_row, last_row))


@lru_cache(1)
def suppressions_of(text: str) -> Suppressions:
    """The suppressions of the linted text, which are needed several times."""
    return Suppressions.of(text)


def names_rules(data: bytes) -> bool:
    """Whether a file that needs no other analysis has comments that are worth judging."""
    return _NAMES_RULES.search(data) is not None


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment that may be a directive; nothing else is on its row if it `is_alone`."""

    row: int
    text: str
    start: int
    is_alone: bool

    def span(self, found: re.Match[str], group: str | int = 0) -> Span:
        start, end = found.span(group)
        return Span(self.start + start, self.start + end)


@dataclass(frozen=True, slots=True)
class Joined:
    """Runs of rows that count as one: (first, last), in order."""

    runs: tuple[tuple[int, int], ...] = ()

    def around(self, row: int) -> range:
        """The rows that count as one with a row."""
        for first, last in self.runs:
            if first <= row <= last:
                return range(first, last + 1)
        return range(row, row + 1)


def _scan(text: str) -> tuple[list[Comment], Joined]:
    comments: list[Comment] = []
    runs: list[tuple[int, int]] = []
    row, counted = 1, 0
    for lexeme in _LEXEME.finditer(text):
        kind = lexeme.lastgroup
        if kind == "comment" and not _MENTION.search(lexeme.group()):
            continue
        if kind == "string" and not _LINE_END.search(lexeme.group()):
            continue
        ends = list(_LINE_END.finditer(text, counted, lexeme.start()))
        row, counted = row + len(ends), ends[-1].end() if ends else counted
        if kind == "comment":
            is_alone = not text[counted : lexeme.start()].strip()
            comments.append(Comment(row, lexeme.group(), lexeme.start(), is_alone))
            continue
        last = row + len(_LINE_END.findall(lexeme.group()))
        if runs and runs[-1][1] >= row:
            runs[-1] = (runs[-1][0], last)
        else:
            runs.append((row, last))
    return comments, Joined(tuple(runs))


def _directives(comment: Comment, text: str, joined: Joined) -> Iterator[Directive]:
    whole_file = range(1, _LAST_ROW)
    noqa = _FILE_NOQA.match(comment.text) if comment.is_alone else None
    if noqa:
        yield from _each(comment, noqa, Form.FILE_NOQA, whole_file)
    for noqa in _NOQA.finditer(comment.text):
        yield from _each(comment, noqa, Form.NOQA, joined.around(comment.row))
    for ours in OURS.finditer(comment.text):
        match ours["verb"].lower():
            case "skip-file":
                rule = Directive(None, whole_file, Form.SKIP_FILE, comment.span(ours), None, 0)
                yield replace(rule, end=_end(comment, ours))
            case "ignore":
                rows = joined.around(comment.row)
                if comment.is_alone:
                    rows = _statement_below(comment, text)
                yield from _each(comment, ours, Form.IGNORE, rows)


def _regions(comments: Iterable[Comment], joined: Joined) -> list[Directive]:
    """The directives of `disable`, each up to the `enable` of the same rule, or of all.

    At the end of a line, `disable` silences that line.
    """
    found: list[Directive] = []
    opened: list[int] = []
    for comment in comments:
        for ours in OURS.finditer(comment.text):
            match ours["verb"].lower():
                case "disable" if not comment.is_alone:
                    found += _each(comment, ours, Form.DISABLE, joined.around(comment.row))
                case "disable":
                    begun = _each(comment, ours, Form.DISABLE, range(comment.row, _LAST_ROW))
                    for directive in begun:
                        opened.append(len(found))
                        found.append(directive)
                case "enable":
                    ended = _ended([found[index] for index in opened], ours["codes"])
                    places = {found[opened[index]].place for index in ended}
                    for index in ended:
                        directive = found[opened[index]]
                        sole = comment.span(ours) if len(places) == 1 else None
                        rows = range(directive.rows.start, comment.row + 1)
                        found[opened[index]] = replace(directive, rows=rows, enabled_at=sole)
                    opened = [key for index, key in enumerate(opened) if index not in ended]
    return found


def _ended(opened: Sequence[Directive], listed: str | None) -> set[int]:
    if listed is None:
        return set(range(len(opened)))
    words = {word.lower() for word in split_rules(listed)}
    return {
        index for index, region in enumerate(opened) if region.rule and region.rule.lower() in words
    }


def _each(comment: Comment, found: re.Match[str], form: Form, rows: range) -> Iterator[Directive]:
    """Yield one directive for each rule that is listed; an empty list names none."""
    listed = comment.span(found, "codes") if found["codes"] is not None else None
    rules: Iterable[str | None] = [None]
    if found["codes"] is not None:
        is_noqa = form in (Form.NOQA, Form.FILE_NOQA)
        rules = codes_of(found["codes"]) if is_noqa else split_rules(found["codes"])
    for rule in rules:
        yield Directive(rule, rows, form, comment.span(found), listed, _end(comment, found))


def _end(comment: Comment, found: re.Match[str]) -> int:
    """The end of the reason after a directive: the next `#`, or the end of the comment."""
    following = comment.text.find("#", found.end())
    return comment.start + (len(comment.text) if following < 0 else following)


def _statement_below(comment: Comment, text: str) -> range:
    """The rows of the statement below a comment; of a compound statement, those of its head."""
    row = comment.row
    end = _LINE_END.search(text, comment.start)
    offset = end.end() if end else len(text)
    row += 1
    while between := _COMMENT_ROW.match(text, offset):
        if not between.group():
            break
        offset, row = between.end(), row + 1
    first, depth, last = row, 0, row
    for lexeme in _STRUCTURE.finditer(text, offset):
        if lexeme["open"]:
            depth += 1
        elif lexeme["close"]:
            depth -= 1
        elif lexeme["end"] and depth <= 0:
            break
        else:
            last += len(_LINE_END.findall(lexeme.group()))
    return range(first, last + 1)


def codes_of(listed: str) -> list[str]:
    """The codes of a `noqa`."""
    return re.findall(_CODE, listed, re.IGNORECASE)


def split_rules(listed: str) -> list[str]:
    """The rules between the brackets of `ignore[...]`."""
    return re.findall(r"[^\s,]+", listed)


def silence(text: str, wanted: Iterable[tuple[int, str]], form: Form) -> str:
    """`text` with comments that silence these rules on these rows; `form` is NOQA or IGNORE.

    A comment that already has the form is extended.
    """
    comments, joined = _scan(text)
    starts = [0, *(end.end() for end in _LINE_END.finditer(text))]
    by_row: dict[int, set[str]] = {}
    for row, code in wanted:
        by_row.setdefault(joined.around(row)[-1], set()).add(code)
    for row in sorted(by_row, reverse=True):
        stop = starts[row] if row < len(starts) else len(text)
        end = starts[row - 1] + len(text[starts[row - 1] : stop].rstrip())
        codes = ", ".join(sorted(by_row[row]))
        known = next((_extensible(c, form) for c in comments if c.row == row), None)
        if known is not None:
            text = f"{text[:known]}, {codes}{text[known:]}"
        else:
            added = f"# noqa: {codes}" if form is Form.NOQA else f"# mllint-nan: ignore[{codes}]"
            text = f"{text[:end]}  {added}{text[end:]}"
    return text


def _extensible(comment: Comment, form: Form) -> int | None:
    """Where further codes go, if the comment has a list of this form."""
    pattern = _NOQA if form is Form.NOQA else OURS
    for found in pattern.finditer(comment.text):
        is_form = form is Form.NOQA or found["verb"].lower() == "ignore"
        if is_form and found["codes"] and found["codes"].strip():
            return comment.span(found, "codes").end
    return None
