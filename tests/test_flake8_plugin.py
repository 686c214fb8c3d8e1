"""flake8 finds the installed plugin by its entry point, and runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

BAD = "import torch\n\n\ndef f(x):\n    return torch.log(torch.softmax(x, dim=-1))\n"
FOUND = "a.py:5:12: NAN101 log of a softmax is -inf wherever the softmax underflows to 0"
SPREAD = BAD.replace(
    "torch.log(torch.softmax(x, dim=-1))",
    "torch.log(  # first\n        torch.softmax(x, dim=-1)\n    )  # last",
)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def flake8(installation: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "flake8", "--isolated", *options],
        env={**os.environ, "PYTHONPATH": str(installation)},
        capture_output=True,
        text=True,
        check=False,
    )


def codes(done: subprocess.CompletedProcess[str]) -> list[str]:
    assert done.stderr == ""
    return [line.split()[1] for line in done.stdout.splitlines()]


def test_finding_is_reported_with_exit_code_1(installation: Path) -> None:
    Path("a.py").write_text(BAD)
    done = flake8(installation, "a.py")
    assert done.returncode == 1
    assert done.stdout.startswith(FOUND)
    assert codes(done) == ["NAN101"]


def test_plugin_is_listed(installation: Path) -> None:
    assert "mllint-nan: " in flake8(installation, "--version").stdout


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--select", "NAN1,NAN2"), ["NAN101"]),
        (("--select", "NAN2"), []),
        (("--extend-ignore", "NAN101"), ["F401"]),
    ],
)
def test_rules_are_chosen_by_flake8(
    installation: Path, options: tuple[str, ...], expected: list[str]
) -> None:
    Path("a.py").write_text(f"import os\n{BAD}")
    done = flake8(installation, "a.py", *options)
    assert codes(done) == expected
    assert done.returncode == bool(expected)


SILENCED = {
    "noqa": BAD.replace("-1))", "-1))  # noqa"),
    "noqa_with_code": BAD.replace("-1))", "-1))  # noqa: NAN101"),
    "noqa_of_file": f"# flake8: noqa: NAN101\n{BAD}",
    "noqa_on_first_row": SPREAD.replace("first", "noqa: NAN101"),
    "noqa_on_last_row": SPREAD.replace("last", "noqa: NAN101"),
    "ignore": BAD.replace("-1))", "-1))  # mllint-nan: ignore[NAN101]"),
    "ignore_of_another_rule": BAD.replace("-1))", "-1))  # mllint-nan: ignore[NAN203]"),
}


def test_comments_silence_as_they_do_for_the_command(installation: Path) -> None:
    for name, source in SILENCED.items():
        Path(f"{name}.py").write_text(source)
    reported = flake8(installation, ".", "--select", "NAN").stdout
    assert {line.split(":")[0] for line in reported.splitlines()} == {"./ignore_of_another_rule.py"}
    assert [line.split()[1] for line in reported.splitlines()] == ["NAN101", "NAN902"]


def test_what_flake8_is_to_silence_is_told_to_it(installation: Path) -> None:
    for name, source in SILENCED.items():
        Path(f"{name}.py").write_text(source)
    reported = flake8(installation, ".", "--select", "NAN101", "--disable-noqa").stdout
    assert {line.split(":")[0][2:-3] for line in reported.splitlines()} == {
        "noqa",
        "noqa_with_code",
        "noqa_of_file",
        "noqa_on_first_row",
        "ignore_of_another_rule",
    }


def test_configuration_of_the_file_holds(installation: Path) -> None:
    source = "import torch\n\n\ndef f(x):\n    return torch.sqrt(x)\n"
    for place in ("here", "there"):
        Path(place).mkdir()
        Path(place, "a.py").write_text(source)
    Path("here", "mllint-nan.toml").write_text('min-confidence = "possible"\n')
    done = flake8(installation, ".")
    assert done.stdout.startswith("./here/a.py:5:12: NAN203 ")
    assert codes(done) == ["NAN203"]


def test_broken_configuration_is_reported(installation: Path) -> None:
    Path("a.py").write_text(BAD)
    Path("mllint-nan.toml").write_text("selekt = []\n")
    done = flake8(installation, "a.py")
    assert done.stdout.startswith("a.py:1:1: NAN900 not checked by mllint-nan: ")
    assert done.stdout.endswith("selekt: unknown key; did you mean 'select'?\n")
    assert codes(done) == ["NAN900"]


def test_file_that_does_not_parse_is_left_to_flake8(installation: Path) -> None:
    Path("a.py").write_text("import torch\nx = (\n")
    assert codes(flake8(installation, "a.py", "--select", "E9,NAN")) == ["E999"]


def test_standard_input(installation: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "flake8", "--isolated", "--stdin-display-name", "a.py", "-"],
        input=BAD,
        env={**os.environ, "PYTHONPATH": str(installation)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.startswith(FOUND)


def test_nothing_heavy_is_loaded_for_files_that_do_not_concern_it() -> None:
    code = """if True:
        import ast, sys
        from mllint_nan.flake8_plugin import Plugin
        text = "import os\\nx = os.getcwd()\\n"
        assert list(Plugin(ast.parse(text), text.splitlines(True), "a.py").run()) == []
        heavy = ("libcst", "tomli", "pathspec", "mllint_nan.linter")
        print([name for name in heavy if name in sys.modules])
    """
    root = Path(__file__).resolve().parent.parent
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")
