"""The operands of findings in `cases/broken`, written in another way: what is told of them holds.

Handed on by an object, a call or a container, an operand is the same, and the finding stays. With a
guard around it the finding goes, whichever rule it is of.
"""

from __future__ import annotations

import ast
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from mllint_nan.findings import Finding
from mllint_nan.linter import Linted, Settings, lint_text
from tests.analyses import without_fixes
from tests.fixture_files import ROOT

SCRIPT: Final = Settings()
CODES: Final = frozenset(
    ("NAN101", "NAN102", "NAN201", "NAN203", "NAN204", "NAN301", "NAN302", "NAN304", "NAN305")
)
HELPERS: Final = """\
import dataclasses
import functools
import types
from typing import NamedTuple


def handed_back(value):
    return value


def beside_another(value):
    return value, None


class Holder:
    def __init__(self, value):
        self.value = value

    def get(self):
        return self.value


@dataclasses.dataclass
class Record:
    value: object = None


class Pair(NamedTuple):
    value: object
"""
SAME: Final = (
    "(again := {})",
    "(lambda value: value)({})",
    "handed_back({})",
    "beside_another({})[0]",
    "[{}][0]",
    '{{"key": {}}}["key"]',
    'dict(key={})["key"]',
    "({}, 1)[0]",
    "Holder({}).value",
    "Holder({}).get()",
    "Record(value={}).value",
    "Pair({}).value",
    "types.SimpleNamespace(value={}).value",
    "functools.partial(handed_back, {})()",
    "handed_back(*[{}])",
    '(handed_back)(**{{"value": {}}})',
    "-(-({}))",
    "-(-({})) * 1.0 + 0",
)
SAME_NAME: Final = SAME[:-1]
"""An argument times 1 may be a mask that becomes a number."""
GUARDS: Final = {
    "torch": (
        "({}).clamp(min=1e-3)",
        "torch.where((_x := {}) > 0, _x, torch.ones_like(_x))",
        "(_x := {})[_x > 0]",
        "torch.abs({}) + 1",
        "torch.maximum(_x := ({}), torch.full_like(_x, 1e-3))",
        "(_x := {}).masked_fill(_x <= 0, 1)",
        "torch.sigmoid({}) + 0.1",
        "torch.where(((_x := {}).abs() < 1e-3), 1e-3, _x)",
    ),
    "numpy": (
        "np.clip({}, 1e-3, None)",
        "np.where((_x := {}) > 0, _x, 1)",
        "(_x := {})[_x > 0]",
        "np.maximum({}, 1e-3)",
        "np.where(np.abs(_x := ({})) < 1e-3, 1e-3, _x)",
    ),
    "tensorflow": (
        "tf.maximum({}, 1e-3)",
        "tf.where((_x := {}) > 0, _x, tf.ones_like(_x))",
        "tf.boolean_mask(_x := ({}), _x > 0)",
        "tf.nn.softplus({}) + 1e-3",
    ),
    "jax": (
        "jnp.maximum({}, 1e-3)",
        "jnp.where((_x := {}) > 0, _x, 1)",
        "jnp.square({}) + 1e-3",
    ),
}


@dataclass(frozen=True)
class Operand:
    """What decides a finding: the argument of a function, a divisor, the base of a power."""

    path: Path
    code: str
    row: int
    start: int
    end: int
    reported: int
    """How often the code is reported on its row in the case itself."""

    @property
    def name(self) -> str:
        return f"{self.path.stem}:{self.row} {self.code}"

    @property
    def is_name(self) -> bool:
        return self.path.read_text()[self.start : self.end].isidentifier()

    def one_of(self, templates: Sequence[str]) -> str:
        """The same one, whatever other cases there are."""
        return templates[zlib.crc32(self.name.encode()) % len(templates)]

    def written(self, template: str) -> str:
        text = self.path.read_text()
        operand = template.format(f"({text[self.start : self.end]})")
        return f"{text[: self.start]}({operand}){text[self.end :]}"


def test_an_operand_that_is_handed_on_is_the_same(subtests: pytest.Subtests) -> None:
    for operand in operands():
        template = operand.one_of(SAME if not operand.is_name else SAME_NAME)
        with subtests.test(f"{operand.name} {template}"):
            assert operand.code in codes(operand, template), operand.written(template)


def test_an_operand_that_is_guarded_is_not_reported(subtests: pytest.Subtests) -> None:
    for operand in operands():
        framework = operand.path.stem.partition("_")[0].rstrip("1")
        if operand.code in _OF_FORM or framework not in GUARDS:
            continue
        template = operand.one_of(GUARDS[framework])
        known = operand.reported
        with subtests.test(f"{operand.name} {template}"):
            assert codes(operand, template)[operand.code] < known, operand.written(template)


def codes(operand: Operand, template: str) -> Counter[str]:
    """What is reported on the operand's row, and how often."""
    text = operand.written(template)
    row = operand.row
    if "handed_back" in template or template.split("(")[0] in _HELPING:
        text = _IMPORT.sub(f"{HELPERS}\\g<0>", text, count=1)
        row += HELPERS.count("\n")
    findings = found(text, operand.path, is_likely_found=template in SAME)
    return Counter(one.code for one in findings if one.start.row <= row <= one.end.row)


def found(text: str, path: Path, *, is_likely_found: bool) -> tuple[Finding, ...]:
    """What is reported of a text."""
    with without_fixes(is_likely_found=is_likely_found):
        result = lint_text(text, str(path), SCRIPT)
    assert isinstance(result, Linted)
    return result.findings


_IMPORT: Final = re.compile(r"^(import|from) ", re.MULTILINE)
_HELPING: Final = frozenset(
    ("beside_another", "Holder", "Record", "Pair", "types.SimpleNamespace", "functools.partial")
)


@cache
def operands() -> tuple[Operand, ...]:
    return tuple(
        operand
        for path in sorted((ROOT / "cases" / "broken").glob("*.py"))
        for operand in _operands(path)
    )


def _operands(path: Path) -> Iterator[Operand]:
    text = path.read_text()
    findings = found(text, path, is_likely_found=True)
    wanted = [finding for finding in findings if finding.code in CODES]
    lines = text.splitlines(keepends=True)
    for node in ast.walk(ast.parse(text)) if wanted else ():
        operand = _decides(node)
        finding = next((one for one in wanted if operand is not None and _is_at(node, one)), None)
        if finding is not None and isinstance(operand, ast.expr):
            offsets = [sum(map(len, lines[: row - 1])) for row in _rows(operand)]
            start, end = offsets[0] + operand.col_offset, offsets[1] + (operand.end_col_offset or 0)
            code, row = finding.code, finding.start.row
            same = sum(one.code == code and one.start.row <= row <= one.end.row for one in findings)
            yield Operand(path, code, row, start, end, same)


def _decides(node: ast.AST) -> ast.expr | None:
    match node:
        case ast.Call(func=ast.Attribute(attr=name), args=[first, *_]) if name in _OF_ONE:
            return first
        case ast.BinOp(op=ast.Div(), right=divisor):
            return divisor
        case _:
            return None


_OF_FORM: Final = frozenset(("NAN101", "NAN102", "NAN204"))
"""What a composition or a vector breaks: no guard of the elements helps."""
_OF_ONE: Final = frozenset(("log", "log2", "log10", "sqrt", "rsqrt", "norm"))


def _rows(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.end_lineno or node.lineno


def _is_at(node: ast.AST, finding: Finding) -> bool:
    assert isinstance(node, ast.expr)
    start, end = finding.start, finding.end
    first, last = _rows(node)
    return (first, node.col_offset + 1, last, (node.end_col_offset or 0) + 1) == (
        start.row,
        start.column,
        end.row,
        end.column,
    )
