"""Paths of Windows, tested on any system: the modules that handle paths are given its rules."""

from __future__ import annotations

import ntpath
import os
from pathlib import PureWindowsPath
from types import SimpleNamespace

import pytest

from mllint_nan import baseline, files
from mllint_nan.config import globs
from mllint_nan.config.globs import Globs
from mllint_nan.linter import Linted
from mllint_nan.project import Checked
from mllint_nan.reporting import github, gitlab, paths, rdjson, sarif
from tests.test_reporting import SOURCE, finding_of

HERE = r"C:\Projects\demo"
BELOW = HERE + r"\src\models\a.py"
ELSEWHERE = r"D:\shared\a.py"
SHARE = r"\\server\share\demo\a.py"


class Windows(SimpleNamespace):
    """`os` as it is there, as far as paths go."""

    def __init__(self) -> None:
        super().__init__(
            **{name: getattr(os, name) for name in ("environ", "curdir", "fsencode", "fspath")},
            name="nt",
            path=ntpath,
            sep="\\",
            getcwd=lambda: HERE,
        )


@pytest.fixture(autouse=True)
def windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getcwd", lambda: HERE)  # of which `ntpath` asks for itself
    for module in (globs, paths, baseline, files, sarif, gitlab):
        monkeypatch.setattr(module, "os", Windows())
    monkeypatch.setattr(sarif, "Path", PureWindowsPath)


@pytest.mark.parametrize(
    ("pattern", "root", "fits", "does_not"),
    [
        ("models", HERE, HERE + r"\src\models", BELOW),
        ("*.py", HERE, BELOW, HERE + r"\src\a.txt"),
        ("src/models/", HERE, BELOW, HERE + r"\models\a.py"),
        (r"src\models\*.py", HERE, BELOW, HERE + r"\models\a.py"),
        ("src/**/a.py", HERE, BELOW, HERE + r"\src\models\b.py"),
        (r"C:\Projects\demo\src\*", HERE, BELOW, ELSEWHERE),
        ("gen/*_pb2.py", r"\\server\share\demo", r"\\server\share\demo\gen\a_pb2.py", SHARE),
        ("src/*", r"C:\odd [name]{1}", r"C:\odd [name]{1}\src\a.py", r"C:\odd n\src\a.py"),
    ],
)
def test_patterns_fit_paths_of_either_slash(
    pattern: str, root: str, fits: str, does_not: str
) -> None:
    found = Globs.of([(pattern, root)])
    assert found.matches(fits)
    assert not found.matches(does_not)


def test_pattern_of_a_folder_fits_what_is_in_it() -> None:
    found = Globs.of([("src/models", HERE)])
    assert found.matches_within(BELOW)
    assert not found.matches_within(HERE + r"\src\other\a.py")
    assert not found.matches_within(SHARE)


def test_git_ignores_with_forward_slashes() -> None:
    ignored = files._Ignored(((HERE + "\\", files._spec(["/src/models/", "*.tmp.py"])),))
    assert ignored.covers(HERE + r"\src\models", True)
    assert ignored.covers(HERE + r"\lib\a.tmp.py", False)
    assert not ignored.covers(HERE + r"\lib\src\models", True)


def test_paths_for_other_programs_have_forward_slashes() -> None:
    assert paths.posix(BELOW) == "src/models/a.py"
    assert paths.posix(r"src\models\a.py") == "src/models/a.py"
    assert paths.posix(ELSEWHERE) == "D:/shared/a.py"
    assert paths.posix(SHARE) == "//server/share/demo/a.py"
    assert paths.shown(BELOW) == r"src\models\a.py"
    assert paths.shown(ELSEWHERE) == ELSEWHERE


def test_baseline_of_windows_is_that_of_other_systems() -> None:
    known = HERE + r"\known.json"
    assert baseline._key(known, BELOW) == "src/models/a.py"
    assert baseline._key(known, r"C:\Projects\other\a.py") == "../other/a.py"
    assert baseline._key(known, ELSEWHERE) == "D:/shared/a.py"
    assert baseline._key(known, SHARE) == "//server/share/demo/a.py"


def checked(path: str) -> Checked:
    return Checked(path, Linted((finding_of(),)), (), SOURCE.encode(), SOURCE.encode())


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        (BELOW, {"uri": "src/models/a.py", "uriBaseId": "%SRCROOT%"}),
        (HERE + r"\a b#é.py", {"uri": "a%20b%23%C3%A9.py", "uriBaseId": "%SRCROOT%"}),
        (ELSEWHERE, {"uri": "file:///D:/shared/a.py"}),
        (SHARE, {"uri": "file://server/share/demo/a.py"}),
    ],
)
def test_sarif_has_addresses(path: str, uri: dict[str, str]) -> None:
    ((_, result),) = sarif.entries(checked(path), SOURCE)
    (place,) = result["locations"]
    assert place["physicalLocation"]["artifactLocation"] == uri


def test_reports_for_reviews_have_forward_slashes() -> None:
    (issue,) = gitlab.entries(checked(BELOW), SOURCE)
    assert issue["location"]["path"] == "src/models/a.py"
    (diagnostic,) = rdjson.entries(checked(BELOW), SOURCE)
    assert diagnostic["location"]["path"] == "src/models/a.py"
    ((_, annotation),) = github.entries(checked(BELOW), SOURCE)
    assert ",file=src/models/a.py,line=" in annotation
