"""Programs that end in an operation singular at 0 or below, and also return its operand.

The frameworks differ in their grammars.
"""

from __future__ import annotations

import random
from typing import Final

from benchmarks.soundness.derivation import Grammar, Program, Writer, functions, method

OPERATIONS: Final = ("log", "reciprocal", "sqrt")
_FUNCTIONS: Final = ("first", "second")
_NUMBERS: Final[Grammar] = {
    "function": _FUNCTIONS,
    "number": ("0.0", "1.0", "-1.0", "0.5", "2.0", "1e-3", "3.0", "-0.25"),
    "positive": ("1.0", "0.5", "2.0", "1e-3"),
    "compared": (">", "<", ">=", "<=", "==", "!="),
}
_OWN: Final = ("a", "b", "c", "self.p")
_NAMES: Final = (*_OWN, "a", "x", "y", "xs[0]", "xs[-1]", "q['k']")


def derived(seed: int, grammar: Grammar, imports: str, module: str, lines_most: int) -> Program:
    """Return the program of a seed, which starts with positive tensors in two containers."""
    chance = random.Random(seed)
    whole = {**_NUMBERS, **grammar}
    before = functions(chance, whole, _FUNCTIONS)
    writer = Writer(chance, whole, {"name": _NAMES, "own": _OWN})
    operation = chance.choice(OPERATIONS)
    body = [
        *(f"{name} = {writer.text('start', 0)}" for name in ("a", "b", "self.p")),
        "c = x",
        "xs = [a, y]",
        "q = {'k': b}",
        writer.lines("line", chance.randint(2, lines_most), 2),
        f"z = {writer.text('tensor', 1)}",
        f"return z, {module}.{operation}(z)",
    ]
    return Program(f"{imports}\n\n\n{before}{method(body)}", operation)
