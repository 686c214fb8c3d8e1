"""What authors repaired is found where it stood, and the score of it says so."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from benchmarks.repairs.__main__ import Outcome, scored, tables
from benchmarks.repairs.commits import candidates, changes, clone_of
from benchmarks.repairs.table import COLUMNS, Repair, half_of, read_table
from tests.conftest import ROOT

TABLES = sorted((ROOT / "benchmarks").glob("repairs*.tsv"))
BROKEN = """\
import torch


def loss(logits, target):
    probabilities = torch.softmax(logits, dim=-1)
    logarithms = torch.log(probabilities)
    return -(target * logarithms).sum()


def rate(hits, trials):
    return torch.as_tensor(hits) / trials
"""
REPAIRED = BROKEN.replace("torch.log(probabilities)", "torch.log(probabilities + 1e-6)")


def _git(folder: Path, *arguments: str) -> None:
    author = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    subprocess.run(["git", "-C", str(folder), *author, *arguments], check=True, capture_output=True)


def _repair(commit: str, first: int) -> Repair:
    place = ("owner/name", commit, "package/losses.py", first, first)
    return Repair(*place, "value", "log", "a probability of 0", "ordinary", is_complete=True)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    folder = clone_of(tmp_path, "owner/name")
    (folder / "package").mkdir(parents=True)
    _git(folder, "init", "-q")
    steps = ((BROKEN, "A loss"), (BROKEN + "\n\nEPSILON = 1\n", "Say more"))
    for text, message in (*steps, (REPAIRED, "Avoid log of 0")):
        (folder / "package" / "losses.py").write_text(text, encoding="utf-8")
        _git(folder, "add", ".")
        _git(folder, "commit", "-q", "-m", message)
    return folder


def test_commits_that_speak_of_it_are_candidates(clone: Path) -> None:
    (row,) = candidates(clone)
    commit, _, subject = row.split("\t")
    assert subject == "Avoid log of 0"
    hunk, *_ = changes(clone, commit)
    assert (hunk.file, hunk.before, hunk.after) == ("package/losses.py", range(6, 7), range(6, 7))


@pytest.mark.slow
def test_lines_are_scored_before_and_after(clone: Path) -> None:
    commit = next(candidates(clone)).partition("\t")[0]
    repairs = [_repair(commit, 6), _repair(commit, 11), _repair(commit, 1)]
    outcomes = scored(clone.parent, ROOT, repairs)
    assert outcomes == [
        Outcome("by default", ("NAN101",), ()),
        Outcome("possible", ("NAN309",), ()),
        Outcome("silent", (), ()),
    ]
    text = "\n".join(tables(list(zip(repairs, outcomes, strict=True))))
    assert "| 3 | 1 (33 %) | 1 (33 %) | 1 (33 %) |" in text
    assert "| repaired | 3 | 0 |" in text


def test_tables_have_lines_of_both_halves_and_share_no_repository() -> None:
    first, later = map(read_table, TABLES)
    for repairs in (first, later):
        assert {repair.half for repair in repairs} == {"dev", "held-out"}
        assert all(0 < repair.first <= repair.last for repair in repairs)
        assert len(set(repairs)) == len(repairs) > 100
    assert {one.repository for one in first}.isdisjoint(one.repository for one in later)
    assert half_of("Owner/Name") == half_of("owner/name")


@pytest.mark.parametrize("row", ["a\tb", "o/n\tc\tm.py\t1\tvalue\tlog\tx = 0\toften\tyes"])
def test_row_that_is_none_is_an_error(row: str, tmp_path: Path) -> None:
    table = tmp_path / "repairs.tsv"
    table.write_text("\t".join(COLUMNS) + f"\n{row}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"repairs\.tsv:2"):
        read_table(table)
