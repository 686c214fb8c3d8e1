"""`--explain-at`: the chain behind one line, and what the rules said of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mllint_nan.cli import ERROR, main
from mllint_nan.findings import Confidence
from mllint_nan.linter import Settings, check_text, prepare
from mllint_nan.reporting.trace import explained
from mllint_nan.tracing import Trace, Unreadable, explained_row, trace_row, traces_in
from mllint_nan.verdict_reasons import decisions_on

TEXT = """\
import torch

def pooled(x, tokens):
    mask = (tokens != 0).float()
    total = (x[:, :4] * mask[:, :4]).sum(1)
    return total / mask.sum(1)

def guarded(x, tokens):
    count = (tokens != 0).sum()
    if count > 0:
        return x.sum() / count
    return 0.0

def _softplus(v):
    return torch.log(1 + torch.exp(v))

def bounded(x):
    return _softplus(x.clamp(max=3.0))
"""


def traced(row: int, text: str = TEXT) -> tuple[Trace, ...]:
    return trace_row(text.encode(), "model.py", row, Settings(select=("NAN105", "NAN301")))


def test_each_term_stands_with_its_values_and_its_line() -> None:
    (trace,) = traced(6)
    steps = {step.text: step for step in trace.steps}
    count = steps["mask.sum(1)"]
    assert (count.operation, count.row) == ("sum (torch)", 6)
    assert count.values.endswith("reaches 0, whole numbers")
    mask = steps["mask = (tokens != 0).float()"]
    assert (mask.row, mask.values) == (4, "[0, 1], reaches 0, 1, whole numbers")
    assert mask.depth > count.depth


def test_a_rule_that_speaks_shows_the_answers_it_rests_on() -> None:
    (trace,) = traced(6)
    (judgement,) = trace.judgements
    assert (judgement.code, judgement.confidence) == ("NAN301", Confidence.LIKELY)
    assert ("when", 'attains_zero(n, m, "count")', "yes") in [
        (answer.kind, answer.condition, answer.truth) for answer in judgement.answers
    ]


def test_a_rule_that_stays_quiet_shows_what_excuses_the_match() -> None:
    (trace,) = traced(11)
    assert trace.facts == ("count > 0 (line 10)",)
    (judgement,) = trace.judgements
    assert judgement.confidence is None
    (excuse,) = [a for a in judgement.answers if a.decides and a.kind == "unless"]
    assert (excuse.condition, excuse.truth) == ('is_guarded(n, "path")', "yes")
    assert excuse.question.endswith(".")
    assert ("n", "(tokens != 0).sum()") in judgement.terms


def test_a_parameter_shows_what_the_calls_of_a_private_function_pass() -> None:
    (trace,) = traced(15)
    texts = [step.text for step in trace.steps]
    assert "x.clamp(max=3.0)" in texts
    (parameter,) = {step.values for step in trace.steps if step.text == "v"}
    assert parameter == "[-3.40282e+38, 3], reaches 3"


def test_a_parameter_says_whose_it_is_and_who_may_call() -> None:
    (trace,) = traced(6)
    (public,) = {step.operation for step in trace.steps if step.text == "x"}
    assert public == "parameter of pooled, which any code may call"
    (trace,) = traced(15)
    (private,) = {step.operation for step in trace.steps if step.text == "v"}
    assert private == "parameter of _softplus, whose calls are all visible"
    (trace,) = traced(15, f"{TEXT}\ng(_softplus)\n")
    (escaped,) = {step.operation for step in trace.steps if step.text == "v"}
    assert escaped == "parameter of _softplus, not all of whose calls are visible"


def test_each_computed_term_stands_with_its_format() -> None:
    text = "import torch\ndef f(x, n):\n    return torch.relu(x.half()) / (n > 0).sum()\n"
    (trace,) = trace_row(text.encode(), "model.py", 3, Settings(select=("NAN301",)))
    formats = {step.text: step.dtype for step in trace.steps}
    assert formats["torch.relu(x.half())"] == "float16"
    assert formats["(n > 0).sum()"] == ""
    (trace,) = traced(6)
    formats = {step.text: step.dtype for step in trace.steps}
    assert formats["total / mask.sum(1)"] == "float32"
    assert formats["x[:, :4]"] == "float32 by default"


@pytest.mark.parametrize(
    ("name", "head", "caps"),
    [
        ("model.py", "", ()),
        ("tests/test_model.py", "", ("the file is a test",)),
    ],
)
def test_what_keeps_a_confidence_down_is_said(name: str, head: str, caps: tuple[str, ...]) -> None:
    (trace,) = trace_row((head + TEXT).encode(), name, 6, Settings(select=("NAN301",)))
    (judgement,) = trace.judgements
    assert judgement.caps == caps


def test_a_line_without_operations_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "model.py"
    path.write_text(TEXT)
    assert main(["--explain-at", f"{path}:1"]) == 0
    assert "no known operation starts on this line" in capsys.readouterr().out


def test_the_command_prints_chain_and_judgement(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "model.py"
    path.write_text(TEXT)
    assert main(["--explain-at", f"{path}:6"]) == 0
    out = capsys.readouterr().out
    assert "  NAN301 division-by-count: likely\n" in out
    assert "    line 4: mask = (tokens != 0).float()\n" in out
    assert "    where  m is (tokens != 0).float()\n" in out
    assert out.index("NAN301 division-by-count: likely") < out.index("quiet")
    assert main(["--explain-at", f"{path}:6", "--verbose"]) == 0
    out = capsys.readouterr().out
    quiet = out[out.index("NAN309 unguarded-quotient: quiet") :]
    silencing = (": no, by proof", ": no sign of it", ": yes, by proof", ": yes, by evidence")
    assert quiet.splitlines()[1].endswith(silencing)


def test_what_is_not_python_cannot_be_traced() -> None:
    with pytest.raises(Unreadable, match=r"^2:"):
        traced(1, "import torch\n\0\n")


@pytest.mark.parametrize(
    ("place", "message"),
    [("model.py", "expects FILE:LINE"), ("nowhere.py:3", "No such file")],
)
def test_bad_places_are_one_line(
    place: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--explain-at", place]) == ERROR
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_defaults_that_bring_a_finding_about_are_named() -> None:
    text = "import torch\ndef f(x, margin=0.0):\n    return torch.log(torch.relu(x) - margin)\n"
    traces = trace_row(text.encode(), "program.py", 3, Settings())
    assert [one.call for one in traces if one.call] == [
        "as called with the defaults of its parameters"
    ]
    given = f"{text}f(1, 1e-3)\n"
    assert not any(one.call for one in trace_row(given.encode(), "program.py", 3, Settings()))


def test_call_that_brings_a_finding_about_is_named(tmp_path: Path) -> None:
    text = """\
import torch

def nll(p, y):
    return -torch.log(p)[y]

def train(z, y):
    return nll(torch.softmax(z, -1), y)
"""
    traces = trace_row(text.encode(), "program.py", 4, Settings())
    assert "as called in train, line 7" in {trace.call for trace in traces}


@pytest.mark.parametrize(
    ("operand", "level", "said"),
    [
        ("last(x)", "certain", "it is the output of a layer, bounded only by the weights"),
        ("x", "likely", "nothing visible moves its operand freely"),
        ("made(x)", "possible", "no safe fix is available here"),
    ],
)
def test_what_makes_a_shape_sure_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], operand: str, level: str, said: str
) -> None:
    head = "import torch\nfrom elsewhere import made\nlast = torch.nn.Linear(8, 4)\n"
    body = f"def f(x):\n    p = torch.sigmoid({operand})\n    return torch.log(p / (1 - p))\n"
    if level == "possible":  # what has no gradient is not trained
        head = "import numpy as np\nfrom scipy.special import expit\nfrom elsewhere import made\n"
        body = body.replace("torch.sigmoid", "expit").replace("torch", "np")
    (tmp_path / "a.py").write_text(head + body)
    main(["--explain-at", f"{tmp_path}/a.py:6", "--select", "NAN117"])
    printed = capsys.readouterr().out
    assert f"NAN117 logit-by-hand: {level}" in printed and said in printed


def said(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, row: int) -> str:
    path = tmp_path / "model.py"
    path.write_text(text)
    assert main(["--isolated", "--explain-at", f"{path}:{row}"]) == 0
    return capsys.readouterr().out


ROOT = Path(__file__).parent.parent
EXPLAINED = (
    "anomaly-detection-left-on/torch.py",
    "clip-before-unscale/torch.py",
    "nonfinite-norm-ignored/torch.py",
    "unchecked-nan-features/keras.py",
    "unguarded-quotient/torch.py",
)
ENTROPY = """\
import torch


def entropy(x):
    p = torch.softmax(x, dim=-1)
    return -(p * torch.log(p)).sum()
"""


def test_what_decides_between_rules_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = said(tmp_path, capsys, ENTROPY, 6).splitlines()
    assert shown[1] == "  reported: NAN101 log-of-softmax, likely, at column 18"
    assert (
        "  not reported: NAN202 zero-times-log, likely: NAN101 reports the same operation "
        "at 6:18, and overrides NAN202 at the same confidence"
    ) in shown
    assert not any(line.startswith("  reported: NAN202") for line in shown)


def test_a_comment_that_silences_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    comment = "# mllint-nan: ignore[NAN101]"
    shown = said(tmp_path, capsys, ENTROPY.replace(".sum()", f".sum()  {comment}"), 6)
    assert f"NAN101 log-of-softmax, likely: silenced by the comment on line 6: {comment}" in shown
    assert "  nothing is reported here\n" in shown
    other = "# mllint-nan: ignore[NAN201]"
    shown = said(tmp_path, capsys, ENTROPY.replace(".sum()", f".sum()  {other}"), 6)
    assert "reported: NAN101" in shown and "silenced by the comment" not in shown


@pytest.mark.parametrize("path", EXPLAINED)
def test_each_finding_is_explained_where_it_is_reported(path: str) -> None:
    file = ROOT / "fixtures" / path
    settings = Settings(min_confidence=Confidence.POSSIBLE)
    prepared = prepare(file.read_bytes(), file.name, settings)
    found = check_text(file.read_text(), file.name, settings)
    assert found
    for one in found:
        decided = decisions_on(prepared, one.start.row, settings)
        reported = {(each.code, each.place) for each in decided if not each.against}
        assert (one.code, one.start) in reported
        traces = traces_in(prepared, one.start.row, settings)
        assert one.code in {each.code for trace in traces for each in trace.judgements}


def test_what_stays_quiet_is_one_line_for_each_rule(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "model.py"
    path.write_text("import torch\n\n\ndef f(p):\n    return -(p * p.log()).sum(-1).mean()\n")
    assert main(["--isolated", "--explain-at", f"{path}:5"]) == 0
    shown = capsys.readouterr().out
    assert main(["--isolated", "--verbose", "--explain-at", f"{path}:5"]) == 0
    whole = capsys.readouterr().out
    assert shown.count("\n") * 2 < whole.count("\n")
    assert shown.count("NAN404") == 1 and "zero-times-log: quiet" not in shown
    assert "quiet, for lack of evidence: NAN214 log-of-negative" in shown
    assert "when   attains_negative" in whole and "when   attains_negative" not in shown
    assert shown.index("zero-times-log: likely") < shown.index("NAN503")


def test_a_row_of_a_cell_is_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["# text"]},
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None,
         "source": ["import torch\n", "x = torch.randn(3)\n", "p = torch.relu(x)"]},
        {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None,
         "source": ["y = 1\n", "loss = torch.log(p).sum()\n", "loss.backward()"]},
    ]  # fmt: skip
    path = tmp_path / "a.ipynb"
    path.write_text(
        json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    )
    assert main(["--isolated", "--explain-at", f"{path}:3:2"]) == 0
    shown = capsys.readouterr().out
    assert "NAN201 log-at-zero" in shown and "cell 2, line 3: p = torch.relu(x)" in shown
    for wrong, reason in (
        (f"{path}:1:1", "cell 1 has no code"),
        (f"{path}:2", "--explain-at expects FILE:CELL:LINE for a notebook"),
    ):
        assert main(["--isolated", "--explain-at", wrong]) == ERROR
        assert reason in capsys.readouterr().err


def test_of_the_matches_of_a_rule_the_one_that_speaks_is_explained() -> None:
    text = (
        "import numpy as np\nimport torch\n\n\ndef act(values, scores):\n"
        "    mask = (scores > 0).float()\n    return values - np.inf * mask\n"
    )
    shown = explained("a.py:7", explained_row(text.encode(), "a.py", 7, Settings()))
    assert "NAN404 mask-times-nonfinite: likely\n" in shown
    assert "where  k is np.inf\n" in shown
