"""A corpus of one small package, of which it is known what is reported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.witnesses import score
from benchmarks.witnesses.code import File, Part, Region, Sources
from benchmarks.witnesses.packages import Package
from benchmarks.witnesses.witness import Effect, Grade, Witness, write_table

_SOURCE = """\
import torch
from torch import nn


class BaseLoss(nn.Module):
    pass


class Entropy(BaseLoss):
    def forward(self, x):
        p = torch.softmax(x, dim=-1)
        return (p * torch.log(p)).sum()


class Scale(nn.Module):
    def forward(self, x):
        x = torch.square(x) + 1.0
        return torch.log(x)


def ratio(x, y):
    return x / y


def angle(a):
    return torch.log(
        torch.softmax(
            a, dim=-1
        )
    )


def special(a):
    return torch.special.bessel_j0(a) + torch.sin(a)
"""


def _row(written: str) -> int:
    return _SOURCE[: _SOURCE.index(written)].count("\n") + 1


def _witness(written: str, operation: str, function: str, **others: object) -> Witness:
    """A witness at the expression that is written so."""
    start = _SOURCE.index(written)
    line, column = _row(written), start - _SOURCE.rfind("\n", 0, start)
    known: dict[str, object] = {
        "package": "tiny",
        "version": "1",
        "file": "tiny/losses.py",
        "line": line,
        "column": column,
        "function": function,
        "operation": operation,
        "effect": Effect.VALUE,
        "grade": Grade.ORDINARY,
        "kind": "zeros",
        "framework": "torch",
        "driver": "calls",
        "command": "",
    }
    return Witness(**{**known, **others})  # type: ignore[arg-type]


WITNESSES = [
    _witness("torch.log(p)", "log", "Entropy.forward"),
    _witness("torch.log(x)", "log", "Scale.forward", grade=Grade.STRESS),
    _witness("x / y", "div", "ratio"),
    _witness("torch.softmax(\n", "softmax", "angle"),
    _witness("torch.special", "bessel_j0", "special"),
    _witness("torch.sin", "sin", "special", grade=Grade.EXTREME),
]


PACKAGE = Package("tiny", "1", ("torch",), ("tiny",), "dev")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("corpus")
    folder = home / "sources" / "tiny" / "tiny"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("")
    (folder / "losses.py").write_text(_SOURCE)
    ran = {"ran": ["tiny/losses.py:Entropy.forward", "tiny/losses.py:Scale.forward"]}
    events = home / "events" / "tiny" / "tests"
    events.mkdir(parents=True)
    (events / "test_it.zeros.jsonl").write_text(json.dumps(ran) + "\n")
    return home


@pytest.fixture(scope="module")
def measured(home: Path) -> score.Score:
    return score.score(home, WITNESSES, {"tiny": PACKAGE})


def _one(measured: score.Score, operation: str, function: str) -> score.Scored:
    return next(
        each
        for each in measured.scored
        if (each.witness.operation, each.witness.function) == (operation, function)
    )


def test_what_is_reported_by_default_is(measured: score.Score) -> None:
    assert _one(measured, "log", "Entropy.forward").is_default


def test_a_finding_around_a_witness_counts(measured: score.Score) -> None:
    assert _one(measured, "softmax", "angle").is_default


def test_recall(measured: score.Score) -> None:
    found = score.share(measured.scored)
    assert (found.total, found.default) == (5, 2)
    assert found.possible >= found.default


def test_a_condition_that_says_no_is_quoted(measured: score.Score) -> None:
    one = _one(measured, "log", "Scale.forward")
    assert not one.is_possible
    assert "says no (" in one.reason


def test_an_unknown_operation_is_named(measured: score.Score) -> None:
    assert _one(measured, "bessel_j0", "special").reason == "operation not in the tables: bessel_j0"
    assert _one(measured, "sin", "special").reason == "no rule is about the operation: sin"


def test_a_line_is_what_its_mildest_witness_is(measured: score.Score) -> None:
    line = next(each for each in score.lines(measured.scored) if each.line[2] == _row("torch.sin"))
    assert line.witness.grade is Grade.ORDINARY


def test_parts_of_a_model_are_told_by_bases(measured: score.Score) -> None:
    assert _one(measured, "log", "Entropy.forward").part is Part.LOSS
    assert _one(measured, "log", "Scale.forward").part is Part.LAYER


def test_default_findings_in_driven_functions(measured: score.Score) -> None:
    assert [(each.finding.region.start[0], each.has_witness) for each in measured.driven] == [
        (_row("torch.log(p)"), True)
    ]


def test_the_command_writes_all_of_it(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(score, "read_packages", lambda: {"tiny": PACKAGE})
    table, page, out = tmp_path / "table.tsv", tmp_path / "page.md", tmp_path / "score.json"
    write_table(table, WITNESSES)
    page.write_text("before\n<!-- score -->\nold\n<!-- end of score -->\nafter\n")
    arguments = [str(home), str(table), "--update", str(page), "--json", str(out)]
    assert score.main(arguments) == 0
    assert json.loads(out.read_text())["all"]["lines"]["total"] == 5
    content = page.read_text()
    assert "| **all** | 5 |" in content
    assert "old" not in content
    assert content.endswith("after\n")


def test_a_package_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"has no tiny/losses\.py"):
        score.folder_of(PACKAGE, tmp_path, WITNESSES[0])


@pytest.mark.parametrize(
    ("text", "place", "operation", "end"),
    [
        ("y = a / b + c", (1, 5), "div", (1, 10)),
        ("y = a / b + c", (1, 5), "add", (1, 14)),
        ("y = x.log().sum()", (1, 5), "log", (1, 12)),
        ("y = 'é' + log(x)", (1, 11), "log", (1, 17)),
        ("x /= y", (1, 1), "idiv", (1, 7)),
    ],
)
def test_expressions(
    text: str, place: tuple[int, int], operation: str, end: tuple[int, int]
) -> None:
    assert File(text).expression(*place, operation) == Region(place, end)


def test_functions_are_named_as_code_objects_are() -> None:
    text = "class A:\n    def f(self):\n        def g():\n            pass\n        return g\n"
    file = File(text)
    assert [file.function_at(row) for row in (1, 2, 4, 5)] == [
        "<module>",
        "A.f",
        "A.f.<locals>.g",
        "A.f",
    ]


def test_functions_of_no_class_are_told_by_names(tmp_path: Path) -> None:
    sources = Sources(tmp_path)
    assert sources.part("a/losses/ssim.py", "ssim") is Part.LOSS
    assert sources.part("a/layers/norm.py", "helper") is Part.LAYER
    assert sources.part("a/utils.py", "helper") is Part.OTHER
