"""A notebook is a program to read and a file to leave alone."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mllint_nan.findings import Position
from mllint_nan.linter import Linted, Skipped, Unparsable, fix_bytes, lint_bytes
from mllint_nan.settings import Settings
from mllint_nan.syntax.decoding import SourceError
from mllint_nan.syntax.escapes import escape, restore
from mllint_nan.syntax.notebooks import Notebook
from tests.on_demand import module

nbformat = module("nbformat")

BAD = "loss = torch.log(torch.softmax(x, dim=-1))"
GOOD = "loss = torch.log_softmax(x, dim=-1)"


def notebook(*sources: str, language: str = "python", **options: Any) -> str:
    """As Jupyter writes it; a source that begins with `#!markdown` is a cell of text."""
    cells = []
    for number, source in enumerate(sources):
        cell: dict[str, Any] = {"cell_type": "code", "execution_count": number, "id": f"c{number}"}
        cell |= {"metadata": {"collapsed": True}, "outputs": [], "source": source.splitlines(True)}
        if source.startswith("#!markdown"):
            cell["cell_type"] = "markdown"
            del cell["execution_count"], cell["outputs"]
        cells.append(cell)
    cells[0]["metadata"]["note"] = "torch.log(torch.softmax(x))"
    metadata = {"language_info": {"name": language}}
    document = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    text = json.dumps(document, **{"indent": 1, "ensure_ascii": False, **options}) + "\n"
    nbformat.validate(nbformat.reads(text, 4))
    return text


def fixed(text: str) -> str:
    result = fix_bytes(text.encode(), "a.ipynb", Settings())
    assert isinstance(result.outcome, Linted), result.outcome
    return result.data.decode()


def found(text: str) -> list[tuple[str, int, int]]:
    """Code, cell and row."""
    data = text.encode()
    outcome = lint_bytes(data, "a.ipynb", Settings())
    assert isinstance(outcome, Linted), outcome
    read = Notebook.of(data)
    places = []
    for finding in outcome.findings:
        cell = read.cell_at(finding.start)
        assert cell is not None
        places.append((finding.code, cell.number, cell.position(finding.start).row))
    return places


def test_cells_are_one_program() -> None:
    text = notebook(
        "import torch", "#!markdown", "p = torch.softmax(x, dim=-1)", "\nlog_p = p.log()"
    )
    assert found(text) == [("NAN101", 4, 2)]


def test_later_cell_makes_a_name_another() -> None:
    assert found(notebook("import torch\np = torch.softmax(x, 0)", "p = p + 1", "p.log()")) == []


@pytest.mark.parametrize(
    "escaped",
    [
        "%matplotlib inline",
        "!pip install 'torch>=2' (",
        "%%time",
        "files = !ls *.pt",
        "before = %env HOME",
        "torch.log?",
        "?torch.log",
        "pip install -q torch",
        "cd ../data",
        "rm -r -f data",
        "%time result = torch.log(x)",
        "if x:\n    %load_ext autoreload\n    !ls \\\n  -l",
        "await x",
        "print(x);",
    ],
)
def test_what_only_ipython_reads_is_tolerated_and_kept(escaped: str) -> None:
    text = notebook("import torch", f"{escaped}\n{BAD}\n%timeit x", "!ls")
    row = escaped.count("\n") + 2
    assert found(text) == [("NAN101", 2, row)]
    assert fixed(text) == text.replace(BAD, GOOD)


def test_time_hides_what_a_name_is() -> None:
    source = "import torch\np = torch.softmax(x, 0)\n%time p = other(p)\np.log()"
    assert found(notebook(source)) == []


def test_operators_are_no_magics() -> None:
    for source in (
        "y = (a\n% b)\nz = '''\n!ls\n'''\nw = a \\\n% b\n",
        "mv / n",
        "mv -rm if cat else ls -l",
        "cat in ls\ncd = mv\nx %= 3\nx != 3\nrm",
        "f = lambda: x  # what?\nd = {\n  '%': 1,\n}",
    ):
        assert escape(source, "#").text == source


def test_escapes_come_back() -> None:
    source = "".join(f"%line{n}\n" for n in range(12))
    escaped = escape(source, "#")
    assert escaped.text.count("\n") == 12
    assert restore(escaped.text, escaped.exchanged) == source


def test_cell_in_another_language_is_left_out() -> None:
    text = notebook("import torch", "%%bash\nls (", f"%%html\n{BAD}", f"%%capture out\n{BAD}")
    assert found(text) == [("NAN101", 4, 2)]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"indent": 4},
        {"indent": "\t"},
        {"indent": None},
        {"indent": None, "separators": (",", ":")},
        {"ensure_ascii": True},
    ],
)
def test_fix_changes_nothing_but_the_row(options: dict[str, Any]) -> None:
    text = notebook(
        "import torch", "#!markdown é", f"# é\n{BAD}  # ü\n\ny = 'é'", "z = 1", **options
    )
    assert fixed(text) == text.replace(BAD, GOOD)
    assert fixed(text.rstrip()) == text.rstrip().replace(BAD, GOOD)
    assert fixed(text.replace("\n", "\r\n")) == text.replace("\n", "\r\n").replace(BAD, GOOD)


def test_line_ends_of_windows_stay() -> None:
    text = notebook("import torch\r\n%matplotlib inline\r\n", f"y = 1\r\n{BAD}\r\nz = 2")
    assert found(text) == [("NAN101", 2, 2)]
    assert fixed(text) == text.replace(BAD, GOOD)


def test_source_that_is_one_string_stays_one() -> None:
    document = json.loads(notebook("import torch", f"a = 1\n{BAD}"))
    for cell in document["cells"]:
        cell["source"] = "".join(cell["source"])
    text = json.dumps(document)
    assert fixed(text) == text.replace(BAD, GOOD)


@pytest.mark.parametrize(
    ("first", "after"),
    [
        ("import os\nx = 1", "import os\n\nimport tensorflow as tf\nx = 1"),
        ("x = 1", "import tensorflow as tf\nx = 1"),
        ("%%time\nx = 1", "%%time\nimport tensorflow as tf\nx = 1"),
    ],
)
def test_added_import_goes_to_the_first_cell(first: str, after: str) -> None:
    source = "def f(x):\n    from keras import backend as K\n    return K.log(K.softmax(x))"
    repaired = source.replace("K.log(K.softmax(x))", "tf.nn.log_softmax(x)")
    assert fixed(notebook(first, source)) == notebook(after, repaired)


def test_byte_order_mark_stays() -> None:
    data = b"\xef\xbb\xbf" + notebook("import torch", BAD).encode()
    assert fix_bytes(data, "a.ipynb", Settings()).data == data.replace(BAD.encode(), GOOD.encode())


def test_clean_notebook_is_the_same_bytes() -> None:
    data = notebook("import torch", GOOD).encode()
    assert fix_bytes(data, "a.ipynb", Settings()).data is data


def test_place_in_the_file_is_exact() -> None:
    text = notebook("import torch", f"é = '\t😀\"'; {BAD}", ensure_ascii=True)
    read = Notebook.of(text.encode())
    column = len(f"é = '\t😀\"'; {BAD}") - len("torch.log(torch.softmax(x, dim=-1))") + 1
    place = read.in_document(read.cells[1], Position(1, column))
    row = text.split("\n")[place.row - 1]
    assert row[place.column - 1 :].startswith("torch.log(torch.softmax")


def test_comments_silence_in_cells() -> None:
    assert found(notebook("import torch", f"{BAD}  # noqa: NAN101")) == []
    assert found(notebook("import torch", "# mllint-nan: disable[NAN101]", BAD)) == []


def test_syntax_error_is_at_its_cell() -> None:
    data = notebook("import torch", "x = 1", "y = 2\nz = )").encode()
    outcome = lint_bytes(data, "a.ipynb", Settings())
    assert isinstance(outcome, Unparsable)
    read = Notebook.of(data)
    cell = read.cell_at(outcome.finding.start)
    assert cell is not None
    assert (cell.number, cell.position(outcome.finding.start)) == (3, Position(2, 5))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{torch", "not a notebook: Expecting property name"),
        ("[]", "not a notebook: it is not a JSON object"),
        ("{}", "not a notebook: it has no cells"),
        ('{"cells": [{"cell_type": "code", "source": 1}]}', "the source of cell 1 is not text"),
        ('{"cells": [{"cell_type": "code", "source": "\\ud800"}]}', "half a surrogate pair"),
    ],
)
def test_what_is_no_notebook_is_an_error(text: str, message: str) -> None:
    with pytest.raises(SourceError, match=message):
        Notebook.of(text.encode())
    assert isinstance(lint_bytes(f"{text} torch".encode(), "a.ipynb", Settings()), Unparsable)


def test_other_notebooks_are_skipped() -> None:
    for text in (notebook("torch", language="R"), '{"worksheets": [], "torch": 1}'):
        assert isinstance(lint_bytes(text.encode(), "a.ipynb", Settings()), Skipped)


DEFINITION = "import numpy as np\ndef penalty(x):\n    return np.log1p(np.exp(-x))"
GRID = "grid = np.linspace(-10, 10, 100)\nprint(penalty(grid).sum())"


@pytest.mark.parametrize(
    ("calls", "is_found"),
    [
        ([GRID], False),
        ([GRID, "print(penalty(grid + 5.0).max())"], False),
        ([GRID, "print(penalty(100 * grid).max())"], True),
        ([GRID, "print(list(map(penalty, np.load('x.npy'))))"], True),
        ([], True),
    ],
)
def test_what_cells_pass_is_all_that_a_function_gets(calls: list[str], is_found: bool) -> None:
    assert found(notebook(DEFINITION, *calls)) == [("NAN105", 1, 3)] * is_found
