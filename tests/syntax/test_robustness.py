"""Whatever the bytes, a file ends as a value, and what is not fixed keeps every byte."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from mllint_nan import check_paths
from mllint_nan.cli import ERROR, FINDINGS
from mllint_nan.findings import Position
from mllint_nan.linter import (
    Failed,
    Fixed,
    Linted,
    LintResult,
    Settings,
    Skipped,
    Unparsable,
    fix_bytes,
    lint_bytes,
)
from tests.preloaded import python_with

ROOT = Path(__file__).resolve().parent.parent.parent
SETTINGS = Settings(unsafe_fixes=True)
IMPORT = b"import torch\n"
BAD = b"import torch\n\n\ndef f(x):\n    return torch.log(torch.softmax(x, dim=-1))\n"
GOOD = b"import torch\n\n\ndef f(x):\n    return torch.log_softmax(x, dim=-1)\n"

DEEP = {
    "parentheses": b"(" * 3000 + b"x" + b")" * 3000,
    "lists": b"[" * 3000 + b"x" + b"]" * 3000,
    "calls": b"f(" * 3000 + b"x" + b")" * 3000,
    "additions": b" + ".join([b"x"] * 2000),
    "products": b" * ".join([b"x"] * 2000),
    "powers": b" ** ".join([b"x"] * 2000),
    "conjunctions": b" and ".join([b"x"] * 2000),
    "comparisons": b" < ".join([b"x"] * 2000),
    "methods": b"x" + b".relu()" * 3000,
    "attributes": b"x" + b".T" * 3000,
    "subscripts": b"x" + b"[0]" * 3000,
    "minus signs": b"-" * 5000 + b"x",
    "negations": b"not " * 5000 + b"x",
    "lambdas": b"lambda: " * 3000 + b"x",
    "conditionals": b"x if x else " * 3000 + b"x",
    "strings": b"'a' " * 5000,
    "assignments": b"a = " * 3000 + b"x",
    "branches": b"0\nif y: pass\n" + b"elif y: pass\n" * 3000,
    "blocks": b"0\n" + b"".join(b" " * n + b"if y:\n" for n in range(90)) + b" " * 90 + b"y",
}
"""Right-hand sides of an assignment that are deeper than any stack."""

EVERYDAY = {
    "additions": b" + ".join([b"x"] * 500),
    "methods": b"x" + b".relu()" * 300,
    "branches": b"0\nif y: pass\n" + b"elif y: pass\n" * 200,
    "strings": b"'a' " * 300,
    "conjunctions": b" and ".join([b"x"] * 300),
    "rebound name": b"x\n" + b"y = y + 1\n" * 500,
    "table": b"[" + b"1.0, " * 20_000 + b"]",
}
"""Right-hand sides that occur in generated code, and that CPython compiles."""


def lint(data: bytes) -> LintResult:
    return lint_bytes(data, "a.py", SETTINGS)


def fix(data: bytes) -> Fixed:
    return fix_bytes(data, "a.py", SETTINGS)


def error_of(data: bytes) -> tuple[str, Position]:
    """The message and place of the error in a file that is not Python, and is left alone."""
    outcome = lint(data)
    assert isinstance(outcome, Unparsable), outcome
    assert outcome.finding.code == "NAN901"
    assert fix(data) == Fixed(data, (), outcome)
    return outcome.finding.message, outcome.finding.start


def places(data: bytes) -> list[tuple[str, Position, Position]]:
    outcome = lint(data)
    assert isinstance(outcome, Linted), outcome
    return [(finding.code, finding.start, finding.end) for finding in outcome.findings]


# What is not Python


@pytest.mark.parametrize(
    ("code", "row", "column"),
    [
        (b"x = (\n", 2, 5),
        (b"def f(:\n    pass\n", 2, 7),
        (b"x = 'abc\n", 2, 5),
        (b"if x:\npass\n", 3, 1),
        (b"  x = 1\n", 2, 1),
        (b"x = 1\n  y = 2\n", 3, 1),
        (b"print 'x'\n", 2, 1),
        ("é = 'é' é\n".encode(), 2, 9),
        ("'😀' 1\n".encode(), 2, 5),
        (b"x = )\n", 2, 5),
        (b"return = 1\n", 2, 8),
    ],
)
def test_syntax_error_is_reported_at_its_place(code: bytes, row: int, column: int) -> None:
    _, place = error_of(IMPORT + code)
    assert place.row == row
    assert abs(place.column - column) <= 2, place  # versions of CPython differ


@pytest.mark.parametrize(
    ("data", "row", "column"),
    [
        (IMPORT + b"x = '\xff'\n", 2, 6),
        (b"x = 1\r\n\xc3(  # torch\r\n", 2, 1),
        (b"# coding: ascii\nimport torch  # \xe9\n", 2, 17),
        (b"\xef\xbb\xbfimport torch  # \xe9\n", 1, 17),
    ],
)
def test_undecodable_byte_is_reported_at_its_place(data: bytes, row: int, column: int) -> None:
    message, place = error_of(data)
    assert "byte 0x" in message and "UTF-8" in message
    assert place == Position(row, column)


@pytest.mark.parametrize(
    "data",
    [
        b"# -*- coding: no-such-encoding -*-\nimport torch\n",
        b"\xef\xbb\xbf# coding: latin-1\nimport torch\n",
        b"# coding: rot13\nimport torch\n",
        b"# coding: base64\nimport torch\n",
    ],
)
def test_encoding_that_cannot_be_is_reported_in_the_first_row(data: bytes) -> None:
    _, place = error_of(data)
    assert place.row == 1


def test_null_byte_is_reported_in_its_row() -> None:
    message, place = error_of(IMPORT + b"x = 1\ny = \0\n")
    assert "null byte" in message
    assert place.row == 3


def test_utf16_is_reported() -> None:
    error_of("import torch\n".encode("utf-16") + b"# torch\n")


@pytest.mark.parametrize("data", [b"", b"\n", b"\xef\xbb\xbf", b"\f", b"#", b"x = ("])
def test_file_without_a_framework_is_skipped_unread(data: bytes) -> None:
    assert isinstance(lint(data), Skipped)
    assert fix(data).data == data


@pytest.mark.parametrize(
    "data", [b"import torch", b"import torch\n\n\n", b"# torch", b"'''torch'''", b"torch;"]
)
def test_file_without_code_is_clean(data: bytes) -> None:
    assert places(data) == []
    assert fix(data).data == data


# The grammar of every Python, whichever one runs the tool

GRAMMAR = {
    "match": "match k:\n    case {'a': [1, *rest]} | None if k: pass\n    case P(x=1) as q: pass\n",
    "parameters of types": "type A[T: int, *Ts, **P] = dict[T, int]\ndef g[T](x: T) -> T: pass\n",
    "defaults of types": "class C[T = int]: pass\n",
    "nested f-strings": "f'{f\"{x + f'{1}'}\"}' f'{x!r:>{10}}' f'{x\n}' f'{'a'}'\n",
    "template strings": "a = t'{x} y'\n",
    "except*": "try: pass\nexcept* ValueError as e: pass\n",
    "except without parentheses": "try: pass\nexcept ValueError, TypeError: pass\n",
    "with in parentheses": "with (open('a') as b, open('c') as d): pass\n",
    "starred index": "def g(*a: *tuple[int, ...]): x[*a]\n",
}


@pytest.mark.parametrize("name", GRAMMAR)
def test_newer_syntax_hides_nothing_beside_it(name: str) -> None:
    outcome = lint(BAD + GRAMMAR[name].encode())
    if isinstance(outcome, Unparsable):  # a LibCST that is older than the syntax
        assert outcome.finding.start.row > 5
    else:
        assert isinstance(outcome, Linted)
        assert [finding.code for finding in outcome.findings] == ["NAN101"]


@pytest.mark.parametrize("name", GRAMMAR)
def test_newer_syntax_in_another_file_is_no_obstacle(name: str, tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text(f"{GRAMMAR[name]}\ndef h(x):\n    return x.softmax(-1)\n")
    path = tmp_path / "a.py"
    path.write_text("import torch\nfrom other import h\n\ny = torch.log(h(x))\n")
    (checked,) = check_paths([path], Settings())
    assert isinstance(checked.outcome, Linted)


# Depth and size


@pytest.mark.slow
@pytest.mark.parametrize("name", DEEP)
def test_deep_nesting_ends_as_a_value(name: str, tmp_path: Path) -> None:
    path = tmp_path / "deep.py"
    path.write_bytes(IMPORT + b"y = " + DEEP[name] + b"\n")
    outcome = _outcome_elsewhere(path)
    assert outcome in ("Linted", "Failed") or not _is_compiled(path)
    assert outcome in ("Linted", "Failed", "Unparsable")


@pytest.mark.parametrize("link", [b".relu()", b"[0]", b"(0)", b"\\\n.T.relu ( ) ", b"({}).a[1:]"])
def test_chain_that_takes_too_long_to_parse_says_where_it_is(link: bytes) -> None:
    for tail in (b"", b" + 1"):
        outcome = lint(BAD + b"y = x" + link * 1500 + tail + b"\n")
        assert isinstance(outcome, Failed)
        assert "more than 1000 calls in one chain, on line" in outcome.reason


def test_many_short_chains_are_no_long_one() -> None:
    rows = b"self.a[0].b = c\nf(x).y\ng(x)(y)[1] += f(a).b + f(c).d\nf(x).y ; f(x).y\n"
    assert isinstance(lint(IMPORT + rows * 600 + b"y = f(" + b"g(x).a, " * 1500 + b")\n"), Linted)


def test_two_thousand_additions_are_analysed(tmp_path: Path) -> None:
    path = tmp_path / "deep.py"
    path.write_bytes(IMPORT + b"y = " + DEEP["additions"] + b"\n")
    assert _outcome_elsewhere(path) == "Linted"


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERYDAY)
def test_long_code_is_analysed_in_seconds(name: str, tmp_path: Path) -> None:
    path = tmp_path / "long.py"
    path.write_bytes(BAD + b"y = " + EVERYDAY[name] + b"\n")
    assert _outcome_elsewhere(path, seconds=10) == "Linted"


def test_number_that_no_interpreter_converts_is_unknown() -> None:
    outcome = lint_bytes(BAD + b"many = " + b"1" * 5000 + b"\n", "a.py", SETTINGS)
    assert isinstance(outcome, Linted) and len(outcome.findings) == 1


def test_hundred_brackets_are_analysed() -> None:
    assert places(BAD + b"y = " + b"[" * 100 + b"]" * 100 + b"\n")


@pytest.mark.parametrize(
    "row",
    [b"y = '" + b"a" * 1_000_000 + b"'", b"#" * 1_000_000, b"y = 1" + b" " * 1_000_000],
    ids=["string", "comment", "spaces"],
)
def test_row_of_a_megabyte_keeps_its_bytes(row: bytes) -> None:
    assert fix(BAD + row + b"\n").data == GOOD + row + b"\n"


def test_row_of_a_megabyte_is_fixed_within() -> None:
    row = b"x = '" + b"a" * 1_000_000 + b"'; y = torch.log(torch.softmax(z, dim=0))\n"
    assert fix(IMPORT + row).data.endswith(b"'; y = torch.log_softmax(z, dim=0)\n")


# Every byte that is not fixed


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"\xef\xbb\xbf" + BAD, b"\xef\xbb\xbf" + GOOD),
        (BAD.replace(b"\n", b"\r\n"), GOOD.replace(b"\n", b"\r\n")),
        (BAD.replace(b"\n", b"\r"), GOOD.replace(b"\n", b"\r")),
        (BAD.replace(b"    ", b"\t"), GOOD.replace(b"    ", b"\t")),
        (BAD.removesuffix(b"\n"), GOOD.removesuffix(b"\n")),
        (BAD + b"    ", GOOD + b"    "),
        (BAD + b"x = \\\n  1\n", GOOD + b"x = \\\n  1\n"),
        (BAD.replace(b"\n", b"\r\n", 2), GOOD.replace(b"\n", b"\r\n", 2)),
        (BAD.replace(b"torch\n", b"torch\r", 1), GOOD.replace(b"torch\n", b"torch\r", 1)),
        (BAD.replace(b"\n\n\n", b"\n\f\n\n"), GOOD.replace(b"\n\n\n", b"\n\f\n\n")),
        (BAD.replace(b"import", b"\fimport"), GOOD.replace(b"import", b"\fimport")),
        (b"# coding: latin-1\n# \xe9\n" + BAD, b"# coding: latin-1\n# \xe9\n" + GOOD),
        (b"# coding: cp1252\ns = '\x80'\n" + BAD, b"# coding: cp1252\ns = '\x80'\n" + GOOD),
        (b"# coding: sjis\ns = '\x83\\'\n" + BAD, b"# coding: sjis\ns = '\x83\\'\n" + GOOD),
        ("s = '😀'  # é\u2028\n".encode() + BAD, "s = '😀'  # é\u2028\n".encode() + GOOD),
        (
            b"# coding: latin-1\r\n" + BAD.replace(b"\n", b"\r\n").replace(b"    ", b"\t")
            + b"\ts = '\xe9'",
            b"# coding: latin-1\r\n" + GOOD.replace(b"\n", b"\r\n").replace(b"    ", b"\t")
            + b"\ts = '\xe9'",
        ),
    ],
    ids=[
        "BOM", "CRLF", "CR", "tabs", "no newline at the end", "spaces at the end",
        "backslashes", "mixed line ends", "one CR", "form feed alone",
        "form feed before code", "latin-1", "cp1252", "shift_jis", "beyond the BMP",
        "latin-1, CRLF and tabs",
    ],
)  # fmt: skip
def test_fix_keeps_all_bytes_around_it(before: bytes, after: bytes) -> None:
    assert fix(before).data == after


def test_operand_keeps_its_bytes() -> None:
    body = b"y = torch.log(torch.softmax(%s, dim=0))\n"
    operand = "f('é😀',\t1_0,  x [ 0 ])".encode()
    fixed = b"y = torch.log_softmax(%s, dim=0)\n"
    assert fix(IMPORT + body % operand).data == IMPORT + fixed % operand


def test_inserted_rows_end_as_the_others_do() -> None:
    text = (
        b"import torch\r\n\r\n\r\ndef f(x):\r\n\tp = torch.softmax(g(x), dim=0)\r\n"
        b"\treturn p, torch.log(p)\r\n"
    )
    fixed = fix(text)
    assert fixed.applied
    assert fixed.data.count(b"\n") == fixed.data.count(b"\r\n") > text.count(b"\r\n")


def test_fix_that_the_encoding_cannot_hold_is_not_made() -> None:
    data = b"# coding: ascii\n" + BAD
    assert fix(data).data == b"# coding: ascii\n" + GOOD


@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
def test_columns_count_code_points(newline: bytes) -> None:
    row = "s = 'é😀\u0301'; y = torch.log(torch.softmax(x, dim=0))".encode()
    data = IMPORT.replace(b"\n", newline) + row + newline
    assert places(data) == [("NAN101", Position(2, 16), Position(2, 50))]
    assert places(b"\xef\xbb\xbf" + data) == places(data)


def test_columns_count_code_points_in_other_encodings() -> None:
    row = b"s = '\xe9\xe9'; y = torch.log(torch.softmax(x, dim=0))\n"
    data = b"# coding: latin-1\n" + IMPORT + row
    assert places(data) == [("NAN101", Position(3, 15), Position(3, 49))]


def test_form_feed_starts_no_row() -> None:
    data = IMPORT + b"\f\nz = 1\n\fy = torch.log(torch.softmax(x, dim=0))\n"
    assert [start for _, start, _ in places(data)] == [Position(4, 6)]


def test_separators_that_only_unicode_knows_start_no_row() -> None:
    data = IMPORT + "s = '\x85\u2028\x1c'\ny = torch.log(torch.softmax(s, dim=0))\n".encode()
    assert [start for _, start, _ in places(data)] == [Position(3, 5)]


# Truncation

SAMPLE = '''\
# -*- coding: utf-8 -*-
"""Zweck: é, 😀."""
import torch
from torch import nn
import torch.nn.functional as F


@torch.no_grad()
class Model(nn.Module):
    def __init__(self, *, width: int = 3) -> None:
        super().__init__()
        self.act = nn.Softmax(dim=-1)

    async def forward(self, x, /, *rest, **more):
        p = self.act(x)  # 😀
        match rest:
            case [first, *_] if first:
                y = f"{p!r:>{10}}" 'é' \\
                    "b"
            case _:
                y = [lambda: q async for q in more["a":1, ...] if (z := q) is not None]
        try:
            with torch.no_grad() as a, open("b") as b:
                return torch.log(p), -(y * torch.log(F.sigmoid(x))).sum(), a, b
        except (ValueError, TypeError) as error:
            raise RuntimeError(r"\\d") from error
        finally:
            del y


    def loss(self, x: "torch.Tensor") -> torch.Tensor:
\t\treturn torch.where(x > 0, torch.log(x), 0.0) / (x > 0).sum() ** 0.5
'''.replace("\t\t", "        ").encode()


def test_sample_has_findings() -> None:
    assert len(places(SAMPLE)) >= 3


@pytest.mark.parametrize("start", range(7))
def test_truncated_file_ends_as_a_value(start: int) -> None:
    for end in range(start, len(SAMPLE) + 1, 49):
        data = SAMPLE[:end]
        fixed = fix(data)
        assert not isinstance(fixed.outcome, Failed), data
        assert isinstance(fixed.outcome, Linted) or fixed.data == data


@pytest.mark.parametrize("byte", [b"\0", b"\xff", b"(", b"'", b"\n", b"\\", b"\t", b"\f", b"\r"])
def test_stray_byte_ends_as_a_value(byte: bytes) -> None:
    for place in range(0, len(SAMPLE), 61):
        data = SAMPLE[:place] + byte + SAMPLE[place:]
        outcome = fix(data).outcome
        # Blanks of both kinds in one indentation are Python, and more than LibCST can read.
        assert not isinstance(outcome, Failed) or "LibCST cannot parse" in outcome.reason, data


# The command


@pytest.fixture
def broken(tmp_path: Path) -> dict[str, bytes]:
    """A directory with every kind of bad file, and one with a finding."""
    files = {
        "a_syntax.py": IMPORT + b"x = (\n",
        "b_bytes.py": IMPORT + b"x = '\xff'\n",
        "c_cookie.py": b"# coding: nope\nimport torch\n",
        "d_null.py": IMPORT + b"\0\n",
        "e_empty.py": b"",
        "f_parentheses.py": IMPORT + b"y = " + DEEP["parentheses"] + b"\n",
        "z_finding.py": BAD,
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    return files


def test_bad_files_stop_no_others(broken: dict[str, bytes], tmp_path: Path) -> None:
    done = _command(tmp_path)
    assert done.returncode == FINDINGS
    codes = [line.split(": ")[1].split()[0] for line in done.stdout.splitlines()]
    assert codes == ["NAN901"] * 5 + ["NAN101"]
    assert "Traceback" not in done.stderr
    assert _contents(tmp_path) == broken


def test_bad_files_are_never_written(broken: dict[str, bytes], tmp_path: Path) -> None:
    assert _command(tmp_path, "--fix", "--unsafe-fixes").returncode == FINDINGS
    assert _contents(tmp_path) == {**broken, "z_finding.py": GOOD}


def test_file_that_cannot_be_analysed_exits_2(tmp_path: Path) -> None:
    files = {"a.py": IMPORT + b"y = " + DEEP["minus signs"] + b"\n", "b.py": BAD}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    done = _command(tmp_path)
    assert done.returncode == ERROR
    assert done.stdout.startswith("b.py:5:12: NAN101")
    assert "a.py:1:1: " in done.stderr and "Traceback" not in done.stderr
    assert _contents(tmp_path) == files


def _is_compiled(path: Path) -> bool:
    """Whether CPython accepts the file."""
    try:
        compile(path.read_bytes(), path, "exec")
    except (SyntaxError, RecursionError, MemoryError):
        return False
    return True


def _command(directory: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [python_with("mllint_nan"), "-m", "mllint_nan", *options, "."],
        cwd=directory, env=_environment(), capture_output=True, text=True, check=False,
        timeout=120,
    )  # fmt: skip


def _contents(directory: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(directory.iterdir()) if path.is_file()}


_OUTCOME = """
import sys
from pathlib import Path
from mllint_nan.linter import Settings, fix_bytes
data = Path(sys.argv[1]).read_bytes()
fixed = fix_bytes(data, "a.py", Settings(unsafe_fixes=True))
print(type(fixed.outcome).__name__)
assert fixed.applied or fixed.data == data
"""


def _outcome_elsewhere(path: Path, seconds: float = 60) -> str:
    """What becomes of a file, found out where an overflowing stack kills no test."""
    program = path.with_name("outcome.py")
    program.write_text(_OUTCOME)
    done = subprocess.run(
        [python_with("mllint_nan"), str(program), str(path)],
        env=_environment(), capture_output=True, text=True, check=False, timeout=seconds,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}
