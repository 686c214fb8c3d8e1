"""JAX, values: updates out of place, selections, closures, and values carried by loops."""

from __future__ import annotations

from typing import Final

from benchmarks.soundness.derivation import Grammar, Program
from benchmarks.soundness.values import derived

_SCANNED: Final = "jax.lax.scan(lambda t, u: (<inner of two>, <inner of two>), <leaf>, <leaf>)"
_COUNTED: Final = "lambda s: s[0] < n, lambda s: (s[0] + 1, s[1] + <number>), (0, <leaf>)"
_STEP: Final = "def g(i, t):\n    u = <inner>\n    return jnp.where(t > <number>, u, t)\n"
_GRAMMAR: Final[Grammar] = {
    "start": (
        *("jnp.ones((3, 3))", "jnp.full((3, 3), 0.5)", "jnp.exp(x).clip(1e-3)"),
        *("jax.nn.sigmoid(x) + 0.1", "jnp.abs(x) + 1.0", "jnp.maximum(x, 0.5)"),
    ),
    "leaf": (
        *("<name>",) * 6,
        *("jnp.full((3, 3), <number>)", "jnp.ones((3, 3))", "jnp.zeros((3, 3))", "jnp.eye(3)"),
    ),
    "tensor": (
        *("(<tensor> + <number>)", "(<tensor> - <tensor>)", "(<tensor> * <tensor>)"),
        *("(<tensor> + <tensor>)", "(<tensor> * <number>)", "(<tensor> ** 2)", "abs(<tensor>)"),
        *("jnp.exp(<tensor>)", "jax.nn.relu(<tensor>)", "jnp.clip(<tensor>, <number>)"),
        *("jnp.where(<mask>, <tensor>, <tensor>)", "jnp.where(<leaf1> > 0, <leaf1>, <number>)"),
        *("jnp.maximum(<tensor>, <tensor>)", "jnp.minimum(<tensor>, <tensor>)", "<tensor><view>"),
        *("<tensor>.sum(-1, keepdims=True)", "<tensor>.mean()", "jnp.sort(<tensor>)"),
        *("(<tensor> if <condition> else <tensor>)", "<function>(<leaf>, <leaf>)"),
        *("<tensor>.at[<place>].<updated>", "<tensor>.at[<place>].<updated>", "<transformed>"),
        *("jax.lax.select(<mask>, <leaf>, <leaf>)", "<transformed>", "<transformed>"),
        "jnp.select([<mask>, <mask>], [<leaf>, <leaf>], <number>)",
    ),
    "inner": (
        *("t", "t + <number>", "t * <number>", "abs(t)", "t - <name>", "t * t", "jnp.exp(t)"),
        *("t.at[0].<updated>", "jnp.where(t > <number>, t, <number>)", "jnp.maximum(t, <number>)"),
        *("<function>(t, t)", "<name>", "t + <name>"),
    ),
    "inner of two": (*("<inner>",) * 2, "t + u", "t - u", "jnp.maximum(t, u)", "u", "t * u"),
    "transformed": (
        *("jax.lax.cond(<traced>, lambda t: <inner>, lambda t: <inner>, <leaf>)",) * 2,
        *("jax.vmap(lambda t: <inner>)(<leaf>)", "jax.vmap(<function>)(<leaf>, <leaf>)"),
        *("jax.vmap(lambda t, u: <inner of two>, in_axes=(0, None))(<leaf>, <leaf>)",),
        *("jax.lax.fori_loop(0, n, lambda i, t: <inner>, <leaf>)",) * 2,
        *("jax.lax.fori_loop(0, 3, lambda i, t: t.at[i].<updated>, <leaf>)",),
        f"{_SCANNED}[0]",
        *("jax.lax.scan(lambda t, u: (<inner of two>, <inner of two>), <leaf>[0], <leaf>)[1]",),
        f"jax.lax.while_loop({_COUNTED})[1]",
        *("jax.lax.map(lambda t: <inner>, <leaf>)", "jax.jit(lambda t: <inner>)(<leaf>)"),
        *("jax.lax.switch(n, [lambda t: <inner>, lambda t: <inner>], <leaf>)",),
        *("jax.tree.map(lambda t: <inner>, {'k': <leaf>})['k']", "jax.lax.stop_gradient(<leaf>)"),
        *("jax.checkpoint(lambda t: <inner>)(<leaf>)",),
        "jax.lax.dynamic_update_slice(<leaf>, <leaf>[:1], (0, 0))",
        "jax.lax.associative_scan(lambda t, u: <inner of two>, <leaf>)",
    ),
    "updated": (
        *("set(<number>)", "add(<number>)", "multiply(<number>)", "min(<number>)", "max(<number>)"),
        *("set(<leaf>)", "add(<leaf>)", "max(<leaf>)", "divide(<positive>)", "power(2)"),
        *("apply(jnp.abs)", "apply(lambda t: t - <number>)"),
    ),
    "view": (
        *(".T", ".reshape(-1)", ".ravel()", ".copy()", "[::-1]", ".at[0].get()"),
        *("[0]", "[-1]", "[1:]", "[:1]", "[jnp.array([0, 1])]", "[..., 0]", "[:, None]"),
    ),
    "mask": ("<leaf> <compared> <number>", "<leaf> <compared> <leaf>", "~(<mask>)"),
    "traced": (
        "<leaf>.min() > <number>",
        "(<mask>).any()",
        "(<mask>).all()",
        "n > 1",
        "<leaf>.sum() > 0",
    ),
    "condition": (
        *("n > 1", "n == 0", "n", "not n", "n > 0 and <condition>", "n > 1 or <condition>"),
        *("(<mask>).any()", "jnp.all(<mask>)", "<leaf>.min() > <number>"),
    ),
    "place": ("0", "-1", "0, 1", ":, 0", "1:", "...", "jnp.array([0, 2])", "<mask>"),
    "line": (
        *("<own> = <tensor>",) * 6,
        *("<own> = <own>.at[<place>].<updated>",) * 4,
        *("<own> = <name><view>", "<own> = <name>", "<own>, b = b, <own>", "<own> += <tensor>"),
        *("<own> -= <tensor>", "<own> *= <tensor>", "<name>.at[<place>].<updated>"),
        *("<own> = jnp.where(<mask>, <leaf>, <positive>)", "<own> = <transformed>"),
        f"<own>, b = {_SCANNED}",
        *("xs = [<tensor>, <name>]", "xs.append(<name>)", "xs[0] = <tensor>", "xs = xs[::-1]"),
        *("xs = [t + <number> for t in xs]", "for t in xs:\n    t *= <number>"),
        *("xs = jax.tree.map(lambda t: <inner>, xs)", "xs[0] = xs[0].at[0].<updated>"),
        *("q = {'k': <name>}", "q['k'] = <tensor>", "q = {**q, 'k': <tensor>}"),
        *("self.p = <name>", "self.p = self.p.at[0].<updated>", "self.p -= <tensor>"),
        *("g = lambda t: <inner>\na = <tensor>\n<own> = g(<name>)",),
        *("def g(t):\n    return <inner>\n<own> = jax.vmap(g)(<name>)",),
        f"{_STEP}<own> = jax.lax.fori_loop(0, n, g, <name>)",
        *("if <condition>:\n<block>", "if <condition>:\n<block>\nelse:\n<block>"),
        *("for i in range(n):\n<block>", "for i in range(3):\n    <own> = <own>.at[i].<updated>"),
        "for r in <name>:\n    r += <number>",
    ),
    "line of a function": (
        *("<own> = <tensor>", "<own> = <own>.at[<place>].<updated>", "<own> += <tensor>"),
        *("v = <own><view>\nv += <number>", "<own>.at[0].<updated>", "<own> = <transformed>"),
        "t = jnp.where(<mask>, t, u)",
    ),
}


def program(seed: int) -> Program:
    """Return the program of a seed."""
    return derived(seed, _GRAMMAR, "import jax\nimport jax.numpy as jnp", "jnp", 5)
