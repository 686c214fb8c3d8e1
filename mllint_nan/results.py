"""The result of one file: always a value, which imports nothing of what produces it."""

from __future__ import annotations

import traceback
from dataclasses import dataclass, replace

from mllint_nan.findings import Confidence, Finding


@dataclass(frozen=True, slots=True)
class RuleFailure:
    """What a rule could not do in the file: all others speak as if it were not there."""

    code: str
    reason: str
    """One line."""
    traceback: str = ""

    @classmethod
    def of(cls, code: str, failed: str, error: Exception, consequence: str) -> RuleFailure:
        """A failure by the exception that shows it."""
        said = next(iter(str(error).splitlines()), "")
        shown = f"{type(error).__name__}: {said}".removesuffix(": ")
        return cls(code, f"{failed} failed: {shown}; {consequence}", innermost(error))


def innermost(error: Exception) -> str:
    """The innermost calls tell; a recursion has thousands of them."""
    return "".join(traceback.format_exception(error, limit=-20))


@dataclass(frozen=True, slots=True)
class Linted:
    """The file was analysed; `findings` are sorted, selected, and not suppressed."""

    findings: tuple[Finding, ...]
    suppressed: tuple[Finding, ...] = ()
    """What comments silence; no fix is sought for it."""
    silenced: tuple[tuple[str, int], ...] = ()
    """Codes of findings that a more specific rule stands for, with their number."""
    known: tuple[Finding, ...] = ()
    """What the baseline knows."""
    stale: int = 0
    """How many findings of the baseline are no longer there."""
    failures: tuple[RuleFailure, ...] = ()
    """The rules that failed, for which nothing is claimed."""
    weaker: tuple[tuple[Confidence, int], ...] = ()
    """How many findings of rules are less sure than what is asked for; audits are not made."""


@dataclass(frozen=True, slots=True)
class Unparsable:
    """The file is not Python 3; `finding` is NAN901 at the place of the first error.

    `others` are NAN901 of the further cells of a notebook; `read` is what was found in all that
    can be read, of which no fix is ever applied.
    """

    finding: Finding
    others: tuple[Finding, ...] = ()
    read: Linted = Linted(())

    @property
    def errors(self) -> tuple[Finding, ...]:
        """Every NAN901."""
        return (self.finding, *self.others)

    @property
    def whole(self) -> Linted:
        """All that is reported, in the order of the file."""
        every = (*self.errors, *self.read.findings)
        ordered = sorted(every, key=lambda one: (one.start, one.end, one.code))
        return replace(self.read, findings=tuple(ordered))


@dataclass(frozen=True, slots=True)
class Skipped:
    """The file needs no analysis, asks for none, or takes too much."""

    reason: str
    is_final: bool = True
    """Whether another run would not come further."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The tool could not do its work on the file; `reason` is one line."""

    reason: str
    traceback: str = ""
    is_file: bool = True
    """Else the path leads to nothing that could have a line."""


LintResult = Linted | Unparsable | Skipped | Failed


def linted(outcome: LintResult) -> Linted | None:
    """What was found in a file, be it all or a part of it that could be read."""
    match outcome:
        case Linted():
            return outcome
        case Unparsable():
            return outcome.whole
        case _:
            return None
