"""Fixes keep to the versions that a project allows: each beside one that a newer version has."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest

import mllint_nan
from mllint_nan.cli import main
from mllint_nan.findings import Applicability, Confidence, Finding
from mllint_nan.linter import fix_text, lint_text
from mllint_nan.results import Linted
from mllint_nan.settings import Settings
from tests.fixing.programs import gradient, value

HEADS = {
    "torch": "import torch\nimport torch.nn.functional as F\n",
    "jax": "import jax\nimport jax.numpy as jnp\n",
    "tensorflow": "import tensorflow as tf\n",
    "keras": "import keras\nfrom keras import ops\n",
    "numpy": "import numpy as np\nimport scipy.special\n",
}
DISTANCE = "def f(x, y):\n    return ((x - y) ** 2).sum(-1).sqrt()"
NORM = "def f(x, y):\n    return torch.sqrt(torch.sum((x - y) ** 2, dim=-1))"
ENTROPY = "def f(p: torch.Tensor):\n    p = torch.relu(p)\n    return (p * torch.log(p)).sum()"
CDF = "def f(x):\n    return torch.log(torch.special.ndtr(x))"
DEVIATION = (
    "def f(x):\n    return torch.sqrt(torch.mean(x**2, dim=-1) - torch.mean(x, dim=-1) ** 2)"
)
VARIANCE = DEVIATION.replace("torch.sqrt(", "torch.rsqrt(")
SELECTED = "def f(x):\n    return torch.where(x <= 0, torch.zeros_like(x), x.log())"
LOGADDEXP = "def f(x, y):\n    return torch.log(torch.exp(x) + torch.exp(y))"
DETERMINANT = "def f(x):\n    return torch.log(torch.abs(torch.linalg.det(x)))"
TRACE = "def f(r):\n    return jnp.arccos((jnp.trace(r) - 1.0) / 2.0)"
SIGMOID = "def f(x):\n    return tf.log(tf.sigmoid(x))"
LOGSUMEXP = "def f(x):\n    return jnp.log(jnp.sum(jnp.exp(x)))"


def whole(framework: str, text: str) -> str:
    return f"{HEADS[framework]}\n\n{dedent(text)}\n"


def fixed(framework: str, text: str, *targets: str) -> str:
    """The last line after all fixes."""
    settings = Settings(
        min_confidence=Confidence.POSSIBLE, unsafe_fixes=True, target_versions=targets
    )
    return fix_text(whole(framework, text), "a.py", settings).text.rstrip().splitlines()[-1].strip()


def found(framework: str, text: str, *targets: str) -> list[Finding]:
    settings = Settings(target_versions=targets)
    outcome = lint_text(whole(framework, text), "a.py", settings)
    assert isinstance(outcome, Linted)
    return list(outcome.findings)


WRITTEN = [
    # What the newest version has is written where nothing is known, and where all allowed have it.
    ("torch", NORM, "", "return torch.linalg.vector_norm(x - y, dim=-1)"),
    ("torch", NORM, "torch", "return torch.linalg.vector_norm(x - y, dim=-1)"),
    ("torch", NORM, "torch>=1.9", "return torch.linalg.vector_norm(x - y, dim=-1)"),
    ("torch", NORM, "torch<1.10", "return torch.linalg.vector_norm(x - y, dim=-1)"),
    ("torch", NORM, "torch<=1.9", "return torch.linalg.vector_norm(x - y, dim=-1)"),
    ("torch", NORM, "jax==0.2", "return torch.linalg.vector_norm(x - y, dim=-1)"),
    # Another spelling of the same operation, as old as it has the same gradient.
    ("torch", NORM, "torch==1.4.0", "return torch.norm(x - y, dim=-1, p=2)"),
    ("torch", NORM, "torch<1.9", "return torch.norm(x - y, dim=-1, p=2)"),
    ("torch", NORM, "torch<=1.8.1", "return torch.norm(x - y, dim=-1, p=2)"),
    ("torch", DISTANCE, "torch==1.4.0", "return torch.norm(x - y, dim=-1, p=2)"),
    ("torch", DEVIATION, "torch>=1.9", "return torch.std(x, dim=-1, correction=0)"),
    ("torch", DEVIATION, "torch>=1.7", "return torch.std(x, dim=-1, unbiased=False)"),
    ("torch", VARIANCE, "torch>=1.9", "return torch.rsqrt(torch.var(x, dim=-1, correction=0))"),
    ("torch", VARIANCE, "torch>=1.4", "return torch.rsqrt(torch.var(x, dim=-1, unbiased=False))"),
    ("torch", ENTROPY, "torch>=1.12", "return (p * torch.log(torch.where(p > 0, p, 1))).sum()"),
    (
        "torch",
        ENTROPY,
        "torch>=1.11",
        "return (p * torch.log(torch.where(p > 0, p, torch.ones_like(p)))).sum()",
    ),
    (
        "torch",
        SELECTED,
        "torch>=1.12",
        "return torch.where(x <= 0, torch.zeros_like(x), torch.where(x <= 0, 1, x).log())",
    ),
    (
        "torch",
        SELECTED,
        "torch>=1.11",
        "return torch.where(x <= 0, torch.zeros_like(x),"
        " torch.where(x <= 0, torch.ones_like(x), x).log())",
    ),
    ("torch", LOGADDEXP, "torch>=1.6", "return torch.logaddexp(x, y)"),
    ("torch", DETERMINANT, "torch>=1.8", "return torch.linalg.slogdet(x)[1]"),
    ("torch", DETERMINANT, "torch>=1.7", "return torch.slogdet(x)[1]"),
    (
        "jax",
        LOGSUMEXP,
        "jax>=0.2.4",
        "return jax.nn.logsumexp(x)",
    ),
    (
        "jax",
        LOGSUMEXP,
        "jax>=0.2.3",
        "return jax.scipy.special.logsumexp(x)",
    ),
    (
        "tensorflow",
        SIGMOID,
        "tensorflow==1.12",
        "return tf.math.log_sigmoid(x)",
    ),
    (
        "tensorflow",
        SIGMOID,
        "tensorflow-gpu==1.4",
        "return tf.log_sigmoid(x)",
    ),
    (
        "jax",
        TRACE,
        "jax>=0.4.27",
        "return jnp.arccos(jnp.clip((jnp.trace(r) - 1.0) / 2.0, min=-1 + 1e-7, max=1 - 1e-7))",
    ),
    (
        "jax",
        TRACE,
        "jax>=0.4.26",
        "return jnp.arccos(jnp.clip((jnp.trace(r) - 1.0) / 2.0, -1 + 1e-7, 1 - 1e-7))",
    ),
    (
        "keras",
        "def f(x):\n    return ops.log(ops.sigmoid(x))",
        "keras>=3",
        "return ops.log_sigmoid(x)",
    ),
]


@pytest.mark.parametrize(("framework", "text", "target", "line"), WRITTEN)
def test_what_is_written(framework: str, text: str, target: str, line: str) -> None:
    assert fixed(framework, text, *([target] if target else [])) == line


SHOWN = [
    ("torch", CDF, "torch==1.8", "torch>=1.12", "needs torch 1.12, and target-versions allows 1.8"),
    (
        "torch",
        CDF,
        "torch<1.12",
        "torch<1.13",
        "needs torch 1.12, and target-versions asks for one before 1.12",
    ),
    (
        "torch",
        LOGADDEXP,
        "torch<=1.5",
        "torch<=1.6",
        "needs torch 1.6, and target-versions asks for one up to 1.5",
    ),
    (
        "numpy",
        "def f(x):\n    return np.log(scipy.special.softmax(x))",
        "scipy>=1.4",
        "scipy>=1.5",
        "needs scipy 1.5, and target-versions allows 1.4",
    ),
    (
        "keras",
        "def f(x):\n    return ops.log(ops.det(x))",
        "keras>=3.0",
        "keras>=3.4",
        "needs keras 3.4, and target-versions allows 3.0",
    ),
]


@pytest.mark.parametrize(("framework", "text", "old", "new", "reason"), SHOWN)
def test_what_is_only_shown(framework: str, text: str, old: str, new: str, reason: str) -> None:
    (shown,), (applied,) = found(framework, text, old), found(framework, text, new)
    assert shown.fix is not None and applied.fix is not None
    assert shown.fix.applicability is Applicability.DISPLAY_ONLY
    assert shown.fix.reason == reason
    assert applied.fix.applicability is not Applicability.DISPLAY_ONLY
    assert (shown.fix.message, shown.fix.edits) == (applied.fix.message, applied.fix.edits)
    assert fixed(framework, text, old) == whole(framework, text).rstrip().splitlines()[-1].strip()


def test_a_finding_that_rests_on_its_safe_fix_stays_as_sure() -> None:
    text = "def f(x):\n    return np.log(scipy.special.softmax(x))"
    (applied,), (shown,) = found("numpy", text), found("numpy", text, "scipy==1.2")
    assert applied.fix is not None and applied.fix.applicability is Applicability.SAFE
    assert shown.fix is not None and shown.fix.applicability is Applicability.DISPLAY_ONLY
    assert shown.confidence is applied.confidence is Confidence.LIKELY


def test_code_of_a_generation_has_its_functions() -> None:
    line = fixed("keras", "def f(x):\n    return ops.log(ops.softmax(x))", "tensorflow>=2.4")
    assert line == "return ops.log_softmax(x)"


def test_the_next_fix_of_the_rule_is_offered() -> None:
    # An axis that is no number of the text may be several, which `torch.norm` of 1.0 did not take.
    assert fixed("torch", NORM, "torch==1.0") == (
        "return torch.sqrt(torch.clamp(torch.sum((x - y) ** 2, dim=-1), min=1e-37))"
    )


def test_a_square_is_a_power_before_it_has_a_name() -> None:
    text = whole("torch", "def f(x):\n    return 1 - torch.cos(x)")
    settings = Settings(select=("one-minus-cos",))
    assert "2 * torch.square(torch.sin(x / 2))" in fix_text(text, "a.py", settings).text
    older = replace(settings, target_versions=("torch==1.4",))
    assert "2 * torch.pow(torch.sin(x / 2), 2)" in fix_text(text, "a.py", older).text


def test_only_numbers_that_every_format_has_become_tensors() -> None:
    text = "def f(x: torch.Tensor):\\n    y = 1 - torch.relu(x)\\n    return torch.log(y)"
    assert "torch.where" not in fixed("torch", text, "torch==1.11")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "target", "new"),
    [
        (NORM.replace("f(x, y)", "f(x)").replace("x - y", "x"), "torch==1.4", "torch.norm"),
        (DEVIATION, "torch==1.8", "unbiased=False"),
        (ENTROPY, "torch==1.4", "ones_like"),
    ],
)
def test_older_spellings_give_the_same_value_and_gradient(
    before: str, target: str, new: str
) -> None:
    settings = Settings(target_versions=(target,))
    older = fix_text(whole("torch", before), "a.py", settings).text
    newest = fix_text(whole("torch", before), "a.py", Settings()).text
    assert new in older and older != newest
    for given in ([[0.0, 0.0, 0.0], [3.0, 4.0, 12.0]], [[1.0, 1.0, 1.0], [0.0, 0.5, 2.0]]):
        for quantity in (value, gradient):
            np.testing.assert_array_equal(
                quantity("torch", older, given), quantity("torch", newest, given)
            )


@pytest.mark.slow
def test_bounds_by_position_are_those_by_name() -> None:
    settings = Settings(unsafe_fixes=True, target_versions=("jax==0.3",))
    older = fix_text(whole("jax", TRACE), "a.py", settings).text
    newest = fix_text(whole("jax", TRACE), "a.py", replace(settings, target_versions=())).text
    assert older != newest
    given = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    for quantity in (value, gradient):
        np.testing.assert_array_equal(quantity("jax", older, given), quantity("jax", newest, given))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "model.py").write_text(whole("torch", CDF))
    return tmp_path


def reasons(*arguments: str, capsys: pytest.CaptureFixture[str]) -> list[str | None]:
    main([*arguments, "--output-format", "json"])
    shown = json.loads(capsys.readouterr().out)
    return [finding["fix"].get("reason") for finding in shown]


def test_requirements_are_read_and_the_cache_knows_them(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    required = project / "requirements.txt"
    lacking = "needs torch 1.12, and requirements.txt allows 1.8"
    for text, reason in (
        ("", None),
        ("torch==1.8\n", lacking),
        ("torch>=1.8\nnumpy\n", lacking),
        ("torch>=1.12\n", None),
    ):
        required.write_text(text)
        assert reasons("src", capsys=capsys) == [reason]
        assert reasons("src", capsys=capsys) == [reason], "from the cache"
    required.unlink()
    assert reasons("src", capsys=capsys) == [None]


def test_configuration_overrides_requirements(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "requirements.txt").write_text("torch==1.8\n")
    newer = ("--config", 'target-versions = ["torch>=1.12"]')
    assert reasons("src", *newer, capsys=capsys) == [None]
    older = ("--config", 'target-versions = ["torch==1.9"]')
    assert reasons("src", *older, capsys=capsys) == [
        "needs torch 1.12, and target-versions allows 1.9"
    ]


def test_requirements_are_not_read_without_a_fix(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mllint_nan.requirements import declared

    asked: list[str] = []

    def note(folder: str) -> tuple[()]:
        asked.append(folder)
        return ()

    monkeypatch.setattr(declared, "requirement_files", note)
    model = project / "src" / "model.py"
    for text in ("import torch\n\ny = torch.exp(x - x.max())\n", whole("torch", "import os")):
        model.write_text(text)
        list(mllint_nan.check_paths([model]))
    model.write_text(whole("torch", "def f(x):\n    return torch.log(torch.softmax(x, -1))"))
    assert [len(checked.findings) for checked in mllint_nan.check_paths([model])] == [1]
    assert asked == [], "PyTorch has always had what that fix writes"
    model.write_text(whole("torch", CDF))
    assert [len(checked.findings) for checked in mllint_nan.check_paths([model])] == [1]
    assert set(asked) == {str(project / "src")}


def test_notebooks_keep_to_them_too(project: Path) -> None:
    cell = {
        "cell_type": "code",
        "metadata": {},
        "outputs": [],
        "execution_count": None,
        "source": whole("torch", CDF),
    }
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    path = project / "a.ipynb"
    path.write_text(json.dumps(notebook))
    applicability = []
    for text in ("torch==1.8\n", "torch==1.12\n"):
        (project / "requirements.txt").write_text(text)
        (checked,) = mllint_nan.check_paths([path])
        applicability += [one.fix.applicability for one in checked.findings if one.fix]
    assert applicability == [Applicability.DISPLAY_ONLY, Applicability.UNSAFE]
