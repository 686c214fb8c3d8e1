"""What is not Python 3 is one finding, and what can be read of it is analysed all the same."""

from __future__ import annotations

import ast
import json
import random
import time
import warnings
from pathlib import Path
from typing import Final

import pytest

from mllint_nan import linter
from mllint_nan.cache import DEFAULT_DIRECTORY
from mllint_nan.cli import CLEAN, FINDINGS, main
from mllint_nan.findings import Applicability, Position
from mllint_nan.flake8_plugin import Plugin
from mllint_nan.linter import check_text, fix_bytes, lint_bytes, lint_text
from mllint_nan.module_resolver import module_resolver_of
from mllint_nan.results import Linted, Skipped, Unparsable
from mllint_nan.settings import Settings
from mllint_nan.syntax.decoding import SourceError
from mllint_nan.syntax.mending import Mended, mend, parts_of
from mllint_nan.syntax.notebooks import Notebook

ROOT: Final = Path(__file__).resolve().parents[2]
HEAD: Final = """\
import sys
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 784])
y_ = tf.placeholder(tf.float32, [None, 10])
W = tf.Variable(tf.zeros([784, 10]))
y_conv = tf.nn.softmax(tf.matmul(x, W))
print 'begin'
"""
LOSS: Final = "cross_entropy = -tf.reduce_sum(y_ * tf.log(y_conv))\n"
LOSS_ROW: Final = 200
LOSS_COLUMN: Final = LOSS.index("tf.log") + 1

OLD: Final = {
    "print": "print 'step', x",
    "print of nothing more": "print 'step %d' % 1,",
    "print to a file": "print >>sys.stderr, 'a', x",
    "print in a suite": "if x: print x",
    "print in a clause": "if x:\n    pass\nelse: print x; print x",
    "print before a comment": "print x  # as a statement",
    "print over rows": "print ('a'\n  'b'), x",
    "print over a backslash": "print x, \\\n    y_",
    "except": "try:\n    f()\nexcept IOError, e:\n    print e",
    "except of several": "try:\n    f()\nexcept (IOError, OSError), e: pass",
    "backticks": "s = 'a' + `x, 1`",
    "exec": "exec 'a = 1'",
    "exec in": "exec code in {}, locals()",
    "raise": "def g():\n    raise ValueError, 'of %d' % 1",
    "raise with a traceback": "def g():\n    raise E, None, tb",
    "octal": "f(0777, 00, 0)",
    "long": "n = 10L + 0xFFL + 0777L + 0l",
    "raw unicode": 's = ur\'\\d\' + UR"""a\nb"""',
    "unequal": "a = x <> y_",
    "tuple parameter": "def g((a, b), c=(1, (2)), *args, **kwargs):\n    return a",
    "tuple parameter last": "def g(c, (a, (b, d))=(1, (2, 3)),):\n    return a",
    "tuple parameter of a lambda": "g = lambda (a, b), c: a + b",
    "async": "x.cuda(async=True)",
    "tabs and spaces": "def g(a):\n    if a:\n\tprint a\n\tif x:\n\t    a = 1\n    return a",
    "has_key": "if {}.has_key(x): print x",
    "iteration over a tuple": "a = [i for i in 1, 2, 3]",
}
"""What Python 2 understands and Python 3 does not, by its name."""
READ: Final = OLD.keys() - {"iteration over a tuple"}
BAD: Final = {
    "typo": "a = = 3",
    "unfinished": "a = 3 +",
    "unclosed call": "a = f(1,",
    "unclosed call over rows": "a = f(1,\n      2,\n      [3",
    "unclosed string": "a = 'abc",
    "unclosed text": 'a = """abc',
    "closed twice": "a = f(1))",
    "wrong bracket": "a = f(1]",
    "conflict": "<<<<<<< HEAD\na = 1\n=======\na = 2\n>>>>>>> feature/x",
    "conflict of three": "<<<<<<< ours\na = 1\n||||||| base\na = 0\n=======\na = 2\n>>>>>>> theirs",
    "header without a colon": "if x\n    a = 1",
    "header of nothing": "for i in range(3:\n    print i",
    "def of nothing": "def g(a:\n    return a",
    "class of nothing": "class A(:\n    def g(self):\n        return 1",
    "block of nothing": "if x:",
    "try alone": "try:\n    a = 1",
    "clause alone": "else:\n    a = 1",
    "handler of nothing": "try:\n    a = 1\nexcept (:\n    pass",
    "magic": "%matplotlib inline",
    "magic in a block": "if x:\n%timeit f()\n    a = 1",
    "shell": "!pip install 'x",
    "prompt": ">>> a = 1",
    "prose": "This isn't code, is it?",
    "unexpected indentation": "a = 1\n    b = 2",
    "dedentation to nowhere": "if x:\n        a = 1\n    b = 2",
    "smart quotes": "a = \u201cb\u201d",
    "decorator of nothing": "@f\na = 1",
    "deep": "a = " + "(" * 300 + ")" * 300,
}
"""What nobody understands."""


def program(*statements: str) -> str:
    """A training script with its loss on row 200."""
    body = HEAD + "".join(f"{statement}\n" for statement in statements)
    return body + "\n" * (LOSS_ROW - 1 - body.count("\n")) + LOSS


def read(text: str, filename: str = "train.py") -> Unparsable:
    outcome = lint_text(text, filename, Settings())
    assert isinstance(outcome, Unparsable), outcome
    assert outcome.finding.code == "NAN901"
    return outcome


def places(outcome: Unparsable) -> list[tuple[str, int, int]]:
    found = outcome.read.findings
    return [(finding.code, finding.start.row, finding.start.column) for finding in found]


def mended(text: str) -> Mended:
    found = mend(text, SourceError("invalid syntax"))
    assert found is not None
    return found


# Python 2


@pytest.mark.parametrize("statement", OLD.values(), ids=OLD)
def test_old_statement_hides_no_loss(statement: str) -> None:
    text = program(statement)
    outcome = read(text)
    assert places(outcome) == [("NAN101", LOSS_ROW, LOSS_COLUMN)]
    (finding,) = outcome.read.findings
    assert text[finding.span.start : finding.span.end] == "tf.log(y_conv)"
    assert finding.end == Position(LOSS_ROW, LOSS_COLUMN + len("tf.log(y_conv)"))


@pytest.mark.parametrize("name", sorted(READ))
def test_old_statement_is_read(name: str) -> None:
    text = program(OLD[name])
    found = mended(text)
    assert found.rows == ()
    assert found.text.count("\n") == text.count("\n")


def test_old_statements_together() -> None:
    assert places(read(program(*OLD.values()))) == [("NAN101", LOSS_ROW, LOSS_COLUMN)]


@pytest.mark.parametrize("ending", ["\r\n", "\r"])
def test_other_ends_of_rows(ending: str) -> None:
    text = program(*OLD.values()).replace("\n", ending)
    assert places(read(text)) == [("NAN101", LOSS_ROW, LOSS_COLUMN)]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("print 'a' ; tf.log(tf.nn.softmax(x))", "tf.log(tf.nn.softmax(x))"),
        ("print tf.log(tf.nn.softmax(x)), `x`", "tf.log(tf.nn.softmax(x))"),
        ("print >>f, `x`, tf.log(tf.nn.softmax(x))", "tf.log(tf.nn.softmax(x))"),
        ("f(0777L, ur'', `x`, tf.log(tf.nn.softmax(x)))", "tf.log(tf.nn.softmax(x))"),
        ("raise E, tf.log(tf.nn.softmax(`x`))", "tf.log(tf.nn.softmax(`x`))"),
        ("print tf.log(tf.nn.softmax(0777L *\n  x))", "tf.log(tf.nn.softmax(0777L *\n  x))"),
        (
            "print 1\nif 1:\n\tif 2:\n            tf.log(tf.nn.softmax(x))",
            "tf.log(tf.nn.softmax(x))",
        ),
    ],
)
def test_place_is_that_of_the_file(before: str, after: str) -> None:
    text = HEAD + before + "\n"
    (finding,) = read(text).read.findings
    assert text[finding.span.start : finding.span.end] == after
    start = text.index(after)
    row = text.count("\n", 0, start) + 1
    assert finding.start == Position(row, start - text.rfind("\n", 0, start))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("print x", "print( x)"),
        ("print >>f, x, y", "print >>f, x, y"),
        ("except E, e:", "except E as e:"),
        ("exec code in d", "exec( code , d)"),
        ("raise E, 'a', tb", "raise E( 'a', tb)"),
        ("f(`x`)", "f(repr(x))"),
        ("0777 + 10L", "0o777 + 10"),
        ("a <> b", "a != b"),
        ("print >>f, x,", "print >>f, x,"),
        ("print >>f, `x`,", "print (f, repr(x),)"),
        ("print -x", "print -x"),
        ("print (x)", "print (x)"),
    ],
)
def test_statement_is_that_of_python_3(old: str, new: str) -> None:
    before, after = ("try:\n    f()\n", " pass\n") if old.startswith("except") else ("", "\n")
    assert mended(f"{before}{old}{after}print 1\n").text == f"{before}{new}{after}print( 1)\n"


def test_tabs_fill_up_eight_columns() -> None:
    text = (
        "def f(a):\n    if a:\n\treturn 1\n    else:\n\tif a:\n\t    return 2\n        return 3\n"
    )
    tree = ast.parse(mended(text).text)
    assert ast.unparse(tree) == ast.unparse(ast.parse(text.expandtabs(8)))


# What nobody understands


@pytest.mark.parametrize("statement", BAD.values(), ids=BAD)
def test_bad_statement_costs_itself(statement: str) -> None:
    outcome = read(program(statement))
    assert places(outcome) == [("NAN101", LOSS_ROW, LOSS_COLUMN)]


@pytest.mark.parametrize("statement", BAD.values(), ids=BAD)
def test_bad_statement_of_a_function_costs_itself(statement: str) -> None:
    body = "".join(f"    {row}\n" for row in statement.split("\n"))
    text = program(f"def g(p):\n    q = 1\n{body}    return tf.log(tf.nn.softmax(p))\n")
    row = text[: text.index("return tf.log")].count("\n") + 1
    assert places(read(text)) == [("NAN101", row, 12), ("NAN101", LOSS_ROW, LOSS_COLUMN)]


@pytest.mark.parametrize(
    "statement", ["<<<<<<< HEAD", "%magic", "prose, isn't it", "    a b", "a b"]
)
def test_bad_row_anywhere_ends_no_block(statement: str) -> None:
    text = program(f"def g(p):\n    q = 1\n{statement}\n    return tf.log(tf.nn.softmax(p))\n")
    assert [code for code, *_ in places(read(text))] == ["NAN101", "NAN101"]


def test_what_is_left_out_is_told() -> None:
    assert read("import torch\nx = (\ny = 2\n").finding.message.endswith("; left out: line 2")
    message = read("import torch\n" + "a b\n" * 9).finding.message
    assert message.endswith("; left out: lines 2, 3, 4, 5, 6 and 4 more")
    assert "left out" not in read("import torch\nprint 1\n").finding.message


@pytest.mark.parametrize("broken", ["p = f(", "p += 1 1", "p = q = (1", "p, q = f 1"])
def test_what_is_not_read_is_not_known(broken: str) -> None:
    """The value that a name had before is none that it has now."""
    head = "import torch\n\ndef f(x):\n    p = torch.softmax(x, 0)\n"
    text = f"{head}    {broken}\n    return torch.log(p)\n"
    assert places(read(text)) == []
    assert check_text(text.replace(broken, "pass"), "a.py", Settings())


@pytest.mark.parametrize("word", ["raise E(", "return f(", "raise ValueError('a' 1)"])
def test_what_ends_a_block_ends_it(word: str) -> None:
    text = (
        f"import torch\n\ndef f(x):\n    if x == 0:\n        {word}\n    return 1 / x\n\nprint f\n"
    )
    guarded = text.replace(word, "raise ValueError").replace("print f", "print(f)")
    assert check_text(guarded, "a.py", Settings()) == ()
    assert places(read(text)) == []


@pytest.mark.slow
def test_text_without_end_costs_little() -> None:
    texts = ("x = (\ny = 1\n", "x = '''\ny = 1\n", "<a b='c'>it's</a>\n", "x = 1 + " * 9, "f(" * 9)
    for text in texts:
        begun = time.process_time()
        mend(text * (60_000 // len(text)), SourceError("invalid syntax"))
        assert time.process_time() - begun < 10


# Any program


def _programs() -> list[Path]:
    found = sorted((*(ROOT / "cases").rglob("*.py"), *(ROOT / "fixtures").rglob("*.py")))
    return [path for path in found if not path.name.endswith(".fixed.py")][::23]


@pytest.mark.parametrize("path", _programs(), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_old_statement_moves_other_findings_by_its_rows(path: Path) -> None:
    text = path.read_text()
    whole = lint_text(text, str(path), Settings())
    assert isinstance(whole, Linted)
    chance = random.Random(path.name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(text)
    inner = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    known = {(one.lineno, one.col_offset) for one in inner if not _is_docstring(one)}
    heads = {node.lineno for node in inner if getattr(node, "decorator_list", ())}
    rows = text.split("\n")
    alone = [
        (row, column)
        for row, column in sorted(known)
        if row not in heads
        and not rows[row - 1][:column].strip()
        and "__future__" not in rows[row - 1]
    ]
    for row, column in chance.sample(alone, min(3, len(alone))):
        added = chance.choice(["print 'now'", "print >>f, 0777", "exec 'a'", "print `1L`, 2 <> 3"])
        changed = [*rows[: row - 1], " " * column + added, *rows[row - 1 :]]
        outcome = read("\n".join(changed), str(path))
        expected = [
            (one.code, one.start.row + (one.start.row >= row), one.start.column)
            for one in whole.findings
            if one.code != "NAN902"
        ]
        assert places(outcome) == expected, (row, added)


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


# Notebooks


def notebook(*sources: str) -> bytes:
    cells: list[dict[str, object]] = [
        {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
        | {"source": source.splitlines(True)}
        for source in sources
    ]
    document = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    return json.dumps(document, indent=1).encode()


CELL: Final = "loss = tf.log(tf.nn.softmax(x))"


@pytest.mark.parametrize("statement", [*OLD.values(), *BAD.values()], ids=[*OLD, *BAD])
def test_bad_cell_hides_no_notebook(statement: str) -> None:
    data = notebook("import tensorflow as tf", "y = 1\nprint y\n" + statement.lstrip("%!"), CELL)
    outcome = lint_bytes(data, "a.ipynb", Settings())
    assert isinstance(outcome, Unparsable)
    assert [one.code for one in outcome.read.findings] == ["NAN101"]
    whole = Notebook.of(data)
    cells = [whole.cell_at(one.start) for one in outcome.whole.findings]
    assert [cell.number for cell in cells if cell] == [2, 3]
    assert fix_bytes(data, "a.ipynb", Settings(unsafe_fixes=True)).data == data


@pytest.mark.parametrize(
    ("form", "error", "finding"),
    [
        ("concise", "a.ipynb:cell 2:2:1: NAN901", "a.ipynb:cell 4:1:8: NAN101"),
        ("full", "a.ipynb:cell 2:2:1: NAN901", "a.ipynb:cell 4:1:8: NAN101"),
        ("json-lines", '"cell": 2', '"cell": 4'),
        ("sarif", "cell 2, line 2: Missing", "cell 4, line 1: log"),
        ("github", "cell 2, line 2: Missing", "cell 4, line 1: log"),
        ("gitlab", "cell 2, line 2: Missing", "cell 4, line 1: log"),
        ("junit", "cell 2, line 2: Missing", "cell 4, line 1: log"),
        ("rdjson", "cell 2, line 2: Missing", "cell 4, line 1: log"),
    ],
)
def test_bad_cell_is_named(
    form: str,
    error: str,
    finding: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.ipynb").write_bytes(
        notebook("import tensorflow as tf", "y = 1\nprint y", "if y:", CELL)
    )
    assert main(["--isolated", "--no-cache", "--output-format", form, "a.ipynb"]) == FINDINGS
    out = capsys.readouterr().out
    assert error in out and finding in out
    assert out.count("expected an indented block") >= 1
    assert main(["--isolated", "--diff", "a.ipynb"]) == FINDINGS
    err = capsys.readouterr().err
    assert "a.ipynb:cell 2:2:1: NAN901" in err and "a.ipynb:cell 3:1:6: NAN901" in err


def test_cells_are_parts_and_any_other_text_is_one() -> None:
    program = Notebook.of(notebook("a = 1", "b = (", "c = 3")).text
    assert [program[part.start : part.stop] for part in parts_of(program)] == [
        "a = 1\n", "b = (\n", "c = 3\n",
    ]  # fmt: skip
    assert len(parts_of("a = 1\n")) == 1


# Everything else


@pytest.fixture
def old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The script that is looked at, in a directory of its own."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "train.py"
    path.write_text(program(*OLD.values()))
    return path


@pytest.mark.parametrize(
    "options",
    [
        ["--fix"],
        ["--fix", "--unsafe-fixes"],
        ["--fix-only"],
        ["--diff"],
        ["--add-noqa"],
        ["--add-noqa=noqa"],
        ["--write-baseline", "known.json"],
    ],
)
def test_nothing_writes_in_it(options: list[str], old: Path) -> None:
    Path("a.ipynb").write_bytes(notebook("import tensorflow as tf", "print 1", CELL))
    before = {path: path.read_bytes() for path in (old, Path("a.ipynb"))}
    main([*options, "."])
    assert before == {path: path.read_bytes() for path in before}


def test_finding_says_that_its_fix_is_not_offered(
    old: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = read(old.read_text())
    (finding,) = outcome.read.findings
    assert finding.fix is not None
    assert finding.fix.applicability is Applicability.DISPLAY_ONLY
    assert finding.fix.edits == ()
    assert main(["--no-cache", "--output-format", "full", "train.py"]) == FINDINGS
    assert "(not offered: the file is not Python 3)" in capsys.readouterr().out


@pytest.mark.parametrize("comment", ["# noqa: NAN101", "# noqa", "# mllint-nan: ignore[NAN1]"])
def test_comments_silence(comment: str) -> None:
    outcome = read(program(*OLD.values()).replace("y_conv))\n", f"y_conv))  {comment}\n"))
    assert outcome.read.findings == ()
    assert [one.code for one in outcome.read.suppressed] == ["NAN101"]


def test_idle_comment_is_not_judged() -> None:
    """What it silences may stand in what is not read."""
    assert read("import torch\nx = (  # noqa: NAN101\n").read.findings == ()
    assert isinstance(lint_text("# mllint-nan: skip-file\nprint 1", "a.py", Settings()), Skipped)


def test_rules_are_selected_and_statistics_count(
    old: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--no-cache", "--ignore", "NAN101,NAN2", "train.py"]) == FINDINGS
    assert [line.split()[1] for line in capsys.readouterr().out.splitlines()] == ["NAN901"]
    assert main(["--no-cache", "--statistics", "train.py"]) == FINDINGS
    out = capsys.readouterr().out
    assert "1  NAN101" in out and "1  NAN901" in out
    assert main(["--no-cache", "--exit-zero", "train.py"]) == CLEAN


def test_baseline_knows_all_but_the_error(old: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--no-cache", "--write-baseline", "known.json", "train.py"]) == FINDINGS
    done = capsys.readouterr()
    assert "NAN901" in done.out and "NAN101" not in done.out
    assert done.err.endswith("Wrote 1 finding to known.json\n")
    assert main(["--no-cache", "--baseline", "known.json", "train.py"]) == FINDINGS
    done = capsys.readouterr()
    assert [line.split()[1] for line in done.out.splitlines()] == ["NAN901"]
    assert "1 finding in the baseline" in done.err


def test_cache_keeps_it(
    old: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("a.ipynb").write_bytes(notebook("import tensorflow as tf", "print 1", "if x:", CELL))
    assert main(["."]) == FINDINGS
    first = capsys.readouterr()
    assert Path(DEFAULT_DIRECTORY).is_dir()
    monkeypatch.setattr(linter, "lint_bytes", None)
    assert main(["."]) == FINDINGS
    assert capsys.readouterr() == first


def test_plugin_of_flake8_says_the_same(old: Path) -> None:
    text = old.read_text()
    said = Plugin(ast.Module([], []), text.splitlines(True), "train.py").run()
    found = [(row, column, message[:6]) for row, column, message, _ in said]
    assert found[1:] == [(LOSS_ROW, LOSS_COLUMN - 1, "NAN101")]
    assert found[0][2] == "NAN901"


def test_line_is_explained(old: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--explain-at", f"train.py:{LOSS_ROW}"]) == CLEAN
    assert "NAN101 log-of-softmax: certain" in capsys.readouterr().out


def test_other_file_is_seen_through(tmp_path: Path) -> None:
    """What a module of the project computes is known though that prints as Python 2 does."""
    helper = (
        "import tensorflow as tf\n\ndef normalised(x):\n    print x\n    return tf.nn.softmax(x)\n"
    )
    (tmp_path / "helper.py").write_text(helper)
    path = tmp_path / "train.py"
    path.write_text(
        "import tensorflow as tf\nfrom helper import normalised\ny = tf.log(normalised(x))\n"
    )
    settings = Settings(project=module_resolver_of(str(path)))
    outcome = lint_bytes(path.read_bytes(), str(path), settings)
    assert isinstance(outcome, Linted)
    assert [finding.code for finding in outcome.findings] == ["NAN101"]


def test_wrong_byte_costs_itself() -> None:
    data = HEAD.encode() + b"# caf\xe9\n" + LOSS.encode()
    outcome = lint_bytes(data, "train.py", Settings())
    assert isinstance(outcome, Unparsable)
    assert "0xe9 is not valid utf-8" in outcome.finding.message
    assert places(outcome) == [("NAN101", 10, LOSS_COLUMN)]
    assert fix_bytes(data, "train.py", Settings()).data == data


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32"])
def test_wide_characters_are_told(encoding: str) -> None:
    mark = "\ufeff" if encoding.endswith("be") else ""
    data = (mark + HEAD.replace("print 'begin'\n", "") + LOSS).encode(encoding)
    outcome = lint_bytes(data, "train.py", Settings())
    assert isinstance(outcome, Unparsable)
    assert outcome.finding.message == "the file is in UTF-16 or UTF-32; save it in UTF-8"
    assert outcome.read == Linted(())


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.py", b"import torch\n\0\n", "the file contains a null byte; is it a binary file?"),
        ("a.ipynb", b"torch", "not a notebook: Expecting value"),
        ("a.ipynb", b"\x89PNG torch", "byte 0x89 is not valid utf-8, as all notebooks are"),
    ],
)
def test_what_is_no_text_has_its_reason(name: str, data: bytes, message: str) -> None:
    outcome = lint_bytes(data, name, Settings())
    assert isinstance(outcome, Unparsable)
    assert (outcome.finding.message, outcome.read) == (message, Linted(()))


def test_file_that_names_no_framework_is_not_parsed() -> None:
    skipped = lint_bytes(b"x = (\n", "a.py", Settings())
    assert skipped == Skipped("no numerical framework named, so not parsed")


def test_tests_are_not_read_in_part() -> None:
    """Nothing in them is more than possible."""
    assert lint_text(program("print 1"), "tests/test_it.py", Settings()) == Unparsable(
        read(program("print 1")).finding
    )


def test_error_is_what_cpython_says_first() -> None:
    text = program("print 'a'")
    with pytest.raises(SyntaxError) as refused:
        compile(text, "old.py", "exec")
    assert refused.value.msg
    assert read(text).finding.message.startswith(refused.value.msg)
