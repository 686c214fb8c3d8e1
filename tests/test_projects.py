"""Projects of several files: each file of `fixtures/projects/*` is reported as it says."""

from __future__ import annotations

import contextlib
import json
import os
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from mllint_nan.cli import main
from mllint_nan.findings import Confidence
from mllint_nan.linter import Settings
from mllint_nan.project import Request, check_file, check_paths
from tests.fixture_files import FIXTURES, Claim, FixtureFile, stated

PROJECTS = FIXTURES / "projects"
FILES = [FixtureFile(path) for path in sorted(PROJECTS.rglob("*.py"))]
EVERYTHING = Request(Settings(min_confidence=Confidence.POSSIBLE))


def request_for(path: Path) -> Request:
    """As if the whole project that the file is part of were linted."""
    return replace(EVERYTHING, roots=(str(PROJECTS / path.relative_to(PROJECTS).parts[0]),))


@pytest.mark.parametrize(
    "fixture", FILES, ids=lambda file: file.path.relative_to(PROJECTS).as_posix()
)
def test_findings_equal_the_annotations(fixture: FixtureFile) -> None:
    checked = check_file(str(fixture.path), request_for(fixture.path))
    expected = Counter(annotation.claim for annotation in fixture.annotations)
    assert Counter(map(Claim.of, stated(checked.findings))) == expected


def test_order_and_processes_change_nothing() -> None:
    paths = [str(fixture.path) for fixture in FILES if "functions" in fixture.path.parts]
    request = request_for(Path(paths[0]))
    forwards = list(check_paths(paths, request))
    backwards = list(check_paths(paths[::-1], request))
    assert forwards == backwards[::-1]
    assert forwards == list(check_paths(paths, request, jobs=2))


SCRIPT_BESIDE = {
    "train.py": "from models import rays\n\n\ndef train(points, optimizer):\n"
    "    loss = rays.length(points - points.mean(0)).mean()\n    loss.backward()\n"
    "    optimizer.step()\n",
    "models/rays.py": "import torch\n\nfrom models import shapes\n\n\ndef length(x):\n"
    "    return torch.sqrt(shapes.squared(x))\n",
    "models/shapes.py": "def squared(x):\n    return (x * x).sum(-1)\n",
}
"""What is imported from the folder of a script: only the script's own folder leads to it."""


@pytest.mark.parametrize("mark", ["pyproject.toml", ".git", None])
@pytest.mark.parametrize(
    "paths",
    [
        ("models",),
        ("models/rays.py",),
        ("models/rays.py", "train.py"),
        ("models/rays.py", "models/shapes.py"),
        ("train.py", "models"),
    ],
    ids=" ".join,
)
def test_paths_that_are_named_change_no_verdict(
    paths: tuple[str, ...],
    mark: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    project = tmp_path / "project"
    for name, text in SCRIPT_BESIDE.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)
    if mark is not None:
        (project / mark).touch()
    monkeypatch.chdir(project)

    def verdicts(*named: str) -> list[str]:
        main(["--no-cache", "--isolated", "--output-format", "concise", *named])
        lines = capfd.readouterr().out.splitlines()
        return [line.partition("rays.py:")[2] for line in lines if "rays.py:" in line]

    found = verdicts(*paths)
    assert [line.split()[1] for line in found] == ["NAN203"]
    assert found == verdicts(".") == verdicts("..") == verdicts(str(project / "models/rays.py"))


LENGTHS = """\
import torch
from standardised import scaled


def length(x: torch.Tensor) -> torch.Tensor:
    return torch.sqrt((x * x).sum(-1))
"""
BESIDE_NOTEBOOK = "import torch\n\n\ndef scaled(x):\n    return x * 2\n"
DRAWN = LENGTHS + "\n\nprint(length(scaled(torch.rand(3, 2))))\n"
LEARNED = LENGTHS + (
    "\n\nw = torch.zeros(3, 2, requires_grad=True)\nlength(scaled(w)).sum().backward()\n"
)


@pytest.mark.parametrize(("text", "found"), [(DRAWN, []), (LEARNED, ["NAN203"])])
@pytest.mark.parametrize("suffix", ["py", "ipynb"])
def test_a_notebook_is_judged_as_the_same_script_is(
    text: str, found: list[str], suffix: str, tmp_path: Path
) -> None:
    cells = [{"cell_type": "code", "source": text, "metadata": {}, "outputs": []}]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    path = tmp_path / f"lengths.{suffix}"
    path.write_text(text if suffix == "py" else json.dumps(notebook))
    (tmp_path / "standardised.py").write_text(BESIDE_NOTEBOOK)
    (tmp_path / "pyproject.toml").touch()
    checked = check_file(str(path), Request(Settings()))
    assert [finding.code for finding in stated(checked.findings)] == found


@pytest.mark.posix
def test_a_folder_of_any_name_may_lie_beside_a_script(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import torch\n\n\ndef f(x):\n    return torch.log(torch.softmax(x, -1))\n")
    (tmp_path / "a(").mkdir()
    with contextlib.suppress(OSError):  # a name must be Unicode on some systems
        os.mkdir(os.path.join(os.fsencode(tmp_path), b"a\xff"))
    assert [one.code for one in check_file(str(script), EVERYTHING).findings] == ["NAN101"]


LOG_OF_SOFTMAX = "import torch\n\n\ndef f(x):\n    return torch.log(torch.softmax(x, -1))\n"


@pytest.mark.parametrize(
    ("file", "mark", "codes"),
    [
        ("tests/run/src/loss.py", "tests/run/pyproject.toml", ["NAN101"]),
        ("tests/run/tests/loss.py", "tests/run/pyproject.toml", []),
        ("run/tests/deeper/loss.py", "run/pyproject.toml", []),
        ("tests/run/loss.py", "", ["NAN101"]),
        ("run/tests/loss.py", "", []),
    ],
)
def test_where_a_project_lies_makes_no_tests_of_its_files(
    file: str, mark: str, codes: list[str], tmp_path: Path
) -> None:
    loss = tmp_path / file
    loss.parent.mkdir(parents=True)
    loss.write_text(LOG_OF_SOFTMAX)
    if mark:
        (tmp_path / mark).touch()
    assert [one.code for one in check_file(str(loss), Request(Settings())).findings] == codes


@pytest.mark.parametrize(
    ("divisor", "expected"),
    [("np.sqrt(x)", ["NAN309"]), ("y", ["NAN309"]), ("(np.softplus(x) + 1.0)", [])],
)
def test_framework_that_a_module_hands_on_is_audited(
    tmp_path: Path, divisor: str, expected: list[str]
) -> None:
    files = {
        "lib/__init__.py": "",
        "lib/backend/__init__.py": "",
        "lib/backend/np.py": "import jax.numpy as jnp\n\n\ndef sqrt(x, /):\n    return jnp.sqrt(x)"
        "\n\n\ndef softplus(x, /):\n    return jnp.logaddexp(x, 0.0)\n",
        "lib/pivots.py": "from lib.backend import np\n\n\ndef root(x):\n    return np.sqrt(x)\n\n\n"
        f"def column(x, y, rest):\n    return rest / {divisor}\n",
        "lib/sizes.py": "def share(part, whole):\n    return part / whole\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    request = replace(EVERYTHING, roots=(str(tmp_path),))
    found = {
        name: [one.code for one in check_file(str(tmp_path / name), request).findings]
        for name in ("lib/pivots.py", "lib/sizes.py")
    }
    assert found == {"lib/pivots.py": expected, "lib/sizes.py": []}


def test_framework_that_a_star_brings_is_known(tmp_path: Path) -> None:
    base = "import torch\n\n\nclass Base:\n    pass\n"
    derived = "from base import *\n\n\ndef scaled(x):\n    return x / (x.std() + 1e-6)\n"
    for name, text in {"base.py": base, "derived.py": derived}.items():
        (tmp_path / name).write_text(text + "\n\nuse = np.zeros\n" * (name[0] == "d"))
    checked = check_file(str(tmp_path / "derived.py"), replace(EVERYTHING, roots=(str(tmp_path),)))
    assert [one.code for one in checked.findings] == ["NAN308"]
