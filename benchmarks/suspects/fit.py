"""Fit how much each kind of evidence counts for an operation being the origin of a NaN.

    python -m benchmarks.suspects.fit HOME TABLE

Two sources have equal weight. HOME holds the packages whose witnesses are in TABLE, as for
`benchmarks.witnesses.score`; only the dev part is read. Each operation of a function that has a
witness was executed there on inputs of every kind: if a usual input broke it, it is an origin,
otherwise not. The other source are the programs in `cases`, which the tests execute: the lines
named by annotations are origins, and no others.

The weights are those of a logistic regression with a penalty on their squares. They are written
to `benchmarks/suspects/witnessed.toml`, where `benchmarks.suspects.order` starts.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize  # type: ignore[import-untyped]
from scipy.special import expit  # type: ignore[import-untyped]

from benchmarks.witnesses.code import Region, Sources
from benchmarks.witnesses.packages import Package, read_packages
from benchmarks.witnesses.score import Said, folder_of, is_joined
from benchmarks.witnesses.witness import Grade, Witness, read_table
from mllint_nan.findings import Confidence, Hazard
from mllint_nan.linter import finding_of, prepare, select_rules
from mllint_nan.project import placed
from mllint_nan.rulebook.audit import Audit
from mllint_nan.settings import Settings
from mllint_nan.suspects import evidence

_SPLIT: Final = "dev"
_USUAL: Final = (Grade.ORDINARY, Grade.STRESS)
"""Inputs that users have, if not every day."""
_HAZARDS: Final = (Hazard.VALUE, Hazard.GRADIENT)
_CASES: Final = Path(__file__).parents[2] / "cases"
_OF_CASES: Final = "cases"
_ORIGIN: Final = re.compile(r"#.*\bexpect: NAN")
_PENALTY: Final = 1.0
_PENALTY_OF_RULES: Final = 4.0
"""Larger, as there are few rows for each rule."""
_WEIGHTS: Final = Path(__file__).with_name("witnessed.toml")


@dataclass(frozen=True, slots=True)
class Row:
    """One operation: its evidence, its rule, and whether execution broke it."""

    names: frozenset[str]
    code: str
    is_origin: bool
    source: str
    """The package, or `cases`."""


def main(argv: Sequence[str] | None = None) -> int:
    options = argparse.ArgumentParser(prog="python -m benchmarks.suspects.fit")
    options.add_argument("home", type=Path)
    options.add_argument("table", type=Path)
    given = options.parse_args(argv)
    packages = read_packages()
    table = [one for one in read_table(given.table) if packages[one.package].split == _SPLIT]
    rows: list[Row] = []
    for name in sorted({witness.package for witness in table}):
        mine = [witness for witness in table if witness.package == name]
        found = list(_rows(given.home, packages[name], mine))
        origins = sum(row.is_origin for row in found)
        print(f"{name}: {len(found)} operations, {origins} of them origins", file=sys.stderr)
        rows += found
    rows += _rows_of_cases()
    _WEIGHTS.write_text(_written(rows), encoding="utf-8")
    return 0


def _rows(home: Path, package: Package, witnesses: Sequence[Witness]) -> Iterator[Row]:
    for file in sorted({witness.file for witness in witnesses}):
        mine = [witness for witness in witnesses if witness.file == file]
        usual = [witness for witness in mine if witness.grade in _USUAL]
        functions = {witness.function for witness in mine}
        folder = folder_of(package, home, mine[0])
        path, sources = folder / file, Sources(folder)
        for row, said in _suspected(path, file):
            if sources.file(file).function_at(said.region.start[0]) in functions:
                broke = any(is_joined(witness, said, sources) for witness in usual)
                yield replace(row, is_origin=broke, source=package.name)


def _rows_of_cases() -> Iterator[Row]:
    for path in sorted(_CASES.glob("*/*.py")):
        named = {
            row
            for row, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
            if _ORIGIN.search(line)
        }
        for row, said in _suspected(path, path.name):
            yield replace(row, is_origin=said.region.start[0] in named, source=_OF_CASES)


def _suspected(path: Path, file: str) -> Iterator[tuple[Row, Said]]:
    """Yield the operations of a file that can be suspects, none marked as an origin yet."""
    settings = Settings(min_confidence=Confidence.POSSIBLE)
    codes = frozenset(rule.code for rule in select_rules(settings))
    prepared = prepare(path.read_bytes(), str(path), placed(settings, str(path)))
    judge = prepared.judge
    for verdict in (*judge.verdicts(codes), *Audit(judge).verdicts(codes)):
        if verdict.rule.code not in codes or verdict.case.hazard not in _HAZARDS:
            continue
        finding = finding_of(prepared.source, judge, verdict)
        start, end = finding.start, finding.end
        region = Region((start.row, start.column), (end.row, end.column))
        training = judge.analysis.trained(verdict.occurrence.scope.definition)
        held = evidence.evidence_of(evidence.Candidate(verdict, prepared, training))
        row = Row(frozenset(one.name for one in held), finding.code, False, "")
        yield row, Said(finding.code, finding.confidence, str(finding.hazard), file, region)


def _written(rows: Sequence[Row]) -> str:
    """Return the text of the file of weights, with a comment on the data."""
    kinds = [one.name for one in evidence.CATALOGUE]
    codes = sorted({row.code for row in rows})
    matrix = np.array(
        [
            [1.0, *(name in row.names for name in kinds), *(code == row.code for code in codes)]
            for row in rows
        ],
        dtype=float,
    )
    labels = np.array([row.is_origin for row in rows], dtype=float)
    is_case = np.array([row.source == _OF_CASES for row in rows])
    counts = np.where(is_case, len(rows) / 2 / is_case.sum(), len(rows) / 2 / (~is_case).sum())
    penalty = np.array([0.0, *[_PENALTY] * len(kinds), *[_PENALTY_OF_RULES] * len(codes)])
    fitted = _regressed(matrix, labels, counts, penalty)
    origins = int(labels.sum())
    counted = Counter(row.code for row in rows)
    lines = [
        "# Log-odds that an operation is an origin; written by `python -m benchmarks.suspects.fit`",
        f"# from {len(rows)} operations of {len({row.source for row in rows}) - 1} packages and of "
        f"the cases, {origins} of which execution broke.",
        f"bias = {fitted[0]:.2f}",
        "",
        "[evidence]",
        *(f"{name} = {value:.2f}" for name, value in zip(kinds, fitted[1:], strict=False)),
        "",
        "[rules]",
        *(
            f"{code} = {value:.2f} # of {counted[code]}"
            for code, value in zip(codes, fitted[1 + len(kinds) :], strict=True)
        ),
    ]
    return "\n".join(lines) + "\n"


def _regressed(
    matrix: NDArray[np.float64],
    labels: NDArray[np.float64],
    counts: NDArray[np.float64],
    penalty: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the weights that maximise the penalised likelihood.

    `matrix` is (rows, features); `labels` and `counts`, the weights of the rows, are (rows,).
    """

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        logits = matrix @ weights
        value = counts @ (np.logaddexp(0.0, logits) - labels * logits)
        value += 0.5 * (penalty * weights**2).sum()
        slope = matrix.T @ (counts * (expit(logits) - labels)) + penalty * weights
        return float(value), slope

    start = np.zeros(matrix.shape[1])
    return np.asarray(minimize(loss, start, jac=True, method="L-BFGS-B").x)


if __name__ == "__main__":
    raise SystemExit(main())
