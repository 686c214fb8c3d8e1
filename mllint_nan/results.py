"""The result of one file: always a value, independent of the modules that produce it."""

from __future__ import annotations

import traceback
from dataclasses import dataclass, replace

from mllint_nan.findings import Confidence, Finding


@dataclass(frozen=True, slots=True)
class RuleFailure:
    """A rule failed in the file; all other rules report as if it did not exist."""

    code: str
    reason: str
    """One line."""
    traceback: str = ""

    @classmethod
    def of(cls, code: str, failed: str, error: Exception, consequence: str) -> RuleFailure:
        """The failure that an exception shows."""
        said = next(iter(str(error).splitlines()), "")
        shown = f"{type(error).__name__}: {said}".removesuffix(": ")
        return cls(code, f"{failed} failed: {shown}; {consequence}", innermost(error))


def innermost(error: Exception) -> str:
    """The traceback of the innermost calls, which tell most: a recursion has thousands."""
    return "".join(traceback.format_exception(error, limit=-20))


@dataclass(frozen=True, slots=True)
class Linted:
    """The file was analysed; `findings` are sorted, selected and not suppressed."""

    findings: tuple[Finding, ...]
    suppressed: tuple[Finding, ...] = ()
    """Findings that comments silence; they get no fix."""
    silenced: tuple[tuple[str, int], ...] = ()
    """Codes of findings that a more specific rule replaces, with their counts."""
    known: tuple[Finding, ...] = ()
    """Findings in the baseline."""
    stale: int = 0
    """How many findings of the baseline no longer exist."""
    failures: tuple[RuleFailure, ...] = ()
    """The rules that failed, which report nothing."""
    weaker: tuple[tuple[Confidence, int], ...] = ()
    """How many findings of rules are below the requested confidence; audits do not count."""


@dataclass(frozen=True, slots=True)
class Unparsable:
    """The file is not Python 3; `finding` is NAN901 at the place of the first error.

    `others` are the NAN901 findings of further cells of a notebook; `read` are the findings in the
    part that can be read, whose fixes are never applied.
    """

    finding: Finding
    others: tuple[Finding, ...] = ()
    read: Linted = Linted(())

    @property
    def errors(self) -> tuple[Finding, ...]:
        """All NAN901 findings."""
        return (self.finding, *self.others)

    @property
    def whole(self) -> Linted:
        """All findings, in the order of the file."""
        every = (*self.errors, *self.read.findings)
        ordered = sorted(every, key=lambda one: (one.start, one.end, one.code))
        return replace(self.read, findings=tuple(ordered))


@dataclass(frozen=True, slots=True)
class Skipped:
    """The file needs no analysis, opts out of it, or takes too long."""

    reason: str
    is_final: bool = True
    """Whether another run would get no further."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The tool could not do its work on the file; `reason` is one line."""

    reason: str
    traceback: str = ""
    is_file: bool = True
    """Whether the path is a file; otherwise it leads to nothing that has lines."""


LintResult = Linted | Unparsable | Skipped | Failed


def linted(outcome: LintResult) -> Linted | None:
    """What was found in a file, or in the part of it that could be read."""
    match outcome:
        case Linted():
            return outcome
        case Unparsable():
            return outcome.whole
        case _:
            return None
