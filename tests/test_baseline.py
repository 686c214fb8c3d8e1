"""Adopting the tool on old code: a baseline, or comments, and only new findings count."""

from __future__ import annotations

import errno
import json
from pathlib import Path

import pytest

from mllint_nan.cli import CLEAN, ERROR, FINDINGS, main
from mllint_nan.fingerprints import Fingerprint, known

BAD = "import torch\n\ndef f(x):\n    return torch.log(torch.softmax(x, dim=-1))\n"
OTHER = "\ndef g(x):\n    return torch.sqrt((x ** 2).sum(-1))\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def found(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    """`path:row CODE` of each finding."""
    assert main([*arguments, "-q", "--output-format", "concise"]) in (CLEAN, FINDINGS)
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    return [f"{place.rsplit(':', 2)[0]} {code}" for place, code, *_ in lines]


@pytest.fixture
def old() -> str:
    """A project whose one finding is in its baseline."""
    Path("a.py").write_text(BAD)
    assert main(["--write-baseline", "known.json", "-q"]) == CLEAN
    return BAD


@pytest.mark.parametrize("content", [None, "", "<<<<<<< HEAD\n", '{"version": 0}'])
def test_baseline_that_cannot_be_read_is_written_anew(content: str | None) -> None:
    """Also where the configuration names it, as it does once a project has adopted the tool."""
    Path("pyproject.toml").write_text('[tool.mllint-nan]\nbaseline = "known.json"\n')
    Path("a.py").write_text(BAD)
    if content is not None:
        Path("known.json").write_text(content)
    assert main([]) == ERROR
    assert main(["--write-baseline", "known.json"]) == CLEAN
    assert main([]) == CLEAN


def test_baseline_is_written_for_people_too(old: str, capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads(Path("known.json").read_text())
    (entry,) = document["findings"]["a.py"]
    assert entry["code"] == "NAN101"
    assert entry["text"] == "return torch.log(torch.softmax(x, dim=-1))"
    first = Path("known.json").read_bytes()
    assert main(["--write-baseline", "known.json", "--baseline", "known.json"]) == CLEAN
    assert capsys.readouterr() == ("", "Wrote 1 finding to known.json\n")
    assert Path("known.json").read_bytes() == first


@pytest.mark.parametrize(
    "moved",
    [
        BAD,
        BAD.replace("\n\n", "\n# a comment\n\nimport math\n\n\n", 1),
        BAD.replace("    return", "    x = x + 1\n    return"),
        BAD.replace("\n", "\r\n"),
        BAD.replace("def", "class C:\n    def").replace("    return ", "        return  "),
    ],
)
def test_known_finding_stays_known_when_it_moves(
    old: str, capsys: pytest.CaptureFixture[str], moved: str
) -> None:
    Path("a.py").write_bytes(moved.encode())
    assert found(capsys) != []
    assert found(capsys, "--baseline", "known.json") == []


def test_new_finding_is_reported(old: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.py").write_text(OTHER.replace("\ndef", "import torch\ndef") + old)
    assert found(capsys, "--baseline", "known.json") == ["a.py:3 NAN203"]
    Path("a.py").write_text(old.replace("dim=-1", "dim=1"))
    assert found(capsys, "--baseline", "known.json") == ["a.py:4 NAN101"]


def test_copy_of_a_known_finding_is_new(old: str, capsys: pytest.CaptureFixture[str]) -> None:
    function = old.partition("\n\n")[2]
    above = old.replace("def f", function.replace("def f", "def other") + "\ny = 1\n\ndef f")
    Path("a.py").write_text(above)
    assert found(capsys, "--baseline", "known.json") == ["a.py:4 NAN101"]
    Path("b.py").write_text(old)
    assert "b.py:4 NAN101" in found(capsys, "--baseline", "known.json")


def test_paths_are_relative_to_the_baseline(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("src").mkdir()
    Path("src/a.py").write_text(BAD)
    assert main(["--write-baseline", "known.json", "-q"]) == CLEAN
    monkeypatch.chdir(here / "src")
    assert found(capsys, "--baseline", "../known.json") == []
    (here / "mllint-nan.toml").write_text('baseline = "known.json"')
    assert found(capsys) == []
    assert found(capsys, "a.py", "--isolated") == ["a.py:4 NAN101"]


def test_known_finding_is_not_fixed(old: str) -> None:
    Path("a.py").write_text(old + OTHER)
    assert main(["--fix", "--baseline", "known.json", "-q"]) == CLEAN
    text = Path("a.py").read_text()
    assert text.startswith(old) and not text.endswith(OTHER)


def test_summary_counts_what_is_known_and_what_is_gone(
    old: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--baseline", "known.json"]) == CLEAN
    assert "1 finding in the baseline" in capsys.readouterr().err
    Path("a.py").write_text(OTHER.replace("\ndef", "import torch\ndef"))
    assert main(["--baseline", "known.json"]) == FINDINGS
    assert "1 baseline finding gone; --write-baseline renews it" in capsys.readouterr().err


def test_jobs_share_the_baseline(capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(20):
        Path(f"m{number}.py").write_text(BAD)
    assert main(["--write-baseline", "known.json", "--jobs", "2", "-q"]) == CLEAN
    Path("m7.py").write_text(BAD + OTHER)
    assert found(capsys, "--baseline", "known.json", "--jobs", "2") == ["m7.py:7 NAN203"]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 2, "findings": {}}', "nope"])
def test_what_is_no_baseline_is_one_line(capsys: pytest.CaptureFixture[str], text: str) -> None:
    Path("a.py").write_text(BAD)
    Path("known.json").write_text(text)
    assert main(["--baseline", "known.json"]) == ERROR
    assert "known.json: not a baseline of this version; " in capsys.readouterr().err
    assert main(["--baseline", "nope.json"]) == ERROR
    assert "cannot read: No such file" in capsys.readouterr().err


def test_fingerprints_are_matched_by_context_first() -> None:
    def one(context: str) -> Fingerprint:
        return Fingerprint("NAN101", "content", context)

    assert known([one("new"), one("old")], [one("old")]) == [False, True]
    assert known([one("new"), one("newer")], [one("old")]) == [True, False]
    assert known([one("a"), one("a"), one("a")], [one("a"), one("b")]) == [True, True, False]
    assert known([Fingerprint("NAN203", "content", "old")], [one("old")]) == [False]


# Comments


def test_comments_are_added_and_suffice(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.py").write_text(BAD + OTHER)
    assert main(["--add-noqa", "a.py"]) == CLEAN
    assert capsys.readouterr() == ("", "Silenced 2 findings with comments\n")
    text = Path("a.py").read_text()
    assert "dim=-1))  # mllint-nan: ignore[NAN101]\n" in text
    assert ".sum(-1))  # mllint-nan: ignore[NAN203]\n" in text
    assert main(["-q"]) == CLEAN
    assert main(["--add-noqa", "-q"]) == CLEAN
    assert Path("a.py").read_text() == text


def test_comments_take_the_form_of_flake8_when_asked(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.py").write_text(BAD.replace("-1))", "-1))  # noqa: E501"))
    assert main(["--add-noqa=noqa", "-q"]) == CLEAN
    assert "  # noqa: E501, NAN101\n" in Path("a.py").read_text()
    assert main(["--add-noqa=other"]) == ERROR


def test_what_comments_cannot_silence_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.py").write_text("import torch\ny = (\n")
    Path("b.py").write_text("y = 1  # noqa: NAN203\n")
    assert main(["--add-noqa", "-q"]) == FINDINGS
    codes = [line.split()[1] for line in capsys.readouterr().out.splitlines()]
    assert codes == ["NAN901", "NAN902"]
    assert Path("b.py").read_text() == "y = 1  # noqa: NAN203\n"


@pytest.mark.parametrize(
    "options",
    [
        ["--add-noqa", "--write-baseline", "b.json"],
        ["--add-noqa", "--fix"],
        ["--write-baseline", "b.json", "--diff"],
    ],
)
def test_options_that_exclude_each_other(
    options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(options) == ERROR
    assert "cannot be combined" in capsys.readouterr().err


def test_what_cannot_be_written_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.py").write_text(BAD)
    assert main(["--write-baseline", "missing/known.json"]) == ERROR
    assert capsys.readouterr().err == (
        "mllint-nan: error: --write-baseline: cannot write missing/known.json: "
        "No such file or directory\n"
    )


def test_comments_that_cannot_be_written_silence_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("a.py").write_text(BAD)

    def refuse(*arguments: object, **keywords: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("mllint_nan.project.write_atomically", refuse)
    assert main(["--add-noqa"]) == ERROR
    assert capsys.readouterr().err == (
        "a.py:1:1: cannot write: Permission denied; check the file's mode\n"
        "Silenced 0 findings with comments\n"
    )
