"""Epsilons that are 0 where the program has a function computed in float16: each beside a twin."""

from __future__ import annotations

import pytest

from mllint_nan.findings import Confidence
from mllint_nan.linter import Settings, lint_bytes

CODE = "NAN502"
TORCH = """
import contextlib
import functools

import torch
from torch import nn


class Head(nn.Module):
    def __init__(self, eps=1e-8):
        super().__init__()
        self.eps = eps
        self.fc = nn.Linear(3, 3)

    def forward(self, x):
        return torch.sigmoid(self.fc(x))


class Logged(Head):
    def forward(self, x):
        return torch.log(torch.sigmoid(self.fc(x)) + 1e-8)


class Norm(nn.Module):
    EPS = 1e-8

    def __init__(self, eps=1e-8):
        super().__init__()
        self.eps = eps

    def forward(self, x):
        return x / (x.abs().mean(-1, keepdim=True) + self.eps)


class Fixed(Norm):
    def forward(self, x):
        return x / (x.abs().mean(-1, keepdim=True) + self.EPS)


class Net(nn.Module):
    def __init__(self, norm):
        super().__init__()
        self.embedding = nn.Embedding(9, 3)
        self.norm = Norm()
        self.fixed = Fixed()

    def forward(self, ids):
        return self.norm(self.embedding(ids))


class Block(nn.Module):
    norm_of = Fixed

    def __init__(self):
        super().__init__()
        self.norm = self.norm_of()

    def forward(self, x):
        return x + self.norm(x)


class Deep(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.embedding = nn.Embedding(9, 3)
        self.blocks = nn.ModuleList([Block() for _ in range(depth)])

    def forward(self, ids):
        x = self.embedding(ids)
        for block in self.blocks:
            x = block(x)
        return x


def entropy(p, eps=1e-8):
    return -(p * torch.log(p + eps)).mean()


@contextlib.contextmanager
def region(name="cuda"):
    with torch.no_grad(), torch.autocast(name, dtype=torch.float16):
        yield


@contextlib.contextmanager
def in_half(*modules):
    for module in modules:
        module.half()
    yield


class Trainer:
    def __init__(self):
        self.region = torch.autocast("cuda", dtype=torch.float16)
        self.off = torch.autocast("cuda", dtype=torch.float16, enabled=False)
        self.made = functools.partial(torch.autocast, "cuda", dtype=torch.float16)
        self.brain = functools.partial(torch.autocast, "cuda", dtype=torch.bfloat16)
        self.net = Head().half()
        self.full = Head()

    def step(self, x, w):
        {body}


def run(x, w, ids, eps, flag):
    {run}
"""


def is_reported(text: str) -> bool:
    """Whether an epsilon is said to underflow, at the default confidence."""
    settings = Settings(select=(CODE,), min_confidence=Confidence.LIKELY)
    return bool(lint_bytes(text.encode(), "program.py", settings).findings)


def torch_program(run: str = "pass", step: str = "pass") -> str:
    def indented(body: str) -> str:
        return body.replace("\n", "\n    ")

    return TORCH.replace("{run}", indented(run)).replace("{body}", indented(indented(step)))


CONVERTED = [
    ("net = Head().half()\nentropy(net(x))", "net = Head()\nentropy(net(x))"),
    ("net = Head().half()\nentropy(net(x))", "net = Head().bfloat16()\nentropy(net(x))"),
    ("net = Head().half()\nentropy(net(x))", "net = Head().half()\nentropy(net(x).float())"),
    ("net = Head().half()\nentropy(net(x))", "net = Head().half().float()\nentropy(net(x))"),
    ("net = Head()\nnet.half()\nentropy(net(x))", "net = Head()\nHead().half()\nentropy(net(x))"),
    (
        "net = Head().to('cuda', torch.float16)\nentropy(net(x))",
        "net = Head().to('cuda', torch.float32)\nentropy(net(x))",
    ),
    (
        "net = torch.compile(Head().to(dtype=torch.half))\nentropy(net(x))",
        "net = torch.compile(Head().to('cuda'))\nentropy(net(x))",
    ),
    ("net = Net(Norm()).half()\nnet(ids)", "net = Net(Norm())\nnet(ids)"),
    ("net = Deep(4).half()\nnet(ids)", "net = Deep(4).bfloat16()\nnet(ids)"),
    ("Norm()(Head().half()(x))", "Norm(1e-4)(Head().half()(x))"),
    ("Norm()(Head().half()(x))", "Norm(eps)(Head().half()(x))"),
    ("Fixed()(Head().half()(x))", "Fixed()(Head()(x))"),
    (
        "net = nn.Sequential(nn.Linear(3, 3), nn.Sigmoid()).half()\nentropy(net(x))",
        "net = nn.Sequential(nn.Linear(3, 3), nn.Sigmoid())\nentropy(net(x))",
    ),
    (
        "net = nn.Sequential(nn.Linear(3, 3)).half()\nentropy(net(x).relu())",
        "net = nn.Sequential(nn.Linear(3, 3)).half()\nentropy(net(x).float().relu())",
    ),
    (
        "layer = nn.Linear(3, 3).half()\nentropy(layer(x).relu())",
        "layer = nn.Linear(3, 3).half()\nentropy(layer(x).float().relu())",
    ),
    (
        "entropy(nn.Parameter(x).half().relu())",
        "entropy(nn.Parameter(x).half().float().relu())",
    ),
    (
        "net = Head()\nnet.half()\nentropy(net(x))",
        "net = Head()\nif flag:\n    net.half()\nentropy(net(x))",
    ),
    ("net = Logged().half()\nnet(x)", "net = Logged()\nif flag:\n    net = net.half()\nnet(x)"),
    (
        "if flag:\n    net = Logged().half()\n    net(x)",
        "net = Logged()\nif flag:\n    net.half()\nnet(x)",
    ),
    (
        "with torch.no_grad():\n    return entropy(Head().half()(x))",
        "with torch.no_grad():\n    return entropy(Head()(x))",
    ),
]


@pytest.mark.parametrize(("broken", "sound"), CONVERTED)
def test_module_that_is_cast_as_a_whole(broken: str, sound: str) -> None:
    assert is_reported(torch_program(broken))
    assert not is_reported(torch_program(sound))


SIGMOID = "return torch.log(torch.sigmoid(x @ w) + 1e-8)"
ENTERED = [
    (f"with self.region:\n    {SIGMOID}", f"with self.off:\n    {SIGMOID}"),
    (f"with self.made():\n    {SIGMOID}", f"with self.brain():\n    {SIGMOID}"),
    (f"with region():\n    {SIGMOID}", f"with region('cpu'):\n    pass\n{SIGMOID}"),
    (
        "with region():\n    entropy(self.full(x))",
        "with region():\n    pass\nentropy(self.full(x))",
    ),
    ("with self.region:\n    p = self.full(x)\nentropy(p)", "p = self.full(x)\nentropy(p)"),
    (
        "with in_half(self.full):\n    entropy(self.full(x))",
        "with in_half():\n    entropy(self.full(x))",
    ),
    ("entropy(self.net(x))", "entropy(self.full(x))"),
]


@pytest.mark.parametrize(("broken", "sound"), ENTERED)
def test_region_behind_a_name(broken: str, sound: str) -> None:
    assert is_reported(torch_program(step=broken))
    assert not is_reported(torch_program(step=sound))


KERAS = """
import keras
from keras import layers, ops


class Norm(layers.Layer):
    def __init__(self, epsilon=1e-8, **kwargs):
        super().__init__(**kwargs)
        self.epsilon = epsilon

    def call(self, x):
        square = ops.mean(ops.square(x), axis=-1, keepdims=True)
        return x * ops.rsqrt(square + self.epsilon)


def build(x, policy=None):
    {body}


def with_policy(x, policy):
    options = {"dtype": policy}
    return Norm(**options)(x)
"""
GLOBAL = "keras.mixed_precision.set_global_policy"
POLICY = "keras.mixed_precision.Policy"
LAYERS = [
    (f"{GLOBAL}('mixed_float16')\nNorm()(x)", f"{GLOBAL}('mixed_bfloat16')\nNorm()(x)"),
    (f"{GLOBAL}('mixed_float16')\nNorm()(x)", f"{GLOBAL}('float32')\nNorm()(x)"),
    (f"{GLOBAL}('mixed_float16')\nNorm()(x)", "Norm()(x)"),
    (
        f"{GLOBAL}('mixed_float16')\nNorm()(x)",
        f"{GLOBAL}('mixed_float16')\nNorm(dtype='float32')(x)",
    ),
    (
        f"{GLOBAL}('mixed_float16' if policy else 'float32')\nNorm()(x)",
        f"{GLOBAL}('mixed_bfloat16' if policy else 'float32')\nNorm()(x)",
    ),
    (
        f"if policy:\n    {GLOBAL}('mixed_float16')\nNorm()(x)",
        f"if policy:\n    {GLOBAL}('mixed_float16')\n{GLOBAL}('float32')\nNorm()(x)",
    ),
    (
        f"if policy:\n    {GLOBAL}('mixed_float16')\nelse:\n    x = x + 1\nNorm()(x)",
        f"if policy:\n    {GLOBAL}('mixed_bfloat16')\nelse:\n    x = x + 1\nNorm()(x)",
    ),
    ("Norm(dtype='mixed_float16')(x)", "Norm(dtype='mixed_bfloat16')(x)"),
    ("Norm(dtype='mixed_float16')(x)", "Norm(1e-4, dtype='mixed_float16')(x)"),
    (f"Norm(dtype={POLICY}('mixed_float16'))(x)", f"Norm(dtype={POLICY}('float32'))(x)"),
    (f"with_policy(x, {POLICY}('mixed_float16'))", f"with_policy(x, {POLICY}('float32'))"),
    ("with_policy(x, 'mixed_float16')", "with_policy(x, policy)"),
]


@pytest.mark.parametrize(("broken", "sound"), LAYERS)
def test_layer_of_keras_under_a_policy(broken: str, sound: str) -> None:
    def program(body: str) -> str:
        return KERAS.replace("{body}", body.replace("\n", "\n    "))

    assert is_reported(program(broken))
    assert not is_reported(program(sound))


JAX = """
import flax.linen as nn
import jax
import jax.numpy as jnp


def make(epsilon=1e-8):
    def log_of(p):
        return jnp.log(p + epsilon)

    def loss(params, x):
        return log_of(jax.nn.softmax(x @ params["w"]))

    return loss


def cast(tree, dtype):
    return jax.tree.map(lambda leaf: leaf.astype(dtype), tree)


class Shares(nn.Module):
    @nn.compact
    def __call__(self, x):
        return jnp.log(jax.nn.softmax(nn.Dense(3, {dtype})(x)) + 1e-8)


def run(params, x):
    {body}
"""
TREES = [
    (
        "jax.jit(make())(cast(params, jnp.float16), x.astype(jnp.float16))",
        "jax.jit(make())(cast(params, jnp.bfloat16), x.astype(jnp.bfloat16))",
    ),
    (
        "make()(cast(params, jnp.float16), x.astype(jnp.float16))",
        "make(1e-4)(cast(params, jnp.float16), x.astype(jnp.float16))",
    ),
    (
        "make()(cast(params, jnp.float16), x.astype(jnp.float16))",
        "make()(params, x.astype(jnp.float16))",
    ),
]


@pytest.mark.parametrize(("broken", "sound"), TREES)
def test_parameters_of_jax_that_are_cast(broken: str, sound: str) -> None:
    program = JAX.replace("{dtype}", "use_bias=False")
    assert is_reported(program.replace("{body}", broken))
    assert not is_reported(program.replace("{body}", sound))


@pytest.mark.parametrize("dtype", ["dtype=jnp.float16", "dtype='float16'"])
@pytest.mark.parametrize(
    "other", ["dtype=jnp.bfloat16", "param_dtype=jnp.float16", "use_bias=True"]
)
def test_layer_of_flax_with_a_format(dtype: str, other: str) -> None:
    program = JAX.replace("{body}", "pass")
    assert is_reported(program.replace("{dtype}", dtype))
    assert not is_reported(program.replace("{dtype}", other))


TOLD = """
import lightning
import pytorch_lightning as pl
import torch
from accelerate import Accelerator
from torch import nn
from transformers import Trainer, TrainingArguments


class Net(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x):
        return torch.log(torch.sigmoid(self.fc(x)) + {inside})

    def training_step(self, batch, index):
        return self(batch).mean()


class Loop:
    def __init__(self):
        self.accelerator = Accelerator(mixed_precision="fp16")
        self.brain = Accelerator(mixed_precision="bf16")

    def log_of(self, x, w):
        {body}


class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x):
        return torch.sigmoid(self.fc(x))


def outside(p):
    return torch.log(p + 1e-8)


def run(x, data):
    {run}
"""
PREPARED = "accelerator = Accelerator({told})\nnet = accelerator.prepare(Net())\nnet(x)"
HUGGING = "Trainer(model=Net(), args=TrainingArguments('out', {told})).train()"
FITTED = "pl.Trainer({told}).fit(Net(), data)"
FITTED_LATER = "trainer = lightning.Trainer({told})\nnet = Net()\ntrainer.fit(net, data)"
TOLD_HOW = [
    (PREPARED, "mixed_precision='fp16'", "mixed_precision='bf16'"),
    (PREPARED, "mixed_precision='fp16'", "mixed_precision='no'"),
    (HUGGING, "fp16=True", "bf16=True"),
    (HUGGING, "fp16=True", "fp16=False"),
    (FITTED, "precision='16-mixed'", "precision='bf16-mixed'"),
    (FITTED, "precision=16", "precision=32"),
    (FITTED, "precision=16", "devices=16"),
    (FITTED_LATER, "precision='16-true'", "precision='32-true'"),
]


def told(run: str = "pass", body: str = "pass", inside: str = "1e-8") -> str:
    text = TOLD.replace("{run}", run.replace("\n", "\n    ")).replace("{inside}", inside)
    return text.replace("{body}", body.replace("\n", "\n        "))


@pytest.mark.parametrize(("run", "lower", "other"), TOLD_HOW)
def test_trainer_that_is_told_a_precision(run: str, lower: str, other: str) -> None:
    assert is_reported(told(run.replace("{told}", lower)))
    assert not is_reported(told(run.replace("{told}", other)))
    assert not is_reported(told(run.replace("{told}", lower), inside="1e-4"))


def test_region_of_an_accelerator() -> None:
    region = f"with self.accelerator.autocast():\n    {SIGMOID}"
    assert is_reported(told(body=region))
    assert not is_reported(told(body=region.replace("accelerator", "brain")))
    assert not is_reported(told(body=f"with self.accelerator.autocast():\n    pass\n{SIGMOID}"))


def test_what_a_prepared_model_gives_is_cast_back() -> None:
    run = "accelerator = Accelerator(mixed_precision='fp16')\nnet = {net}\noutside(net(x))"
    half = "accelerator.prepare(Plain()).half()"
    assert is_reported(told(run.replace("{net}", half)))
    assert not is_reported(told(run.replace("{net}", "accelerator.prepare(Plain())")))
