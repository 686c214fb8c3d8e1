"""Executes every fixture and sweeps every fix on a device; writes what was seen as a page.

    python -m tests.gpu_report --device cuda --output docs/verification.md

It takes the frameworks that are installed, or those of `MLLINT_NAN_FRAMEWORKS=torch,jax`. `--jobs
16` goes through as many rules at once. With `--keep DIRECTORY` what was seen of a rule stays there,
and a run after one that was cut off does not execute it again. Faults are planted on the CPU only.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import pickle
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Final, cast

from mllint_nan.domains.dtype import FORMATS
from mllint_nan.findings import Hazard, Verified
from mllint_nan.rulebook.load import load_rules
from mllint_nan.verify.verifier import Verifier
from tests.verifier.claims import Claim, claims, executable_in_any_mode, simplest, stated
from tests.verifier.errors import Errors
from tests.verifier.frameworks import SELECTION, adapter, framework_of, has_gpu, installed, selected
from tests.verifier.ground_truth import ground_truths_of
from tests.verifier.judge import TOLERANCE, after_at_the_witness, before, compare
from tests.verifier.mutants import FAULTS, UNPLANTED, Mutant, mutants
from tests.verifier.observation import MENDED, Mode, is_refusal
from tests.verifier.points import COARSE, FULL
from tests.verifier.samples import Sample, samples
from tests.verifier.sweep import Swept, sweep, sweep_together

_SWEPT: Final = (
    *("rule", "code", "framework", "format", "entries"),
    *("broken", "value", "gradient", "loss", "verdict"),
)
_OUTCOMES: Final = ("refuted", "equivalent", "not proved", "proved")
DENSITIES: Final = {"coarse": COARSE, "full": FULL}

_FAULTS: Final = (
    ArithmeticError,
    AttributeError,
    ImportError,
    LookupError,
    NameError,
    RuntimeError,
    TypeError,
    ValueError,
)


@dataclass(frozen=True, slots=True)
class Row:
    """One claim, executed; `deviation` is None where no safe fix was applied."""

    claim: str
    rule: str
    code: str
    stem: str
    hazard: Hazard | None
    before: str
    after: str | None = None
    deviation: float | None = None

    @property
    def framework(self) -> str:
        return framework_of(self.stem)

    @property
    def complaints(self) -> list[str]:
        """What was not as claimed."""
        found = [complaint for complaint in (self.before, self.after) if complaint]
        if self.deviation is not None and self.deviation > TOLERANCE:
            found.append(f"a safe fix deviates by {self.deviation:.1e}")
        return [f"`{self.claim}`: {complaint}" for complaint in found]


def execute(claim: Claim, device: str) -> Row:
    """The claim's row; code that does not run at all is one complaint, not the end."""
    row = partial(Row, str(claim), claim.name, claim.code, claim.stem, claim.hazard)
    try:
        return row(*_executed(claim, device))
    except _FAULTS as error:
        return row(f"raises {type(error).__name__}: {str(error).splitlines()[0]}")


def _executed(claim: Claim, device: str) -> tuple[str, str | None, float | None]:
    complaint = before(claim, device).complaint
    if claim.after is None or claim.inputs is None:
        return complaint, None, None
    after = after_at_the_witness(claim, device).complaint
    return complaint, after, compare(claim, device).worst if claim.fix_is_safe else None


@dataclass(frozen=True, slots=True)
class Line:
    """One sweep of one fix; `complaint` is what was not as claimed."""

    rule: str
    code: str
    framework: str
    dtype: str
    swept: Swept
    complaint: str


def _line(sample: Sample, dtype: str, mode: Mode, swept: Swept) -> Line:
    sides = swept.sides.values()
    found = [swept.trouble, *(each.unfixed for each in sides)]
    if sample.is_safe:
        found += [each.complaint for each in sides]
    if swept.kinds[0] != swept.kinds[1]:
        found.append(f"{swept.kinds[0]} became {swept.kinds[1]}")
    said = next(filter(None, found), "")
    complaint = said and f"`{sample}`, {dtype}, {mode}: {said}"
    rule = sample.rule
    return Line(rule.name, rule.code, sample.framework, dtype, swept, complaint)


def swept(rule: str, framework: str, options: argparse.Namespace, *, safe: bool) -> Iterator[Line]:
    """Every fix in every format and mode that is asked for, of those that it has."""

    of_rule = [each for each in samples(rule, safe=safe) if each.framework == framework]
    for dtype in adapter(framework).dtypes:
        claimed = [sample for sample in of_rule if sample.is_claimed_in(dtype)]
        for mode in adapter(framework).modes:
            is_asked = dtype in options.formats.split(",") and mode in options.modes.split(",")
            if claimed and is_asked:
                yield from _lines(claimed, dtype, mode, options)


def _lines(
    claimed: Sequence[Sample], dtype: str, mode: Mode, options: argparse.Namespace
) -> Iterator[Line]:
    """Compiled all at once if they can be; each by itself where one of them raises."""
    device, density = options.device, DENSITIES[options.density]
    ground_truths = [ground_truths_of(sample, dtype, density) for sample in claimed]
    found: list[Swept] = []
    if mode is not Mode.EAGER:
        with suppress(Exception):  # each by itself says what it is
            found = sweep_together(claimed, dtype, device, mode, ground_truths)
    if not found:
        found = [
            sweep(sample, dtype, device, mode, points)
            for sample, points in zip(claimed, ground_truths, strict=True)
        ]
    for sample, seen in zip(claimed, found, strict=True):
        yield _line(sample, dtype, mode, seen)


@dataclass(frozen=True, slots=True)
class Execution:
    """A claim in a mode; the complaints are empty where it fails as claimed, and is mended."""

    claim: str
    framework: str
    mode: Mode
    before: str
    after: str
    is_mended: bool
    """The mode itself mends what is claimed."""

    @property
    def complaints(self) -> list[str]:
        found = filter(None, ("" if self.is_mended else self.before, self.after))
        return [f"`{self.claim}`, {self.mode}: {complaint}" for complaint in found]


def executed(rule: str, framework: str, options: argparse.Namespace) -> Iterator[Execution]:
    """One function of each fixture at the witness, in all modes but the usual that take it."""
    for candidates in executable_in_any_mode(rule).values():
        claim = simplest(candidates)
        if claim is None or claim.framework != framework:
            continue
        for mode in adapter(framework).modes:
            if mode is Mode.EAGER or mode not in options.modes.split(","):
                continue
            is_mended = (framework, claim.code, mode) in MENDED
            execution = partial(
                Execution, str(claim), framework, mode, is_mended=is_mended, after=""
            )
            try:
                verdicts = [
                    each(claim, options.device, mode) for each in (before, after_at_the_witness)
                ]
            except Exception as error:  # whatever a framework raises is what the report says
                if not is_refusal(error):
                    said = next(iter(str(error).splitlines()), "")
                    yield execution(before=f"raises {type(error).__name__}: {said}")
            else:
                first, last = (verdict.complaint for verdict in verdicts)
                yield execution(before=first, after=last)


@dataclass(frozen=True, slots=True)
class Tried:
    """A planted fault, and which of `_OUTCOMES` it has; `name` is the mutant's."""

    rule: str
    fault: str
    outcome: str
    name: str
    original: str
    mutated: str


def tried(rule: str) -> list[Tried]:
    """Each planted fault of a rule."""
    with Verifier() as verifier:
        return [
            Tried(
                *(mutant.sample.rule.name, mutant.fault, _outcome(mutant, verifier), str(mutant)),
                *(str(mutant.sample.cut.before), str(mutant.cut.after)),
            )
            for mutant in mutants(rule)
        ]


def _outcome(mutant: Mutant, verifier: Verifier) -> str:
    verdict = mutant.proof(verifier).fix
    if verdict is Verified.REFUTED:
        return "refuted"
    if mutant.is_equivalent:
        return "equivalent"
    return "proved" if verdict is Verified.PROVED else "not proved"


@dataclass(frozen=True, slots=True)
class Seen:
    """What was seen of a rule, or of all: claims, modes, safe and unsafe fixes, planted faults."""

    rows: list[Row]
    executions: list[Execution]
    lines: list[Line]
    unsafe: list[Line]
    faults: list[Tried]


@dataclass(frozen=True, slots=True)
class Part:
    """What is executed in one process: a rule in a framework, or its planted faults without one."""

    rule: str
    framework: str | None

    def __str__(self) -> str:
        return f"{self.rule}-{self.framework or 'faults'}"


def _seen_of(part: Part, options: argparse.Namespace) -> Seen:
    rule, framework = part.rule, part.framework
    if framework is None:
        return Seen([], [], [], [], tried(rule))
    return Seen(
        [execute(claim, options.device) for claim in claims(rule) if claim.framework == framework],
        list(executed(rule, framework, options)),
        *(list(swept(rule, framework, options, safe=safe)) for safe in (True, False)),
        [],
    )


def _kept(part: Part, options: argparse.Namespace) -> Seen:
    """What was seen of a part, from the directory of `--keep` where it is there."""
    if options.keep is None:
        return _seen_of(part, options)
    kept: Path = options.keep / f"{part}.pickle"
    if kept.exists():
        return cast(Seen, pickle.loads(kept.read_bytes()))
    seen = _seen_of(part, options)
    kept.parent.mkdir(parents=True, exist_ok=True)
    written = kept.with_suffix(".part")
    written.write_bytes(pickle.dumps(seen))
    written.replace(kept)
    return seen


def see(options: argparse.Namespace) -> Seen:
    """All rules, or that of `--rule`; those of most claims begin."""
    rules = [options.rule] if options.rule else [rule.name for rule in load_rules()]
    judged_here = () if options.device == "cuda" else (None,)  # `--verify` executes on the CPU
    parts = [Part(rule, framework) for rule in rules for framework in (*selected(), *judged_here)]
    work = partial(_kept, options=options)
    if options.jobs == 1:
        found = list(map(work, parts))
    else:
        claimed = Counter(Part(each.rule, each.framework) for each in stated())
        parts.sort(key=lambda part: -claimed[part])
        spawned = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(options.jobs, spawned) as pool:
            found = list(pool.map(work, parts))
    return Seen(
        [row for each in found for row in each.rows],
        [execution for each in found for execution in each.executions],
        [line for each in found for line in each.lines],
        [line for each in found for line in each.unsafe],
        [fault for each in found for fault in each.faults],
    )


def report(seen: Seen, options: argparse.Namespace) -> str:
    """The whole page."""
    rows, lines, unsafe = seen.rows, seen.lines, seen.unsafe
    device = options.device
    complaints = [f"- {complaint}" for row in rows for complaint in row.complaints]
    complaints += [f"- {complaint}" for each in seen.executions for complaint in each.complaints]
    complaints += [f"- {line.complaint}" for line in (*lines, *unsafe) if line.complaint]
    places = {adapter(row.framework).place(device) for row in rows}
    where = "a GPU" if "cuda" in places else "the CPU, without a GPU"
    parts = [
        "# Verification by execution",
        f"This report was made on {where}.",
        f"Every annotated function of `fixtures/` was executed at its rule's witness on "
        f"{datetime.now(timezone.utc):%Y-%m-%d}: before its fixes, and after all of them.",
        _table(("framework", "version", "device"), _frameworks(rows, device)),
        "The columns count functions. *Before* counts those whose value, or only whose gradient, "
        "is NaN or infinite as claimed. *After* counts the fixed ones whose value and gradient "
        "are finite at the same input. *Deviation*, for safe fixes only, is the largest |after - "
        "before| / (|before| + 0.2), in values and gradients. It covers moderate inputs, and the "
        "witness's entries that were finite before.",
        _table(("rule", "code", "framework", "before", "after", "deviation"), _results(rows)),
        "One function of each rule was also executed in the other modes. The columns count those "
        "that fail as claimed before, and those that are finite after.",
        _table(("framework", "mode", "before", "after"), _modes(seen.executions)),
        "## Over the whole range",
        f"Every safe fix was cut out of a fixture and swept ({options.density} density): both "
        "signs, all binades or a selection of them, and the points where functions break. The "
        "results of the framework were compared with exact results by mpmath. *Broken* counts "
        "entries that were NaN or infinite though the true result is not, before and after. The "
        "columns *value* and *gradient* give the largest errors in units in the last place, "
        "before and after, of entries that are finite in both. The column *loss* gives the "
        "largest absolute error, in epsilons of the format, of an entry that is worse than before "
        "by more than eight units. Modes: "
        f"{options.modes}, where the framework has them.",
        _table(_SWEPT, _sweeps(lines)),
        "## Unsafe fixes",
        "They were swept in the same way. Unsafe fixes may change results, and the table only "
        "reports by how much. They must be finite wherever the fixed expression itself has a "
        "value.",
        _table(_SWEPT, _sweeps(unsafe)),
        *(_of_planted(seen.faults) if seen.faults else ()),
        "## Not as claimed",
        "\n".join(complaints) or "Nothing.",
    ]
    return "\n\n".join(parts) + "\n"


def _of_planted(faults: Sequence[Tried]) -> Iterator[str]:
    yield "## Planted faults"
    yield (
        "Each rewrite, safe or not, was changed in one place, in one framework, and judged by "
        "`--verify`. Such a fault is equivalent if, in exact arithmetic, the result equals the "
        "correct rewrite, or equals the original wherever that is finite. Faults that are "
        "reported as proved and are not equivalent are listed below, with the change."
    )
    yield _table(("fault", "planted", *_OUTCOMES), _faults(faults))
    yield _table(("rule", "planted", *_OUTCOMES), _faulty_rules(faults))
    yield "\n".join(_wrongly_proved(faults)) or "None is proved wrongly."
    yield "Not mutated:"
    yield _table(("rule", "why"), UNPLANTED.items())


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.gpu_report", description=__doc__)
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    parser.add_argument("--output", type=Path, help="default: standard output")
    parser.add_argument("--rule", default="", help="its name; default: all")
    parser.add_argument("--density", choices=DENSITIES, default="full", help="of a sweep's points")
    parser.add_argument("--formats", default=",".join(FORMATS), help="default: %(default)s")
    parser.add_argument("--modes", default=",".join(Mode), help="default: %(default)s")
    parser.add_argument("--jobs", type=int, default=1, help="rules at once (default: %(default)s)")
    parser.add_argument("--keep", type=Path, help="where to keep what was seen of each rule")
    options = parser.parse_args(arguments)
    os.environ.setdefault(SELECTION, ",".join(installed()))
    if options.device == "cuda" and not any(map(has_gpu, selected())):
        parser.error("no framework here sees a GPU")
    seen = see(options)
    page = report(seen, options)
    if options.output is None:
        sys.stdout.write(page)
    else:
        options.output.parent.mkdir(parents=True, exist_ok=True)
        options.output.write_text(page, encoding="utf-8")
    of_claims = any(each.complaints for each in (*seen.rows, *seen.executions))
    return int(of_claims or any(line.complaint for line in (*seen.lines, *seen.unsafe)))


def _frameworks(rows: Iterable[Row], device: str) -> Iterable[tuple[str, ...]]:
    for name in sorted({row.framework for row in rows}):
        framework = adapter(name)
        yield name, framework.version, framework.device_name(framework.place(device))


def _results(rows: Iterable[Row]) -> Iterable[tuple[str, ...]]:
    def key(row: Row) -> tuple[str, str, str]:
        return row.code, row.rule, row.stem

    for (code, name, stem), group in groupby(sorted(rows, key=key), key):
        yield name, code, stem.replace("_", " "), *_summary(list(group))


def _modes(executions: Iterable[Execution]) -> Iterable[tuple[str, ...]]:
    def key(each: Execution) -> tuple[str, str]:
        return each.framework, each.mode

    for (framework, mode), group in groupby(sorted(executions, key=key), key):
        of_group = list(group)
        failed, mended = (
            sum(not complaint for complaint in complaints)
            for complaints in zip(*((each.before, each.after) for each in of_group), strict=True)
        )
        yield framework, str(mode), f"{failed}/{len(of_group)}", f"{mended}/{len(of_group)}"


def _sweeps(lines: Iterable[Line]) -> Iterable[tuple[str, ...]]:
    def key(line: Line) -> tuple[str, str, str, str]:
        return line.code, line.rule, line.framework, line.dtype

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


def _faults(faults: Iterable[Tried]) -> Iterable[tuple[str, ...]]:
    faults = list(faults)
    for fault in FAULTS:
        yield fault, *_counts(each.outcome for each in faults if each.fault == fault)
    yield "all", *_counts(each.outcome for each in faults)


def _faulty_rules(faults: Iterable[Tried]) -> Iterable[tuple[str, ...]]:
    def key(each: Tried) -> str:
        return each.rule

    for name, group in groupby(sorted(faults, key=key), key):
        yield name, *_counts(each.outcome for each in group)


def _counts(outcomes: Iterable[str]) -> tuple[str, ...]:
    counted = Counter(outcomes)
    return str(counted.total()), *(str(counted[kind]) for kind in _OUTCOMES)


def _wrongly_proved(faults: Iterable[Tried]) -> Iterator[str]:
    for each in faults:
        if each.outcome == "proved":
            yield f"- `{each.name}`: `{each.original}` became `{each.mutated}`"


def _summary(rows: list[Row]) -> tuple[str, str, str]:
    parts = [
        f"{hazard} {sum(not row.before for row in of_hazard)}/{len(of_hazard)}"
        for hazard in Hazard
        if (of_hazard := [row for row in rows if row.hazard is hazard])
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
