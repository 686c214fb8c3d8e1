"""`mllint-nan --suspects` as it is typed."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from mllint_nan.cli import main
from tests.fixture_files import ROOT

CLASSIFIER = ROOT / "fixtures" / "suspects" / "programs" / "torch_classifier.py"


def test_the_likeliest_is_told_first_with_its_reasons(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--suspects", str(CLASSIFIER), "--output-format", "full"]) == 0
    output = capsys.readouterr().out
    first = output.split("\n\n")[0]
    assert first.startswith("1. ") and "NAN101" in first
    for title in ("breaks on", "shows as", "why", "where"):
        assert f"= {title}:" in first
    assert "suspects from" in output.splitlines()[-1]


def test_json_has_the_shape_of_findings_and_the_rank(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--suspects", str(CLASSIFIER), "--output-format", "json"]) == 0
    entries = json.loads(capsys.readouterr().out)
    assert [one["rank"] for one in entries] == list(range(1, len(entries) + 1))
    assert [one["score"] for one in entries] == sorted(one["score"] for one in entries)[::-1]
    assert {"code", "location", "evidence", "path", "fix", "witness"} <= entries[0].keys()


def test_markdown_can_be_posted(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--suspects", str(CLASSIFIER), "--output-format", "markdown"]) == 0
    output = capsys.readouterr().out
    assert output.startswith("### ") and output.count("```") % 2 == 0


def test_what_trains_nothing_is_listed_by_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.py"
    path.write_text("import torch\n\ndef f(x):\n    return x.sqrt() + torch.log(x)\n")
    assert main(["--suspects", str(path)]) == 0
    told = capsys.readouterr()
    assert "no code that was read takes gradients" in told.err
    assert "NAN201" in told.out


def test_a_traceback_on_standard_input_orders_the_list(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.py"
    path.write_text(
        "import torch\n\n\ndef f(x):\n    a = torch.log(torch.softmax(x, 0))\n"
        "    b = torch.acos(x)\n    return (a + b).sum()\n\n\nf(torch.ones(3)).backward()\n"
    )
    report = (
        "Traceback (most recent call last):\n"
        f'  File "{path}", line 6, in f\n    b = torch.acos(x)\n'
        "RuntimeError: Function 'AcosBackward0' returned nan values in its 0th output.\n"
    )
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(report.encode())))
    assert main(["--suspects", str(path), "--from", "-"]) == 0
    assert "a.py:6:" in capsys.readouterr().out.splitlines()[0]


LOGARITHM = """\
import torch


def ratio(x):
    return x / x.norm()


def loss_of(x):
    return (ratio(x) - torch.log(torch.softmax(x, 0)))[0]


x = torch.ones(3, requires_grad=True)
loss = loss_of(x)
loss.backward()
"""


@pytest.mark.parametrize("frame", ["", '  File "{path}", line 14, in <module>\n'])
def test_the_kind_of_an_operation_orders_the_list_where_no_line_does(
    frame: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, report = tmp_path / "a.py", tmp_path / "report.txt"
    path.write_text(LOGARITHM)
    head = "Traceback (most recent call last):\n" if frame else ""
    for kind, first in (("Log", "NAN101"), ("Div", "NAN303")):
        said = f"RuntimeError: Function '{kind}Backward0' returned nan values in its 0th output.\n"
        report.write_text(head + frame.format(path=path) + said)
        assert main(["--suspects", str(path), "--from", str(report)]) == 0
        told = capsys.readouterr()
        assert first in told.out.splitlines()[0]
        assert f"every {kind.lower()} comes first" in told.err
    report.write_text(head + frame.format(path=path) + said.replace("Div", "Acos"))
    assert main(["--suspects", str(path), "--from", str(report)]) == 0
    assert "no suspect is of the kind that it names (acos); ignored" in capsys.readouterr().err


def test_a_script_that_calls_nothing_of_its_own_is_said_to_do_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.py"
    said = "it calls none of its own functions, so all of them count"
    path.write_text(LOGARITHM.partition("x = torch")[0] + "print(torch.ones(1))\n")
    assert main(["--suspects", str(path)]) == 0
    assert said in capsys.readouterr().out
    path.write_text(LOGARITHM)
    assert main(["--suspects", str(path)]) == 0
    assert said not in capsys.readouterr().out


@pytest.mark.parametrize(("gamma", "is_suspect"), [("", False), ("2.5", False), ("0.5", True)])
def test_an_exponent_that_no_construction_in_sight_makes_harmful_is_no_suspect(
    gamma: str, is_suspect: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.py"
    path.write_text(
        "import torch\n\n\nclass Focal(torch.nn.Module):\n"
        "    def __init__(self, gamma=2.0):\n        super().__init__()\n"
        "        self.gamma = gamma\n\n    def forward(self, logits):\n"
        "        p = torch.sigmoid(logits)\n        return (p**self.gamma * logits).mean()\n\n\n"
        f"model = torch.nn.Linear(2, 1)\nloss = Focal({gamma})(model(torch.ones(1, 2)))\n"
        "loss.backward()\n"
    )
    assert main(["--suspects", str(path)]) == 0
    told = capsys.readouterr().out
    assert ("NAN206" in told) is is_suspect
    assert ("have a harmless exponent" in told) is not is_suspect


def test_a_report_of_another_program_is_said_to_be_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "report.txt"
    report.write_text('Traceback (most recent call last):\n  File "/x/y.py", line 2, in f\n')
    assert main(["--suspects", str(CLASSIFIER), "--from", str(report)]) == 0
    assert "none of its frames" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--suspects"], "expects one entry"),
        (["--suspects", "a.py", "b.py"], "expects one entry"),
        (["--suspects", "missing.py"], "no such file"),
        (["--suspects", str(CLASSIFIER), "--from", "missing.txt"], "--from missing.txt"),
        (["--suspects", str(CLASSIFIER), "--follow", "no_such_package"], "is installed"),
        (["--suspects", str(CLASSIFIER), "--output-format", "sarif"], "not sarif"),
        (["--suspects", "-m", "x", str(CLASSIFIER)], "is already the entry"),
        (["--suspects", "--run", "--"], "expects a command"),
        (["--suspects", "--run", "--", "bash", "x.sh"], "expects `python SCRIPT`"),
        (["--from", "x"], "--from works only with --suspects"),
        (["--output-format", "markdown"], "--output-format markdown works only with --suspects"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_status_2(
    capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert main(arguments) == 2
    told = capsys.readouterr().err
    assert said in told and told.count("\n") == 1
