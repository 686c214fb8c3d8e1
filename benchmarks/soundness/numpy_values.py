"""NumPy, values: writes in place, views and copies, `out=`, `where=`, masks and loops."""

from __future__ import annotations

from typing import Final

from benchmarks.soundness.derivation import Grammar, Program
from benchmarks.soundness.values import derived

_GRAMMAR: Final[Grammar] = {
    "start": (
        *("np.ones((3, 3))", "np.full((3, 3), 0.5)", "np.exp(x).clip(1e-3, None)"),
        *("1 / (1 + np.exp(-x)) + 0.1", "np.abs(x) + 1.0", "np.maximum(x, 0.5)"),
    ),
    "leaf": (
        *("<name>",) * 6,
        *("np.full((3, 3), <number>)", "np.ones((3, 3))", "np.zeros((3, 3))", "np.eye(3)"),
    ),
    "tensor": (
        *("(<tensor> + <number>)", "(<tensor> - <tensor>)", "(<tensor> * <tensor>)"),
        *("(<tensor> + <tensor>)", "(<tensor> * <number>)", "(<tensor> ** 2)", "abs(<tensor>)"),
        *("np.exp(<tensor>)", "np.tanh(<tensor>)", "np.clip(<tensor>, <number>, None)"),
        *("np.where(<mask>, <tensor>, <tensor>)", "np.maximum(<tensor>, <tensor>)"),
        *("np.minimum(<tensor>, <tensor>)", "<tensor><view>", "<tensor>.sum(-1, keepdims=True)"),
        *("<tensor>.mean()", "<tensor>.max()", "(<tensor> if <condition> else <tensor>)"),
        *("<function>(<leaf>, <leaf>)", "np.sort(<tensor>)", "np.cumsum(<tensor>, axis=0)"),
        *("np.select([<mask>, <mask>], [<leaf>, <leaf>], <number>)", "np.diff(<tensor>)"),
        *("np.array(<tensor>)", "np.asarray(<tensor>)", "np.stack([<leaf>, <leaf>])"),
        "np.add(<leaf>, <leaf>, out=np.ones((3, 3)), where=<mask>)",
    ),
    "view": (
        *(".T", ".reshape(-1)", ".ravel()", ".flatten()", ".copy()", "[::-1]", ".view()"),
        *("[0]", "[-1]", "[1:]", "[:1]", "[[0, 1]]", "[..., 0]", "[:, None]", "[:]"),
        ".swapaxes(0, 1)",
        *("[<mask>]", ".astype(float)", ".astype(np.float32, copy=False)", ".squeeze()"),
    ),
    "mask": ("<leaf> <compared> <number>", "<leaf> <compared> <leaf>", "~(<mask>)"),
    "condition": (
        *("n > 1", "n == 0", "n", "not n", "n > 0 and <condition>", "n > 1 or <condition>"),
        *("(<mask>).any()", "np.all(<mask>)", "<leaf>.min() > <number>", "<leaf>.sum() > 0"),
    ),
    "place": ("0", "-1", "0, 1", ":, 0", "1:", "...", "[0, 2]", "<mask>", ":", "::2"),
    "written": (
        *("fill(<number>)", "sort()", "sort(axis=0)", "put([0, 1], <number>)", "partition(1)"),
        *("clip(<number>, None, out=<own>)", "__setitem__(0, <number>)", "__iadd__(<number>)"),
        *("flat[0] = <number>", "flat[:] = <number>", "T[0] = <number>", "real[:] = <number>"),
    ),
    "ufunc": ("add", "subtract", "multiply", "maximum", "minimum"),
    "of one": ("exp", "tanh", "negative", "abs", "square", "floor"),
    "line": (
        *("<own> = <tensor>",) * 4,
        *("<own> = <name><view>",) * 3,
        *("<own> = <name>", "<own>, b = b, <own>", "<own>, q['k'] = x, <own>"),
        *("<own>[<place>] = <number>", "<own>[<place>] = <tensor>", "<own>[0][1] = <number>"),
        *("<own> += <tensor>", "<own> -= <tensor>", "<own> *= <tensor>", "<own><view> += <tensor>"),
        *("<own>[<place>] -= <number>", "<own>[<place>] *= <tensor>"),
        *("<name>.<written>",) * 4,
        *(
            "<name><view>.<written>",
            "<name><view>[<place>] = <number>",
            "<function>(<name>, <name>)",
        ),
        *("np.<ufunc>(<leaf>, <leaf>, out=<own>)", "np.<of one>(<name>, out=<own>)"),
        *("np.<ufunc>(<leaf>, <leaf>, <own>)", "np.<of one>(<name>, <own>)"),
        *("np.<ufunc>(<leaf>, <number>, out=<own>, where=<mask>)",),
        *("<own> = np.<of one>(<leaf>, out=<name>, where=<mask>)",),
        *("np.<of one>(<name>, out=<own>[0])", "np.clip(<leaf>, <number>, None, out=<own>)"),
        *("np.putmask(<name>, <mask>, <number>)", "np.putmask(<name>, <mask>, <leaf>)"),
        *("np.copyto(<name>, <tensor>)", "np.copyto(<name>, <number>, where=<mask>)"),
        *("np.place(<name>, <mask>, [<number>])", "np.put(<name>, [0, 2], <number>)"),
        *("np.<ufunc>.at(<name>, [0, 1], <number>)", "np.<ufunc>.at(<name>, <mask>, <number>)"),
        *("np.negative.at(<name>, 0)", "np.fill_diagonal(<name>, <number>)"),
        *("np.put_along_axis(<name>, np.zeros((3, 1), int), <number>, 1)",),
        *("np.cumsum(<leaf>, axis=0, out=<own>)", "np.take(<leaf>, [0, 1, 2], 0, out=<own>)"),
        *("np.asarray(<name>)[0] = <number>", "np.array(<name>)[0] = <number>"),
        *("np.nan_to_num(<name>, copy=False)", "np.random.shuffle(<name>)"),
        *("np.split(<name>, 3)[0][:] = <number>", "np.stack([<name>])[0] = <number>"),
        *("xs = [<tensor>, <name>]", "xs.append(<name>)", "xs[0] = <tensor>", "xs = xs[::-1]"),
        *("xs[0].<written>", "xs = [t + <number> for t in xs]", "[t.<written> for t in xs]"),
        *("for t in xs:\n    t.<written>", "for t in xs:\n    t *= <number>"),
        *("q = {'k': <name>}", "q['k'] = <tensor>", "q['k'].<written>", "q.update(k=<tensor>)"),
        *("self.p = <name>", "self.p.<written>", "self.p[0] = <number>", "self.p -= <tensor>"),
        *("for r in <name>:\n    r -= <number>", "for r in <name>:\n    r[0] = <number>"),
        *("for r in <name>:\n    r = <number>", "for i, r in enumerate(<name>):\n    r[:] = i"),
        *("for i in range(len(<name1>)):\n    <name1>[i] = <number>",),
        *("for i in range(n):\n    <name>[i] -= <number>",),
        *("for i, j in np.ndindex(3, 3):\n    <own>[i, j] = <name>[j, i]",),
        *("for (i, j), e in np.ndenumerate(<name1>):\n    <own>[i, j] = e * <number>",),
        *("for e in np.nditer(<name>, op_flags=['readwrite']):\n    e[...] = <number>",),
        *("assert (<mask>).all()", "if not (<mask>).all():\n    raise ValueError"),
        *("if <condition>:\n<block>", "if <condition>:\n<block>\nelse:\n<block>"),
        *("for i in range(n):\n<block>",),
        *("for i in range(3):\n<block>\n    if <condition>:\n        break",),
        *(
            "with np.errstate(all='ignore'):\n<block>",
            "try:\n<block>\nexcept ValueError:\n    pass",
        ),
        *("while n > 0:\n    n -= 1\n<block>", "h = lambda t: t.fill(<number>)\nh(<name>)"),
    ),
    "line of a function": (
        *("<own> = <tensor>", "<own>[<place>] = <number>", "<own> += <tensor>", "<own>.<written>"),
        *("v = <own><view>\nv[0] = <number>", "<own> = <own>.copy()", "<own><view>[0] = <number>"),
        *("assert (<mask>).all()", "if (<mask>).any():\n    return <own>"),
        *("np.<ufunc>(t, u, out=<own>)", "np.copyto(<own>, <leaf>)", "<own> = np.asarray(<own>)"),
    ),
}


def program(seed: int) -> Program:
    """Return the program of a seed."""
    return derived(seed, _GRAMMAR, "import numpy as np", "np", 6)
