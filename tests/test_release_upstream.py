"""The release check on packages of our own: one that a fix breaks, and one that it does not."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from benchmarks.package_tests.report import Score
from benchmarks.package_tests.sources import environment, packages
from release.refusal import Refused
from release.upstream import LIMITS, entries, judged, main
from tests.conftest import ROOT

pytestmark = pytest.mark.slow

RULE = """\
code = "NAN801"
name = "log-of-square"
summary = "`log(x**2)` is infinite where the square over- or underflows"
hazard = "value"
frameworks = ["numpy"]
match = "log(square(x))"
message = "log of a square overflows early"
overrides = ["NAN201"]

[[fix]]
rewrite = "{rewrite}"
applicability = "safe"

[[witness]]
text = "x = 1e200"
given = {{ x = [1e200] }}

[docs]
why = "The square overflows where x does not."
example = '''
import numpy as np
y = np.log(np.square(x))
'''
instead = '''
import numpy as np
y = 2 * np.log(np.abs(x))
'''
fix_safety = "Claimed by the test that plants it."
"""
RIGHT = "2 * log(abs(x))"
WRONG = "2 * log(x)"  # NaN below 0, where the original is finite
CODE = """\
import numpy as np


def energy(x):
    return np.log(np.square(x))


def double(x):
    return 2 * x
"""
TESTS = """\
import numpy as np
from planted.energy import double, energy


def test_energy_of_a_positive_number():
    assert np.isclose(energy(2.0), np.log(4.0))


def test_energy_of_a_negative_number():
    assert np.isclose(energy(-2.0), np.log(4.0))


def test_double():
    assert double(2) == 4
"""
PACKAGES = '[packages.planted]\nversion = "1.0"\ntests = ["tests/test_*.py"]\n'


@pytest.fixture(scope="module")
def tool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout of the tool: its results are kept by the commit."""
    place = tmp_path_factory.mktemp("tool")
    for part in ("mllint_nan", "rules"):
        shutil.copytree(ROOT / part, place / part, ignore=shutil.ignore_patterns("__pycache__"))
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "all"]):
        subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *command],
            cwd=place, check=True,
        )  # fmt: skip
    return place


@pytest.fixture(scope="module")
def interpreter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment as the check makes it, in which none of these packages installs anything."""
    return environment(tmp_path_factory.mktemp("home")).parents[1]


@pytest.fixture
def home(tmp_path: Path, interpreter: Path) -> Path:
    (tmp_path / "environment").symlink_to(interpreter)
    return tmp_path


def planted(home: Path, rewrite: str, code: str = CODE, tests: str = TESTS) -> Path:
    """A home of the check with the source of one package, whose own rule is held to be safe."""
    source = home / "checkouts" / "planted"
    for path, text in {
        "planted/__init__.py": "",
        "planted/energy.py": code,
        "tests/test_energy.py": tests,
        "mllint-nan.toml": 'rules = ["my-rules"]\n',
        "my-rules/log-of-square.toml": RULE.format(rewrite=rewrite),
    }.items():
        (source / path).parent.mkdir(parents=True, exist_ok=True)
        (source / path).write_text(text, encoding="utf-8")
    (home / "packages.toml").write_text(PACKAGES, encoding="utf-8")
    (home / "limits.toml").write_text("[packages.planted]\nseconds = 300\n", encoding="utf-8")
    return home


def check(home: Path, tool: Path) -> int:
    lists = ["--list", str(home / "limits.toml"), "--packages", str(home / "packages.toml")]
    return main([str(home), *lists, "--tool", str(tool)])


def test_release_goes_on_where_the_tests_pass(
    home: Path, tool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(planted(home, RIGHT), tool) == 0
    assert capsys.readouterr().out == (
        "planted 1.0: 1 safe rewrites, 2 of 3 tests ran again, none fails\n"
    )


def test_release_is_refused_where_a_safe_fix_breaks_a_test(
    home: Path, tool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(planted(home, WRONG), tool) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.splitlines()[-1].startswith(
        "release refused: planted 1.0: 1 tests fail after safe fixes, "
        "tests/test_energy.py::test_energy_of_a_negative_number by planted/energy.py:5 "
        "(NAN801 safe): AssertionError"
    )
    assert (home / "checkouts/planted/planted/energy.py").read_text(encoding="utf-8") == CODE


def test_release_is_refused_where_no_test_can_tell(
    home: Path, tool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tests = TESTS.replace("energy(2.0)", "double(2.0)").replace("energy(-2.0)", "double(2.0)")
    tests = tests.replace("np.log(4.0)", "4.0").replace("double, energy", "double")
    assert check(planted(home, RIGHT, tests=tests), tool) == 1
    said = "release refused: no test of any package entered what the safe fixes changed"
    assert capsys.readouterr().err.splitlines()[-1] == said


def test_release_is_refused_where_nothing_passes_before() -> None:
    with pytest.raises(Refused, match=r"^some 1\.0: no test passes before the fixes$"):
        list(judged([Score("some", "1.0", "safe", 3, 20, 0, 0, 0, ())]))


def test_source_that_cannot_be_cloned_is_one_line(
    tmp_path: Path, tool: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    planted(tmp_path, RIGHT)
    shutil.rmtree(tmp_path / "checkouts")
    nowhere = (tmp_path / "nowhere").as_uri()
    limits = f'[packages.planted]\nseconds = 9\nclone = "{nowhere}"\nrevision = "v1"\n'
    (tmp_path / "limits.toml").write_text(limits, encoding="utf-8")
    assert check(tmp_path, tool) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"release refused: {nowhere} at v1 cannot be cloned: ")


def test_list_names_known_packages_that_are_not_held_out() -> None:
    chosen = entries(LIMITS, ROOT / "benchmarks" / "package_tests" / "packages.toml")
    assert chosen and len(chosen) < len(packages())
    assert not [one for one in chosen if one.package.is_held_out]
    assert all(bool(one.clone) == bool(one.revision) for one in chosen)


def test_unknown_package_is_refused(tmp_path: Path) -> None:
    planted(tmp_path, RIGHT)
    with pytest.raises(Refused, match=r"names nflows, which packages\.toml does not have"):
        entries(LIMITS, tmp_path / "packages.toml")
