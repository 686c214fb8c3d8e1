"""Executes every fixture and sweeps every safe fix on a device; writes what was seen as a page.

    python -m tests.gpu_report --device cuda --output docs/verification.md

It takes the frameworks that are installed, or those of `MLLINT_NAN_FRAMEWORKS=torch,jax`.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from itertools import groupby
from pathlib import Path
from typing import Final

from mllint_nan.domains.dtype import FORMATS
from mllint_nan.findings import Hazard, Verified
from mllint_nan.verify.verifier import Verifier
from tests.verifier.claims import Claim, claims
from tests.verifier.errors import Errors
from tests.verifier.frameworks import SELECTION, adapter, installed
from tests.verifier.judge import TOLERANCE, after_at_the_witness, before, compare
from tests.verifier.mutants import FAULTS, UNPLANTED, Mutant, mutants
from tests.verifier.observation import Mode
from tests.verifier.points import COARSE, FULL
from tests.verifier.samples import Sample, samples
from tests.verifier.sweep import Swept, sweep
from tests.verifier.trials import trials_of

_SWEPT: Final = (
    *("rule", "code", "framework", "format", "entries"),
    *("broken", "value", "gradient", "loss", "verdict"),
)
DENSITIES: Final = {"coarse": COARSE, "full": FULL}

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


@dataclass(frozen=True, slots=True)
class Line:
    """One sweep of one fix; `swept` is None where its rule does not claim the format."""

    sample: Sample
    dtype: str
    mode: Mode
    swept: Swept

    @property
    def complaint(self) -> str:
        """What was not as claimed."""
        found = [self.swept.trouble, *(each.complaint for each in self.swept.sides.values())]
        if self.swept.kinds[0] != self.swept.kinds[1]:
            found.append(f"{self.swept.kinds[0]} became {self.swept.kinds[1]}")
        said = next(filter(None, found), "")
        return said and f"`{self.sample}`, {self.dtype}, {self.mode}: {said}"


def swept(options: argparse.Namespace) -> Iterator[Line]:
    """Every safe fix in every format and mode that is asked for, of those that it has."""
    density = DENSITIES[options.density]
    for sample in samples(options.rule):
        framework = adapter(sample.framework)
        for dtype in filter(sample.is_claimed_in, framework.dtypes):
            for mode in framework.modes:
                if dtype not in options.formats.split(",") or mode not in options.modes.split(","):
                    continue
                if sample.framework == "jax" and mode is Mode.EAGER:
                    continue  # a hundred times slower, operation by operation
                points = trials_of(sample, dtype, density)
                yield Line(sample, dtype, mode, sweep(sample, dtype, options.device, mode, points))


def tried(rule: str) -> list[tuple[Mutant, str]]:
    """Each planted fault, and whether it was `refuted`, is `equivalent`, or `survived`."""
    found = []
    with Verifier() as verifier:
        for mutant in mutants(rule):
            is_refuted = mutant.proof(verifier).fix is Verified.REFUTED
            other = "equivalent" if not is_refuted and mutant.is_equivalent else "survived"
            found.append((mutant, "refuted" if is_refuted else other))
    return found


def report(
    rows: Sequence[Row],
    lines: Sequence[Line],
    faults: Sequence[tuple[Mutant, str]],
    options: argparse.Namespace,
) -> str:
    """The whole page."""
    device = options.device
    complaints = [f"- {complaint}" for row in rows for complaint in row.complaints]
    complaints += [f"- {line.complaint}" for line in lines if line.complaint]
    places = {adapter(row.claim.framework).place(device) for row in rows}
    where = "a GPU" if "cuda" in places else "the CPU; no GPU was there"
    parts = [
        "# Verification by execution",
        f"This report was made on {where}.",
        f"Every annotated function of `fixtures/` was executed at its rule's witness on "
        f"{datetime.now(timezone.utc):%Y-%m-%d}: before its fixes, and after all of them.",
        _table(("framework", "version", "device"), _frameworks(rows, device)),
        "The columns count functions. *Before*: those whose value, or only whose gradient, is "
        "NaN or infinite as claimed. *After*: those of the fixed ones that are finite in value "
        "and gradient at the same input. *Deviation*: the largest |after - before| / "
        "(|before| + 0.2), in values and gradients, over moderate inputs and over the "
        "witness's entries that were finite before; safe fixes only.",
        _table(("rule", "code", "framework", "before", "after", "deviation"), _results(rows)),
        "## Over the whole range",
        f"Every safe fix was cut out of a fixture and swept ({options.density} density): both "
        "signs, all binades or a choice of them, and the points where functions break. What the "
        "framework returned was held against exact results by mpmath. *Broken* counts entries "
        "that were NaN or infinite though the true result is not, before and after; *value* and "
        "*gradient* are the largest errors in units in the last place, before and after, of "
        "entries that are finite in both; *loss* is the largest absolute error, in epsilons of the "
        "format, of an entry that is worse than before by more than eight units. Modes: "
        f"{options.modes}, where the framework has them (JAX: compiled only).",
        _table(
            [
                "rule",
                "code",
                "framework",
                "format",
                "entries",
                "broken",
                "value",
                "gradient",
                "loss",
                "verdict",
            ],
            _sweeps(lines),
        ),
        "## Planted faults",
        "Each rewrite with one thing wrong in it, safe or not, in one framework, as `--verify` "
        "judges it. Equivalent are those that in exact arithmetic are the rewrite after all, or "
        "the original wherever that is finite.",
        _table(("fault", "planted", "refuted", "equivalent", "survived"), _faults(faults)),
        _table(("rule", "planted", "refuted", "equivalent", "survived"), _faulty_rules(faults)),
        "Not mutated:",
        _table(("rule", "why"), UNPLANTED.items()),
        "## Not as claimed",
        "\n".join(complaints) or "Nothing.",
    ]
    return "\n\n".join(parts) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.gpu_report", description=__doc__)
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    parser.add_argument("--output", type=Path, help="default: standard output")
    parser.add_argument("--rule", default="", help="its name; default: all")
    parser.add_argument("--density", choices=DENSITIES, default="full", help="of a sweep's points")
    parser.add_argument("--formats", default=",".join(FORMATS), help="default: %(default)s")
    parser.add_argument("--modes", default=",".join(Mode), help="default: %(default)s")
    options = parser.parse_args(arguments)
    os.environ.setdefault(SELECTION, ",".join(installed()))
    rows = [execute(claim, options.device) for claim in claims(options.rule)]
    lines = list(swept(options))
    page = report(rows, lines, tried(options.rule), options)
    if options.output is None:
        sys.stdout.write(page)
    else:
        options.output.parent.mkdir(parents=True, exist_ok=True)
        options.output.write_text(page, encoding="utf-8")
    return int(any(row.complaints for row in rows) or any(line.complaint for line in lines))


def _frameworks(rows: Iterable[Row], device: str) -> Iterable[tuple[str, ...]]:
    for name in dict.fromkeys(row.claim.framework for row in rows):
        framework = adapter(name)
        yield name, framework.version, framework.device_name(framework.place(device))


def _results(rows: Iterable[Row]) -> Iterable[tuple[str, ...]]:
    def key(row: Row) -> tuple[str, str, str]:
        return row.claim.code, row.claim.name, row.claim.stem

    for (code, name, stem), group in groupby(sorted(rows, key=key), key):
        yield name, code, stem.replace("_", " "), *_summary(list(group))


def _sweeps(lines: Iterable[Line]) -> Iterable[tuple[str, ...]]:
    def key(line: Line) -> tuple[str, str, str, str]:
        sample = line.sample
        return sample.rule.code, sample.rule.name, sample.framework, line.dtype

    for (code, name, framework, dtype), group in groupby(sorted(lines, key=key), key):
        of_group = list(group)
        value, gradient = (
            [line.swept.sides[hazard] for line in of_group]
            for hazard in (Hazard.VALUE, Hazard.GRADIENT)
        )
        sides = [*value, *gradient]
        broken = [
            sum(each.broken_before for each in sides),
            sum(each.broken_after for each in sides),
        ]
        yield (
            *(name, code, framework, dtype, str(sum(each.compared for each in sides))),
            f"{broken[0]} → {broken[1]}",
            *(_errors(each) for each in (value, gradient)),
            f"{max(each.eps for each in sides):.2g}",
            _verdict(of_group),
        )


def _verdict(lines: Sequence[Line]) -> str:
    if any(line.complaint for line in lines):
        return "worse"
    return "not there" if all(line.swept.absent for line in lines) else "holds"


def _errors(sides: Sequence[Errors]) -> str:
    if not any(each.compared for each in sides):
        return ""
    return f"{max(each.before for each in sides):.2g} → {max(each.after for each in sides):.2g}"


def _faults(faults: Iterable[tuple[Mutant, str]]) -> Iterable[tuple[str, ...]]:
    faults = list(faults)
    for fault in FAULTS:
        yield fault, *_counts(outcome for mutant, outcome in faults if mutant.fault == fault)
    yield "all", *_counts(outcome for _, outcome in faults)


def _faulty_rules(faults: Iterable[tuple[Mutant, str]]) -> Iterable[tuple[str, ...]]:
    def key(entry: tuple[Mutant, str]) -> str:
        return entry[0].sample.rule.name

    for name, group in groupby(sorted(faults, key=key), key):
        yield name, *_counts(outcome for _, outcome in group)


def _counts(outcomes: Iterable[str]) -> tuple[str, ...]:
    counted = Counter(outcomes)
    kinds = ("refuted", "equivalent", "survived")
    return str(counted.total()), *(str(counted[kind]) for kind in kinds)


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
