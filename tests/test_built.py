"""`python -m build` in a clean clone, and the check of what it makes, as the workflow runs them."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

import pytest

from mllint_nan.version import __version__
from tests.conftest import copy_tracked, tracked
from tests.test_workflows import RELEASE, bash, without_installing

pytestmark = pytest.mark.slow

NAME = f"mllint_nan-{__version__}"
QUICK = ("test_readme", "test_release", "test_rules", "test_versions", "test_workflows", "ir")


@pytest.fixture(scope="module")
def clone(offline: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone in which the workflow's scripts were run, with what is required taken from here."""
    place = tmp_path_factory.mktemp("clone")
    copy_tracked(place)
    for step in RELEASE["pure"]["steps"]:
        if "run" in step:
            script = without_installing(step["run"]).replace("-m build", "-m build --no-isolation")
            done = bash(script, place, **offline)
            assert done.returncode == 0, done.stdout + done.stderr
    assert "wheel: pure, prints what the README shows\n" in done.stdout
    return place


@pytest.fixture(scope="module")
def unpacked(clone: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(clone / "dist" / f"{NAME}.tar.gz") as archive:
        archive.extractall(place, filter="data")
    return place / NAME


def test_build_makes_two_files(clone: Path) -> None:
    assert sorted(os.listdir(clone / "dist")) == [f"{NAME}-py3-none-any.whl", f"{NAME}.tar.gz"]


def test_source_distribution_is_all_that_git_tracks(unpacked: Path) -> None:
    files = {path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*")}
    folders = {str(parent) for name in files for parent in PurePosixPath(name).parents}
    assert files - folders == {*tracked(), "PKG-INFO"}


def test_wheel_holds_rules_and_types(clone: Path) -> None:
    with zipfile.ZipFile(clone / "dist" / f"{NAME}-py3-none-any.whl") as wheel:
        names = set(wheel.namelist())
    rules = {name for name in tracked() if name.startswith("rules/") and name.endswith(".toml")}
    assert rules and {f"mllint_nan/{name}" for name in rules} <= names
    assert {"mllint_nan/py.typed", "mllint_nan/mllint-nan.schema.json"} <= names


def test_wheel_from_the_source_distribution_is_that_of_the_clone(
    clone: Path, unpacked: Path, offline: dict[str, str]
) -> None:
    (build,) = [step for step in RELEASE["pure"]["steps"] if "build" in step.get("run", "")]
    script = without_installing(build["run"]).replace("-m build", "-m build --wheel --no-isolation")
    assert bash(script, unpacked, **offline).returncode == 0
    wheels = [place / "dist" / f"{NAME}-py3-none-any.whl" for place in (clone, unpacked)]
    assert len({path.read_bytes() for path in wheels}) == 1


def test_tests_run_from_the_source_distribution(unpacked: Path) -> None:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    named = [f"tests/{name}" if name == "ir" else f"tests/{name}.py" for name in QUICK]
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider"),
            *("-m", "not slow", *named),
        ],
        cwd=unpacked, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
