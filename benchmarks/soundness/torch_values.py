"""PyTorch, values: the effects of writes, aliases, branches and loops on a few tensors."""

from __future__ import annotations

from typing import Final

from benchmarks.soundness.derivation import Grammar, Program
from benchmarks.soundness.values import derived

_GRAMMAR: Final[Grammar] = {
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
        *("[0]", "[-1]", "[1:]", "[:1]", "[[0, 1]]", "[..., 0]", "[:, None]"),
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


def program(seed: int) -> Program:
    """Return the program of a seed."""
    return derived(seed, _GRAMMAR, "import torch", "torch", 6)
