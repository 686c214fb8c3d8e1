"""What the frameworks print of a NaN, made by running broken programs, and what is read of it."""

from __future__ import annotations

import json
import os
import subprocess
from functools import lru_cache
from pathlib import Path

import pytest

from mllint_nan.findings import Hazard
from mllint_nan.settings import Settings
from mllint_nan.suspects.candidates import suspects_of
from mllint_nan.suspects.program import entry_of, program_from
from mllint_nan.suspects.report import Frame, Phase, Report, report_of
from tests.preloaded import python_for

REPORTS = Path(__file__).parents[2] / "fixtures" / "suspects" / "reports"
RECORDED = REPORTS / "recorded"
"""Outputs of what the tests do not install, each beside the program that printed it."""


def _recorded(name: str) -> Report:
    return report_of((RECORDED / f"{name}.txt").read_text(encoding="utf-8"))


@lru_cache
def _output(name: str) -> str:
    """What a broken program prints, from running it."""
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "JAX_PLATFORMS": "cpu"}
    path = REPORTS / f"{name}.py"
    done = subprocess.run(
        [python_for(path), str(path)],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    return done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "operations", "phase", "row"),
    [
        ("torch_anomaly", {"mul"}, Phase.BACKWARD, 5),
        ("torch_assert", set(), Phase.UNKNOWN, 9),
        ("jax_debug", {"mul"}, Phase.FORWARD, 8),
        ("tf_check", {"log"}, Phase.FORWARD, 7),
        ("tf_eager", {"log"}, Phase.FORWARD, 7),
        ("jax_jit", {"div"}, Phase.FORWARD, 8),
        ("tf_numerics", set(), Phase.UNKNOWN, 6),
        ("tf_function_numerics", set(), Phase.UNKNOWN, 7),
        ("keras_numerics", {"log"}, Phase.FORWARD, 10),
        ("torch_chained", set(), Phase.UNKNOWN, 7),
    ],
)
def test_the_place_the_operation_and_the_phase_are_read(
    name: str, operations: set[str], phase: Phase, row: int
) -> None:
    report = report_of(_output(name))
    path = str(REPORTS / f"{name}.py")
    assert report.operations == operations
    assert report.phase is phase
    assert report.innermost_in([path]) == (path, row)


@pytest.mark.parametrize(
    ("node", "operation"),
    [
        ("BinaryCrossEntropyBackward0", "binary_cross_entropy"),
        ("LinalgVectorNormBackward0", "norm"),
        ("LogsumexpBackward0", "logsumexp"),
        ("LogSoftmaxBackward0", "log_softmax"),
        ("ClampBackward1", "clip"),
    ],
)
def test_nodes_of_autograd_are_canonical_operations(node: str, operation: str) -> None:
    said = f"RuntimeError: Function '{node}' returned nan values in its 0th output."
    assert report_of(said).operations == {operation}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "row", "relation"),
    [
        ("torch_anomaly", 6, "returns"),
        ("torch_assert", 5, "feeds"),
        ("jax_debug", 8, "seen"),
        ("tf_check", 7, "seen"),
        ("tf_eager", 7, "seen"),
        ("jax_jit", 8, "seen"),
        ("tf_function_numerics", 6, "feeds"),
        ("keras_numerics", 10, "seen"),
        ("torch_chained", 5, "feeds"),
    ],
)
def test_the_suspects_are_ordered_by_what_was_seen(name: str, row: int, relation: str) -> None:
    program = program_from(entry_of(str(REPORTS / f"{name}.py")))
    first = suspects_of(program, lambda _: Settings(), report_of(_output(name))).ranked[0]
    assert first.finding.start.row == row
    assert first.evidence[0] == relation


@pytest.mark.slow
def test_printed_names_of_parameters_are_read() -> None:
    assert report_of(_output("torch_gradients")).parameters == ("encoder.weight", "encoder.bias")


def test_the_anomaly_that_lightning_shows_is_read_as_its_own() -> None:
    report = _recorded("lightning_anomaly")
    path = str(RECORDED / "lightning_anomaly.py")
    assert report.operations == {"softmax"}
    assert report.phase is Phase.BACKWARD
    assert report.innermost_in([path]) == (path, 12)


def test_lightning_stops_without_saying_where() -> None:
    assert "is not finite" in (RECORDED / "lightning_terminate.txt").read_text(encoding="utf-8")
    assert _recorded("lightning_terminate").is_empty


def test_a_notebook_shows_its_frames_in_colours() -> None:
    report = _recorded("notebook")
    path = str(RECORDED / "notebook_losses.py")
    assert [(frame.row, frame.function) for frame in report.frames] == [
        (2, "<module>"),
        (6, "loss_of"),
    ]
    assert report.innermost_in([path]) == (path, 6)


def test_the_row_of_a_cell_is_found_by_its_code(tmp_path: Path) -> None:
    path = tmp_path / "train.ipynb"
    cells = [["import torch\n", "x = torch.zeros(3)"], ["y = 1\n", "loss = torch.log(x).sum()"]]
    content = [
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": 1, "source": source}
        for source in cells
    ]
    notebook = {"cells": content, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(notebook))
    text = (
        "ValueError                   Traceback (most recent call last)\n"
        "Cell In[7], line 2\n      1 y = 1\n----> 2 loss = torch.log(x).sum()\n\nValueError: nan\n"
    )
    seen = report_of(text).innermost_in([str(path)])
    program = suspects_of(program_from(entry_of(str(path))), lambda _: Settings(), report_of(text))
    assert seen is not None
    assert program.ranked[0].finding.start.row == seen[1]
    assert program.ranked[0].evidence[0] == "seen"


@pytest.mark.parametrize(
    "prefix",
    [
        "[rank0]: ",
        "2024-05-01 10:11:12,123 ERROR ",
        "[2024-05-01 10:11:12] ERROR: ",
        "10:11:12.5 | ",
        "worker-1 | ",
        "\x1b[31m",
    ],
)
def test_what_a_logger_puts_before_each_line_is_no_part_of_it(prefix: str) -> None:
    lines = (
        "Traceback (most recent call last):",
        '  File "a.py", line 3, in f',
        "    y = x.log()",
        '  File "b.py", line 9, in g',
        "    check(y)",
        "ValueError: loss is nan",
    )
    text = "".join(f"{prefix}{line}\n" for line in lines)
    assert report_of(text).frames == (Frame("a.py", 3, "f"), Frame("b.py", 9, "g"))


@pytest.mark.slow
def test_a_callback_that_stops_says_nothing_of_where() -> None:
    output = _output("keras_terminate")
    assert "Invalid loss" in output
    assert report_of(output).is_empty


def test_of_a_cause_and_what_was_raised_while_it_was_handled_the_cause_counts() -> None:
    text = (
        "Traceback (most recent call last):\n"
        '  File "a.py", line 3, in f\n    x\nValueError: bad\n\n'
        "During handling of the above exception, another exception occurred:\n\n"
        'Traceback (most recent call last):\n  File "b.py", line 9, in g\n    y\nKeyError: 1\n'
    )
    assert report_of(text).frames == (Frame("a.py", 3, "f"),)


@pytest.mark.parametrize(
    "text",
    [
        "ValueError: Detected nan and/or inf values in `encoder.layer.0.weight`. Check it.",
        "encoder.layer.0.weight grad: tensor(nan)",
        "these have NaN gradients:\n  encoder.layer.0.weight\n",
    ],
)
def test_names_of_parameters_are_read(text: str) -> None:
    assert report_of(text).parameters == ("encoder.layer.0.weight",)


def test_a_report_of_parameters_prefers_what_reads_them(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(
        "import torch\n\n\nclass Net(torch.nn.Module):\n"
        "    def forward(self, x):\n"
        "        a = torch.log(self.head(x))\n"
        "        b = torch.log(self.tail(x))\n"
        "        return a.sum() + b.sum()\n\n\nNet()(torch.ones(3)).backward()\n"
    )
    program = program_from(entry_of(str(tmp_path / "a.py")))
    report = report_of("tail.weight grad: nan")
    ranked = suspects_of(program, lambda _: Settings(), report).ranked
    assert [one.finding.start.row for one in ranked] == [7, 6]
    assert all(one.finding.hazard is Hazard.VALUE for one in ranked)


@pytest.mark.parametrize(
    ("told", "path", "expected"),
    [
        ("/home/user/project/net/losses.py", "/data/net/losses.py", True),
        ("/home/user/project/net/losses.py", "/data/other/losses.py", False),
        ("...ject/net/losses.py", "/home/project/net/losses.py", True),
        ("losses.py", "/data/losses.py", True),
        ("C:\\work\\net\\losses.py", "/data/net/losses.py", True),
    ],
)
def test_frames_of_other_machines_are_recognised(told: str, path: str, expected: bool) -> None:
    assert Frame(told, 1, "f").is_of(path) is expected


def test_an_output_that_tells_nothing_is_empty() -> None:
    assert report_of("Epoch 3: loss nan\n") == Report((), frozenset(), Phase.UNKNOWN, ())
