from __future__ import annotations

import io
import re
import subprocess
import sys
import sysconfig
import tokenize
from pathlib import Path

import pytest

from mllint_nan.findings import Applicability
from mllint_nan.linter import Linted, Unparsable, fix_bytes, lint_bytes
from mllint_nan.settings import Settings
from mllint_nan.syntax.suppressions import Form, Suppressions, _scan, silence


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
        "# mllint-nan: ignore because p > 0",
        "# mllint-nan: ignore (p > 0)",
        "# mllint-nan: ignore NaN is meant here",
        "# mllint-nan: ignore  # p > 0",
        "# mllint-nan: disable",
        "# mllint-nan: disable[NAN101]",
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
        "# mllint-nan: ignore(NAN101)",
        "# mllint-nan: ignore (NAN101)",
        "# mllint-nan: ignore [NAN101]",
        "# mllint-nan: ignore NAN101",
        "# mllint-nan: ignore: NAN101",
        "# mllint-nan: ignore[NAN101",
        "# mllint-nan: disable=NAN101",
        "# mllint-nan: disable = NAN101",
        "# mllint-nan: skip-file[NAN101]",
        "# mllint_nan: ignore",
        "# mllint-nan ignore[NAN101]",
        "# mllint-nan: noqa",
        "# mllint-nan: skip-files",
        "# flake8: noqa",
    ],
)
def test_comment_silences_nothing(comment: str) -> None:
    assert not covers(comment)


AS_FLAKE8 = (
    "# noqa", "# NOQA", "# NoQA", "# noqa: F401", "# noqa:F401", "# noqa : F401", "# noqa: F4",
    "# noqa:F401,E501", "# noqa: E501,F401", "# noqa: E501, F401", "# noqa: E501 F401",
    "# noqa: E501 , F401", "# noqa: E501,,F401", "# noqa:\tF401", "# noqa: F401 reason",
    "# noqa: F401: reason", "# noqa: F401 # reason", "# noqa:F401-reason", "# noqa F811",
    "# type: ignore # noqa", "# type: ignore # noqa: F401", "## noqa", "# reason # noqa: F401",
    "# noqa: E501", "# noqa:F811", "# noqa: F4011", "# noqa: E501 because F401", "# no-qa",
    "# nopep8", "# see noqa", "#: noqa",
)  # fmt: skip
AS_RUFF = (
    # flake8 wants one blank and capitals here
    "#noqa", "#  noqa", "#noqa:F401", "# noqa: f401", "# noqa: E501F401",
    # and here it takes for all codes what ruff takes for a mistake
    "# noqa:", "# noqa: because", "# noqa-because", "# noqa, because", "# noqas", "# noqa: X,F401",
)  # fmt: skip


def test_comments_are_read_as_by_flake8_but_for_what_ruff_reads_otherwise(tmp_path: Path) -> None:
    comments = [*AS_FLAKE8, *AS_RUFF]
    for number, comment in enumerate(comments):
        (tmp_path / f"m{number}.py").write_text(f"import os  {comment}\n")
    done = subprocess.run(
        [sys.executable, "-m", "flake8", "--isolated", "--select", "F401", "."],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stderr == ""
    reported = {int(number) for number in re.findall(r"m(\d+)\.py", done.stdout)}
    differing = [
        comment
        for number, comment in enumerate(comments)
        if Suppressions.of(f"import os  {comment}\n").covers("F401", 1, 1) is (number in reported)
    ]
    assert differing == list(AS_RUFF)


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
        assert [(comment.row, comment.text) for comment in _scan(text)[0]] == expected, path


def rows(text: str, code: str = "NAN101") -> list[int]:
    """The rows on which a finding of one row is silenced."""
    found = Suppressions.of(text)
    return [row for row in range(1, text.count("\n") + 3) if found.covers(code, row, row)]


def test_rows_joined_by_a_backslash_are_one() -> None:
    assert rows("x = 1\ny = log(p) \\\n    + 1 \\\n    + 2  # noqa\nz = 1\n") == [2, 3, 4]


def test_rows_of_a_string_are_one() -> None:
    assert rows('y = f(log(p), """\n\n""")  # noqa: NAN1\nz = 1\n') == [1, 2, 3]
    assert rows('y = """\n""" + """\n""" + f(p)  # noqa\n') == [1, 2, 3]


def test_rows_of_a_bracket_are_not_one() -> None:
    assert rows("y = f(\n    log(p),  # noqa\n    q,\n)\n") == [2]


@pytest.mark.parametrize(
    ("below", "expected"),
    [
        ("y = log(p)\nz = 1\n", [2]),
        ("y = f(\n    log(p),\n    q,\n)\nz = 1\n", [2, 3, 4, 5]),
        ("y = log(p) \\\n    + 1\nz = 1\n", [2, 3]),
        ('y = f("""\n(\n""", log(p))\nz = 1\n', [2, 3, 4]),
        ("# why\n# and how\ny = f(  # (\n    p)\nz = 1\n", [4, 5]),
        ("if f(\n    p\n):\n    z = 1\n", [2, 3, 4]),
        ("\ny = log(p)\n", [2]),
        ("", [2]),
    ],
)
def test_comment_alone_covers_the_statement_below(below: str, expected: list[int]) -> None:
    assert rows(f"# mllint-nan: ignore[NAN101]\n{below}") == expected


def test_comment_alone_inside_a_bracket_covers_what_is_below() -> None:
    text = "y = f(\n    # mllint-nan: ignore\n    log(\n        p\n    ),\n    log(q),\n)\n"
    assert rows(text) == [3, 4, 5]


def test_region_lasts_until_it_is_ended() -> None:
    text = (
        "a\n# mllint-nan: disable[NAN101, NAN203]\nb\n# mllint-nan: enable[NAN203]\nc\n"
        "# mllint-nan: enable\nd\n# mllint-nan: disable\ne\n"
    )
    assert rows(text) == [2, 3, 4, 5, 6, 8, 9, 10, 11]
    assert rows(text, "NAN203") == [2, 3, 4, 8, 9, 10, 11]


def test_region_that_begins_behind_code_is_its_line() -> None:
    text = (
        "a  # mllint-nan: disable[NAN101]\nb\n# mllint-nan: disable\nc\n# mllint-nan: enable\nd\n"
    )
    assert rows(text) == [1, 3, 4, 5]
    assert rows("y = a + \\\n    b  # mllint-nan: disable\nc\n") == [1, 2]


# What is unused


SOFTMAX = "torch.log(torch.softmax(x, dim=-1))"


def checked(text: str, **settings: object) -> list[tuple[int, str]]:
    """Row and code of what is found after `import torch`."""
    outcome = lint_bytes(f"import torch\n{text}".encode(), "a.py", Settings(**settings))  # type: ignore[arg-type]
    assert isinstance(outcome, Linted)
    return [(finding.start.row, finding.code) for finding in outcome.findings]


def repaired(text: str) -> str:
    fixed = fix_bytes(f"import torch\n{text}".encode(), "a.py", Settings(ignore=("NAN1",)))
    return fixed.data.decode().removeprefix("import torch\n")


@pytest.mark.parametrize(
    "text",
    [
        f"y = {SOFTMAX}  # noqa: NAN101",
        f"y = {SOFTMAX}  # noqa: NAN1, E501",
        f"y = {SOFTMAX}  # mllint-nan: ignore",
        f"# mllint-nan: ignore[log-of-softmax]\ny = {SOFTMAX}",
        f"# mllint-nan: disable\ny = {SOFTMAX}\n# mllint-nan: enable",
        f"# ruff: noqa: NAN101\ny = {SOFTMAX}",
        "y = 1  # noqa",
        "y = 1  # noqa: E501",
        "y = 1  # noqa: NAN902",
        "# mllint-nan: skip-file",
        "def f(x):\n    return torch.sqrt(x)  # noqa: NAN203",  # possible, so not for nothing
    ],
)
def test_suppression_that_is_used_or_not_ours_is_left(text: str) -> None:
    outcome = lint_bytes(f"import torch\n{text}\n".encode(), "a.py", Settings())
    assert getattr(outcome, "findings", ()) == ()


@pytest.mark.parametrize(
    ("comment", "right"),
    [
        ("disable=NAN101", "write `# mllint-nan: disable[NAN101]`"),
        ("disable=NAN101,NAN203 why", "write `# mllint-nan: disable[NAN101, NAN203]`"),
        ("ignore(NAN101)", "write `# mllint-nan: ignore[NAN101]`"),
        ("ignore NAN101", "write `# mllint-nan: ignore[NAN101]`"),
        ("ignore: log-of-softmax", "write `# mllint-nan: ignore[log-of-softmax]`"),
        ("ignore[]", "write `# mllint-nan: ignore[NAN101]`"),
        ("ignroe[NAN1]", "write `# mllint-nan: ignore[NAN1]`"),
        ("noqa: NAN101", "write `# mllint-nan: ignore[NAN101]`"),
        ("skip_file", "write `# mllint-nan: skip-file`"),
        ("all is well", "write `# mllint-nan: ignore[CODE]`, `disable[CODE]`, `enable[CODE]`"),
    ],
)
def test_comment_that_is_no_directive_says_how_it_is_written(comment: str, right: str) -> None:
    text = f"import torch\ny = {SOFTMAX}  # mllint-nan: {comment}\nz = {SOFTMAX}\n"
    outcome = lint_bytes(text.encode(), "a.py", Settings())
    assert isinstance(outcome, Linted)
    assert [(one.start.row, one.code) for one in outcome.findings] == [
        (2, "NAN101"), (2, "NAN902"), (3, "NAN101"),
    ]  # fmt: skip
    remark = outcome.findings[1]
    assert f"`{comment}` is not a directive and silences nothing; {right}" in remark.message
    assert text[remark.span.start : remark.span.end] == f"# mllint-nan: {comment}"
    assert remark.fix is None


@pytest.mark.parametrize("path", ["a.py", "tests/test_a.py"])
def test_comment_that_is_no_directive_is_found_wherever_it_stands(path: str) -> None:
    outcome = lint_bytes(b"x = 1  # mllint-nan: disable=NAN101\n", path, Settings())
    assert isinstance(outcome, Linted)
    assert [one.code for one in outcome.findings] == ["NAN902"]
    silent = lint_bytes(b"x = 1  # mllint-nan: disable=NAN1\n", path, Settings(ignore=("NAN902",)))
    assert silent == Linted(())


def test_comment_that_is_no_directive_is_found_in_python_2() -> None:
    text = b"import torch\nprint 1  # mllint-nan: disable=NAN101\n"
    old = lint_bytes(text, "a.py", Settings())
    assert isinstance(old, Unparsable)
    assert ("NAN902", 10) in [(one.code, one.start.column) for one in old.whole.findings]


def test_rule_that_does_not_exist_is_named_with_the_nearest_one() -> None:
    outcome = lint_bytes(b"import torch\ny = 1  # mllint-nan: ignore[NAN1O1]\n", "a.py", Settings())
    assert isinstance(outcome, Linted)
    (remark,) = outcome.findings
    assert remark.message == (
        "nothing is silenced here: NAN1O1 (no rule is called NAN1O1; did you mean NAN101?)"
    )


INSIDE = "import torch\n\n\ndef f(x):\n    return torch.log(\n        {}\n    )\n"


@pytest.mark.parametrize(
    "line",
    [
        "torch.softmax(x, -1)  # mllint-nan: ignore[NAN101]",
        "torch.softmax(x, -1)  # mllint-nan: ignore",
        "torch.softmax(x, -1)  # noqa: NAN101",
        "# mllint-nan: ignore[NAN101]\n        torch.softmax(x, -1)",
    ],
)
def test_comment_inside_of_a_finding_is_neither_removed_nor_overruled(line: str) -> None:
    """What it asks for is plain: the finding's fix is not applied, nor is the comment removed."""
    outcome = lint_bytes(INSIDE.format(line).encode(), "a.py", Settings())
    assert isinstance(outcome, Linted)
    finding, remark = outcome.findings
    assert (finding.code, remark.code, remark.fix) == ("NAN101", "NAN902", None)
    assert f"move the comment to the end of line 5 or {finding.end.row}" in remark.message
    assert finding.fix is not None
    assert finding.fix.applicability is Applicability.DISPLAY_ONLY


def test_comment_inside_of_a_finding_that_names_another_rule_is_idle() -> None:
    line = "torch.softmax(x, -1)  # mllint-nan: ignore[NAN203]"
    outcome = lint_bytes(INSIDE.format(line).encode(), "a.py", Settings())
    assert isinstance(outcome, Linted)
    remark = outcome.findings[1]
    assert remark.message == "nothing is silenced here: NAN203"
    assert remark.fix is not None


def test_suppression_of_what_is_not_selected_is_not_judged() -> None:
    text = "y = 1  # noqa: NAN203\nz = 1  # mllint-nan: ignore\n"
    assert checked(text) == [(2, "NAN902"), (3, "NAN902")]
    assert checked(text, select=("NAN1", "NAN9")) == []
    assert checked(text, ignore=("NAN902",)) == []


def test_unused_suppression_is_found_without_any_framework() -> None:
    outcome = lint_bytes(b"y = 1  # noqa: NAN101\n", "a.py", Settings())
    assert isinstance(outcome, Linted)
    assert [finding.message for finding in outcome.findings] == ["nothing is silenced here: NAN101"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("y = 1  # noqa: NAN203\n", "y = 1\n"),
        ("y = 1  # noqa: NAN203 because of this\nz\n", "y = 1\nz\n"),
        ("y = 1  # noqa: E501, NAN203\n", "y = 1  # noqa: E501\n"),
        ("y = 1  # noqa: NAN203,E501 reason\n", "y = 1  # noqa: E501 reason\n"),
        ("y = 1  # type: ignore  # noqa: NAN203\n", "y = 1  # type: ignore\n"),
        ("y = 1  # noqa: NAN203  # type: ignore\n", "y = 1  # type: ignore\n"),
        ("y = 1\t# mllint-nan: ignore[NAN203, NAN204]", "y = 1"),
        ("a\n    # mllint-nan: ignore[nope]\r\nb\n", "a\nb\n"),
        (
            "# mllint-nan: disable[NAN203]\na\n# mllint-nan: enable[NAN203]\nb\n",
            "a\nb\n",
        ),
    ],
)
def test_unused_suppression_is_removed(text: str, expected: str) -> None:
    assert repaired(text) == expected


# Adding comments


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("y = p\n", "y = p  # mllint-nan: ignore[NAN101]\n"),
        ("y = p", "y = p  # mllint-nan: ignore[NAN101]"),
        ("y = p  # why\r\n", "y = p  # why  # mllint-nan: ignore[NAN101]\r\n"),
        (
            "y = p  # mllint-nan: ignore[NAN203] why\n",
            "y = p  # mllint-nan: ignore[NAN203, NAN101] why\n",
        ),
        ("y = p \\\n + q\n", "y = p \\\n + q  # mllint-nan: ignore[NAN101]\n"),
        ('y = p + """\n"""\n', 'y = p + """\n"""  # mllint-nan: ignore[NAN101]\n'),
        ("y = f(\n  p)\n", "y = f(  # mllint-nan: ignore[NAN101]\n  p)\n"),
    ],
)
def test_comment_is_added_where_it_counts(text: str, expected: str) -> None:
    assert silence(text, [(1, "NAN101")], Form.IGNORE) == expected
    assert Suppressions.of(expected).covers("NAN101", 1, 1)


def test_noqa_is_added_and_extended() -> None:
    text = silence("a\nb  # noqa: E501\n", [(1, "NAN203"), (1, "NAN101"), (2, "NAN101")], Form.NOQA)
    assert text == "a  # noqa: NAN101, NAN203\nb  # noqa: E501, NAN101\n"
