"""Programs that mean nothing are analysed and repaired like any other: nothing is raised.

Each is a program of `fixtures` or `cases` in which arguments, indices, parameters or elements have
been taken away, turned round, or replaced by what nobody would write there.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from mllint_nan.findings import Confidence
from mllint_nan.linter import Settings, fix_bytes, lint_text

ROOT: Final = Path(__file__).parents[1]
PROGRAMS: Final = sorted(ROOT.glob("fixtures/*/*.py")) + sorted(ROOT.glob("cases/*/*.py"))
AUDIT: Final = Settings(select=("NAN", "accuracy"), min_confidence=Confidence.POSSIBLE)
EVERY: Final = 71
"""One of so many programs is degenerated, each in another way than the one before."""
_ODD: Final = ("()", "[]", "{}", "None", "...", "''", "b''", "1j", "1e400", "-1", "1" + "0" * 400)
_INDICES: Final = ("()", "...", "None", "[]", "-1", "(None, ...)", "1" + "0" * 30)


def _value(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


class Degenerate(ast.NodeTransformer):
    """Does one thing to a share of the nodes of a tree, by chance."""

    def __init__(self, kind: str, chance: random.Random) -> None:
        self.kind, self.chance = kind, chance
        self.share = chance.choice((0.15, 0.4, 1.0))

    def visit(self, node: ast.AST) -> Any:
        self.generic_visit(node)
        change = KINDS[self.kind]
        if self.chance.random() < self.share:
            change(node, self.chance)
        return node


def _without_arguments(node: ast.AST, chance: random.Random) -> None:
    if isinstance(node, ast.Call):
        node.args, node.keywords = [], []


def _behind_stars(node: ast.AST, chance: random.Random) -> None:
    if isinstance(node, ast.Call):
        node.args = [ast.Starred(one, ast.Load()) for one in node.args]


def _by_name(node: ast.AST, chance: random.Random) -> None:
    if isinstance(node, ast.Call) and node.args:
        name = chance.choice(("dim", "axis", "out", "unheard_of"))
        node.args, node.keywords = [], [ast.keyword(name, node.args[0])]


def _with_options(node: ast.AST, chance: random.Random) -> None:
    if isinstance(node, ast.Call):
        node.keywords.append(ast.keyword(None, ast.Name("options", ast.Load())))


def _turned_round(node: ast.AST, chance: random.Random) -> None:
    if isinstance(node, ast.Call):
        node.args = node.args[::-1]


def _without_the_first(node: ast.AST, chance: random.Random) -> None:
    if isinstance(node, ast.Call):
        node.args = node.args[1:]


def _with_odd_arguments(node: ast.AST, chance: random.Random) -> None:
    if isinstance(node, ast.Call) and node.args:
        node.args[chance.randrange(len(node.args))] = _value(chance.choice(_ODD))


def _with_odd_indices(node: ast.AST, chance: random.Random) -> None:
    if isinstance(node, ast.Subscript):
        node.slice = _value(chance.choice(_INDICES))


def _with_odd_numbers(node: ast.AST, chance: random.Random) -> None:
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        node.value = chance.choice((0, -1, 10**400, 1e308, 5e-324, True, None, "x", 2j, -0.0))


def _with_empty_displays(node: ast.AST, chance: random.Random) -> None:
    if isinstance(node, (ast.Tuple, ast.List)) and isinstance(node.ctx, ast.Load):
        node.elts = []


def _without_parameters(node: ast.AST, chance: random.Random) -> None:
    if isinstance(node, ast.arguments):
        node.args, node.posonlyargs, node.defaults = [], [], []


def _returning_nothing(node: ast.AST, chance: random.Random) -> None:
    if isinstance(node, ast.Return):
        node.value = None


def _unpacked(node: ast.AST, chance: random.Random) -> None:
    if isinstance(node, ast.Assign):
        rest = ast.Starred(ast.Name("rest", ast.Store()), ast.Store())
        node.targets = [ast.Tuple([node.targets[0], rest], ast.Store())]


def _in_a_tuple(node: ast.AST, chance: random.Random) -> None:
    if isinstance(node, ast.Assign):
        node.value = ast.Tuple([node.value], ast.Load())


KINDS: Final[dict[str, Callable[[ast.AST, random.Random], None]]] = {
    "without arguments": _without_arguments,
    "behind stars": _behind_stars,
    "by name": _by_name,
    "with options": _with_options,
    "turned round": _turned_round,
    "without the first": _without_the_first,
    "odd arguments": _with_odd_arguments,
    "odd indices": _with_odd_indices,
    "odd numbers": _with_odd_numbers,
    "empty displays": _with_empty_displays,
    "without parameters": _without_parameters,
    "returning nothing": _returning_nothing,
    "unpacked": _unpacked,
    "in a tuple": _in_a_tuple,
}


def degenerate(program: Path, kind: str) -> str | None:
    """The text of a program after that; `None` if it is no Python any more."""
    chance = random.Random(f"{program.name} {kind}")
    try:
        tree = Degenerate(kind, chance).visit(ast.parse(program.read_text()))
        text = ast.unparse(ast.fix_missing_locations(tree))
        ast.parse(text)
    except (SyntaxError, ValueError):
        return None
    return text


@pytest.mark.parametrize("kind", KINDS)
def test_degenerate_programs_are_read_to_their_end(kind: str) -> None:
    start = list(KINDS).index(kind)
    texts = [degenerate(program, kind) for program in PROGRAMS[start::EVERY]]
    known = [text for text in texts if text is not None]
    assert len(known) > len(texts) / 2
    for place, text in enumerate(known):
        lint_text(text, "program.py", AUDIT)
        if place % 4 == 0:
            fix_bytes(text.encode(), "program.py", Settings(unsafe_fixes=True))


@pytest.mark.parametrize(
    "text",
    [
        "import numpy as np\nx[()] = y[()]",
        "import jax\njax.config.update()\nz = jax.numpy.log(x)",
        "import torch\nfor i, x in enumerate():\n    y = torch.log(x)",
        "import numpy as np\nnp.add.at(*y)\nz = np.log(x)",
    ],
)
def test_what_was_raised_once(text: str) -> None:
    lint_text(f"{text}\n", "program.py", AUDIT)
