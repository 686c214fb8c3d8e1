"""Fixture files: `fixtures/<rule>/<stem>.py`, annotated with what is to be reported.

    p.log()  # expect: NAN101             reported, with a safe fix
    p.log()  # expect: NAN101 unsafe      reported, with an unsafe fix
    p.log()  # expect: NAN101 no-fix      reported, with no fix that could be applied
    p.log()  # expect: NAN101 possible    reported only with --min-confidence possible
    p.log()  # expect: NAN101; NAN202 no-fix
    p.log()  # todo-expect: NAN101        a known miss; may be reported as possible
    p.log()  # todo-quiet: NAN101         a known false alarm, of any confidence

An annotation stands on the row where the finding starts, or alone on a row above it, since a
comment between the parentheses of an expression keeps a fix from being applied.

>>> for annotation in annotations_of("p.log()  # expect: NAN101; NAN202 no-fix"):
...     print(annotation.marker, annotation.claim)
expect 1: NAN101 safe
expect 1: NAN202 no-fix
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cache, cached_property
from pathlib import Path
from typing import Final

from mllint_nan.findings import Applicability, Confidence, Finding

ROOT: Final = Path(__file__).resolve().parent.parent
FIXTURES: Final = ROOT / "fixtures"
POSSIBLE_IGNORED: Final = "# possible: ignored"

_FIXED: Final = ".fixed.py"
_ANNOTATION: Final = re.compile(r"#\s*(?P<marker>[\w-]+)\s*:\s*(?P<claims>NAN[^#]*)")
_CLAIM: Final = re.compile(r"(?P<code>NAN\d{3})(?: (?P<kind>\S+))?")
_SUPPRESSION: Final = "noqa"
_BLANK: Final = frozenset((
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
))  # fmt: skip


class AnnotationError(ValueError):
    """A comment looks like an annotation and is none; the message says where."""


class Marker(str, Enum):
    EXPECT = "expect"
    TODO_EXPECT = "todo-expect"
    TODO_QUIET = "todo-quiet"

    def __str__(self) -> str:
        return self.value


class Kind(str, Enum):
    """What comes with a finding; `POSSIBLE` tells nothing of the fix."""

    SAFE = "safe"
    UNSAFE = "unsafe"
    NO_FIX = "no-fix"
    POSSIBLE = "possible"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Claim:
    """A finding as an annotation speaks of it."""

    row: int
    code: str
    kind: Kind

    def __str__(self) -> str:
        return f"{self.row}: {self.code} {self.kind}"

    @staticmethod
    def of(finding: Finding) -> Claim:
        return Claim(finding.start.row, finding.code, _kind_of(finding))


@dataclass(frozen=True, slots=True)
class Annotation:
    marker: Marker
    claim: Claim


@dataclass(frozen=True)
class FixtureFile:
    """One annotated file, and its repaired twin beside it."""

    path: Path

    def __str__(self) -> str:
        return f"{self.rule}/{self.stem}"

    @property
    def rule(self) -> str:
        return self.path.parent.name

    @property
    def stem(self) -> str:
        return self.path.stem

    @property
    def framework(self) -> str:
        """`tensorflow` of `tensorflow1`, `keras` of `keras_backend`."""
        return re.split(r"[^a-z]", self.stem, maxsplit=1)[0]

    @property
    def fixed_path(self) -> Path:
        return self.path.with_name(self.stem + _FIXED)

    @property
    def filename(self) -> str:
        """The path given to the linter: the same wherever the checkout is."""
        return self.path.relative_to(ROOT).as_posix()

    @cached_property
    def data(self) -> bytes:
        return self.path.read_bytes()

    @cached_property
    def lines(self) -> list[str]:
        return self.data.decode("utf-8").splitlines()

    @cached_property
    def annotations(self) -> tuple[Annotation, ...]:
        """What the file says of itself; raises `AnnotationError`."""
        return annotations_of(self.data.decode("utf-8"), self.filename)

    @property
    def select(self) -> tuple[str, ...]:
        """Every rule but those that are off by default, and the fixture's own."""
        return "NAN", self.rule

    @property
    def ignores_possible(self) -> bool:
        return self.lines[:1] == [POSSIBLE_IGNORED]

    @property
    def fixed_data(self) -> bytes:
        """The text after all fixes; a file without fixes needs no twin."""
        return self.fixed_path.read_bytes() if self.fixed_path.exists() else self.data

    def bless(self, fixed: bytes) -> None:
        """Make `fixed` the text that is expected from now on."""
        if fixed != self.data or self.fixed_path.exists():
            self.fixed_path.write_bytes(fixed)

    def quiet_functions(self) -> list[str]:
        """The functions of which no line is annotated."""
        rows = {annotation.claim.row for annotation in self.annotations}
        return [
            node.name
            for node in ast.walk(ast.parse(self.data))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            and rows.isdisjoint(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        ]


def stated(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """What rules state, without what is merely not proved safe: a near-miss is quiet by default,
    and silent at every confidence only where its soundness can be proved (`test_audit`)."""
    return tuple(finding for finding in findings if not finding.audited)


@cache
def fixture_files() -> tuple[FixtureFile, ...]:
    """Every annotated file, sorted."""
    return tuple(
        FixtureFile(path)
        for path in sorted(FIXTURES.glob("*/*.py"))
        if not path.name.endswith(_FIXED)
    )


def twins_without_a_file() -> list[Path]:
    """The `.fixed.py` files that are the text of nothing."""
    return [
        path
        for path in sorted(FIXTURES.glob(f"*/*{_FIXED}"))
        if not path.with_name(path.name.removesuffix(_FIXED) + ".py").exists()
    ]


def annotations_of(text: str, filename: str = "<text>") -> tuple[Annotation, ...]:
    """The annotations in the comments of `text`; raises `AnnotationError`."""
    return tuple(
        annotation
        for row, comment in _comments(text)
        for found in _ANNOTATION.finditer(comment)
        if found["marker"].lower() != _SUPPRESSION
        for annotation in _annotations(found, row, f"{filename}:{row}")
    )


def _annotations(found: re.Match[str], row: int, place: str) -> Iterator[Annotation]:
    try:
        marker = Marker(found["marker"])
        for text in found["claims"].split(";"):
            claim = _CLAIM.fullmatch(text.strip())
            if claim is None:
                raise ValueError(f"{text.strip()!r} is not a code and a kind")
            yield Annotation(marker, Claim(row, claim["code"], Kind(claim["kind"] or "safe")))
    except ValueError as error:
        raise AnnotationError(f"{place}: {found[0].strip()}: {error}") from None


def _comments(text: str) -> Iterator[tuple[int, str]]:
    """Each comment, and the row of code that it speaks of."""
    waiting: list[str] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        row, column = token.start
        if token.type not in _BLANK:
            yield from ((row, comment) for comment in waiting)
            waiting = []
        elif token.type == tokenize.COMMENT and token.line[:column].strip():
            yield row, token.string
        elif token.type == tokenize.COMMENT:
            waiting.append(token.string)


def _kind_of(finding: Finding) -> Kind:
    if finding.confidence is Confidence.POSSIBLE:
        return Kind.POSSIBLE
    match finding.fix.applicability if finding.fix else Applicability.DISPLAY_ONLY:
        case Applicability.SAFE:
            return Kind.SAFE
        case Applicability.UNSAFE:
            return Kind.UNSAFE
        case _:
            return Kind.NO_FIX
