"""pre-commit clones a repository, builds the hooks' environment from it, and runs both hooks."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.slow

BAD = "import torch\n\ndef f(x):\n    return torch.log(torch.softmax(x, dim=-1))\n"
GOOD = "import torch\n\ndef f(x):\n    return torch.log_softmax(x, dim=-1)\n"
PUBLISHED = ("mllint_nan", "rules", "pyproject.toml", "README.md", "LICENSE")
CONFIGURATION = """\
repos:
  - repo: {repository}
    rev: {revision}
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
    """A repository that uses the hooks of a commit of this working tree."""
    hooks = tmp_path_factory.mktemp("hooks")
    for name in (*PUBLISHED, ".pre-commit-hooks.yaml"):
        if (ROOT / name).is_dir():
            shutil.copytree(
                ROOT / name, hooks / name, ignore=shutil.ignore_patterns("__pycache__", ".*_cache")
            )
        else:
            shutil.copy(ROOT / name, hooks / name)
    revision = commit_all(hooks, environment)
    project = tmp_path_factory.mktemp("project")
    text = CONFIGURATION.format(repository=hooks, revision=revision)
    (project / ".pre-commit-config.yaml").write_text(text)
    (project / "mllint-nan.toml").write_text('extend-exclude = ["vendored"]\n')
    for path in ("good.py", "bad.py", "vendored/bad.py", "notes.txt"):
        (project / path).parent.mkdir(exist_ok=True)
        (project / path).write_text(GOOD if path == "good.py" else BAD)
    commit_all(project, environment)
    return project


def commit_all(repository: Path, environment: dict[str, str]) -> str:
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "all"]):
        subprocess.run(["git", *command], cwd=repository, env=environment, check=True)
    shown = subprocess.run(
        ["git", "rev-parse", "HEAD"],
        cwd=repository, env=environment, check=True, capture_output=True, text=True,
    )  # fmt: skip
    return shown.stdout.strip()


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
    assert "Found 1 finding in 2 files (1 fixable with --fix)" in done.stdout
    assert (project / "bad.py").read_text() == BAD
    clean = ["run", "mllint-nan", "--hook-stage", "manual", "--files", "good.py", "notes.txt"]
    assert pre_commit(project, environment, *clean).returncode == 0


def test_fix_hook_repairs_what_is_committed(project: Path, environment: dict[str, str]) -> None:
    first = pre_commit(project, environment, "run", "mllint-nan-fix", "--all-files")
    assert first.returncode == 1, first.stdout + first.stderr
    assert "files were modified by this hook" in first.stdout
    assert (project / "bad.py").read_text() == GOOD
    assert (project / "vendored/bad.py").read_text() == BAD
    second = pre_commit(project, environment, "run", "mllint-nan-fix", "--all-files")
    assert second.returncode == 0, second.stdout + second.stderr


def test_manifest_is_valid() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pre_commit", "validate-manifest", ".pre-commit-hooks.yaml"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
