"""The plugin, the runner and the table, end to end on a package of three functions."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

import pytest

from benchmarks.witnesses import packages, scripts
from benchmarks.witnesses.__main__ import main
from benchmarks.witnesses.collect import main as collect
from benchmarks.witnesses.plugin import TooLong, time_limit
from benchmarks.witnesses.units import read_lines
from benchmarks.witnesses.witness import Effect, Grade, Witness, mildest, read_table, write_table
from tests.on_demand import installed

installed("torch")

pytestmark = pytest.mark.slow

PACKAGE = """\
import torch


def distance(x, y):
    return torch.sqrt(((x - y) ** 2).sum(-1))


def entropy(p):
    return -(p * torch.log(p)).sum()


def sound(x):
    return torch.log1p(x ** 2).sum() + torch.rand(3).log().mul(0).nan_to_num().sum()
"""

TESTS = """\
import numpy as np
import pytest
import torch
from tiny.losses import distance, entropy, sound


@pytest.fixture
def points():
    return torch.randn(4, 3), torch.randn(4, 3)


def test_distance(points):
    assert distance(*points).min() > 1e-3


def test_entropy():
    assert entropy(torch.rand(5)).isfinite()


def test_sound():
    x = torch.from_numpy(np.random.rand(4).astype("float32"))
    x[0] = 2
    assert sound(x).numpy().shape == ()


def test_own_origin():
    torch.log(torch.zeros(2))
"""

LIST = """\
[packages.tiny]
version = "1.0"
frameworks = ["torch"]
roots = ["tiny"]
split = "dev"
tests = ["tests/test_*.py"]
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    source = tmp_path / "sources" / "tiny"
    for path, text in (
        ("tiny/__init__.py", ""),
        ("tiny/losses.py", PACKAGE),
        ("tests/test_losses.py", TESTS),
    ):
        (source / path).parent.mkdir(parents=True, exist_ok=True)
        (source / path).write_text(text)
    (tmp_path / "packages.toml").write_text(LIST)
    known = packages.read_packages(tmp_path / "packages.toml")
    for module in ("__main__", "collect"):
        monkeypatch.setattr(f"benchmarks.witnesses.{module}.read_packages", lambda: known)
    return tmp_path


def test_tests_of_a_package_are_driven_on_each_kind_once(
    home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    command = [str(home), "--kinds", "as-is", "zeros", "--jobs", "1"]
    assert main(command) == 0
    table = home / "witnesses.tsv"
    collect([str(home), str(table)])
    found = {
        (one.line, one.column, one.operation, one.effect, one.kind) for one in read_table(table)
    }
    assert found == {
        (5, 12, "sqrt", Effect.GRADIENT, "zeros"),
        (9, 18, "log", Effect.VALUE, "zeros"),
    }
    first = read_table(table)[0]
    assert (first.package, first.file, first.grade) == ("tiny", "tiny/losses.py", Grade.ORDINARY)
    folder = home / "events" / "tiny" / "tests"
    kept = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert len(kept) == 2
    assert main(command) == 0
    assert kept == {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    text = (folder / "tests__test_losses.py.zeros.jsonl").read_text()
    assert "tiny/losses.py:sound" in text and '"tests": 4' in text
    capfd.readouterr()
    main([*first.command.split()[3:], "--home", str(home)])
    assert "tiny/losses.py:5:12: sqrt (gradient) in distance" in capfd.readouterr().out


SCRIPT = """\
import sys
import torch

weight = torch.ones(1, requires_grad=True)
optimizer = torch.optim.SGD([weight], lr=0.1)
for step in range(int(sys.argv[1])):
    optimizer.zero_grad()
    loss = weight - torch.log(weight)
    (2 * weight).sum().backward()
    optimizer.step()
    print("step", step)
"""


@pytest.mark.parametrize("kind", ["as-is", "tenfold-rate"])
def test_script_is_run_for_some_steps(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    kind: str,
) -> None:
    """At 0.1 the weight is 0 after 5 steps, at 1.0 it is negative after one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "argv", [])
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples" / "train.py").write_text(SCRIPT)
    out = tmp_path / "out"
    steps = "7" if kind == "as-is" else "2"
    command = ["--witness-kind", kind, "--witness-out", str(out), "--witness-steps", steps]
    assert scripts.main([*command, "examples/train.py", "100"]) == 0
    assert {entry["event"]["line"] for entry in read_lines(out)} == {8}
    assert capsys.readouterr().out.count("step") == int(steps) - 1


def test_time_of_a_test_ends_what_catches_exceptions() -> None:
    with pytest.raises(TooLong), time_limit(0.05):
        while True:
            with contextlib.suppress(Exception):
                sum(range(1000))


def witness(line: int, grade: Grade, kind: str) -> Witness:
    where = ("tiny", "1.0", "tiny/losses.py", line, 12, "distance", "sqrt", Effect.GRADIENT)
    return Witness(*where, grade, kind, "torch", "tests", "show tiny 'test_a[x-1]'")


def test_table_keeps_the_mildest_witness_of_a_place(tmp_path: Path) -> None:
    mild, harsh = witness(5, Grade.ORDINARY, "zeros"), witness(5, Grade.EXTREME, "tiniest")
    other = witness(6, Grade.STRESS, "large")
    kept = mildest([harsh, mild, other])
    assert kept == [mild, other]
    write_table(tmp_path / "table.tsv", kept)
    assert read_table(tmp_path / "table.tsv") == kept


def test_packages_that_are_listed_can_be_read() -> None:
    listed = packages.read_packages()
    assert {one.split for one in listed.values()} == set(packages.SPLITS)
    assert sys.modules.get("torch") is not None
