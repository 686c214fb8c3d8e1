"""An operand is followed through what programs do with it, whatever that is called."""

from __future__ import annotations

from typing import Final

import pytest

from mllint_nan.linter import check_text
from mllint_nan.settings import Settings

HEAD: Final = """\
from collections import defaultdict
from dataclasses import dataclass
from functools import reduce, wraps
from types import SimpleNamespace
from typing import NamedTuple

import torch
import torch.utils.checkpoint
from torch import nn


"""
WAYS: Final = {
    "kept by another method": """\
class M(nn.Module):
    def forward(self, x):
        self.p = torch.relu(x)
        return self.loss()
    def loss(self):
        return torch.log(self.p).mean()
""",
    "a property": """\
class M(nn.Module):
    def __init__(self, x):
        super().__init__()
        self.x = x
    @property
    def p(self):
        return torch.relu(self.x)
    def loss(self):
        return torch.log(self.p).mean()
""",
    "given by a method": """\
class M(nn.Module):
    def p(self, x):
        return torch.relu(x)
    def loss(self, x):
        return torch.log(self.p(x)).mean()
""",
    "given by a method of a base": """\
class B(nn.Module):
    def p(self, x):
        return torch.relu(x)
class M(B):
    def loss(self, x):
        return torch.log(self.p(x)).mean()
""",
    "a field of a dataclass": """\
@dataclass
class Out:
    p: torch.Tensor
    q: torch.Tensor
class M(nn.Module):
    def forward(self, x):
        return Out(p=torch.relu(x), q=x)
    def loss(self, x):
        out = self(x)
        return torch.log(out.p).mean()
""",
    "a field of a named tuple": """\
class Out(NamedTuple):
    p: torch.Tensor
    q: torch.Tensor
class M(nn.Module):
    def forward(self, x):
        return Out(torch.relu(x), x)
    def loss(self, x):
        out = self.forward(x)
        return torch.log(out.p).mean()
""",
    "an entry of a dictionary": """\
class M(nn.Module):
    def forward(self, x):
        return {"p": torch.relu(x), "q": x}
    def loss(self, x):
        out = self(x)
        return torch.log(out["p"]).mean()
""",
    "an entry by `get`": """\
class M(nn.Module):
    def forward(self, x):
        return {"p": torch.relu(x), "q": x}
    def loss(self, x):
        return torch.log(self(x).get("p")).mean()
""",
    "an entry by `pop`": """\
class M(nn.Module):
    def forward(self, x):
        return {"p": torch.relu(x), "q": x}
    def loss(self, x):
        out = self(x)
        p = out.pop("p")
        return torch.log(p).mean()
""",
    "by two stars": """\
class M(nn.Module):
    def forward(self, x):
        return {"p": torch.relu(x), "q": x}
    def nll(self, p, q):
        return torch.log(p).mean() + q.mean()
    def loss(self, x):
        return self.nll(**self(x))
""",
    "one of two": """\
class M(nn.Module):
    def forward(self, x):
        return x, torch.relu(x)
    def loss(self, x):
        x, p = self(x)
        return torch.log(p).mean()
""",
    "by a star": """\
class M(nn.Module):
    def forward(self, x):
        return x, torch.relu(x)
    def nll(self, q, p):
        return torch.log(p).mean()
    def loss(self, x):
        return self.nll(*self(x))
""",
    "one of several, the rest left": """\
class M(nn.Module):
    def forward(self, x):
        return x, torch.relu(x), x
    def loss(self, x):
        _, p, *_ = self(x)
        return torch.log(p).mean()
""",
    "a list that grows": """\
class M(nn.Module):
    def loss(self, x):
        ps = []
        for i in range(3):
            ps.append(torch.relu(x[i]))
        return torch.log(torch.stack(ps)).mean()
""",
    "a dictionary that grows": """\
class M(nn.Module):
    def loss(self, x):
        ps = {}
        for i in range(3):
            ps[i] = torch.relu(x[i])
        return torch.log(torch.stack(list(ps.values()))).mean()
""",
    "an attribute of a plain object": """\
class Ctx:
    pass
class M(nn.Module):
    def loss(self, x):
        ctx = Ctx()
        ctx.p = torch.relu(x)
        return torch.log(ctx.p).mean()
""",
    "a namespace": """\
class M(nn.Module):
    def loss(self, x):
        ctx = SimpleNamespace(p=torch.relu(x))
        return torch.log(ctx.p).mean()
""",
    "closed over": """\
def make(x):
    p = torch.relu(x)
    def loss():
        return torch.log(p).mean()
    return loss()
""",
    "yielded": """\
def parts(x):
    for i in range(3):
        yield torch.relu(x[i])
def loss(x):
    return sum(torch.log(p).mean() for p in parts(x))
""",
    "mapped over": """\
def loss(x):
    return sum(map(lambda p: torch.log(p).mean(), [torch.relu(x), torch.relu(-x)]))
""",
    "reduced": """\
def loss(x):
    p = reduce(torch.add, [torch.relu(x), torch.relu(-x)])
    return torch.log(p).mean()
""",
    "the next of an iterator": """\
def loss(x):
    p = next(iter([torch.relu(x)]))
    return torch.log(p).mean()
""",
    "given by what is decorated": """\
def timed(f):
    @wraps(f)
    def inner(*args, **kwargs):
        return f(*args, **kwargs)
    return inner
@timed
def p_of(x):
    return torch.relu(x)
def loss(x):
    return torch.log(p_of(x)).mean()
""",
    "a static method": """\
class M(nn.Module):
    @staticmethod
    def p(x):
        return torch.relu(x)
    def loss(self, x):
        return torch.log(M.p(x)).mean()
""",
    "a class method": """\
class M(nn.Module):
    @classmethod
    def p(cls, x):
        return torch.relu(x)
    def loss(self, x):
        return torch.log(self.p(x)).mean()
""",
    "named in an expression": """\
def loss(x):
    if (p := torch.relu(x)) is not None:
        return torch.log(p).mean()
""",
    "made where something may raise": """\
def loss(x):
    try:
        p = torch.relu(x)
    except RuntimeError:
        p = torch.relu(x.cpu())
    return torch.log(p).mean()
""",
    "cut by a loop": """\
def loss(x):
    p = torch.relu(x)
    while p.numel() > 10:
        p = p[::2]
    return torch.log(p).mean()
""",
    "made in cases": """\
def loss(x, kind):
    match kind:
        case "relu":
            p = torch.relu(x)
        case _:
            p = x.clamp(min=0)
    return torch.log(p).mean()
""",
    "in a dictionary with defaults": """\
def loss(x):
    out = defaultdict(list)
    out["p"].append(torch.relu(x))
    return torch.log(torch.cat(out["p"])).mean()
""",
    "set by `setattr`": """\
class M(nn.Module):
    def loss(self, x):
        setattr(self, "p", torch.relu(x))
        return torch.log(self.p).mean()
""",
    "the last of a list that is kept": """\
class M(nn.Module):
    def forward(self, x):
        self.outs = []
        for i in range(2):
            self.outs.append(torch.relu(x))
        return torch.log(self.outs[-1]).mean()
""",
    "an entry by `update`": """\
def loss(x):
    out = {}
    out.update(p=torch.relu(x))
    return torch.log(out["p"]).mean()
""",
    "an entry beside two stars": """\
def loss(x, more):
    out = {**more, "p": torch.relu(x)}
    return torch.log(out["p"]).mean()
""",
    "an entry of a union": """\
def loss(x):
    out = {"q": x} | {"p": torch.relu(x)}
    return torch.log(out["p"]).mean()
""",
    "one of two lists": """\
def loss(xs, ws):
    ps = [torch.relu(x) for x in xs]
    return sum(w * torch.log(p).mean() for p, w in zip(ps, ws))
""",
    "one of what is counted": """\
def loss(xs):
    total = 0
    for i, p in enumerate(torch.relu(x) for x in xs):
        total = total + torch.log(p).mean()
    return total
""",
    "one of what is sorted": """\
def loss(xs):
    ps = sorted([torch.relu(x) for x in xs], key=len)
    return torch.log(ps[0]).mean()
""",
    "one of what is reversed": """\
def loss(xs):
    total = 0
    for p in reversed([torch.relu(x) for x in xs]):
        total = total + torch.log(p).mean()
    return total
""",
    "one of some of a list": """\
def loss(x):
    ps = [torch.relu(x), torch.relu(-x), x]
    total = 0
    for p in ps[:2]:
        total = total + torch.log(p).mean()
    return total
""",
    "mapped in a tree": """\
def loss(x):
    ps = torch.utils._pytree.tree_map(torch.relu, [x, -x])
    return torch.log(ps[0]).mean()
""",
    "a function by `getattr`": """\
def loss(x):
    return torch.log(getattr(torch, "relu")(x)).mean()
""",
    "given by a layer": """\
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = nn.ReLU()
    def loss(self, x):
        return torch.log(self.act(x)).mean()
""",
    "given by a chain of layers": """\
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
    def loss(self, x):
        return torch.log(self.net(x)).mean()
""",
    "given by a chain that a loop fills": """\
class M(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        layers = []
        for a, b in zip(sizes, sizes[1:]):
            layers += [nn.Linear(a, b), nn.ReLU()]
        self.net = nn.Sequential(*layers)
    def loss(self, x):
        return torch.log(self.net(x)).mean()
""",
    "given by a chain that a function makes": """\
def mlp(a, b):
    return nn.Sequential(nn.Linear(a, b), nn.ReLU())
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = mlp(3, 4)
    def loss(self, x):
        return torch.log(self.net(x)).mean()
""",
    "given under a checkpoint": """\
class M(nn.Module):
    def block(self, x):
        return torch.relu(x)
    def loss(self, x):
        p = torch.utils.checkpoint.checkpoint(self.block, x)
        return torch.log(p).mean()
""",
    "given by what is compiled": """\
@torch.compile
def p_of(x):
    return torch.relu(x)
def loss(x):
    return torch.log(p_of(x)).mean()
""",
    "given by what is vectorised": """\
def p_of(x):
    return torch.relu(x)
def loss(x):
    return torch.log(torch.func.vmap(p_of)(x)).mean()
""",
    "given by a function with a gradient of its own": """\
class Act(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return torch.relu(x)
    @staticmethod
    def backward(ctx, g):
        return g
def loss(x):
    return torch.log(Act.apply(x)).mean()
""",
    "given by what is registered": """\
KNOWN = {}
def register(name):
    def wrap(f):
        KNOWN[name] = f
        return f
    return wrap
@register("p")
def p_of(x):
    return torch.relu(x)
def loss(x):
    return torch.log(p_of(x)).mean()
""",
    "given by a chain to which a loop appends two": """\
class M(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        layers = []
        for a, b in zip(sizes, sizes[1:]):
            layers.append(nn.Linear(a, b))
            layers.append(nn.ReLU())
        self.net = nn.Sequential(*layers)
    def loss(self, x):
        return torch.log(self.net(x)).mean()
""",
}
CHANGED: Final = {
    "a decorator adds to it": """\
def raised(f):
    @wraps(f)
    def inner(*args, **kwargs):
        return f(*args, **kwargs) + 1
    return inner
@raised
def p_of(x):
    return torch.relu(x)
def loss(x):
    return torch.log(p_of(x)).mean()
""",
    "a decorator gives one of two": """\
def tried(f):
    @wraps(f)
    def inner(*args, **kwargs):
        result = f(*args, **kwargs)
        result = result.clamp(min=1e-3)
        return result
    return inner
@tried
def p_of(x):
    return torch.relu(x)
def loss(x):
    return torch.log(p_of(x)).mean()
""",
    "a loop leaves out the last activation": """\
class M(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        layers = []
        for i, size in enumerate(sizes):
            layers.append(nn.Linear(size, size))
            if i < len(sizes) - 1:
                layers.append(nn.ReLU())
        self.net = nn.Sequential(*layers)
    def loss(self, x):
        return torch.log(self.net(x)).mean()
""",
    "another of several is taken": """\
def loss(x):
    first, *rest, last = torch.relu(x), x.sigmoid(), torch.relu(x) + 1
    return torch.log(last).mean()
""",
    "others of a list are taken": """\
def loss(x):
    ps = [torch.relu(x), torch.relu(-x), torch.relu(x) + 1]
    return sum(torch.log(p).mean() for p in ps[2:]) + torch.log(ps[:-3:-1][0]).mean()
""",
    "one path keeps it from 0": """\
def loss(x):
    try:
        p = torch.relu(x) + 1e-3
    except RuntimeError:
        p = torch.relu(x.cpu())
    return torch.log(p).mean()
""",
}
MISSED: Final = frozenset(
    (
        "a dictionary that grows",
        "yielded",
        "mapped over",
        "reduced",
        "the next of an iterator",
        "cut by a loop",
        "in a dictionary with defaults",
        "set by `setattr`",
        "an entry by `update`",
        "an entry beside two stars",
        "an entry of a union",
        "one of what is sorted",
        "mapped in a tree",
        "given by a function with a gradient of its own",
    )
)
"""Those that are not followed yet."""


def is_reported(text: str) -> bool:
    codes = {one.code for one in check_text(HEAD + text, "program.py", Settings())}
    assert codes <= {"NAN201"}
    return bool(codes)


@pytest.mark.parametrize("way", WAYS)
def test_logarithm_of_what_a_rectifier_gives(way: str) -> None:
    assert is_reported(WAYS[way]) is (way not in MISSED)


@pytest.mark.parametrize("way", WAYS)
def test_sound_twin_is_quiet(way: str) -> None:
    twin = WAYS[way].replace("torch.log(", "torch.log(1e-3 + ")
    assert twin != WAYS[way]
    assert not is_reported(twin)


@pytest.mark.parametrize("change", CHANGED)
def test_what_is_changed_on_the_way_is_another(change: str) -> None:
    assert not is_reported(CHANGED[change])
