"""Measure what is reported for lines that authors repaired, before and after their commits.

    python -m benchmarks.repairs HOME TABLE [--half dev] [--tool DIR] [--update PAGE] [--show]

HOME holds clones of the repositories of TABLE, each in a folder `OWNER+NAME`. Every file of the
table is checked as it was before the commit, in its whole project, down to `possible`; then as
the commit left it. A line counts as reported if a finding of any rule overlaps it. By default,
also if a finding overlaps one of the two lines before and after it, where the result is used.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from benchmarks.repairs.commits import changes, clone_of, git
from benchmarks.repairs.table import GRADES, Repair, read_table

_START: Final = "<!-- repairs -->"
_END: Final = "<!-- end of repairs -->"
_NEAR: Final = 2
"""In rows."""
_KEPT: Final = (".py", ".toml", ".cfg")
_LEVELS: Final = ("by default", "possible", "silent")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is reported for a line."""

    level: str
    codes: tuple[str, ...]
    after: tuple[str, ...]
    """The findings by default in the rows that the commit wrote."""


def scored(home: Path, tool: Path | None, repairs: Sequence[Repair]) -> list[Outcome]:
    """Return the outcomes of the repairs of one commit."""
    clone, commit = clone_of(home, repairs[0].repository), repairs[0].commit
    files = sorted({repair.file for repair in repairs})
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        _export(clone, f"{commit}^", root)
        before = _findings(root, files, tool)
        for file in _changed(clone, commit):
            (root / file).parent.mkdir(parents=True, exist_ok=True)
            (root / file).write_text(git(clone, "show", f"{commit}:{file}"), encoding="utf-8")
        after = _findings(root, [file for file in files if (root / file).exists()], tool)
    written: dict[str, set[int]] = defaultdict(set)
    for hunk in changes(clone, commit):
        written[hunk.file] |= set(hunk.after)
    return [_outcome(repair, before, after, written[repair.file]) for repair in repairs]


def _export(clone: Path, revision: str, root: Path) -> None:
    """Write the sources of a revision, and a `.git` folder that marks the project's root."""
    names = git(clone, "ls-tree", "-r", "--name-only", "-z", revision).split("\0")
    paths = [f":(literal){name}" for name in names if name.endswith(_KEPT)]
    command = ["git", "-C", str(clone), "archive", "--format=tar", revision, "--", *paths]
    # Large files of a clone may be missing; git complains, but they are not needed.
    done = subprocess.run(command, check=True, capture_output=True)
    with tarfile.open(fileobj=BytesIO(done.stdout)) as archive:
        archive.extractall(root, filter="data")
    (root / ".git").mkdir(exist_ok=True)


def _changed(clone: Path, commit: str) -> list[str]:
    """Return the Python files that a commit changes or adds."""
    names = git(
        *(clone, "diff", "--name-only", "--no-renames", "--diff-filter=d", "-z"),
        *(f"{commit}^", commit, "--", "*.py"),
    )
    return [name for name in names.split("\0") if name]


def _findings(root: Path, files: Sequence[str], tool: Path | None) -> list[Mapping[str, Any]]:
    """Return all findings of the files. Raises `RuntimeError` if the tool does not run."""
    environment = os.environ | ({"PYTHONPATH": str(tool)} if tool is not None else {})
    command = [sys.executable, "-P", "-m", "mllint_nan", "--no-cache", "--isolated"]
    command += ["--min-confidence", "possible", "--output-format", "json", "--", *files]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
    try:
        found: list[Mapping[str, Any]] = json.loads(done.stdout)
    except ValueError:
        raise RuntimeError(f"{root}: {done.stderr.strip() or done.stdout.strip()}") from None
    return [
        {**each, "filename": Path(each["filename"]).resolve().relative_to(root.resolve())}
        for each in found
        if not each["code"].startswith("NAN9")  # about the source, not about numbers
    ]


def _outcome(
    repair: Repair,
    before: Sequence[Mapping[str, Any]],
    after: Sequence[Mapping[str, Any]],
    written: set[int],
) -> Outcome:
    of_file = [each for each in before if each["filename"] == Path(repair.file)]
    there = [each for each in of_file if _overlaps(each, repair.first, repair.last)]
    default = [
        each
        for each in of_file
        if _is_default(each) and _overlaps(each, repair.first - _NEAR, repair.last + _NEAR)
    ]
    level = _LEVELS[0 if default else 1 if there else 2]
    left = [
        f"{each['code']} in row {each['location']['row']}"
        for each in after
        if each["filename"] == Path(repair.file)
        and _is_default(each)
        and any(_overlaps(each, row, row) for row in written)
    ]
    codes = sorted({each["code"] for each in default or there})
    return Outcome(level, tuple(codes), tuple(left))


def _is_default(finding: Mapping[str, Any]) -> bool:
    return bool(finding["confidence"] != "possible")


def _overlaps(finding: Mapping[str, Any], first: int, last: int) -> bool:
    begin, end = finding["location"]["row"], finding["end_location"]["row"]
    return bool(begin <= last and end >= first)


def tables(outcomes: Sequence[tuple[Repair, Outcome]]) -> Iterator[str]:
    """Yield Markdown tables of what is reported before, by half, grade and flaw, and after."""
    yield "| repaired lines | lines | by default | `possible` | silent |"
    yield "| --- | --: | --: | --: | --: |"
    for name, chosen in _rows(outcomes):
        levels = Counter(outcome.level for _, outcome in chosen)
        if chosen:
            cells = (f"{levels[each]} ({levels[each] / len(chosen):.0%})" for each in _LEVELS)
            yield f"| {name} | {len(chosen)} | {' | '.join(cells)} |".replace("%)", " %)")
    yield ""
    yield "| after the commit, as its reader saw it | lines | reported by default there |"
    yield "| --- | --: | --: |"
    for name, is_complete in (("repaired", True), ("repaired in part", False)):
        of_kind = [outcome for repair, outcome in outcomes if repair.is_complete is is_complete]
        yield f"| {name} | {len(of_kind)} | {sum(bool(one.after) for one in of_kind)} |"


def _rows(
    outcomes: Sequence[tuple[Repair, Outcome]],
) -> Iterator[tuple[str, list[tuple[Repair, Outcome]]]]:
    for half in ("dev", "held-out"):
        of_half = [each for each in outcomes if each[0].half == half]
        yield f"**{half}**", of_half
        for grade in GRADES:
            yield f"{half}, {grade}", [each for each in of_half if each[0].grade == grade]
        for name, flaws in (("value", ("value", "both")), ("gradient", ("gradient", "both"))):
            yield f"{half}, {name}", [each for each in of_half if each[0].flaw in flaws]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("home", type=Path)
    parser.add_argument("table", type=Path)
    parser.add_argument("--half", choices=("dev", "held-out"))
    parser.add_argument("--tool", type=Path, help="a folder with the package of another revision")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--update", type=Path, help="a page to write the tables into")
    parser.add_argument("--show", action="store_true", help="print each line, too")
    options = parser.parse_args()
    by_commit: dict[tuple[str, str], list[Repair]] = defaultdict(list)
    for repair in read_table(options.table):
        if options.half in (None, repair.half):
            by_commit[repair.repository, repair.commit].append(repair)
    with ThreadPoolExecutor(options.jobs) as pool:
        found = pool.map(partial(scored, options.home, options.tool), by_commit.values())
        outcomes = [
            pair
            for repairs, outcomes in zip(by_commit.values(), found, strict=True)
            for pair in zip(repairs, outcomes, strict=True)
        ]
    if options.show:
        for repair, outcome in outcomes:
            place = f"{repair.repository}@{repair.commit} {repair.file}:{repair.first}"
            print(place, outcome.level, *outcome.codes, "after:", *outcome.after, sep="\t")
    text = "\n".join(tables(outcomes))
    print(text)
    if options.update:
        page = options.update.read_text(encoding="utf-8")
        head, rest = page.split(_START)
        tail = rest.split(_END)[1]
        options.update.write_text(f"{head}{_START}\n\n{text}\n\n{_END}{tail}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
