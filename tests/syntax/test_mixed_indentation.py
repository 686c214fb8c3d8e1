"""Files that are indented by tabs and by spaces, which CPython accepts and LibCST may not."""

from __future__ import annotations

import ast

import pytest

from mllint_nan.findings import Position
from mllint_nan.linter import Linted, Settings, lint_text
from mllint_nan.syntax.mending import with_spaces

MIXED = """\
import torch


def loss(logits, names):
    for name in names:
        with open(name) as opened:
\t        opened.write('x\\ty')
    with open(names[0]) as opened:
\t    opened.write('''
\ttext''')
    return torch.log(torch.softmax(logits, -1)).mean()
"""


def test_what_only_cpython_reads_is_checked_and_not_changed() -> None:
    compile(MIXED, "mixed.py", "exec")
    outcome = lint_text(MIXED, "mixed.py", Settings())
    assert isinstance(outcome, Linted)
    (finding,) = outcome.findings
    assert (finding.code, finding.start) == ("NAN101", Position(11, 12))
    assert finding.fix is not None
    assert not finding.fix.edits


@pytest.mark.parametrize("text", [MIXED, "if x:\n\ty = 1\n"])
def test_indentation_by_spaces_is_the_same_program(text: str) -> None:
    spaced = with_spaces(text)
    assert spaced is not None
    assert ast.dump(ast.parse(spaced.text)) == ast.dump(ast.parse(text))
    assert not any(
        row[: len(row) - len(row.lstrip())].count("\t")
        for row in spaced.text.splitlines()
        if "text" not in row
    )


@pytest.mark.parametrize("text", ["if x:\n    y = 1\n", "x = '\t'\n", "if x:\n"])
def test_other_texts_are_left_alone(text: str) -> None:
    assert with_spaces(text) is None
