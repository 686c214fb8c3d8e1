"""Findings in numbers: per rule, and over all files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mllint_nan.findings import REASONS, Applicability, Confidence, Finding
from mllint_nan.project import Checked
from mllint_nan.reporting.paths import shown
from mllint_nan.reporting.text import is_fixable
from mllint_nan.results import Failed, Linted, Skipped, Unparsable, linted


@dataclass(frozen=True, slots=True)
class RuleCount:
    """How often one rule was broken; possible findings are counted for each reason."""

    code: str
    name: str
    count: int
    fixable: int
    reason: str | None = None

    def as_json(self) -> dict[str, object]:
        entry: dict[str, object] = {
            "code": self.code,
            "name": self.name,
            "count": self.count,
            "fixable": self.count == self.fixable,
            "fixable_count": self.fixable,
        }
        if self.reason is not None:
            entry.update(confidence="possible", reason=self.reason)
        return entry


def per_rule(findings: Iterable[Finding], weakest: Applicability) -> list[RuleCount]:
    """The most frequent rule first; then the possible findings, the likelier reasons first."""
    counts: Counter[tuple[str, str, str | None]] = Counter()
    fixable: Counter[tuple[str, str, str | None]] = Counter()
    for finding in findings:
        row = (finding.code, finding.name, finding.reason)
        counts[row] += 1
        fixable[row] += is_fixable(finding, weakest)
    return sorted(
        (
            RuleCount(code, name, count, fixable[code, name, reason], reason)
            for (code, name, reason), count in counts.items()
        ),
        key=lambda row: (_rank(row.reason), -row.count, row.code, row.reason or ""),
    )


def _rank(reason: str | None) -> int:
    """Findings above possible, then possible ones of rules, then those of an audit."""
    if reason is None:
        return 0
    return REASONS.index(reason) + 2 if reason in REASONS else 1


def table(counts: Iterable[RuleCount]) -> str:
    """Count, code and name; `[*]` if all are fixable, `[-]` if some are."""
    rows = list(counts)
    widest = max((len(str(row.count)) for row in rows), default=0)
    return "".join(
        f"{row.count:>{widest}}  {row.code}  {_mark(row)} {row.name}"
        + (f" (possible: {row.reason})" if row.reason is not None else "")
        + "\n"
        for row in rows
    )


def _mark(row: RuleCount) -> str:
    if row.fixable == row.count:
        return "[*]"
    return "[-]" if row.fixable else "[ ]"


def fixes(files: Iterable[Checked]) -> str:
    """The rules whose findings were fixed, file by file."""
    lines = []
    for file in files:
        counts = Counter((finding.code, finding.name) for finding in file.applied)
        if counts:
            lines.append(f"{shown(file.path)}:\n")
        lines += [f"    {n} × {code} ({name})\n" for (code, name), n in sorted(counts.items())]
    return "".join(lines)


@dataclass(frozen=True, slots=True)
class Tally:
    """What a whole run scanned and found."""

    found: int = 0
    fixable: int = 0
    fixable_unsafely: int = 0
    suppressed: int = 0
    known: int = 0
    stale: int = 0
    analysed: int = 0
    unparsable: int = 0
    failed: int = 0
    failed_rules: int = 0
    weaker: tuple[tuple[Confidence, int], ...] = ()
    skipped: tuple[tuple[str, int], ...] = ()
    fixed: int = 0
    fixed_files: int = 0

    @classmethod
    def of(cls, files: Iterable[Checked], weakest: Applicability) -> Tally:
        files = list(files)
        findings = [finding for file in files for finding in file.findings]
        fixable = sum(is_fixable(finding, weakest) for finding in findings)
        unsafely = sum(is_fixable(finding, Applicability.UNSAFE) for finding in findings)
        outcomes = [file.outcome for file in files]
        read = [found for found in map(linted, outcomes) if found is not None]
        reasons = Counter(outcome.reason for outcome in outcomes if isinstance(outcome, Skipped))
        kinds = Counter(type(outcome) for outcome in outcomes)
        weaker: Counter[Confidence] = Counter()
        for found in read:
            weaker.update(dict(found.weaker))
        return cls(
            found=len(findings),
            fixable=fixable,
            fixable_unsafely=unsafely - fixable,
            suppressed=sum(len(found.suppressed) for found in read),
            known=sum(len(found.known) for found in read),
            stale=sum(found.stale for found in read),
            analysed=kinds[Linted] + kinds[Unparsable],
            unparsable=kinds[Unparsable],
            failed=kinds[Failed],
            failed_rules=sum(len(file.failures) for file in files),
            weaker=tuple(sorted(weaker.items(), reverse=True)),
            skipped=tuple(sorted(reasons.items())),
            fixed=sum(len(file.applied) for file in files),
            fixed_files=sum(bool(file.applied) for file in files),
        )

    def summary(self, fixed: str = "Fixed") -> str:
        """One line; `fixed` says what happened to the fixed findings."""
        parts = []
        if self.fixed:
            parts.append(
                f"{fixed} {counted(self.fixed, 'finding')} in {counted(self.fixed_files, 'file')}"
            )
            found = f"{self.found or 'none'} left"
        elif self.is_clean:
            found = "all checks passed"
        else:
            found = f"found {counted(self.found, 'finding') if self.found else 'no findings'}"
        if self.analysed or not self.is_clean:
            found += f" in {counted(self.analysed, 'file')}"
        parts += [f"{found}{self._remedies()}", *self._not_asked_for()]
        if self.suppressed:
            parts.append(f"{counted(self.suppressed, 'finding')} suppressed")
        if self.known:
            parts.append(f"{counted(self.known, 'finding')} in the baseline")
        if self.stale:
            parts.append(
                f"{counted(self.stale, 'baseline finding')} gone; --write-baseline renews it"
            )
        parts += [f"{counted(files, 'file')} skipped: {why}" for why, files in self.skipped]
        if self.unparsable:
            parts.append(f"{self.unparsable} could not be parsed")
        if self.failed:
            parts.append(f"{self.failed} could not be checked")
        if self.failed_rules:
            parts.append(f"{counted(self.failed_rules, 'rule')} failed in a file")
        line = "; ".join(parts)
        return line[0].upper() + line[1:]

    @property
    def is_clean(self) -> bool:
        """Whether there is nothing to report for any file that was checked."""
        return not (self.found or self.fixed or self.failed or self.failed_rules)

    def _not_asked_for(self) -> Iterator[str]:
        """The findings that a lower `--min-confidence` shows; an audit would add more."""
        total = 0
        for confidence, number in self.weaker:
            total += number
            least = "at least " if confidence is Confidence.POSSIBLE else ""
            yield f"{least}{total} more with --min-confidence {confidence}"

    def _remedies(self) -> str:
        remedies = []
        if self.fixable:
            remedies.append(f"{self.fixable} fixable with --fix")
        if self.fixable_unsafely:
            more = " more" if self.fixable else ""
            remedies.append(f"{self.fixable_unsafely}{more} with --unsafe-fixes")
        return f" ({'; '.join(remedies)})" if remedies else ""


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
