"""What is published says what it is: notes, addresses, names of files; each refusal in one line."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest
import tomli

import mllint_nan
from mllint_nan.version import __version__
from release import artifacts
from release.notes import CHANGELOG, main, notes, section
from release.refusal import Refused, project
from tests.conftest import ROOT

SOURCE = project()["urls"]["Source"]
DATED = """\
# Changelog

## [Unreleased]

## [{version}] - 2026-12-01

### Added

- One thing.

  ## not a section

## [0.0.1] - 2026-01-01

- Another.
"""
PYPROJECT = tomli.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture
def changelog(tmp_path: Path) -> Path:
    path = tmp_path / "CHANGELOG.md"
    path.write_text(DATED.format(version=__version__), encoding="utf-8")
    return path


def test_package_says_its_version() -> None:
    assert mllint_nan.__version__ == __version__


def test_notes_are_the_section_of_the_tag(
    changelog: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here = ["--changelog", str(changelog), "--repository", SOURCE]
    assert main([f"v{__version__}", *here]) == 0
    assert capsys.readouterr().out == "### Added\n\n- One thing.\n\n  ## not a section\n"


@pytest.mark.parametrize(
    ("tag", "old", "new", "said"),
    [
        ("v9.9.9", "", "", f"the tag v9.9.9 is not v{__version__}, the version of the package"),
        (__version__, "", "", f"the tag {__version__} is not v{__version__}"),
        ("", f"## [{__version__}]", "## [7.0.0]", f"CHANGELOG.md has no section [{__version__}]"),
        ("", "[0.0.1]", f"[{__version__}]", f"CHANGELOG.md has 2 sections [{__version__}]"),
        ("", "- One thing.", "", f"CHANGELOG.md says nothing below [{__version__}]"),
        ("", "2026-12-01", "unreleased", "CHANGELOG.md says 'unreleased' where the day of"),
        ("", " - 2026-12-01", "", "CHANGELOG.md says nothing where the day of the release"),
        ("", "2026-12-01", "2026-13-01", "CHANGELOG.md says '2026-13-01' where the day of"),
    ],
)
def test_release_without_notes_is_refused(
    changelog: Path, capsys: pytest.CaptureFixture[str], tag: str, old: str, new: str, said: str
) -> None:
    text = changelog.read_text(encoding="utf-8")
    changelog.write_text(text.replace(old, new) if old else text, encoding="utf-8")
    assert main([tag or f"v{__version__}", "--changelog", str(changelog)]) == 1
    printed = capsys.readouterr()
    (line,) = printed.err.splitlines()
    assert printed.out == "" and line.startswith(f"release refused: {said}")


def test_release_from_another_repository_is_refused(
    changelog: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    elsewhere = "https://github.com/someone/fork"
    arguments = ["--changelog", str(changelog), "--repository", elsewhere]
    assert main([f"v{__version__}", *arguments]) == 1
    said = f"release refused: the package says that its source is {SOURCE}, this is {elsewhere}\n"
    assert capsys.readouterr().err == said


def test_changelog_has_a_section_for_this_version() -> None:
    body, day = section(CHANGELOG.read_text(encoding="utf-8"), __version__)
    assert "### Added" in body
    assert day == "unreleased" or notes(
        f"v{__version__}", CHANGELOG.read_text(encoding="utf-8"), __version__
    )


def test_addresses_are_those_of_one_repository() -> None:
    owner, _, name = SOURCE.removeprefix("https://github.com/").partition("/")
    urls = project()["urls"]
    assert urls.pop("Documentation") == f"https://{owner}.github.io/{name}/"
    assert all(f"{address}/".startswith(f"{SOURCE}/") for address in urls.values())
    hooks = PYPROJECT["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]
    for one in hooks["substitutions"]:
        assert one["replacement"].startswith(f"]({SOURCE}/blob/v$HFPR_VERSION/")


def test_page_about_releases_names_what_is_there() -> None:
    page = (ROOT / "RELEASING.md").read_text(encoding="utf-8")
    for module in re.findall(r"python -m (release\.\w+|benchmarks\.\w+)", page):
        assert (ROOT / f"{module.replace('.', '/')}.py").is_file(), module
    for path in re.findall(r"`((?:release|tests|docs|mllint_nan|\.github)/[\w./-]+)`", page):
        assert (ROOT / path).exists(), path
    for said in re.findall(r"^\| `([^|]*)` \|", page, re.MULTILINE):
        for part in re.findall(r"[a-z][a-z ]{8,}[a-z]", said):
            assert any(part in source for source in SOURCES), part


SOURCES = [path.read_text(encoding="utf-8") for path in (ROOT / "release").glob("*.py")]


def names(version: str = __version__, with_compiled: bool = True) -> list[str]:
    """The files of a release, as `cibuildwheel` calls them."""
    begin = f"mllint_nan-{version}"
    platforms = (
        "manylinux2014_x86_64.manylinux_2_17_x86_64",
        "manylinux_2_17_aarch64.manylinux_2_28_aarch64",
        "musllinux_1_2_x86_64",
        "musllinux_1_2_aarch64",
        "macosx_10_13_x86_64",
        "macosx_11_0_arm64",
        "win_amd64",
    )
    compiled = [
        f"{begin}-cp{python}-cp{python}-{platform}.whl"
        for python in ("310", "311", "312", "313", "314")
        for platform in platforms
    ]
    pure = [f"{begin}.tar.gz", f"{begin}-py3-none-any.whl"]
    return pure + compiled if with_compiled else pure


def test_all_files_of_a_release_are_one_for_each_platform() -> None:
    artifacts.check_names(names(), __version__, True)
    artifacts.check_names(names(with_compiled=False), __version__, False)


@pytest.mark.parametrize("name", names())
def test_release_without_one_of_its_files_is_refused(name: str) -> None:
    with pytest.raises(Refused, match=r" is missing$"):
        artifacts.check_names([other for other in names() if other != name], __version__, True)


def test_release_with_a_file_of_another_version_is_refused() -> None:
    stale = "mllint_nan-0.0.1-py3-none-any.whl"
    with pytest.raises(Refused, match=rf"^{re.escape(stale)} is no file of release"):
        artifacts.check_names([*names(), stale], __version__, True)


@pytest.mark.parametrize(
    ("name", "members", "said"),
    [
        ("a-1-py3-none-any.whl", ["rules/a/b.toml"], "holds no mllint_nan/py.typed"),
        ("a-1-py3-none-any.whl", ["py.typed"], "holds no rules"),
        ("a-1-py3-none-any.whl", ["py.typed", "rules/a.toml", "x.so"], "holds 1 compiled modules"),
        ("a-1-cp311-cp311-win_amd64.whl", ["py.typed", "rules/a.toml"], "holds 0 compiled modules"),
    ],
)
def test_wheel_that_lacks_something_is_refused(
    tmp_path: Path, name: str, members: list[str], said: str
) -> None:
    with zipfile.ZipFile(tmp_path / name, "w") as archive:
        for member in members:
            archive.writestr(f"mllint_nan/{member}", "")
    with pytest.raises(Refused, match=f"^{re.escape(name)} {re.escape(said)}$"):
        artifacts.check_wheel(tmp_path / name)


def test_what_is_compiled_is_what_the_release_asks_for() -> None:
    build = PYPROJECT["tool"]["cibuildwheel"]["build"].split()
    assert [pattern.removesuffix("-*") for pattern in build] == list(artifacts.interpreters())
    assert PYPROJECT["tool"]["cibuildwheel"]["environment"] == {
        "HATCH_BUILD_HOOK_ENABLE_MYPYC": "1"
    }


def test_compiled_wheel_is_tested_without_the_sources() -> None:
    copied = PYPROJECT["tool"]["cibuildwheel"]["test-sources"]
    assert "tests" in copied and not {"mllint_nan", "."} & set(copied)
    assert all((ROOT / path).exists() for path in copied)
    paths = re.findall(r"tests/\S+", PYPROJECT["tool"]["cibuildwheel"]["test-command"])
    assert paths and all((ROOT / path).exists() for path in paths)
