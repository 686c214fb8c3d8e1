"""Derive random programs from a grammar.

As in Csmith (Yang, Chen, Eide and Regehr, "Finding and understanding bugs in C compilers", PLDI
2011): many programs raise an error, which shows nothing.
"""

from __future__ import annotations

import random
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

_LEAF: Final = 0.35
"""The probability that an expression goes no deeper, although it could."""
_SYMBOL: Final = re.compile(r"<([a-z ]+)(\d?)>")
"""A symbol; symbols with the same digit in one rule are replaced by the same text."""

Grammar = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Program:
    """A program whose `f(self, x, y, n)` ends in an operation, and returns what it is judged by."""

    text: str
    operation: str


class Writer:
    """Derives texts from the symbols of a grammar; `words` are further rules, for names."""

    def __init__(
        self, chance: random.Random, grammar: Grammar, words: Mapping[str, Sequence[str]]
    ) -> None:
        self._chance = chance
        self._grammar = {**grammar, **words}

    def text(self, symbol: str, depth: int) -> str:
        """Return a text for a symbol, with expressions nested at most `depth` deep."""
        if symbol == "block":
            lines = self.lines("line", self._chance.randint(1, 2), depth - 1)
            return textwrap.indent(lines, "    ")
        if symbol == "tensor" and (depth <= 0 or self._chance.random() < _LEAF):
            symbol = "leaf"
        rules = self._grammar[symbol]
        if depth <= 0:
            rules = tuple(one for one in rules if "<block>" not in one and f"<{symbol}>" not in one)
        return self._filled(self._chance.choice(rules), depth - 1)

    def _filled(self, rule: str, depth: int) -> str:
        repeated: dict[str, str] = {}

        def written(found: re.Match[str]) -> str:
            symbol, digit = found.groups()
            if not digit:
                return self.text(symbol, depth)
            if found[0] not in repeated:
                repeated[found[0]] = self.text(symbol, depth)
            return repeated[found[0]]

        return _SYMBOL.sub(written, rule)

    def lines(self, symbol: str, number: int, depth: int) -> str:
        return "\n".join(self.text(symbol, depth) for _ in range(number))


def functions(chance: random.Random, grammar: Grammar, names: Sequence[str]) -> str:
    """Return functions of two tensors that write into them, test them, or return early."""
    written = []
    for name in names:
        writer = Writer(chance, grammar, {"name": ("t", "u"), "own": ("t", "u")})
        lines = writer.lines("line of a function", chance.randint(1, 3), 1)
        written.append(f"def {name}(t, u):\n{textwrap.indent(lines, '    ')}\n    return t\n\n\n")
    return "".join(written)


def method(body: Sequence[str]) -> str:
    """Return the function by which a program is executed."""
    return f"def f(self, x, y, n):\n{textwrap.indent(chr(10).join(body), '    ')}\n"
