from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from mllint_nan.cli import CLEAN, ERROR, FINDINGS, main
from mllint_nan.config.resolve import Configurations
from mllint_nan.files import discover

pytestmark = pytest.mark.posix

BAD = "import torch\n\ndef f(x):\n    return torch.log(torch.softmax(x, dim=-1))\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def plant(*names: str) -> None:
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("import torch\n")


def files(*paths: str, **options: Any) -> tuple[str, ...]:
    """The files found below `paths`, with options by key: `force_exclude=True`."""
    keys = {key.replace("_", "-"): value for key, value in options.items()}
    discovery = discover(paths, Configurations(keys, is_isolated=True))
    assert discovery.failures == ()
    return discovery.files


def test_directories_are_walked_in_order() -> None:
    plant("b.py", "a/z.py", "a/b/c.py", "a.py", "a/notes.txt", "a/stub.pyi", ".hidden/h.py")
    assert files(".") == (".hidden/h.py", "a/b/c.py", "a/z.py", "a.py", "b.py")


def test_excluded_directories_are_entered_only_by_name() -> None:
    plant("venv/a.py", ".git/a.py", "x/node_modules/a.py", "x/build/a.py", "x/__pycache__/a.py")
    assert files(".") == ()
    assert files("venv") == ("venv/a.py",)


def test_given_file_is_taken_whatever_its_name() -> None:
    plant("script", "dist/a.py")
    assert files("script", "dist/a.py") == ("dist/a.py", "script")


def test_file_is_taken_once() -> None:
    plant("a/b.py")
    Path("link.py").symlink_to("a/b.py")
    assert files(".", "a", "./a/b.py", "a/b.py", os.path.abspath("a")) == ("a/b.py",)
    assert files("link.py", "a") == ("link.py",)


def test_link_loop_ends() -> None:
    plant("a/b.py")
    Path("a/loop").symlink_to("..")
    Path("a/itself").symlink_to("itself")
    assert files(".") == ("a/b.py",)


def test_linked_directory_is_entered_only_by_name() -> None:
    plant("away/b.py", "src/a.py")
    Path("src/link").symlink_to("../away")
    assert files("src") == ("src/a.py",)
    assert files("src", "src/link") == ("src/a.py", "src/link/b.py")


def test_only_regular_files_are_found_in_a_directory() -> None:
    plant("a.py/b.py")
    Path("lock.py").symlink_to("nowhere")
    os.mkfifo("fifo.py")
    assert files(".") == ("a.py/b.py",)


def test_missing_path_is_reported_beside_the_others() -> None:
    plant("a.py")
    discovery = discover(["nope.py", "a.py"], Configurations({}))
    assert discovery.files == ("a.py",)
    assert discovery.failures == (
        ("nope.py", "cannot read: No such file or directory; check the path"),
    )


def write(path: str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text)


# Exclusion


def test_exclude_replaces_the_default_and_extend_exclude_adds() -> None:
    plant("a.py", "venv/b.py", "vendor/c.py", "gen/d_pb2.py", "src/vendor/e.py")
    assert files(".", exclude=["vendor"]) == ("a.py", "gen/d_pb2.py", "venv/b.py")
    assert files(".", extend_exclude=["vendor", "*_pb2.py"]) == ("a.py",)
    assert files(".", extend_exclude=["src/vendor", "gen/*"]) == ("a.py", "vendor/c.py")


def test_excluded_path_is_taken_when_named_unless_forced() -> None:
    plant("a.py", "vendor/b.py", "vendor/deep/c.py")
    named = ("vendor/b.py", "vendor/deep", "a.py")
    assert files(*named, exclude=["vendor"]) == ("a.py", "vendor/b.py", "vendor/deep/c.py")
    assert files(*named, exclude=["vendor"], force_exclude=True) == ("a.py",)
    assert files("vendor", exclude=["vendor"], force_exclude=True) == ()


def test_folder_above_the_project_excludes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant("build/project/a.py")
    monkeypatch.chdir(tmp_path / "build" / "project")
    assert files("a.py", force_exclude=True) == ("a.py",)


def test_each_directory_is_excluded_by_its_own_configuration() -> None:
    plant("one/gen/a.py", "two/gen/b.py", "three/gen/c.py")
    write("one/mllint-nan.toml", 'extend-exclude = ["gen"]')
    write("two/pyproject.toml", '[tool.mllint-nan]\nexclude = ["two/gen"]')
    discovery = discover(["."], Configurations({}))
    assert discovery.files == ("three/gen/c.py", "two/gen/b.py")


# What git ignores


def test_ignored_files_are_left_out() -> None:
    plant("a.py", "b_gen.py", "keep_gen.py", "out/c.py", "src/out/d.py", "top/e.py", "x/top/f.py")
    write(".gitignore", "*_gen.py\n!keep_gen.py\nout/\n/top\n# not a.py\n\n")
    assert files(".") == ("a.py", "keep_gen.py", "x/top/f.py")
    assert len(files(".", respect_gitignore=False)) == 7


def test_nested_ignore_file_decides_below_itself() -> None:
    plant("gen/a.py", "gen/keep/b.py", "other/keep/c.py", "gen/keep/d.py")
    write(".gitignore", "*.py\n")
    write("gen/.gitignore", "!*.py\n/a.py\n")
    write("gen/keep/.gitignore", "d.py\n")
    assert files(".") == ("gen/keep/b.py",)


def test_what_lies_below_an_ignored_folder_cannot_be_had_back() -> None:
    plant("out/a.py", "src/deep/b.py", "src/c.py")
    write(".gitignore", "out/\n!out/a.py\nsrc/*\n!src/deep/\n")
    assert files(".") == ("src/deep/b.py",)


def test_folder_that_is_had_back_says_nothing_of_what_is_in_it() -> None:
    plant("src/foo/gen/a.py", "src/foo/b_gen.py", "src/foo/c.py")
    write(".gitignore", "*_gen.py\n")
    write("src/.gitignore", "gen*\n!foo\n")
    assert files(".") == ("src/foo/c.py",)


def test_all_folders_are_had_back() -> None:
    plant("a/b/c.py", "a/d.txt", "e.py")
    write(".gitignore", "a/\n*.py\n!*/\n!c.py\n")
    assert files(".") == ("a/b/c.py",)


def test_ignore_files_above_hold_up_to_the_repository() -> None:
    plant("repo/src/a.py", "repo/src/b_gen.py", "repo/src/c_old.py")
    write(".gitignore", "*_old.py\n")
    write("repo/.gitignore", "*_gen.py\n")
    assert files("repo/src") == ("repo/src/a.py",)
    write("repo/.git/HEAD", "")
    assert files("repo/src") == ("repo/src/a.py", "repo/src/c_old.py")
    assert files(".") == ("repo/src/a.py", "repo/src/c_old.py")


def test_excludes_of_the_repository_itself_hold() -> None:
    plant("a.py", "b_gen.py")
    write(".git/info/exclude", "*_gen.py\n")
    assert files(".") == ("a.py",)


def test_ignored_path_is_taken_when_named() -> None:
    plant("out/a.py", "out/deep/b.py", "out/c_gen.py")
    write(".gitignore", "out/\n")
    write("out/.gitignore", "*_gen.py\n")
    assert files("out") == ("out/a.py", "out/deep/b.py")
    assert files("out/deep") == ("out/deep/b.py",)
    assert files("out/c_gen.py") == ("out/c_gen.py",)


def test_broken_pattern_is_skipped() -> None:
    plant("a.py", "b.py")
    write(".gitignore", "!\n[z-a.py\n/b.py\n")
    assert files(".") == ("a.py",)


# The options


def test_files_are_shown_and_not_checked(capsys: pytest.CaptureFixture[str], here: Path) -> None:
    write("a.py", BAD)
    plant("vendor/b.py", "c_gen.py")
    write(".gitignore", "*_gen.py\n")
    assert main(["--show-files", "--extend-exclude", "nope,vendor"]) == CLEAN
    assert capsys.readouterr().out == f"{here / 'a.py'}\n"
    assert main(["--show-files", "--no-respect-gitignore", "--exclude", "a.py"]) == CLEAN
    assert len(capsys.readouterr().out.splitlines()) == 2
    assert main(["--show-files", "nope.py"]) == ERROR


def test_exclusion_is_forced_for_hooks(capsys: pytest.CaptureFixture[str]) -> None:
    write("vendor/a.py", BAD)
    write("mllint-nan.toml", 'extend-exclude = ["vendor"]')
    assert main(["vendor/a.py"]) == FINDINGS
    assert main(["vendor/a.py", "--force-exclude", "-q"]) == CLEAN
    assert main(["--exclude", " , "]) == ERROR
    assert "--exclude expects names or patterns" in capsys.readouterr().err


def piped(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(BAD.encode())))
    return main([*arguments, "-q"])


def test_standard_input_has_the_name_it_is_given(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write("src/mllint-nan.toml", 'per-file-ignores = { "gen.py" = ["NAN"] }')
    assert piped(monkeypatch, "-", "--stdin-filename", "src/a.py") == FINDINGS
    assert capsys.readouterr().out.startswith("src/a.py:4:12: NAN101")
    assert piped(monkeypatch, "--stdin-filename", "src/gen.py") == CLEAN
    assert piped(monkeypatch, "--stdin-filename", os.path.abspath("src/gen.py")) == CLEAN


def test_standard_input_is_judged_by_no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    plant("__init__.py")
    text = "import torch\n\ndef f(a, b):\n    return torch.sqrt(((a - b) ** 2).sum(-1))\n"
    for options in ((), ("--stdin-filename", "a.py")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        assert main(["-", "-q", *options]) == FINDINGS


def test_excluded_standard_input_passes_through(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    options = ("--stdin-filename", "build/a.py", "--force-exclude")
    assert piped(monkeypatch, *options) == CLEAN
    assert piped(monkeypatch, *options, "--fix") == CLEAN
    sys.stdout.flush()
    assert capfdbinary.readouterr().out == BAD.encode()
