"""Source text and how tightly it binds, by the precedence of Python's operators.

The levels are those of https://docs.python.org/3/reference/expressions.html#operator-precedence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import libcst as cst


class Unrenderable(Exception):
    """A rewrite has no text here; the message says why."""


class Withheld(Unrenderable):
    """A rewrite has no text because of other parts of the program; the message tells its author."""


# Python's own precedence, loosest first.
(
    LAMBDA,
    TERNARY,
    OR,
    AND,
    NOT,
    COMPARE,
    BIT_OR,
    BIT_XOR,
    BIT_AND,
    SHIFT,
    SUM,
    PRODUCT,
    SIGN,
    POWER,
    AWAIT,
    ATOM,
) = range(16)
_HOLDS_ROWS: Final = re.compile(r"[(\[{]\s*[\r\n]|[\r\n]\s*[)\]}]|#|\"{3}|'{3}")
_ROW_END: Final = re.compile(r"[ \t]*\\?(?:\r\n|\r|\n)\s*")
_BINARY_LEVELS: Final[Mapping[type[cst.CSTNode], int]] = {
    cst.Add: SUM,
    cst.Subtract: SUM,
    cst.Multiply: PRODUCT,
    cst.Divide: PRODUCT,
    cst.FloorDivide: PRODUCT,
    cst.Modulo: PRODUCT,
    cst.MatrixMultiply: PRODUCT,
    cst.Power: POWER,
    cst.BitAnd: BIT_AND,
    cst.BitOr: BIT_OR,
    cst.BitXor: BIT_XOR,
    cst.LeftShift: SHIFT,
    cst.RightShift: SHIFT,
}


@dataclass(frozen=True, slots=True)
class Text:
    """Source text and how tightly it binds."""

    code: str
    level: int = ATOM

    def at(self, level: int) -> str:
        """The text for an operand that must bind at least this tightly."""
        return self.code if self.level >= level else f"({self.code})"

    @property
    def has_minus(self) -> bool:
        """Whether it begins with a minus that applies to all of it."""
        return self.code.startswith("-") and self.level in (SIGN, PRODUCT)

    def without_minus(self) -> Text:
        """The text without its leading minus."""
        return Text(self.code[1:].lstrip(), PRODUCT if self.level == PRODUCT else POWER)


def level_of(node: cst.CSTNode) -> int:
    """The precedence of an expression, without regard to its own parentheses."""
    match node:
        case cst.BinaryOperation():
            return _BINARY_LEVELS[type(node.operator)]
        case cst.UnaryOperation():
            return NOT if isinstance(node.operator, cst.Not) else SIGN
        case cst.BooleanOperation():
            return AND if isinstance(node.operator, cst.And) else OR
        case cst.Comparison():
            return COMPARE
        case cst.IfExp():
            return TERNARY
        case cst.Lambda() | cst.Yield() | cst.NamedExpr():
            return LAMBDA
        case cst.Await():
            return AWAIT
        case cst.GeneratorExp() | cst.Tuple():  # their parentheses are outside their span
            return LAMBDA
        case _:
            return ATOM


_SMALL: Final = re.compile(r"(-?)0\.(0*)([1-9])(\d*)")


def literal(value: object) -> Text:
    if isinstance(value, bool | str | None):
        return Text(repr(value))
    if isinstance(value, int | float):
        return number_text(value)
    raise Unrenderable("a literal of another kind")


def measured(code: str) -> Text:
    """A text that was made of others, with its precedence."""
    return Text(code, level_of(cst.parse_expression(code)))


def number_text(value: float) -> Text:
    """A number in the shorter of its usual forms: `1e-4` and not `0.0001`."""
    text = re.sub(r"e([+-])0*(\d)", r"e\1\2", repr(value)).replace("e+", "e")
    small = _SMALL.fullmatch(text)
    if small is not None:
        sign, zeros, first, others = small.groups()
        point = f".{others}" if others else ""
        text = min(text, f"{sign}{first}{point}e-{len(zeros) + 1}", key=len)
    return Text(text, SIGN if value < 0 else ATOM)


def on_one_row(code: str) -> str | None:
    """The code on one row; `None` if its brackets, comments or strings need several rows."""
    if _HOLDS_ROWS.search(code):
        return None
    return _ROW_END.sub(" ", code)
