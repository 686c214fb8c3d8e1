"""The workflows of GitHub Actions: schema, rights, pinned actions, and their shell steps.

`actionlint` runs in the workflow itself: no package index has a build of it that needs no download.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import tomli
import yaml

from tests.conftest import ROOT

pytestmark = pytest.mark.posix

PLACE = ROOT / ".github" / "workflows"
WORKFLOWS: Mapping[str, Mapping[Any, Any]] = {
    path.name: yaml.safe_load(path.read_text(encoding="utf-8")) for path in PLACE.glob("*.yml")
}
PYPROJECT = tomli.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
RELEASE = WORKFLOWS["release.yml"]["jobs"]
QUICK = WORKFLOWS["ci.yml"]["jobs"]["quick"]


def steps() -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, workflow in WORKFLOWS.items():
        for job, described in workflow["jobs"].items():
            for number, step in enumerate(described.get("steps", ())):
                yield f"{name}/{job}/{step.get('name', number)}", step


SCRIPTS = {name: step for name, step in steps() if "run" in step}
SHELLCHECK = Path(sysconfig.get_path("scripts"), "shellcheck")
each_script = pytest.mark.parametrize("name", SCRIPTS)
"""All that is run by a shell."""


def test_workflows_fit_their_schema() -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "check_jsonschema"),
            *("--builtin-schema", "vendor.github-workflows"),
            *(str(PLACE / name) for name in WORKFLOWS),
        ],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@each_script
def test_script_is_a_shell_script(name: str) -> None:
    script = SCRIPTS[name]["run"]
    assert "${{" not in script, "what a branch is called would be executed"
    subprocess.run(["bash", "-n"], input=script, text=True, check=True)


@each_script
def test_script_has_no_flaw_that_is_known(name: str) -> None:
    done = subprocess.run(
        [SHELLCHECK, "--shell=bash", "--enable=all", "--exclude=SC2154,SC2250", "-"],
        input=SCRIPTS[name]["run"], capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


def test_actions_are_pinned_by_version() -> None:
    used = {step["uses"] for _, step in steps() if "uses" in step}
    assert [one for one in used if not re.fullmatch(r"[\w-]+/[\w-]+@v\d+(\.\d+)*", one)] == []


def test_checkouts_keep_no_credentials() -> None:
    checkouts = [step for _, step in steps() if step.get("uses", "").startswith("actions/checkout")]
    assert checkouts
    assert all(step["with"] == {"persist-credentials": False} for step in checkouts)


def test_nothing_may_write_but_what_publishes() -> None:
    assert all(one["permissions"] == {"contents": "read"} for one in WORKFLOWS.values())
    rights = {name: job["permissions"] for name, job in RELEASE.items() if "permissions" in job}
    assert rights == {
        "publish": {"id-token": "write", "attestations": "write"},
        "announce": {"contents": "write"},
        "deploy": {"pages": "write", "id-token": "write"},
    }
    assert not [job for job in WORKFLOWS["ci.yml"]["jobs"].values() if "permissions" in job]
    for name in rights:  # they execute nothing of the repository or of a package
        scripts = [step["run"] for step in RELEASE[name]["steps"] if "run" in step]
        assert all(script.startswith("gh release create ") for script in scripts)


def test_publishing_waits_for_every_check() -> None:
    gates = {name for name, job in RELEASE.items() if "permissions" not in job}
    assert upwards("publish") == gates
    assert all("publish" in upwards(name) for name in ("announce", "deploy"))
    assert RELEASE["publish"]["environment"]["name"] == "pypi"
    assert "password" not in str(RELEASE)


def test_rehearsal_publishes_nothing() -> None:
    """A job whose need was left out is left out too."""
    assert {"push", "workflow_dispatch"} == set(WORKFLOWS["release.yml"][True])  # YAML's `on`
    assert RELEASE["notes"]["if"] == "github.event_name == 'push'"
    assert all("notes" in upwards(name) for name in ("publish", "announce", "deploy"))


def upwards(name: str) -> set[str]:
    """The jobs that come before a job."""
    needs = RELEASE[name].get("needs", [])
    near = {needs} if isinstance(needs, str) else set(needs)
    return near.union(*(upwards(one) for one in near))


def test_runs_of_one_branch_do_not_pile_up() -> None:
    groups = [workflow["concurrency"]["group"] for workflow in WORKFLOWS.values()]
    assert len(set(groups)) == len(groups), "a workflow that calls another would wait for itself"
    assert WORKFLOWS["release.yml"]["concurrency"]["cancel-in-progress"] is False
    assert all("timeout-minutes" in job for job in jobs() if "uses" not in job)


def jobs() -> Iterator[Mapping[str, Any]]:
    for workflow in WORKFLOWS.values():
        yield from workflow["jobs"].values()


def test_every_python_is_tested_on_every_system() -> None:
    named = {name.rpartition(" ")[2] for name in PYPROJECT["project"]["classifiers"]}
    pythons = {name for name in named if name.startswith("3.")}
    whole = WORKFLOWS["ci.yml"]["jobs"]["whole"]["strategy"]["matrix"]
    tested = {("ubuntu-latest", python) for python in whole["python"]}
    matrix = QUICK["strategy"]["matrix"]
    left_out = {(one["os"], one["python"]) for one in matrix["exclude"]}
    tested |= {(os, python) for os in matrix["os"] for python in matrix["python"]} - left_out
    systems = ("ubuntu-latest", "macos-latest", "windows-latest")
    assert tested == {(os, python) for os in systems for python in pythons}


@pytest.mark.parametrize("job", ["whole", "quick"])
def test_shards_are_all_of_the_tests(job: str) -> None:
    shards = WORKFLOWS["ci.yml"]["jobs"][job]["strategy"]["matrix"]["shard"]
    assert shards == [f"{number}/{len(shards)}" for number in range(1, len(shards) + 1)]


def test_quick_tests_are_collected_as_the_workflow_asks() -> None:
    script = QUICK["steps"][-1]["run"].replace("-n auto", "-p no:xdist")
    script = script.replace("python -m pytest", '"$PYTHON" -m pytest --collect-only -q tests/ir')
    done = bash(script, ROOT, SHARD="1/1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "tests/ir/" in done.stdout


def test_notes_are_refused_as_the_workflow_asks(tmp_path: Path) -> None:
    (extract,) = [step for step in RELEASE["notes"]["steps"] if "run" in step]
    script = without_installing(extract["run"]).replace("notes.md", '"$PLACE"/notes.md')
    source = PYPROJECT["project"]["urls"]["Source"]
    for tag, repository in (("v0.0.0", source), ("v0.0.0", "https://github.com/a/b")):
        done = bash(script, ROOT, TAG=tag, REPOSITORY=repository, PLACE=str(tmp_path))
        assert done.returncode == 1
        assert done.stderr.startswith("release refused: ")
        assert (tmp_path / "notes.md").read_text() == ""


def without_installing(script: str) -> str:
    """A script of which the packages are there."""
    lines = [line for line in script.splitlines() if " -m pip install " not in line]
    return "\n".join(lines).replace("python -m", '"$PYTHON" -m')


def bash(script: str, place: Path, **given: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=place, env={**os.environ, "PYTHON": sys.executable, **given},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
