"""Executes every fixture on a device and writes what was seen as a Markdown table.

    python -m tests.gpu_report --device cuda --output docs/verification.md

`MLLINT_NAN_FRAMEWORKS=torch,jax` restricts it to the frameworks that are installed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from itertools import groupby
from pathlib import Path
from typing import Final

from mllint_nan.findings import Hazard
from tests.verifier.claims import Claim, claims
from tests.verifier.frameworks import adapter
from tests.verifier.judge import TOLERANCE, after_at_the_witness, before, compare

_FAULTS: Final = (
    ArithmeticError,
    AttributeError,
    LookupError,
    NameError,
    RuntimeError,
    TypeError,
    ValueError,
)


@dataclass(frozen=True, slots=True)
class Row:
    """One claim, executed; `deviation` is None where no safe fix was applied."""

    claim: Claim
    before: str
    after: str | None
    deviation: float | None

    @property
    def complaints(self) -> list[str]:
        """What was not as claimed."""
        found = [complaint for complaint in (self.before, self.after) if complaint]
        if self.deviation is not None and self.deviation > TOLERANCE:
            found.append(f"a safe fix deviates by {self.deviation:.1e}")
        return [f"`{self.claim}`: {complaint}" for complaint in found]


def execute(claim: Claim, device: str) -> Row:
    """The claim's row; code that does not run at all is one complaint, not the end."""
    try:
        return _execute(claim, device)
    except _FAULTS as error:
        reason = f"raises {type(error).__name__}: {str(error).splitlines()[0]}"
        return Row(claim, reason, None, None)


def _execute(claim: Claim, device: str) -> Row:
    complaint = before(claim, device).complaint
    if claim.after is None or claim.inputs is None:
        return Row(claim, complaint, None, None)
    after = after_at_the_witness(claim, device).complaint
    deviation = compare(claim, device).worst if claim.fix_is_safe else None
    return Row(claim, complaint, after, deviation)


def report(rows: Sequence[Row], device: str) -> str:
    """The whole page."""
    complaints = [complaint for row in rows for complaint in row.complaints]
    parts = [
        "# Verification by execution",
        f"Every annotated function of `fixtures/` was executed at its rule's witness on "
        f"{datetime.now(timezone.utc):%Y-%m-%d}: before its fixes, and after all of them.",
        _table(("framework", "version", "device"), _frameworks(rows, device)),
        "The columns count functions. *Before*: those whose value, or only whose gradient, is "
        "NaN or infinite as claimed. *After*: those of the fixed ones that are finite in value "
        "and gradient at the same input. *Deviation*: the largest |after - before| / "
        "(|before| + 0.2), in values and gradients, over moderate inputs and over the "
        "witness's entries that were finite before; safe fixes only.",
        _table(("rule", "code", "framework", "before", "after", "deviation"), _results(rows)),
        "## Not as claimed",
        "\n".join(f"- {complaint}" for complaint in complaints) or "Nothing.",
    ]
    return "\n\n".join(parts) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.gpu_report", description=__doc__)
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    parser.add_argument("--output", type=Path, help="default: standard output")
    options = parser.parse_args(arguments)
    rows = [execute(claim, options.device) for claim in claims()]
    page = report(rows, options.device)
    if options.output is None:
        sys.stdout.write(page)
    else:
        options.output.parent.mkdir(parents=True, exist_ok=True)
        options.output.write_text(page, encoding="utf-8")
    return int(any(row.complaints for row in rows))


def _frameworks(rows: Iterable[Row], device: str) -> Iterable[tuple[str, ...]]:
    for name in dict.fromkeys(row.claim.framework for row in rows):
        framework = adapter(name)
        yield name, framework.version, framework.device_name(framework.place(device))


def _results(rows: Iterable[Row]) -> Iterable[tuple[str, ...]]:
    def key(row: Row) -> tuple[str, str, str]:
        return row.claim.code, row.claim.name, row.claim.stem

    for (code, name, stem), group in groupby(sorted(rows, key=key), key):
        yield name, code, stem.replace("_", " "), *_summary(list(group))


def _summary(rows: list[Row]) -> tuple[str, str, str]:
    parts = [
        f"{hazard} {sum(not row.before for row in of_hazard)}/{len(of_hazard)}"
        for hazard in Hazard
        if (of_hazard := [row for row in rows if row.claim.hazard is hazard])
    ]
    fixed = [row for row in rows if row.after is not None]
    finite = sum(not row.after for row in fixed)
    deviations = [row.deviation for row in rows if row.deviation is not None]
    return (
        ", ".join(parts),
        f"finite {finite}/{len(fixed)}" if fixed else "no fix",
        f"{max(deviations):.1e}" if deviations else "",
    )


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


if __name__ == "__main__":
    sys.exit(main())
