from __future__ import annotations

import io
import sysconfig
import tokenize
from pathlib import Path

import pytest

from mllint_nan.syntax.suppressions import Suppressions, _comments


def covers(comment: str, code: str = "NAN101") -> bool:
    silenced = Suppressions.of(f"y = torch.log(p)  {comment}\n")
    return silenced.covers(code, 1, 1, name="log-of-softmax")


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa",
        "#noqa",
        "# NoQA",
        "# noqa E501",
        "# noqa: NAN101",
        "# noqa:NAN101",
        "# noqa : NAN101",
        "# noqa: nan101",
        "# noqa: E501, NAN101",
        "# noqa: E501 NAN101",
        "# noqa: E501,,NAN101",
        "# noqa: E501NAN101",
        "# noqa: NAN101 because p > 0",
        "# noqa: NAN1",
        "# noqa: NAN",
        "# type: ignore # noqa: NAN101",
        "# mllint-nan: ignore",
        "# mllint-nan: ignore[NAN101]",
        "# mllint-nan: ignore[nan203, nan1]",
        "# mllint-nan: ignore[log-of-softmax] p > 0",
    ],
)
def test_comment_silences(comment: str) -> None:
    assert covers(comment)


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa: E501",
        "# noqa: NAN2",
        "# noqa: NAN1011",
        "# noqa: because",
        "# noqa: nancy",
        "# noqa: E501 because NAN101",
        "# noqa:",
        "# noqa-ish",
        "# noqas",
        "# see noqa: NAN101",
        "# mllint-nan: ignore[NAN203]",
        "# mllint-nan: ignore[]",
        "# mllint-nan: ignored",
        "# mllint-nan: skip-files",
        "# flake8: noqa",
    ],
)
def test_comment_silences_nothing(comment: str) -> None:
    assert not covers(comment)


def test_first_and_last_row_count_and_no_other() -> None:
    silenced = Suppressions.of("y = f(  # noqa\n    p,  # noqa\n    q,\n)  # noqa\n\n\n")
    assert silenced.covers("NAN101", 1, 3)
    assert silenced.covers("NAN101", 3, 4)
    assert not silenced.covers("NAN101", 3, 5)


@pytest.mark.parametrize(
    "text",
    [
        's = "# noqa"',
        "s = '# noqa: NAN101'",
        's = "\\"# noqa"',
        's = """\n# noqa\n"""',
        's = r"\\"; t = "# noqa"',
        's = "\\\r\n# noqa"',
        "s = f'{x}# noqa'",
        '"""Say `# mllint-nan: skip-file` to skip a file, `# noqa` to skip a row."""',
    ],
)
def test_text_of_a_string_is_no_comment(text: str) -> None:
    silenced = Suppressions.of(text)
    assert not silenced.skips_file
    assert not any(silenced.covers("NAN101", row, row) for row in range(1, 4))


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_rows_are_those_of_the_file(end: str) -> None:
    silenced = Suppressions.of(end.join(['"""', "\f", '"""', "x = 1\v", "y = 2  # noqa"]))
    assert [row for row in range(1, 7) if silenced.covers("NAN101", row, row)] == [5]


@pytest.mark.parametrize(
    "comment", ["# mllint-nan: skip-file", "# flake8: noqa", "# ruff: noqa", "#flake8:NOQA"]
)
def test_file_is_skipped(comment: str) -> None:
    silenced = Suppressions.of(f"import torch\n{comment}\n")
    assert silenced.skips_file
    assert silenced.covers("NAN101", 9, 9)


def test_codes_of_a_file_level_comment_hold_everywhere() -> None:
    silenced = Suppressions.of("# ruff: noqa: NAN2\n")
    assert silenced.covers("NAN203", 7, 7)
    assert not silenced.covers("NAN101", 7, 7)
    assert not silenced.skips_file


@pytest.mark.parametrize("text", ["", "'''# noqa", "(((# noqa", "\0# noqa", "\ud800 # noqa", "'\\"])
def test_any_text_is_read(text: str) -> None:
    Suppressions.of(text)


def test_comments_are_those_of_the_tokenizer() -> None:
    library = Path(sysconfig.get_path("stdlib"))
    for path in sorted(library.glob("[a-e]*.py")):
        data = path.read_bytes().replace(b"#", b"# noqa ")
        try:
            tokens = list(tokenize.tokenize(io.BytesIO(data).readline))
        except (SyntaxError, tokenize.TokenError):
            continue
        text = data.decode(tokens[0].string)
        expected = [
            (token.start[0], token.string) for token in tokens if token.type == tokenize.COMMENT
        ]
        assert [(row, comment) for row, comment, _ in _comments(text)] == expected, path
