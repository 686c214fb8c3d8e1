"""The action for GitHub and the snippet for GitLab: their own scripts, run as the services do."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import ROOT

pytestmark = pytest.mark.posix

BAD = (
    "import torch\n\ndef f(x):\n"
    "    return torch.log(torch.softmax(torch.nn.Linear(8, 2)(x), dim=-1))\n"
)
ACTION: Mapping[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS: list[Mapping[str, Any]] = ACTION["runs"]["steps"]
EXPRESSION = re.compile(r"\$\{\{ ([\w.-]+) \}\}")


class Runner:
    """Runs the scripts of the action's steps; what other actions do is left out."""

    def __init__(self, directory: Path, environment: Mapping[str, str]) -> None:
        self.directory = directory
        here = Path(sys.executable).parent  # `python3` is the one that runs the tests
        self.environment = dict(environment) | {"PATH": f"{here}:{environment['PATH']}"}
        self.temporary = directory / "temporary"
        self.temporary.mkdir()
        self.values = {"github.action_path": str(ROOT), "runner.temp": str(self.temporary)}

    def run(self, step: Mapping[str, Any]) -> subprocess.CompletedProcess[str]:
        files = {name: self.temporary / name for name in ("GITHUB_PATH", "GITHUB_OUTPUT")}
        for file in files.values():
            file.write_text("")
        given = {name: self.value(text) for name, text in step["env"].items()}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=self.directory,
            env=self.environment | given | {name: str(file) for name, file in files.items()},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        for line in files["GITHUB_PATH"].read_text().splitlines():
            self.environment["PATH"] = f"{line}:{self.environment['PATH']}"
        for line in files["GITHUB_OUTPUT"].read_text().splitlines():
            name, _, value = line.partition("=")
            self.values[f"steps.{step['id']}.outputs.{name}"] = value
        return done

    def value(self, text: str) -> str:
        return EXPRESSION.sub(lambda found: self.values[found[1]], text)

    def act(self, **inputs: str) -> list[subprocess.CompletedProcess[str]]:
        """All scripts behind the installation."""
        for name, described in ACTION["inputs"].items():
            given = inputs.get(name.replace("-", "_"), described["default"])
            self.values[f"inputs.{name}"] = given
        return [self.run(step) for step in STEPS[1:] if "run" in step]


@pytest.fixture(scope="module")
def installed(offline: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Runner:
    runner = Runner(tmp_path_factory.mktemp("workspace"), offline)
    done = runner.run(STEPS[0])
    assert done.returncode == 0, done.stdout + done.stderr
    return runner


@pytest.fixture
def runner(installed: Runner) -> Runner:
    for path in installed.directory.glob("*.*"):
        if path.is_file():
            path.unlink()
    return installed


@pytest.mark.slow
def test_action_writes_findings_for_the_upload_and_fails(runner: Runner) -> None:
    (runner.directory / "a.py").write_text(BAD)
    check, fail = runner.act()
    assert check.returncode == 0, check.stderr
    assert "a.py:4:12: NAN101 [*]" in check.stdout
    assert fail.returncode == 1
    sarif = json.loads((runner.directory / "mllint-nan.sarif").read_text())
    assert [result["ruleId"] for result in sarif["runs"][0]["results"]] == ["NAN101"]


@pytest.mark.slow
def test_action_annotates_where_nothing_is_uploaded(runner: Runner) -> None:
    (runner.directory / "a.py").write_text(BAD)
    check, fail = runner.act(upload="false", args="--min-confidence certain a.py")
    assert check.stdout.startswith("::error title=mllint-nan (NAN101),file=a.py,line=4,")
    assert fail.returncode == 1
    assert not (runner.directory / "mllint-nan.sarif").exists()


@pytest.mark.slow
def test_action_passes_where_nothing_is_found(runner: Runner) -> None:
    (runner.directory / "a.py").write_text("x = 1\n")
    _, fail = runner.act()
    assert fail.returncode == 0
    assert (runner.directory / "mllint-nan.sarif").exists()


@pytest.mark.slow
def test_action_fails_where_it_is_misused(runner: Runner) -> None:
    check, fail = runner.act(args="--nonsense")
    assert (check.returncode, fail.returncode) == (0, 2)
    assert "unrecognized arguments: --nonsense" in check.stderr


def test_action_uploads_what_it_writes() -> None:
    (upload,) = [step for step in STEPS if "uses" in step]
    assert upload["uses"].startswith("github/codeql-action/upload-sarif@v")
    assert upload["with"]["sarif_file"] == "${{ inputs.sarif-file }}"


@pytest.mark.slow
def test_snippet_for_gitlab_writes_the_report_that_it_names(runner: Runner) -> None:
    text = (ROOT / "docs" / "integrations.md").read_text(encoding="utf-8")
    snippet = text.partition("## GitLab\n")[2].partition("```yaml\n")[2].partition("```")[0]
    job = yaml.safe_load(snippet)["mllint-nan"]
    (runner.directory / "a.py").write_text(BAD)
    done = subprocess.run(
        shlex.split(job["script"][-1]), cwd=runner.directory, env=runner.environment, check=False
    )
    assert done.returncode == 1
    report = json.loads((runner.directory / job["artifacts"]["reports"]["codequality"]).read_text())
    assert [issue["check_name"] for issue in report] == ["NAN101"]
