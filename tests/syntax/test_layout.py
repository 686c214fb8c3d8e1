"""Only lines that a fix made too long are broken; a formatter has nothing to add to them."""

from __future__ import annotations

import difflib
import re
import subprocess
import sys
from pathlib import Path

import pytest

from mllint_nan.syntax.layout import laid_out
from tests.fixture_files import fixture_files

_ANNOTATION = re.compile(r"  # (todo-)?(expect|quiet).*")


@pytest.mark.parametrize("limit", [70, 88, 100])
def test_fixed_fixture_is_as_its_formatter_leaves_it(limit: int, tmp_path: Path) -> None:
    texts = [
        (
            _ANNOTATION.sub("", fixture.data.decode()),
            _ANNOTATION.sub("", fixture.fixed_data.decode()),
        )
        for fixture in fixture_files()
        if fixture.fixed_path.exists()
    ]
    formatted = _formatted([before for before, _ in texts], limit, tmp_path / "before")
    kept = [pair for pair, layout in zip(texts, formatted, strict=True) if layout == pair[0]]
    laid = [laid_out(before, fixed, limit) for before, fixed in kept]
    assert _formatted(laid, limit, tmp_path / "after") == laid
    assert sum(after != fixed for after, (_, fixed) in zip(laid, kept, strict=True)) > 5


def _formatted(texts: list[str], limit: int, folder: Path) -> list[str]:
    """What the formatter makes of each text, in one run for all."""
    folder.mkdir()
    paths = [folder / f"{number}.py" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_bytes(text.encode())
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "--no-cache", "--quiet"]
    subprocess.run([*command, f"--line-length={limit}", str(folder)], check=True)
    return [path.read_bytes().decode() for path in paths]


BEFORE = "def f(x):\n    return g(x)\n"


def test_line_that_was_too_long_stays() -> None:
    before = f"x = {'a' * 30} + first(second)\n"
    after = f"x = {'a' * 30} + first(second, third)\n"
    assert laid_out(before, after, 30) == after


def test_lines_that_were_there_stay() -> None:
    long = "y   = some_function( alpha,beta )  # as it was\n"
    before, after = f"{long}{BEFORE}", f"{long}{BEFORE.replace('g(x)', 'gg(xx, yy)')}"
    broken = laid_out(before, after, 20)
    assert broken == f"{long}def f(x):\n    return gg(\n        xx, yy\n    )\n"
    kept = [line for line in difflib.ndiff(after.splitlines(), broken.splitlines())]
    assert f"  {long.rstrip()}" in kept


@pytest.mark.parametrize("comment", ["# noqa", "# noqa: E501", "# fmt: skip"])
def test_line_whose_length_is_allowed_stays(comment: str) -> None:
    after = BEFORE.replace("g(x)", f"gg(xx, yy)  {comment}")
    assert laid_out(BEFORE, after, 20) == after


def test_lines_where_the_formatter_is_off_stay() -> None:
    after = BEFORE.replace("g(x)", "gg(xx, yy)")
    assert laid_out(f"# fmt: off\n{BEFORE}", f"# fmt: off\n{after}", 20) == f"# fmt: off\n{after}"
    switched = "# fmt: off\n# fmt: on\n"
    assert laid_out(f"{switched}{BEFORE}", f"{switched}{after}", 20) != f"{switched}{after}"


def test_comment_for_a_tool_does_not_count() -> None:
    after = BEFORE.replace("g(x)", "h(x)  # type: ignore[no-any-return]")
    assert laid_out(BEFORE, after, 20) == after


def test_comment_stays_behind_the_last_bracket() -> None:
    after = BEFORE.replace("g(x)", "gg(xx, yy)  # why")
    expected = "def f(x):\n    return gg(\n        xx, yy\n    )  # why\n"
    assert laid_out(BEFORE, after, 20) == expected


def test_line_ends_are_those_of_the_file() -> None:
    after = BEFORE.replace("g(x)", "gg(xx, yy)").replace("\n", "\r\n")
    broken = laid_out(BEFORE.replace("\n", "\r\n"), after, 20)
    assert broken == "def f(x):\r\n    return gg(\r\n        xx, yy\r\n    )\r\n"


def test_row_of_a_statement_over_several_rows() -> None:
    before = "x = f(\n    aaa,\n    bbb,\n)\n"
    after = "x = f(\n    aaa,\n    g(bbb, ccc, ddd),\n)\n"
    assert laid_out(before, after, 20) == (
        "x = f(\n    aaa,\n    g(\n        bbb,\n        ccc,\n        ddd,\n    ),\n)\n"
    )


def test_without_a_limit_several_lines_are_one() -> None:
    after = f"x = f({'a' * 40}, {'b' * 41})\n"
    before = "x = f(a)\n"
    assert len(after) > 89
    broken = f"x = f(\n    {'a' * 40}, {'b' * 41}\n)\n"
    assert laid_out(before, after, 0) == broken
    wide = f"y = {'c' * 100}\n"
    assert laid_out(wide * 3 + before, wide * 3 + after, 0) == wide * 3 + after
    for exception in (
        wide * 2,
        f"# {'c' * 100}\n" * 3,
        f"y = {'c' * 100}  # noqa: E501\n" * 3,
        f"y = {'c' * 100}  # pylint: disable=line-too-long\n" * 3,
    ):
        assert laid_out(exception + before, exception + after, 0) == exception + broken


def test_string_over_several_rows_stays() -> None:
    after = 'x = f("""\n""", aaaaaaaaaaaaaaaa, bbbbbbbbbbbbb)\n'
    assert laid_out("x = 1\n", after, 20) == after
