"""pre-commit clones a repository, builds the hooks' environment from it, and runs both hooks."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from mllint_nan.version import __version__
from tests.conftest import ROOT, copy_tracked

pytestmark = pytest.mark.slow

BAD = "import torch\n\ndef f(x):\n    return torch.log(torch.softmax(x, dim=-1))\n"
GOOD = "import torch\n\ndef f(x):\n    return torch.log_softmax(x, dim=-1)\n"
TAG = f"v{__version__}"
OLD = "torch.log(torch.softmax(x, dim=-1))"
NEW = "torch.log_softmax(x, dim=-1)"
NOTEBOOK = f"""\
{{
 "cells": [
  {{"cell_type": "code", "execution_count": 7, "metadata": {{}}, "outputs": [],
   "source": ["%matplotlib inline\\n", "import torch"]}},
  {{"cell_type": "code", "execution_count": null, "metadata": {{}},
   "outputs": [{{"name": "stdout", "output_type": "stream", "text": "é"}}],
   "source": ["def f(x):\\n", "    return {OLD}"]}}
 ],
 "metadata": {{}}, "nbformat": 4, "nbformat_minor": 5
}}
"""
CONFIGURATION = """\
repos:
  - repo: {repository}
    rev: {tag}
    hooks:
      - id: mllint-nan
        stages: [manual]
      - id: mllint-nan-fix
"""


@pytest.fixture(scope="module")
def environment(
    offline: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    inherited = {key: value for key, value in offline.items() if not key.startswith("GIT_")}
    return inherited | {
        "PRE_COMMIT_HOME": str(tmp_path_factory.mktemp("cache")),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@example.org",
    }


@pytest.fixture(scope="module")
def project(environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository that uses the hooks of a release: of this checkout, whole and tagged."""
    hooks = tmp_path_factory.mktemp("hooks")
    copy_tracked(hooks)
    commit_all(hooks, environment)
    git(hooks, environment, "tag", TAG)
    project = tmp_path_factory.mktemp("project")
    text = CONFIGURATION.format(repository=hooks, tag=TAG)
    (project / ".pre-commit-config.yaml").write_text(text)
    (project / "mllint-nan.toml").write_text('extend-exclude = ["vendored"]\n')
    for path in ("good.py", "bad.py", "vendored/bad.py", "notes.txt"):
        (project / path).parent.mkdir(exist_ok=True)
        (project / path).write_text(GOOD if path == "good.py" else BAD)
    (project / "bad.ipynb").write_text(NOTEBOOK)
    commit_all(project, environment)
    return project


def commit_all(repository: Path, environment: dict[str, str]) -> None:
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "all"]):
        git(repository, environment, *command)


def git(repository: Path, environment: dict[str, str], *arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments],
        cwd=repository, env=environment, check=True, capture_output=True, text=True,
    )  # fmt: skip
    return done.stdout


def pre_commit(
    project: Path, environment: dict[str, str], *arguments: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pre_commit", *arguments],
        cwd=project, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_check_hook_fails_on_a_finding(project: Path, environment: dict[str, str]) -> None:
    done = pre_commit(
        project, environment, "run", "mllint-nan", "--all-files", "--hook-stage", "manual"
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "bad.py:4:12: NAN101 [*] log of a softmax" in done.stdout
    assert "bad.ipynb:cell 2:2:12: NAN101 [*] log of a softmax" in done.stdout
    assert "Found 2 findings in 3 files (2 fixable with --fix)" in done.stdout
    assert (project / "bad.py").read_text() == BAD
    assert (project / "bad.ipynb").read_text() == NOTEBOOK
    clean = ["run", "mllint-nan", "--hook-stage", "manual", "--files", "good.py", "notes.txt"]
    assert pre_commit(project, environment, *clean).returncode == 0


def test_fix_hook_repairs_what_is_committed(project: Path, environment: dict[str, str]) -> None:
    first = pre_commit(project, environment, "run", "mllint-nan-fix", "--all-files")
    assert first.returncode == 1, first.stdout + first.stderr
    assert "files were modified by this hook" in first.stdout
    assert (project / "bad.py").read_text() == GOOD
    assert (project / "bad.ipynb").read_text() == NOTEBOOK.replace(OLD, NEW)
    assert (project / "vendored/bad.py").read_text() == BAD
    second = pre_commit(project, environment, "run", "mllint-nan-fix", "--all-files")
    assert second.returncode == 0, second.stdout + second.stderr


def test_commit_waits_for_what_the_hook_repairs(project: Path, environment: dict[str, str]) -> None:
    pre_commit(project, environment, "install")
    (project / "new.py").write_text(BAD)
    (project / "new.ipynb").write_text(NOTEBOOK)

    def commit() -> int:
        git(project, environment, "add", "-A")
        command = ["git", "commit", "-q", "-m", "new"]
        return subprocess.run(
            command, cwd=project, env=environment, capture_output=True, check=False
        ).returncode

    assert (commit(), commit()) == (1, 0)
    assert git(project, environment, "show", "HEAD:new.py") == GOOD
    assert git(project, environment, "show", "HEAD:new.ipynb") == NOTEBOOK.replace(OLD, NEW)
    assert git(project, environment, "status", "--porcelain") == ""


def test_documentation_names_the_release_and_the_hooks() -> None:
    page = (ROOT / "docs" / "integrations.md").read_text()
    assert f"rev: {TAG}\n" in page
    manifest = (ROOT / ".pre-commit-hooks.yaml").read_text()
    for hook in re.findall(r"^- id: (\S+)$", manifest, re.MULTILINE):
        assert f"`{hook}`" in page


def test_manifest_is_valid() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pre_commit", "validate-manifest", ".pre-commit-hooks.yaml"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
