"""Measure which witnesses are reported, and how many findings have a witness.

    python -m benchmarks.witnesses.score HOME TABLE [--split dev] [--update PAGE] [--json FILE]

HOME holds the packages' sources and the drivers' results. Each package is linted there, without
configuration, down to `possible`. A finding is joined to a witness of its file if the expression of
one contains the other's; if the column of a witness is unknown, the row decides.

A *line* is witnessed by the mildest of its witnesses, and reported if one of these is.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from benchmarks.witnesses.code import Part, Region, Sources, plain
from benchmarks.witnesses.packages import SPLITS, Package, read_packages
from benchmarks.witnesses.units import read_lines
from benchmarks.witnesses.witness import Grade, Witness, read_table
from mllint_nan import check_paths
from mllint_nan.findings import Confidence, Finding
from mllint_nan.frameworks.registry import functions, known_functions, methods
from mllint_nan.linter import Prepared, prepare
from mllint_nan.project import default_jobs, placed
from mllint_nan.rulebook.load import load_rules
from mllint_nan.settings import Settings
from mllint_nan.tracing import Judgement, traces_in

_SETTINGS: Final = Settings(select=("NAN", "limits"), min_confidence=Confidence.POSSIBLE)
_OPTIONAL: Final = frozenset(rule.code for rule in load_rules() if rule.off_by_default)
_OVERFLOWING: Final = frozenset(
    ("add", "sub", "mul", "neg", "square", "mean", "mse", "relu", "clip", "maximum", "minimum",
     "where", "nan_to_num", "eq", "ne")
)  # fmt: skip
"""Operations of rules that have non-finite results only beyond a format's bounds."""
_PACKAGES: Final[Mapping[str, tuple[str, ...]]] = {
    "jax": ("jax", "numpy", "scipy"),
    "tensorflow": ("tensorflow", "keras"),
}
"""Whose names the tables may have for an operation of a framework."""
_START: Final = "<!-- score -->"
_END: Final = "<!-- end of score -->"
_MODEL: Final = (Part.LOSS, Part.LAYER, Part.DISTRIBUTION)

_OPERATIONS: Final[Mapping[str, str]] = {
    "truediv": "div",
    "true_divide": "div",
    "realdiv": "div",
    "divide": "div",
    "integer_pow": "pow",
    "power": "pow",
    "multiply": "mul",
    "subtract": "sub",
    "logistic": "sigmoid",
    "linalg_norm": "norm",
    "linalg_vector_norm": "norm",
    "linalg_eigh": "eigh",
    "linalg_svd": "svd",
}
"""Names of operations in dispatchers that differ from those in the tables, or are operators."""


@dataclass(frozen=True, slots=True)
class Said:
    """The part of a finding that the score needs."""

    code: str
    confidence: Confidence
    hazard: str
    file: str
    region: Region

    @property
    def is_default(self) -> bool:
        return self.confidence >= Confidence.LIKELY and self.code not in _OPTIONAL


@dataclass(frozen=True, slots=True)
class Scored:
    """A witness, and the findings joined to it; `reason` says why there is none."""

    witness: Witness
    split: str
    part: Part
    findings: tuple[Said, ...]
    reason: str = ""

    @property
    def line(self) -> tuple[str, str, int]:
        return (self.witness.package, self.witness.file, self.witness.line)

    @property
    def is_possible(self) -> bool:
        return bool(self.findings)

    @property
    def is_default(self) -> bool:
        return any(finding.is_default for finding in self.findings)


@dataclass(frozen=True, slots=True)
class Driven:
    """A default finding in a function that a driver executed."""

    package: str
    split: str
    framework: str
    finding: Said
    has_witness: bool


@dataclass(frozen=True, slots=True)
class Score:
    """All measurements."""

    scored: tuple[Scored, ...]
    driven: tuple[Driven, ...]

    def of(self, split: str) -> Score:
        """Return the part of a split; all for an empty name."""
        return Score(
            tuple(each for each in self.scored if split in ("", each.split)),
            tuple(each for each in self.driven if split in ("", each.split)),
        )


def lines(scored: Iterable[Scored]) -> list[Scored]:
    """Return one witness for each line: of the mildest ones, one that is reported best."""
    order = list(Grade)
    kept: dict[tuple[str, str, int], Scored] = {}

    def rank(each: Scored) -> tuple[int, bool, bool]:
        return (order.index(each.witness.grade), not each.is_default, not each.is_possible)

    for each in scored:
        known = kept.get(each.line)
        if known is None or rank(each) < rank(known):
            kept[each.line] = each
    return sorted(kept.values(), key=lambda each: each.line)


def folder_of(package: Package, home: Path, witness: Witness) -> Path:
    """Return the folder that the witness's file is relative to: the one that contains a root.

    Raises `FileNotFoundError` if none has it.
    """
    for root in package.folders(home):
        if (root.parent / witness.file).is_file():
            return root.parent
    raise FileNotFoundError(f"{package.source(home)} has no {witness.file}")


def ran_of(home: Path, package: str) -> frozenset[str]:
    """Return the functions of a package that a driver executed, according to its events."""
    return frozenset(
        name
        for path in sorted((home / "events" / package).rglob("*.jsonl"))
        for entry in read_lines(path)
        for record in (entry, *entry.get("records", ()))
        for name in record.get("ran", ())
    )


def findings_of(folder: Path, files: Iterable[str], tool: Path | None = None) -> list[Said]:
    """Return the findings in files, relative to the folder, at every confidence.

    They are those of the tool of another checkout, if one is given.
    """
    found = []
    if tool is not None:
        return _said_elsewhere(folder, sorted(files), tool)
    paths = [folder / file for file in sorted(files) if (folder / file).is_file()]
    for checked in check_paths(paths, _SETTINGS, jobs=default_jobs()):
        file = Path(checked.path).resolve().relative_to(folder.resolve()).as_posix()
        found += [_said(finding, file) for finding in checked.findings if finding.hazard]
    return found


def _said_elsewhere(folder: Path, files: Sequence[str], tool: Path) -> list[Said]:
    command = [sys.executable, "-m", "mllint_nan", "--isolated", "--no-cache", "--exit-zero"]
    command += ["--output-format", "json", "--min-confidence", "possible"]
    here = [file for file in files if (folder / file).is_file()]
    if not here:
        return []
    environment = {**os.environ, "PYTHONPATH": str(tool.resolve())}
    done = subprocess.run(
        [*command, *here], cwd=folder, env=environment, capture_output=True, check=False
    )
    entries = json.loads(done.stdout)
    return [_of_entry(folder, entry) for entry in entries if entry["hazard"]]


def _of_entry(folder: Path, entry: Mapping[str, Any]) -> Said:
    start, end = ((entry[end]["row"], entry[end]["column"]) for end in ("location", "end_location"))
    file = Path(entry["filename"]).resolve().relative_to(folder.resolve()).as_posix()
    confidence = Confidence[entry["confidence"].upper()]
    return Said(entry["code"], confidence, entry["hazard"], file, Region(start, end))


def _said(finding: Finding, file: str) -> Said:
    start = (finding.start.row, finding.start.column)
    end = (finding.end.row, finding.end.column)
    region = Region(start, end)
    return Said(finding.code, finding.confidence, str(finding.hazard), file, region)


def is_joined(witness: Witness, said: Said, sources: Sources) -> bool:
    """Whether a finding is about what a witness shows."""
    if witness.file != said.file:
        return False
    if not witness.column:
        return said.region.has_row(witness.line)
    place = (witness.line, witness.column)
    shown = sources.file(witness.file).expression(*place, witness.operation)
    if shown is None:
        return said.region.start <= place < said.region.end
    return shown.contains(said.region) or said.region.contains(shown)


def score(
    home: Path,
    table: Sequence[Witness],
    packages: Mapping[str, Package],
    split: str = "",
    tool: Path | None = None,
) -> Score:
    """Lint every package of a table, or of one split, and join findings and witnesses.

    The reasons for unreported lines are determined only for the tool of this checkout.
    """
    scored: list[Scored] = []
    driven: list[Driven] = []
    names = sorted({witness.package for witness in table})
    names = [name for name in names if split in ("", packages[name].split)]
    for number, name in enumerate(names, 1):
        _progress(number, len(names), name)
        witnesses = [witness for witness in table if witness.package == name]
        one = _of_package(home, witnesses, packages[name], tool)
        scored += one.scored
        driven += one.driven
    return Score(tuple(scored), tuple(driven))


def _of_package(
    home: Path, witnesses: Sequence[Witness], package: Package, tool: Path | None
) -> Score:
    split = package.split
    folders = {witness.file: folder_of(package, home, witness) for witness in witnesses}
    tops = {(folder, Path(file).parts[0]) for file, folder in folders.items()}
    scored: list[Scored] = []
    driven: list[Driven] = []
    name, framework = witnesses[0].package, witnesses[0].framework
    ran = ran_of(home, name)
    for folder, top in sorted(tops):
        own = [each for each in witnesses if Path(each.file).parts[0] == top]
        sources, reasons = Sources(folder), Reasons(folder)
        executed = {file for name in ran if (file := name.partition(":")[0]).startswith(f"{top}/")}
        found = findings_of(folder, executed | {witness.file for witness in own}, tool)
        by_file: dict[str, list[Said]] = {}
        for said in found:
            by_file.setdefault(said.file, []).append(said)
        joined: set[Said] = set()
        for witness in own:
            mine = tuple(
                said for said in by_file.get(witness.file, ()) if is_joined(witness, said, sources)
            )
            joined.update(mine)
            part = sources.part(witness.file, witness.function)
            reason = "" if mine or tool is not None else reasons.of(witness, sources)
            scored.append(Scored(witness, split, part, mine, reason))
        for said in found:
            function = sources.file(said.file).function_at(said.region.start[0])
            if said.is_default and f"{said.file}:{function}" in ran:
                driven.append(Driven(name, split, framework, said, said in joined))
    return Score(tuple(scored), tuple(driven))


@cache
def _rooted(*, by_default: bool = False) -> frozenset[str]:
    """The canonical operations at which a rule's match can start."""
    return frozenset(
        name
        for rule in load_rules()
        if not (by_default and rule.off_by_default)
        for case in (*rule.cases, *rule.audits)
        for pattern in case.patterns
        for name in pattern.roots()
    )


@cache
def _codes_about(operations: frozenset[str]) -> frozenset[str]:
    """The rules whose matches can start at one of the operations."""
    return frozenset(
        rule.code
        for rule in load_rules()
        for case in (*rule.cases, *rule.audits)
        for pattern in case.patterns
        if operations & pattern.roots()
    )


@cache
def _by_last_name(packages: tuple[str, ...]) -> Mapping[str, frozenset[str]]:
    """The canonical operations by last name of a function, in some top-level packages."""
    found: dict[str, set[str]] = {}
    for qualified in known_functions():
        if qualified.partition(".")[0] not in packages:
            continue
        names = {signature.operation.name for signature in functions(qualified)}
        found.setdefault(qualified.rpartition(".")[2], set()).update(names)
    return {name: frozenset(operations) for name, operations in found.items()}


def canonical_of(witness: Witness) -> frozenset[str]:
    """The canonical operations that a framework's name can stand for; none if unknown."""
    name = plain(witness.operation)
    if name in _OPERATIONS:
        return frozenset({_OPERATIONS[name]})
    packages = _PACKAGES.get(witness.framework, (witness.framework,))
    found = {
        signature.operation.name for framework, signature in methods(name) if framework in packages
    }
    return _by_last_name(packages).get(name, frozenset()) | found


class Reasons:
    """Why a witness is not reported, in words; each file is read once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._prepared: dict[str, Prepared | str] = {}

    def of(self, witness: Witness, sources: Sources) -> str:
        known = canonical_of(witness)
        if not known:
            return f"operation not in the tables: {witness.operation}"
        if not known & _rooted():
            return f"no rule is about the operation: {', '.join(sorted(known))}"
        prepared = self._read(witness.file)
        if isinstance(prepared, str):
            return f"file not analysed: {prepared}"
        rows = {witness.line}
        if witness.column:
            place = (witness.line, witness.column)
            shown = sources.file(witness.file).expression(*place, witness.operation)
            if shown is not None:
                rows |= set(range(shown.start[0], shown.end[0] + 1))
        traces = [
            trace for row in sorted(rows) for trace in traces_in(prepared, row, self._settings())
        ]
        if not traces:
            return "line not reached by the analysis"
        judgements = [judgement for trace in traces for judgement in trace.judgements]
        if not judgements:
            return f"no rule matches what is written: {', '.join(sorted(known))}"
        about = _codes_about(known)
        refusals = [_refusal(judgement) for judgement in judgements if judgement.code in about]
        if not refusals:
            return f"no rule matches what is written: {', '.join(sorted(known))}"
        return "; ".join(dict.fromkeys(filter(None, refusals))) or "said of another expression"

    def _settings(self) -> Settings:
        return _SETTINGS

    def _read(self, file: str) -> Prepared | str:
        if file not in self._prepared:
            path = self._folder / file
            try:
                settings = placed(_SETTINGS, str(path))
                self._prepared[file] = prepare(path.read_bytes(), str(path), settings)
            except Exception as error:  # whatever it is, the file is not analysed
                self._prepared[file] = f"{type(error).__name__}: {str(error)[:80]}"
        return self._prepared[file]


def _refusal(judgement: Judgement) -> str:
    """Return the conditions that silenced a rule."""
    if judgement.confidence is not None:
        return ""
    said = [
        f"{answer.kind} {answer.condition}: {answer.truth}"
        for answer in judgement.answers
        if answer.decides and answer.truth != "unknown"
    ]
    said += judgement.caps
    return f"{judgement.code} says no ({', '.join(said) or 'no condition'})"


@dataclass(frozen=True, slots=True)
class Share:
    """How many of `total` are reported at `possible` and by default."""

    total: int
    possible: int
    default: int

    def __str__(self) -> str:
        if not self.total:
            return "0"
        possible, default = (round(100 * part / self.total) for part in self._parts())
        return f"{self.total}: {self.possible} at possible ({possible} %), " + (
            f"{self.default} by default ({default} %)"
        )

    def _parts(self) -> tuple[int, int]:
        return (self.possible, self.default)


def share(scored: Iterable[Scored]) -> Share:
    """Return the share of witnessed lines that are reported."""
    found = lines(scored)
    return Share(
        len(found),
        sum(each.is_possible for each in found),
        sum(each.is_default for each in found),
    )


_TRAITS: Final[Mapping[str, Callable[[Scored], str]]] = {
    "grade": lambda each: each.witness.grade.value,
    "framework": lambda each: each.witness.framework,
    "effect": lambda each: each.witness.effect.value,
    "operation": lambda each: each.witness.operation,
    "package": lambda each: each.witness.package,
    "part": lambda each: each.part.value,
}


def _grouped(
    scored: Iterable[Scored], trait: Callable[[Scored], str]
) -> Mapping[str, Sequence[Scored]]:
    found: dict[str, list[Scored]] = {}
    for each in lines(scored):
        found.setdefault(trait(each), []).append(each)
    return dict(sorted(found.items(), key=lambda entry: (-len(entry[1]), entry[0])))


def _ordinary(scored: Iterable[Scored]) -> list[Scored]:
    return [each for each in lines(scored) if each.witness.grade is Grade.ORDINARY]


def by_rule(scored: Iterable[Scored]) -> Mapping[str, Counter[str]]:
    """Return how many ordinary witnessed lines each rule reports by default, by framework."""
    found: dict[str, Counter[str]] = {}
    for each in _ordinary(scored):
        codes = {said.code for said in each.findings if said.is_default}
        for code in sorted(codes):
            found.setdefault(code, Counter())[each.witness.framework] += 1
    return dict(sorted(found.items()))


def reasons(scored: Iterable[Scored]) -> list[tuple[str, list[Scored]]]:
    """Return the witnessed lines not reported at any confidence, by reason, most frequent first."""
    found: dict[str, list[Scored]] = {}
    for each in lines(scored):
        if not each.is_possible:
            found.setdefault(each.reason, []).append(each)
    return sorted(found.items(), key=lambda entry: (-len(entry[1]), entry[0]))


def in_tables(scored: Iterable[Scored]) -> list[Scored]:
    """Return the witnesses whose operation has a rule."""
    return [each for each in scored if canonical_of(each.witness) & _rooted()]


def singular(scored: Iterable[Scored]) -> list[Scored]:
    """Return the witnesses whose operation has a rule, and does not only overflow."""
    singular_operations = _rooted(by_default=True) - _OVERFLOWING
    return [each for each in scored if canonical_of(each.witness) & singular_operations]


def summary(measured: Score) -> dict[str, Any]:
    """Return what `--json` writes."""
    return {
        split or "all": _summary_of(measured.of(split))
        for split in ("", *SPLITS)
        if measured.of(split).scored
    }


def _summary_of(part: Score) -> dict[str, Any]:
    ordinary = _ordinary(part.scored)
    return {
        "lines": asdict(share(part.scored)),
        "lines whose operation is in the tables": asdict(share(in_tables(part.scored))),
        "lines whose operation is singular": asdict(share(singular(part.scored))),
        "ordinary": asdict(share(ordinary)),
        "ordinary in losses, layers, distributions": asdict(
            share(each for each in ordinary if each.part in _MODEL)
        ),
        **{
            f"by {name}": {
                key: asdict(share(group)) for key, group in _grouped(part.scored, trait).items()
            }
            for name, trait in _TRAITS.items()
        },
        "ordinary by part": {
            key: asdict(share(group)) for key, group in _grouped(ordinary, _TRAITS["part"]).items()
        },
        "ordinary by framework": {
            key: asdict(share(group))
            for key, group in _grouped(ordinary, _TRAITS["framework"]).items()
        },
        "ordinary by default, by rule": by_rule(part.scored),
        "default findings in driven functions": {
            "total": len(part.driven),
            "with a witness": sum(each.has_witness for each in part.driven),
        },
        "driven findings without a witness": [
            f"{each.package} {each.finding.file}:{each.finding.region.start[0]}:"
            f"{each.finding.region.start[1]} {each.finding.code}"
            for each in part.driven
            if not each.has_witness
        ],
        "unreported": {
            reason: [_located(each.witness) for each in group]
            for reason, group in reasons(part.scored)
        },
        "not by default, ordinary": [
            _located(each.witness)
            + "".join(f" {said.code} {said.confidence}" for said in each.findings)
            for each in ordinary
            if not each.is_default
        ],
    }


def _located(witness: Witness) -> str:
    return (
        f"{witness.package} {witness.file}:{witness.line}:{witness.column} {witness.operation} "
        f"{witness.effect.value} {witness.kind}"
    )


def text(measured: Score) -> str:
    """Return what is printed."""
    said = []
    for split in ("", *SPLITS):
        part = measured.of(split)
        if part.scored and (not split or len({each.split for each in measured.scored}) > 1):
            said += [f"== {split or 'all'}", *_text_of(part), ""]
    said += ["not reported at any confidence, by reason:"]
    for reason, group in reasons(measured.scored):
        said += [f"  {len(group)}  {reason}", *(f"       {_located(one.witness)}" for one in group)]
    return "\n".join(said)


def _text_of(part: Score) -> Iterator[str]:
    ordinary = _ordinary(part.scored)
    yield f"witnessed lines {share(part.scored)}"
    yield f"  operation in the tables {share(in_tables(part.scored))}"
    yield f"  operation is singular, too {share(singular(part.scored))}"
    yield f"  ordinary {share(ordinary)}"
    yield f"  ordinary, operation is singular {share(singular(ordinary))}"
    model = [each for each in ordinary if each.part in _MODEL]
    yield f"  ordinary, in losses, layers and distributions {share(model)}"
    for name, trait in _TRAITS.items():
        yield f"by {name}"
        for key, group in list(_grouped(part.scored, trait).items())[:_ROWS_MOST]:
            yield f"  {key:<28} {share(group)}"
    yield "ordinary witnesses by default, by rule and framework"
    for code, counts in by_rule(part.scored).items():
        yield f"  {code}  " + ", ".join(f"{name} {count}" for name, count in counts.items())
    count = sum(each.has_witness for each in part.driven)
    yield f"default findings in driven functions {len(part.driven)}, with a witness {count}"


_ROWS_MOST: Final = 25


def markdown(measured: Score) -> str:
    """Return the tables of the page."""
    rows = ["| witnessed lines | lines | at `possible` | by default |", "| --- | --: | --: | --: |"]
    for split in ("", *SPLITS):
        part = measured.of(split)
        if not part.scored:
            continue
        ordinary = _ordinary(part.scored)
        title = split or "all"
        rows.append(_row(f"**{title}**", part.scored))
        rows.append(_row(f"{title}, operation in the tables", in_tables(part.scored)))
        rows.append(_row(f"{title}, that is singular", singular(part.scored)))
        for grade, group in _grouped(part.scored, _TRAITS["grade"]).items():
            rows.append(_row(f"{title}, {grade}", group))
        for name in ("framework", "part"):
            for key, group in _grouped(ordinary, _TRAITS[name]).items():
                rows.append(_row(f"{title}, ordinary, {key}", group))
    rows += ["", "| default findings in driven functions | findings | with a witness |"]
    rows += ["| --- | --: | --: |"]
    for split in ("", *SPLITS):
        driven = measured.of(split).driven
        if driven:
            count = sum(each.has_witness for each in driven)
            rows.append(f"| {split or 'all'} | {len(driven)} | {_percent(count, len(driven))} |")
    frameworks = sorted({each.witness.framework for each in measured.scored})
    rows += ["", "| rule | " + " | ".join(frameworks) + " |"]
    rows += ["| --- |" + " --: |" * len(frameworks)]
    for code, counts in by_rule(measured.scored).items():
        cells = " | ".join(str(counts[name] or "") for name in frameworks)
        rows.append(f"| {code} | {cells} |")
    unreported = Counter({_short(key): 0 for key, _ in reasons(measured.scored)})
    for key, group in reasons(measured.scored):
        unreported[_short(key)] += len(group)
    rows += ["", "| not reported at any confidence, because | lines |", "| --- | --: |"]
    rows += [f"| {key} | {count} |" for key, count in unreported.most_common()]
    return "\n".join(rows) + "\n"


def _short(reason: str) -> str:
    """Return a reason without the parts that differ between witnesses."""
    return re.sub(r"NAN\d+", "a rule", reason).partition(":")[0].partition(" (")[0]


def _row(title: str, scored: Iterable[Scored]) -> str:
    found = share(scored)
    possible = _percent(found.possible, found.total)
    return f"| {title} | {found.total} | {possible} | {_percent(found.default, found.total)} |"


def _percent(part: int, total: int) -> str:
    return f"{part} ({round(100 * part / total)} %)" if total else "0"


def update(page: Path, content: str) -> None:
    """Write the tables between the marks of a page; raises `ValueError` if it has none."""
    before = page.read_text(encoding="utf-8")
    start, end = before.find(_START), before.find(_END)
    if start < 0 or end < start:
        raise ValueError(f"{page} has no {_START} and {_END}")
    after = before[: start + len(_START)] + "\n\n" + content + "\n" + before[end:]
    page.write_text(after, encoding="utf-8")


def _progress(done: int, total: int, name: str) -> None:
    if sys.stderr.isatty():
        print(f"\r{done}/{total} {name:<40}", end="", file=sys.stderr)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("home", type=Path)
    parser.add_argument("table", type=Path)
    parser.add_argument("--split", choices=SPLITS, default="")
    parser.add_argument("--tool", type=Path, help="another checkout, whose findings are joined")
    parser.add_argument("--update", type=Path, help="a page whose tables are replaced")
    parser.add_argument("--json", type=Path, help="where to write all of it for a program")
    options = parser.parse_args(arguments)
    measured = score(
        options.home.resolve(),
        read_table(options.table),
        read_packages(),
        options.split,
        options.tool,
    )
    if options.json:
        options.json.write_text(json.dumps(summary(measured), indent=1) + "\n", encoding="utf-8")
    if options.update:
        update(options.update, markdown(measured))
    print(text(measured))
    return 0


if __name__ == "__main__":
    sys.exit(main())
