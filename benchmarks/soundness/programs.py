"""Programs that are made up: what writes, aliases, branches and loops do to a few tensors.

Each ends in an operation that is singular at 0 or below, of a value that the program returns too.
They are derived from a grammar by chance, as in Csmith (Yang, Chen, Eide and Regehr, "Finding and
understanding bugs in C compilers", PLDI 2011): many raise an error, which says nothing.
"""

from __future__ import annotations

import random
import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import Final

OPERATIONS: Final = ("log", "reciprocal", "sqrt")
_LEAF: Final = 0.35
"""How often an expression goes no deeper, where it could."""
_SYMBOL: Final = re.compile(r"<(\w+)>")
_GRAMMAR: Final[Mapping[str, tuple[str, ...]]] = {
    "number": ("0.0", "1.0", "-1.0", "0.5", "2.0", "1e-3", "3.0", "-0.25"),
    "positive": ("1.0", "0.5", "2.0", "1e-3"),
    "compared": (">", "<", ">=", "<=", "==", "!="),
    "start": (
        *("torch.ones(3, 3)", "torch.full((3, 3), 0.5)", "torch.rand(3, 3) + 0.5"),
        *("torch.sigmoid(x) + 0.1", "torch.exp(x).clamp(min=1e-3)", "x.abs() + 1.0"),
    ),
    "leaf": (
        *("<name>",) * 6,
        *("torch.full((3, 3), <number>)", "torch.ones(3, 3)", "torch.zeros(3, 3)", "torch.eye(3)"),
    ),
    "tensor": (
        *("(<tensor> + <number>)", "(<tensor> - <tensor>)", "(<tensor> * <tensor>)"),
        *("(<tensor> + <tensor>)", "(<tensor> * <number>)", "(<tensor> ** 2)", "<tensor>.abs()"),
        *("torch.exp(<tensor>)", "torch.sigmoid(<tensor>)", "torch.softmax(<tensor>, -1)"),
        *("torch.relu(<tensor>)", "torch.tanh(<tensor>)", "<tensor>.clamp(min=<number>)"),
        *("torch.where(<mask>, <tensor>, <tensor>)", "<tensor>.masked_fill(<mask>, <number>)"),
        *("torch.maximum(<tensor>, <tensor>)", "torch.minimum(<tensor>, <tensor>)"),
        *("<tensor><view>", "<tensor>.sum(-1, keepdim=True)", "<tensor>.mean()", "<tensor>.max()"),
        *("(<tensor> if <condition> else <tensor>)", "<function>(<leaf>, <leaf>)"),
    ),
    "view": (
        *(".T", ".view(-1)", ".detach()", ".data", ".clone()", ".flip(0)", ".unsqueeze(0)"),
        *("[0]", "[-1]", "[1:]", "[[0, 1]]", "[..., 0]", "[:, None]"),
    ),
    "mask": ("<leaf> <compared> <number>", "<leaf> <compared> <leaf>", "~(<mask>)"),
    "condition": (
        *("n > 1", "n == 0", "n", "not n", "n > 0 and <condition>", "n > 1 or <condition>"),
        *("(<mask>).any()", "(<mask>).all()", "<leaf>.min() > <number>", "<leaf>.sum() > 0"),
    ),
    "place": ("0", "-1", "0, 1", ":, 0", "1:", "...", "[0, 2]", "<mask>"),
    "written": (
        *("add_(<tensor>)", "sub_(<tensor>)", "mul_(<number>)", "copy_(<tensor>)", "zero_()"),
        *("fill_(<number>)", "clamp_(min=<number>)", "clamp_(<positive>, 4.0)", "abs_()"),
        *("neg_()", "exp_()", "masked_fill_(<mask>, <number>)", "add_(<number>).abs_()"),
    ),
    "line": (
        *("<own> = <tensor>",) * 4,
        *(
            "<own> = <name><view>",
            "<own> = <name>",
            "<own>, b = b, <own>",
            "<own>, q['k'] = x, <own>",
        ),
        *("<own>[<place>] = <number>", "<own>[<place>] = <tensor>", "<own>[0][1] = <number>"),
        *("<own> += <tensor>", "<own> -= <tensor>", "<own> *= <tensor>", "<own><view> += <tensor>"),
        *("<name>.<written>",) * 4,
        *("<name><view>.<written>", "<name><view>[0] = <number>", "<function>(<name>, <name>)"),
        *("xs = [<tensor>, <name>]", "xs.append(<name>)", "xs[0] = <tensor>", "xs = xs[::-1]"),
        *("xs[0].<written>", "xs = [t + <number> for t in xs]", "[t.<written> for t in xs]"),
        *(
            "for t in xs:\n    t.<written>",
            "for t in xs:\n    t *= <number>",
            "ys = xs\nys[0] = <name>",
        ),
        *("q = {'k': <name>}", "q['k'] = <tensor>", "q['k'].<written>", "q.update(k=<tensor>)"),
        *("self.p = <name>", "self.p.<written>", "self.p[0] = <number>", "self.p -= <tensor>"),
        *("assert (<mask>).all()", "if not (<mask>).all():\n    raise ValueError"),
        *("if <condition>:\n<block>", "if <condition>:\n<block>\nelse:\n<block>"),
        *(
            "for i in range(n):\n<block>",
            "for i in range(3):\n<block>\n    if <condition>:\n        break",
        ),
        *("with torch.no_grad():\n<block>", "try:\n<block>\nexcept ValueError:\n    pass"),
        *("while n > 0:\n    n -= 1\n<block>", "h = lambda t: t.<written>\nh(<name>)"),
    ),
    "line of a function": (
        *("<own> = <tensor>", "<own>[<place>] = <number>", "<own> += <tensor>", "<own>.<written>"),
        *("v = <own><view>\nv.<written>", "<own> = <own>.clone()", "<own><view>[0] = <number>"),
        *("assert (<mask>).all()", "if (<mask>).any():\n    return <own>"),
    ),
}
_OWN: Final = ("a", "b", "c", "self.p")
_NAMES: Final = (*_OWN, "a", "x", "y", "xs[0]", "xs[-1]", "q['k']")
_FUNCTIONS: Final = ("first", "second")


class _Writer:
    """Derives texts from symbols; `names` are what they speak of."""

    def __init__(self, chance: random.Random, names: Sequence[str], own: Sequence[str]) -> None:
        self._chance = chance
        self._terminals = {"name": names, "own": own, "function": _FUNCTIONS}

    def text(self, symbol: str, depth: int) -> str:
        """A text of a symbol, in which expressions are nested no deeper than `depth`."""
        if symbol in self._terminals:
            return self._chance.choice(self._terminals[symbol])
        if symbol == "block":
            return textwrap.indent(
                self.lines("line", self._chance.randint(1, 2), depth - 1), "    "
            )
        if symbol == "tensor" and (depth <= 0 or self._chance.random() < _LEAF):
            symbol = "leaf"
        rules = _GRAMMAR[symbol]
        if depth <= 0:
            rules = tuple(one for one in rules if "<block>" not in one and f"<{symbol}>" not in one)
        chosen = self._chance.choice(rules)
        return _SYMBOL.sub(lambda found: self.text(found[1], depth - 1), chosen)

    def lines(self, symbol: str, number: int, depth: int) -> str:
        return "\n".join(self.text(symbol, depth) for _ in range(number))


def program(seed: int) -> tuple[str, str]:
    """The text of a program, and its last operation: `f(self, x, y, n)` returns both its operand
    and its result. Always the same for the same seed."""
    chance = random.Random(seed)
    functions = []
    for name in _FUNCTIONS:
        of_function = _Writer(chance, ("t", "u"), ("t", "u"))
        lines = of_function.lines("line of a function", chance.randint(1, 3), 1)
        functions.append(f"def {name}(t, u):\n{textwrap.indent(lines, '    ')}\n    return t\n\n\n")
    writer = _Writer(chance, _NAMES, _OWN)
    operation = chance.choice(OPERATIONS)
    body = [
        *(f"{name} = {writer.text('start', 0)}" for name in ("a", "b", "self.p")),
        "c = x",
        "xs = [a, y]",
        "q = {'k': b}",
        writer.lines("line", chance.randint(2, 6), 2),
        f"z = {writer.text('tensor', 1)}",
        f"return z, torch.{operation}(z)",
    ]
    text = textwrap.indent("\n".join(body), "    ")
    return f"import torch\n\n\n{''.join(functions)}def f(self, x, y, n):\n{text}\n", operation
