"""PyTorch, gradients: losses of operations with singular derivatives, guarded or not.

Each program returns its loss, after `backward`, and the gradients of its two inputs.
"""

from __future__ import annotations

import random
from typing import Final

from benchmarks.soundness.derivation import Grammar, Program, Writer, functions, method

_FUNCTIONS: Final = ("first", "second")
_GRAMMAR: Final[Grammar] = {
    "function": _FUNCTIONS,
    "number": ("0.0", "1.0", "-1.0", "0.5", "2.0", "1e-3"),
    "positive": ("1.0", "0.5", "1e-3", "1e-6"),
    "power": ("0.5", "0.3", "-1", "1.5", "0.9"),
    "compared": (">", "<", ">=", "<=", "==", "!="),
    "leaf": (*("<name>",) * 6, "x", "y", "(x - y)", "(<name> - <name>)"),
    "tensor": (
        *("(<tensor> + <number>)", "(<tensor> - <tensor>)", "(<tensor> * <tensor>)"),
        *("(<tensor> * <number>)", "(<tensor> ** 2)", "<tensor>.abs()", "torch.relu(<tensor>)"),
        *("torch.sigmoid(<tensor>)", "torch.softmax(<tensor>, -1)", "torch.tanh(<tensor>)"),
        *("torch.where(<mask>, <tensor>, <number>)", "<tensor>.masked_fill(<mask>, <number>)"),
        *("torch.maximum(<tensor>, <tensor>)", "<tensor>.sum(-1, keepdim=True)", "<tensor><view>"),
        *("<tensor>.mean()", "(<tensor> if <condition> else <tensor>)", "<guarded>"),
        *("<function>(<leaf>, <leaf>)", "<rooted>"),
    ),
    "guarded": (
        *("(<tensor>.abs() + <positive>)", "<tensor>.clamp(min=<positive>)"),
        *(
            "((<leaf> ** 2).sum(-1, keepdim=True) + <positive>)",
            "(torch.relu(<leaf>) + <positive>)",
        ),
        *("torch.where(<leaf1> > 0, <leaf1>, <positive>)", "torch.exp(<leaf>.clamp(-4.0, 4.0))"),
        *("<leaf1>.masked_fill(<leaf1> <= 0, <positive>)", "torch.where(m, <leaf>, <positive>)"),
        *("torch.maximum(<tensor>, torch.full_like(x, <positive>))", "(1 + torch.sigmoid(<leaf>))"),
    ),
    "operand": (*("<guarded>",) * 3, "<tensor>", "<leaf>", "(<leaf> ** 2).sum(-1, keepdim=True)"),
    "cosine": (
        *("<leaf>.clamp(-0.99, 0.99)", "torch.tanh(<leaf>)", "0.9 * torch.tanh(<leaf>)"),
        *("torch.nn.functional.cosine_similarity(x, y, dim=-1)", "<leaf>.clamp(-1.0, 1.0)"),
        *("torch.where(<leaf1>.abs() < 0.9, <leaf1>, <number>)",),
    ),
    "singular": (
        *("torch.sqrt(<operand>)", "torch.sqrt(<operand> + <positive>)", "<operand>.sqrt()"),
        *("<operand> ** <power>", "<operand>.pow(<power>)", "torch.log(<operand>)"),
        *("torch.rsqrt(<operand>)", "torch.reciprocal(<operand>)", "(<tensor> / <operand>)"),
        *("torch.acos(<cosine>)", "torch.asin(<cosine>)", "torch.atan2(<operand>, <tensor>)"),
        *("<tensor>.norm(dim=-1)", "torch.linalg.vector_norm(<tensor>, dim=-1)", "<tensor>.norm()"),
        *("<tensor>.std(-1, unbiased=False)", "torch.nn.functional.normalize(<tensor>, dim=-1)"),
        *("torch.nn.functional.pairwise_distance(x, <leaf>)", "torch.log1p(<operand>)"),
        "torch.sqrt(<operand>) + <positive>",
    ),
    "rooted": (
        *(
            "<singular>",
            "torch.where(<mask>, <singular>, <number>)",
            "(<singular>).masked_fill(<mask>, 0.0)",
        ),
        *("torch.where(<leaf1> > 0, torch.sqrt(<leaf1>), <number>)",),
        "torch.where(m, torch.log(torch.where(m, <operand>, <positive>)), <number>)",
        "torch.where(<leaf1> > 0, torch.sqrt(torch.where(<leaf1> > 0, <leaf1>, <positive>)), 0.0)",
        *(
            "torch.sqrt(<leaf1>[<leaf1> > 0])",
            "torch.log(<operand>)[<mask>]",
            "<singular>.detach()",
        ),
        *("(m * <singular>)", "<leaf1> / <leaf1>.norm().clamp(min=<positive>)"),
        *(
            "<leaf1> / (<leaf1>.norm(dim=-1, keepdim=True) + <positive>)",
            "<leaf1> / <leaf1>.norm()",
        ),
        "torch.where(<leaf1> <compared> <number1>, 1 / <leaf1>, <number>)",
        "torch.nan_to_num(<singular>)",
    ),
    "view": (
        *(".T", ".view(-1)", ".detach()", ".clone()", ".flip(0)", ".unsqueeze(0)"),
        *("[0]", "[-1]", "[1:]", "[:1]", "[[0, 1]]", "[..., 0]", "[:, None]"),
    ),
    "mask": ("<leaf> <compared> <number>", "<leaf> <compared> <leaf>", "~(<mask>)", "m", "m", "~m"),
    "condition": (
        *("n > 1", "n == 0", "not n", "(<mask>).any()", "(<mask>).all()", "m.any()", "m.all()"),
        *("<leaf>.min() > <number>", "<leaf>.sum() > 0", "n > 0 and <condition>"),
    ),
    "place": ("0", "-1", "0, 1", ":, 0", "1:", "...", "[0, 2]", "<mask>", "m"),
    "written": (
        *("add_(<tensor>)", "sub_(<tensor>)", "mul_(<number>)", "copy_(<tensor>)", "zero_()"),
        *("clamp_(min=<positive>)", "abs_()", "masked_fill_(<mask>, <number>)", "relu_()"),
    ),
    "line": (
        *("<own> = <tensor>",) * 3,
        *("<own> = <guarded>",) * 3,
        *("<own> = <rooted>",) * 3,
        *("m = <mask>", "m = <leaf> > 0", "m[0] = True", "<own>, b = b, <own>", "<own> = <name>"),
        *(
            "<own> = <name>.detach()",
            "<own> = <name><view>",
            "<name>.<written>",
            "<own> += <tensor>",
        ),
        *("<own>[<place>] = <number>", "<own>[<place>] = <tensor>", "<name><view>.<written>"),
        *("assert (<mask>).all()", "if not (<mask>).any():\n    return None", "xs = [<tensor>, b]"),
        *("if <condition>:\n<block>", "if <condition>:\n<block>\nelse:\n<block>"),
        *("for i in range(n):\n<block>", "with torch.no_grad():\n<block>", "xs[0] = <rooted>"),
        *(
            "h = lambda t: torch.sqrt(t + <number>)\n<own> = h(<name>)",
            "<function>(<name>, <name>)",
        ),
        "if (<leaf1> <compared> <number>).all():\n    <own> = torch.sqrt(<leaf1>)",
    ),
    "line of a function": (
        *("<own> = <tensor>", "<own> = <guarded>", "<own> = <rooted>", "<own>.<written>"),
        *("assert (<mask>).all()", "if (<mask>).any():\n    return <own>", "m = <own> > 0"),
        *("<own> = <own>.clone()", "<own>[<place>] = <number>", "m = <mask>"),
    ),
    "loss": ("<rooted>", "a * <rooted>", "<tensor>", "(a - b) * <singular>", "<singular>"),
}
_OWN: Final = ("a", "b", "c")
_NAMES: Final = (*_OWN, "a", "x", "y", "xs[0]")


def program(seed: int) -> Program:
    """Return the program of a seed."""
    chance = random.Random(seed)
    before = functions(chance, _GRAMMAR, _FUNCTIONS)
    writer = Writer(chance, _GRAMMAR, {"name": _NAMES, "own": _OWN})
    body = [
        "x, y = x.requires_grad_(), y.requires_grad_()",
        "m = y > 0",
        "a, b, c = x - y, y * 1.0, x.abs() + 1.0",
        "xs = [a, y]",
        writer.lines("line", chance.randint(1, 4), 2),
        f"loss = ({writer.text('loss', 2)}).sum()",
        "loss.backward()",
        "return loss, (x.grad, y.grad)",
    ]
    return Program(f"import torch\n\n\n{before}{method(body)}", "backward")
