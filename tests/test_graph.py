"""The value-flow graph of a project: what is trained through a definition, and on which way."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from mllint_nan.findings import Confidence
from mllint_nan.graph_edges import FILES_FEW
from mllint_nan.linter import Settings
from mllint_nan.module_resolver import module_resolver_of
from mllint_nan.project import Request, check_file
from mllint_nan.syntax.lazy_value_flows import LazyFlows, value_flows
from mllint_nan.tracing import trace_row
from mllint_nan.training import Training, TrainingUse
from tests.test_layouts import found

LENGTH = """\
import torch


def length(x, y):
    return torch.sqrt(((x - y) ** 2).sum(-1))
"""
TRAINS = "    loss.backward()\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "src" / "pkg").mkdir(parents=True)
    (tmp_path / "src" / "pkg" / "__init__.py").touch()
    return tmp_path


def written(project: Path, **files: str) -> Path:
    """The module of a package, beside the files of its project; `_` stands for a folder."""
    for name, text in files.items():
        path = project / f"{name.replace('_in_', '/')}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return project / "src" / "pkg" / "losses.py"


def training(project: Path, name: str = "length", text: str = LENGTH, **files: str) -> TrainingUse:
    module = written(project, **files)
    module.write_text(text)
    return module_resolver_of(str(module)).training(name)


IMPORT = "from pkg.losses import length\n"
BOTH = IMPORT + "def both(x, y):\n    loss = (x - y).mean()\n    return loss, length(x, y)\n"
"""A function that gives a loss, and what is only looked at."""
WITH_MORE = (
    "import jax\n"
    + IMPORT
    + "def loss_fn(w, y):\n    loss = (w - y).mean()\n    return loss, {'far': length(w, y)}\n"
    "def train(w, y):\n    (loss, more), grads = jax.value_and_grad(loss_fn, has_aux=True)(w, y)\n"
    "    print(loss, more, grads)\n"
)
SCALED = (
    "import torch\n"
    + IMPORT
    + "class Scaled(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n"
    "        return x * 2\n    @staticmethod\n    def backward(ctx, grad):\n"
    "        return grad / length(grad, 0)\n"
)
OWN_GRADIENTS = (
    "import torch\n"
    + IMPORT
    + "class Normal:\n    def compute_gradients(self, samples, weights):\n"
    "        return (samples - self.mean) * weights\n"
    "def train(x, y, normal):\n    print(normal.compute_gradients(length(x, y), y))\n"
)
"""A method of the project itself that is called as optimizers' methods are, and takes no gradient.
"""
THROUGH = {
    "given to a method of the project that takes the gradients": OWN_GRADIENTS.replace(
        "        return (", "        samples.sum().backward()\n        return ("
    ),
    "given to a method of another library that takes the gradients": OWN_GRADIENTS.replace(
        "def compute_", "def find_"
    ),
    "given to a method that hands it on to one of its name": OWN_GRADIENTS.replace(
        "return (samples - self.mean) * weights", "return self.inner.compute_gradients(samples)"
    ),
    "given to an optimizer of TensorFlow": OWN_GRADIENTS.replace(
        "import torch", "import tensorflow as tf"
    ),
    "the second of several results, which is the loss": BOTH
    + "def train(x, y):\n    seen, loss = both(x, y)\n"
    + TRAINS,
    "several results, of which the sum is the loss": BOTH
    + "def train(x, y):\n    loss, far = both(x, y)\n    loss = loss + far\n"
    + TRAINS,
    "one of several results, by its place": BOTH
    + "def train(x, y):\n    loss = both(x, y)[1]\n"
    + TRAINS,
    "several results of what is called by calling an object": "import torch\n"
    + IMPORT
    + "class Both:\n    def __call__(self, x, y):\n        return (x - y).mean(), length(x, y)\n"
    "def train(x, y):\n    both = Both()\n    seen, loss = both(x, y)\n" + TRAINS,
    "a part of the loss, beside what is only looked at": WITH_MORE.replace(
        "(w - y).mean()", "length(w, y)"
    ),
    "a loss that is a metric, too": IMPORT
    + "def build(model):\n    model.compile('adam', loss=length, metrics=[length])\n",
    "called in what has a gradient of its own, and elsewhere": SCALED
    + "def train(x, y):\n    loss = Scaled.apply(length(x, y))\n"
    + TRAINS,
    "made from a parameter": "import torch\n"
    + IMPORT
    + "def train(x, y):\n    scale = torch.nn.Parameter(x)\n    loss = length(scale, y)\n"
    + TRAINS,
    "called with what is differentiated, in a variable": "import jax\n"
    + IMPORT
    + "def train(w, x, y):\n    def loss_fn(w):\n        made = length(w, y)\n"
    "        return made.sum()\n    return jax.value_and_grad(loss_fn)(w)\n",
    "called with what a loop makes of it": "import jax\n"
    + IMPORT
    + "def train(w, x, y):\n    def loss_fn(w):\n        total = 0\n"
    "        for part in x:\n            total = total + length(state, y)\n"
    "            state = part * w\n        return total\n"
    "    return jax.grad(loss_fn)(w)\n",
    "given to a method of PyTorch that is called as a variable's": "import torch\n"
    + IMPORT
    + "def train(x, y, rows):\n    loss = rows.assign(length(x, y)).sum()\n"
    + TRAINS,
    "kept under a flag that is set anew": IMPORT
    + "def train(x, y, is_last):\n    total = x\n    if is_last:\n"
    "        total = total + length(x, y)\n    is_last = False\n    if not is_last:\n"
    "        loss = total.sum()\n" + TRAINS.replace("    ", "        "),
    "kept under a flag of a round of a loop": IMPORT
    + "def train(x, y):\n    total = x\n    for is_last in (True, False):\n        if is_last:\n"
    "            total = total + length(x, y)\n        if not is_last:\n"
    "            loss = total.sum()\n" + TRAINS.replace("    ", "            "),
    "kept under a flag that a function within is given": IMPORT
    + "def train(x, y):\n    total = x\n    def step(is_last):\n        nonlocal total\n"
    "        if is_last:\n            total = total + length(x, y)\n        if not is_last:\n"
    "            loss = total.sum()\n"
    + TRAINS.replace("    ", "            ")
    + "    step(True)\n    step(False)\n",
    "kept under a flag, and read without another one": IMPORT
    + "def train(x, y, is_last, is_first):\n    total = x\n    if is_last and is_first:\n"
    "        total = total + length(x, y)\n    else:\n        total = total + x\n"
    "    if is_last:\n        loss = total.sum()\n" + TRAINS.replace("    ", "        "),
    "kept in one of two cases, and read in neither": IMPORT
    + "def train(x, y, is_last, is_first):\n    total = x\n    if is_last or is_first:\n"
    "        total = total + length(x, y)\n    if not is_last:\n        loss = total.sum()\n"
    + TRAINS.replace("    ", "        "),
    "given to a function of the same file that records gradients": "import torch\n"
    + IMPORT
    + "@torch.compile\ndef step_of(size, far):\n    return size / far\n"
    "def train(x, y, size):\n    size = step_of(size, length(x, y))\n"
    "    loss = (x * size).sum()\n" + TRAINS,
    "the second of several results, in what is differentiated": "import jax\n"
    + BOTH
    + "def train(w, y):\n    def loss_fn(w):\n        loss, far = both(w, y)\n"
    "        return loss + far\n    return jax.value_and_grad(loss_fn)(w)\n",
    "given to a search by values, and to a loss": IMPORT
    + "from evotorch import Problem\nproblem = Problem('min', length, solution_length=3)\n"
    "def train(x, y):\n    loss = length(x, y)\n" + TRAINS,
    "scaled by a helper in the loss itself": "def scaled(value, by):\n    return value * by\n"
    + IMPORT
    + "def train(x, y):\n    far = scaled(scaled(length(x, y), 2), 3)\n    loss = far.sum()\n"
    + TRAINS,
    "passed to a function that returns its gradients": "import jax\n"
    + IMPORT
    + "@jax.value_and_grad\ndef total(w, far, y):\n    return far(w, y).sum()\n"
    "def train(w, y):\n    return total(w, length, y)\n",
    "closed over as a function": "import jax\n" + IMPORT + "def train(w, x, y, distance=length):\n"
    "    return jax.grad(lambda w: distance(w, y).sum())(w)\n"
    "train(1, 2, 3, length)\n",
    "given as a function to what a gradient is taken of": "import jax\n"
    + IMPORT
    + "def total(w, far, y):\n    return far(w, y).sum()\n"
    "def train(w, y):\n    return jax.value_and_grad(total)(w, length, y)\n",
    "given as the function of a model": "import jax\nfrom typing import Callable, NamedTuple\n"
    + IMPORT
    + "class Net(NamedTuple):\n    apply: Callable\n"
    "def net():\n    def apply(w, y):\n        return length(w, y)\n    return Net(apply)\n"
    "def total(w, apply, y):\n    return apply(w, y).sum()\n"
    "def train(w, y):\n    made = net()\n    return jax.grad(total)(w, made.apply, y)\n",
    "kept as a function that is closed over": "import jax\n"
    + IMPORT
    + "def train(w, x, y):\n    distance = jax.vmap(length)\n"
    "    return jax.grad(lambda w: distance(w, y).sum())(w)\n",
    "given as a function to a loop": "import jax\n"
    + IMPORT
    + "def train(w, x, y):\n    def loss_fn(w):\n"
    "        return jax.lax.scan(length, w, x)[0]\n    return jax.grad(loss_fn)(w)\n",
    "written into what is differentiated": "import jax\n"
    + IMPORT
    + "def train(w, x, y):\n    def loss_fn(w):\n        losses = {}\n"
    "        losses['a'] = length(w, y)\n        return sum(losses.values())\n"
    "    return jax.grad(loss_fn)(w)\n",
    "in a function within the one that is differentiated": "import jax\n"
    + IMPORT
    + "def train(w, x, y):\n    def loss_fn(w):\n        def inner(part):\n"
    "            return length(w, part)\n        return inner(y)\n"
    "    return jax.grad(loss_fn)(w)\n",
    "closed over by what an outer gradient is taken through": "import jax\n"
    + IMPORT
    + "def outer(w, x, y):\n    scale = length(w, y)\n"
    "    step = jax.grad(lambda x: (scale * x).sum())(x)\n    return step.sum()\n"
    "def train(w, x, y):\n    return jax.grad(outer)(w, x, y)\n",
    "the first of several results": "import jax\n"
    + IMPORT
    + "def train(w, x, y):\n    def loss_fn(w):\n        return length(w, y), {'x': x}\n"
    "    return jax.value_and_grad(loss_fn, has_aux=True)(w)\n",
    "in PyTorch, where an inner function returns it": "import jax\n"
    + IMPORT
    + "def train(w, x, y):\n    def loss_fn():\n        return length(w, y)\n"
    "    loss = loss_fn()\n    loss.backward()\n",
    "by a decorator that is applied in part": "import jax\nfrom functools import partial\n"
    + IMPORT
    + "@partial(jax.value_and_grad, has_aux=True)\n"
    "def train(x, y):\n    return length(x, y), x\n",
    "in a function that is compiled in part": "import jax\nfrom functools import partial\n"
    + IMPORT
    + "@partial(jax.jit, static_argnums=(1,))\n"
    "def distance(x, y):\n    return length(x, y)\n"
    "def train(x, y):\n    return jax.grad(distance)(x, y)\n",
    "called where a gradient is taken": IMPORT
    + "def train(x, y):\n    loss = length(x, y).mean()\n"
    + TRAINS,
    "detached on one path alone": IMPORT
    + "def train(x, y, is_fixed):\n    far = length(x, y)\n    if is_fixed:\n"
    "        far = far.detach()\n    loss = far.mean()\n" + TRAINS,
    "bound anew behind a function that reads it": IMPORT
    + "def train(x, y):\n    far = length(x, y)\n    def mean():\n        return far.mean()\n"
    "    far = far.detach()\n    loss = mean()\n" + TRAINS,
    "through a variable and a sum": IMPORT
    + "def train(x, y):\n    a = length(x, y)\n    loss = 0\n    loss += a.sum()\n"
    + TRAINS,
    "the least itself": IMPORT
    + "def train(x, y):\n    loss, places = length(x, y).min(0)\n"
    + TRAINS,
    "by a function of the project that is called like one": IMPORT
    + "from pkg import soft\ndef train(x, y):\n    loss = soft.argmin(length(x, y))\n"
    + TRAINS,
    "written in place": IMPORT
    + "def train(x, y):\n    loss = x.clone()\n    loss.add_(length(x, y))\n"
    + TRAINS,
    "kept in a list": IMPORT
    + "def train(x, y):\n    parts = []\n    parts.append(length(x, y))\n    loss = sum(parts)\n"
    + TRAINS,
    "imported with all else": "from pkg.losses import *\n"
    "def train(x, y):\n    loss = length(x, y).mean()\n" + TRAINS,
    "by the module": "import pkg.losses as L\n"
    "def train(x, y):\n    loss = L.length(x, y).mean()\n" + TRAINS,
    "handed to a function that trains": IMPORT
    + "def train(x, y, criterion):\n    loss = criterion(x, y).mean()\n"
    + TRAINS
    + "train(1, 2, length)\n",
    "handed over by keyword": IMPORT
    + "def train(x, y, criterion=None):\n    loss = criterion(x, y).mean()\n"
    + TRAINS
    + "train(1, 2, criterion=length)\n",
    "kept by an object that trains": IMPORT
    + "class Trainer:\n    def __init__(self, criterion):\n        self.criterion = criterion\n"
    "    def step(self, x, y):\n        loss = self.criterion(x, y)\n    "
    + TRAINS
    + "Trainer(length).step(1, 2)\n",
    "returned by what is called there": IMPORT
    + "def penalty(x, y):\n    return 0.1 * length(x, y)\n"
    "def train(x, y):\n    loss = penalty(x, y)\n" + TRAINS,
    "in a function that JAX differentiates": "import jax\n" + IMPORT + "def train(x, y):\n"
    "    def loss_fn(x):\n        return length(x, y).sum()\n    return jax.grad(loss_fn)(x)\n",
    "under a tape": "import tensorflow as tf\n" + IMPORT + "def train(x, y, w):\n"
    "    with tf.GradientTape() as tape:\n        loss = length(x, y)\n"
    "    return tape.gradient(loss, w)\n",
    "compiled into a model": IMPORT + "def build(model):\n    model.compile('adam', loss=length)\n",
    "in a step of Lightning": "import lightning as L\n" + IMPORT + "class Net(L.LightningModule):\n"
    "    def training_step(self, batch, i):\n        return length(*batch).mean()\n",
    "by a method of an optimizer that takes the gradients itself": "import torch\n"
    + IMPORT
    + "class Closed(torch.optim.Optimizer):\n    def loss(self, x):\n"
    "        return length(x, self.y)\n    def step(self, x):\n        loss = self.loss(x)\n    "
    + TRAINS,
    "in a module": "import torch\n" + IMPORT + "class Net(torch.nn.Module):\n"
    "    def forward(self, x):\n        return length(x, self.centre)\n",
}
SCALED_BY = "def scaled(value, by):\n    return value * by\n"
"""A helper of which the loss is made, and a sample."""
DEFAULTS = {
    "the default of a parameter that is called": IMPORT
    + "def train(x, y, measure=length):\n    loss = measure(x, y)\n"
    + TRAINS,
    "the default of a parameter by name alone": IMPORT
    + "def train(x, y, *, measure=length):\n    loss = measure(x, y)\n"
    + TRAINS,
    "the default of a parameter that an object keeps": IMPORT
    + "class Trainer:\n    def __init__(self, measure=length):\n        self.measure = measure\n"
    "    def step(self, x, y):\n        loss = self.measure(x, y)\n    " + TRAINS,
    "the default of a parameter, through the result of its function": IMPORT
    + "def made(x, y, measure=length):\n    return measure(x, y)\n"
    "def train(x, y):\n    loss = made(x, y)\n" + TRAINS,
    "the default of a parameter of an inner function": IMPORT
    + "def train(x, y):\n    def made(measure=length):\n        return measure(x, y)\n"
    "    loss = made()\n" + TRAINS,
    "the default of a parameter of a lambda": IMPORT
    + "def train(x, y):\n    made = lambda measure=length: measure(x, y)\n    loss = made()\n"
    + TRAINS,
    "the default of a parameter, by a variable of the module": IMPORT
    + "MEASURE = length\ndef train(x, y, measure=MEASURE):\n    loss = measure(x, y)\n"
    + TRAINS,
}
LOOKED_UP = {
    "one of the values of a dictionary of the module": IMPORT + "TERMS = {'far': (1.0, length)}\n"
    "def train(x, y):\n    loss = sum(scale * term(x, y) for scale, term in TERMS.values())\n"
    + TRAINS,
    "gotten from a dictionary of the module": IMPORT + "TERMS = {'far': length}\n"
    "def train(x, y, name):\n    loss = TERMS.get(name)(x, y)\n" + TRAINS,
}
THROUGH |= DEFAULTS | LOOKED_UP
BESIDE = {
    "the default of a parameter that is only looked at": IMPORT
    + "def show(x, y, measure=length):\n    print(measure(x, y))\n"
    "def train(x, y):\n    loss = (x - y).mean()\n" + TRAINS,
    "written into a variable that is trained": "import tensorflow as tf\n"
    + IMPORT
    + "def train(x, y, scale, optimizer):\n    start = scale.assign(length(x, y))\n"
    "    optimizer.minimize((start * x).sum())\n",
    "the second of several results, beside what is differentiated of the first": "import jax\n"
    + BOTH
    + "def train(w, y):\n    def loss_fn(w):\n        loss, far = both(w, y)\n"
    "        return loss\n    return jax.value_and_grad(loss_fn)(w)\n",
    "kept under a flag, and read only without it": IMPORT
    + "def train(x, y, is_last):\n    total = x\n    if is_last:\n"
    "        total = total + length(x, y)\n    if not is_last:\n        loss = total.sum()\n"
    + TRAINS.replace("    ", "        "),
    "kept as a state under a flag, and read only without it": "import flax.linen as nn\n"
    + IMPORT
    + "import jax\ndef apply(module, x, y, is_training):\n"
    "    state = module.variable('seen', 'far', lambda: 0.0)\n    if is_training and x.size:\n"
    "        state.value = length(x, y) + state.value\n    if not is_training:\n"
    "        return x * state\n    return x\n"
    "def train(x, y, module):\n    return jax.grad(apply)(module, x, y, True)\n",
    "given to a function of the same file that records no gradients": "import torch\n"
    + IMPORT
    + "@torch.no_grad()\ndef step_of(size, far):\n    return size / far\n"
    "def train(x, y, size):\n    size = step_of(size, length(x, y))\n"
    "    loss = (x * size).sum()\n" + TRAINS,
    "scaled by a helper that also scales the loss": SCALED_BY
    + IMPORT
    + "def draw(x, y):\n    print(scaled(length(x, y), 2))\n"
    + "def train(x, y):\n    loss = scaled(x - y, 2).sum()\n"
    + TRAINS,
    "compared, with what a helper makes of it, for the steps of a loop": SCALED_BY
    + IMPORT
    + "def train(x, y):\n    loss = scaled(x - y, 2).sum()\n"
    + "    while scaled(length(x, y), 2) > 1:\n        x = x / 2\n"
    + TRAINS,
    "given to a method of the project that is called as if it took gradients": OWN_GRADIENTS,
    "asked for the device": "import torch\n" + IMPORT + "def train(x, y):\n"
    "    device = torch.device('cuda', length(x, y))\n    loss = x.to(device).sum()\n" + TRAINS,
    "detached by the statement behind": IMPORT
    + "def train(x, y):\n    far, seen = length(x, y), y\n    far = far.detach()\n"
    "    loss = far.mean()\n" + TRAINS,
    "the second of several results, which is only looked at": BOTH
    + "def train(x, y):\n    loss, far = both(x, y)\n"
    + TRAINS
    + "    print(far)\n",
    "the second of what is called by calling an object": IMPORT
    + "class Both:\n    def __call__(self, x, y):\n        return (x - y).mean(), length(x, y)\n"
    "def train(x, y):\n    loss, far = Both()(x, y)\n"
    + TRAINS.replace("loss.", "x.")
    + "    print(far)\n",
    "beside what is differentiated, in a function of the module": WITH_MORE,
    "the argument of what a gradient is taken of": "import jax\n"
    + IMPORT
    + "def energy(x):\n    return (x ** 4).sum()\n"
    "def force(x, y):\n    print(jax.grad(energy)(length(x, y)))\n",
    "the argument beside the one that a gradient is taken by": "import jax\n"
    + IMPORT
    + "def energy(w, x):\n    return (w * x).sum()\n"
    "def force(w, x, y):\n    far = length(x, y)\n    print(jax.grad(energy)(w, far))\n",
    "given to a search by the values of a function": "import torch\n"
    + IMPORT
    + "from evotorch import Problem\nfrom evotorch.algorithms import GeneticAlgorithm\n"
    "problem = Problem('min', length, solution_length=3)\n"
    "searcher = GeneticAlgorithm(problem, popsize=200)\nsearcher.run(100)\n",
    "compiled into a model to measure": IMPORT
    + "def build(model):\n    model.compile('adam', loss='mse', metrics=[length, 'mae'])\n",
    "handed over to measure": IMPORT
    + "import far\ndef run(net):\n    return far.solve(net, metrics={'length': length})\n",
    "the first value of a parameter": "import torch\n"
    + IMPORT
    + "def start(x, y):\n    scale = torch.nn.Parameter(length(x, y))\n"
    "    loss = (scale * x).sum()\n" + TRAINS,
    "kept as a buffer": "import torch\n" + IMPORT + "class Net:\n    def __init__(self, x):\n"
    "        self.register_buffer('scale', length(x, 0))\n",
    "what turns gradients into updates": "import jax\nimport optax\n"
    + IMPORT
    + "def scaled():\n    def update(updates, state, params=None):\n"
    "        return updates / length(updates, 0), state\n"
    "    return optax.GradientTransformation(lambda params: (), update)\n"
    "def train(loss, w, x):\n    rule = scaled()\n    grads = jax.grad(loss)(w, x)\n"
    "    updates, _ = rule.update(grads, ())\n    return optax.apply_updates(w, updates)\n",
    "within a gradient of its own": SCALED
    + "def train(x, y):\n    loss = Scaled.apply(x - y).sum()\n"
    + TRAINS,
    "kept by an object under a name that is not written out": IMPORT
    + "def keep(module, name, x, y):\n    setattr(module, name, length(x, y))\n",
    "closed over by what JAX differentiates": "import jax\n"
    + IMPORT
    + "def train(w, x, y):\n    scale = length(x, y)\n    def loss_fn(w):\n"
    "        return (w * scale).sum()\n    print(jax.grad(loss_fn)(w))\n",
    "closed over by a lambda whose gradient has a name": "import jax\n"
    + IMPORT
    + "def rate(w, scale):\n    return (w * scale).sum()\n"
    "def train(w, x, y):\n    far = length(x, y)\n"
    "    grad = jax.jit(jax.grad(lambda w: rate(w, far)))\n"
    "    print(grad(w))\n",
    "closed over by a lambda": "import jax\n"
    + IMPORT
    + "def train(w, x, y):\n    scale = length(x, y)\n"
    "    print(jax.vjp(lambda w: (w * scale).sum(), w))\n",
    "made within what JAX differentiates, of what it closes over": "import jax\n"
    + IMPORT
    + "def rate(out, scale):\n    return (out * scale).sum()\n"
    "def train(model, w, x, y):\n    def loss_fn(w):\n        scale = length(x, y)\n"
    "        return rate(model(w), scale)\n"
    "    loss, grads = jax.value_and_grad(loss_fn)(w)\n    print(loss, rate(grads, 1))\n",
    "beside what is differentiated": "import jax\n"
    + IMPORT
    + "def train(w, x, y):\n    def loss_fn(w):\n        return w.sum(), length(w, y)\n"
    "    (loss, aux), grads = jax.value_and_grad(loss_fn, has_aux=True)(w)\n"
    "    print(aux)\n",
    "a variable of an inner function that is called like another one": "import jax\n"
    + IMPORT
    + "def train(w, x, y):\n    def loss_fn(w):\n        made = (w * x).sum()\n"
    "        return made\n    made = length(w, y)\n    print(made)\n"
    "    return jax.grad(loss_fn)(w)\n",
    "printed": IMPORT + "print(length(1, 2))\n",
    "imported with all else": "from numpy import *\nfrom pkg.losses import *\n"
    "def train(x, y):\n    loss = (x - y).mean()\n" + TRAINS + "    print(length(x, y))\n",
    "only looked at where something is trained": IMPORT
    + "def train(x, y):\n    loss = (x - y).mean()\n"
    + TRAINS
    + "    print(length(x, y).item())\n",
    "in a function whose gradient is its own, applied in part": "import jax\n"
    "from functools import partial\n" + IMPORT + "@partial(jax.custom_vjp, nondiff_argnums=(1,))\n"
    "def distance(x, y):\n    return length(x, y)\n"
    "def train(x, y):\n    return jax.grad(distance)(x, y)\n",
    "in an inner function whose gradient is its own": "import jax\n"
    + IMPORT
    + "def train(x, y):\n    @jax.custom_vjp\n"
    "    def distance(x):\n        made = length(x, y)\n        return made\n"
    "    return jax.grad(distance)(x)\n",
    "under no_grad": "import torch\n" + IMPORT + "def test(x, y):\n    with torch.no_grad():\n"
    "        return length(x, y)\n",
    "returned to what prints it": IMPORT
    + "def score(x, y):\n    return length(x, y).mean()\nprint(score(1, 2))\n",
    "a metric": "import torchmetrics\n" + IMPORT + "class Distance(torchmetrics.Metric):\n"
    "    def compute(self):\n        return length(self.a, self.b)\n"
    "    def __call__(self):\n        return self.compute()\n",
    "written into what an optimizer moves": IMPORT
    + "def step(parameters, y):\n    for p in parameters:\n        p.add_(length(p, y))\n",
    "handed to what writes it into a parameter": IMPORT
    + "def move(p, step):\n    p.add_(step)\ndef update(p, y):\n    move(p, length(p, y))\n",
    "given back by a method of an optimizer": "import keras\n"
    + IMPORT
    + "class Scaled(keras.optimizers.Optimizer):\n    def get_updates(self, grads, params):\n"
    "        return [p - g / length(g, 0) for p, g in zip(params, grads)]\n",
    "kept by an optimizer": "from torch.optim import Optimizer\n"
    + IMPORT
    + "class Base(Optimizer):\n    pass\nclass Scaled(Base):\n    def scale(self, grad):\n"
    "        self.last = length(grad, 0)\n        return self.last\n",
    "put into lists of a dictionary": IMPORT
    + "def group(points, y):\n    found = {}\n    for p in points:\n"
    "        found.setdefault(p.dtype, []).append(length(p, y))\n    print(found)\n",
    "made a plain number": IMPORT
    + "def train(x, y):\n    loss = (x - y).mean() + float(length(x, y))\n"
    + TRAINS,
    "fetched by a session": IMPORT
    + "def run(sess, x, y, loss):\n    found = sess.run(length(x, y))\n    print(found)\n",
    "saved under the name of a loss": "import numpy as np\n"
    + IMPORT
    + "def run(x, y):\n    np.savez('run', loss=length(x, y).item())\n",
    "drawn for a board": IMPORT
    + "def run(board, x, y):\n    board.add_scalars('length', {'a': length(x, y)})\n",
    "what prepares data": "from torchvision import transforms\n"
    + IMPORT
    + "def train(model, data):\n    scale = transforms.Lambda(lambda x: length(x, 0))\n"
    "    for x in data(scale):\n        loss = model(x)\n        loss.backward()\n",
    "what is mapped over a data set": "import tensorflow as tf\n"
    + IMPORT
    + "def train(model, files):\n"
    "    data = tf.data.Dataset.list_files(files).map(lambda x: length(x, 0)).batch(8)\n"
    "    for x in data:\n        loss = model(x)\n        loss.backward()\n",
    "what is mapped in parallel": IMPORT
    + "def train(model, data):\n    data = data.map(lambda x: length(x, 0), num_parallel_calls=2)\n"
    "    for x in data:\n        loss = model(x)\n        loss.backward()\n",
    "ranked by its places": IMPORT
    + "def nearest(x, y, model):\n    _, places = length(x, y).topk(3)\n    loss = model(places)\n"
    + TRAINS,
    "made an index": IMPORT
    + "import torch\ndef pick(x, y, table):\n    row = length(x, y).to(dtype=torch.long)\n"
    "    loss = table[row].sum()\n" + TRAINS,
    "the least of many": IMPORT
    + "def best(x, y, model):\n    loss = model(x[length(x, y).argmin()])\n"
    + TRAINS,
    "computed with by NumPy": IMPORT
    + "import numpy as np\ndef f(x, y, model):\n    loss = model(x) * np.sqrt(length(x, y))\n"
    + TRAINS,
    "an element of a data set": IMPORT + "import torch\nclass Points(torch.utils.data.Dataset):\n"
    "    def __getitem__(self, i):\n        return length(self.x[i], self.y[i])\n",
    "a transform of data": IMPORT + "from torch_geometric.transforms import BaseTransform\n"
    "class Scaled(BaseTransform):\n    def __call__(self, data):\n"
    "        return data.pos / self._size(data)\n"
    "    def _size(self, data):\n        return length(data.pos, 0).max()\n",
    "a reward of an environment": IMPORT + "import gymnasium\nclass Tag(gymnasium.Env):\n"
    "    def reward(self, state):\n        return -length(state.a, state.b)\n",
    "compared": IMPORT + "def near(x, y):\n    return length(x, y) < 1\n",
}
UNKNOWN = {
    "given to a search of another kind": IMPORT
    + "from solvers import Newton\nsolver = Newton(length)\nsolver.run(100)\n",
    "used by nobody": "import pkg\n",
    "returned by what nobody in sight calls": IMPORT + "def f(x, y):\n    return length(x, y)\n",
    "given to what is not seen": IMPORT + "def f(queue, x, y):\n    queue.offer(length(x, y))\n",
    "given back by a method of what is called an optimizer": IMPORT
    + "class Optimizer:\n    def distance(self, x, y):\n        return length(x, y)\n",
    "given back by a method of an optimizer that is a module": "import torch\n"
    + IMPORT
    + "class Optimizer(torch.nn.Module):\n    pass\nclass Learned(Optimizer):\n"
    "    def distance(self, x, y):\n        return length(x, y)\n",
}
STEPS = """\
def train(model, x, optimizer):
    loss = model(x).mean()
    loss.backward()
    optimizer.step()
"""
"""A script that trains, and uses nothing of the package."""
KERNEL = """\
import torch


class Kernel:
    def __init__(self, scale):
        self.scale = scale

    def reach(self, x):
        return torch.sqrt((x ** 2).sum(-1)) / self.scale
"""
MAKES = "from pkg.losses import Kernel\ndef kernels():\n    return [Kernel(1), Kernel(2)]\n"
ELSEWHERE = {
    "used by nobody": {"uses": "import pkg\n"},
    "returned by what nobody in sight calls": {
        "uses": IMPORT + "def f(x, y):\n    return length(x, y)\n"
    },
    "called as a library calls something else": {
        "uses": "import torch\ndef f(x, y):\n    loss = torch.length(x, y)\n" + TRAINS
    },
    "called as another module calls something else": {
        "other": "def length(x, y):\n    return x - y\n",
        "uses": "from other import length\ndef f(x, y):\n    loss = length(x, y)\n" + TRAINS,
    },
    "handed on by its package": {"src_in_pkg_in___init__": "from .losses import length\n"},
    "used by what is handed on": {
        "src_in_pkg_in___init__": "from .far import far\n",
        "src_in_pkg_in_far": "from .losses import length\ndef far(x, y):\n"
        "    return length(x, y) > 1, length(x, y)\n",
    },
    "called by a name that several have, on what is not known": {
        "other": "class Other:\n    def length(self, x, y):\n        return x - y\n",
        "uses": "from pkg import backend\ndef f(x, y):\n    loss = backend.length(x, y)\n" + TRAINS,
    },
    "shown by one, and returned by another": {
        "uses": IMPORT + "def f(x, y):\n    return length(x, y)\nprint(length(1, 2))\n"
    },
}
MAY_BE_TRAINED = {
    "given to what is not seen": {
        "uses": IMPORT + "def f(queue, x, y):\n    queue.offer(length(x, y))\n"
    },
    "taken from its module by a name that is not written out": {
        "uses": "from pkg import losses\ndef f(name, x, y):\n"
        "    loss = getattr(losses, name)(x, y)\n" + TRAINS
    },
    "kept by a decorator": {
        "text": LENGTH.replace("def length", "@REGISTRY.add()\ndef length").replace(
            "import torch\n", "import torch\nfrom pkg.registry import REGISTRY\n"
        )
    },
    "called by its name on what is not known": {
        "uses": "from pkg import backend\ndef f(x, y):\n    loss = backend.length(x, y)\n" + TRAINS
    },
    "gotten by a computed name from its module, and named beside": {
        "uses": "from pkg import losses\ndef train(x, y, name):\n"
        "    measure = getattr(losses, name)\n    print(measure is losses.length)\n"
        "    loss = measure(x, y)\n" + TRAINS
    },
    "taken from the names of its module": {
        "text": LENGTH + "def named(name):\n    return globals()[name]\n"
    },
}
METHODS_THAT_MAY_BE_TRAINED = {
    "called by its name on what is not known": {
        "makes": MAKES,
        "uses": "def train(kernel, x):\n    loss = kernel.reach(x).sum()\n" + TRAINS,
    },
    "of a layer": {
        "makes": MAKES,
        "text": KERNEL.replace("Kernel:", "Kernel(torch.nn.Module):"),
    },
    "an operator": {
        "makes": MAKES,
        "name": "Kernel.__matmul__",
        "text": KERNEL.replace("reach", "__matmul__"),
    },
}
TRAINS_NOT = {
    "takes gradients and moves nothing": STEPS.replace("    optimizer.step()\n", ""),
    "moves by what is no gradient": STEPS.replace("    loss.backward()\n", ""),
    "takes differences of numbers": "from scipy.optimize import minimize\n"
    "def solve(f, x):\n    return minimize(f, x)\n",
    "compiles what is no model": "import re\nBACK = re.compile('backward', re.M)\n",
    "is no Python": STEPS + "x = (\n",
}
TRAINS_SO = {
    "by a loop": STEPS,
    "in Python 2": STEPS + "print 1\n",
    "by gradients that are applied": "import tensorflow as tf\n"
    "def train(model, x, y, optimizer):\n    with tf.GradientTape() as tape:\n"
    "        loss = model(x)\n    gradients = tape.gradient(loss, y)\n"
    "    optimizer.apply_gradients(zip(gradients, y))\n",
    "by updates": "import jax\nimport optax\ndef train(loss, params, state, optimizer):\n"
    "    gradients = jax.grad(loss)(params)\n"
    "    updates, state = optimizer.update(gradients, state)\n"
    "    return optax.apply_updates(params, updates)\n",
    "by what minimizes": "import tensorflow as tf\ndef train(model, x):\n"
    "    return tf.train.AdamOptimizer().minimize(model(x))\n",
    "by a loss that is compiled in": "def train(model, x):\n"
    "    model.compile('adam', loss='mse')\n    model.fit(x)\n",
    "by a step of Lightning": "class Net:\n    def training_step(self, batch):\n"
    "        return self.net(batch)\n",
}


@pytest.mark.parametrize("case", THROUGH)
def test_trained_through(project: Path, case: str) -> None:
    assert training(project, train=THROUGH[case]).training is Training.THROUGH


@pytest.mark.parametrize(
    ("name", "method", "expected"),
    [
        ("'reach'", "reach", Training.THROUGH),
        ("f'reach{kind}'", "reach", Training.THROUGH),
        ("f'_{kind}'", "reach", Training.UNKNOWN),
        ("kind + 'ch'", "reach", Training.THROUGH),
        ("kind + '_loss'", "reach", Training.UNKNOWN),
        ("kind", "reach", Training.THROUGH),
    ],
)
def test_methods_that_an_object_gets_by_computed_names(
    project: Path, name: str, method: str, expected: Training
) -> None:
    text = (
        "import torch\n\n\nclass Kernel:\n    def __init__(self, kind):\n"
        f"        self.measure = getattr(self, {name})\n\n"
        "    def step(self, x, y):\n        loss = self.measure(x, y)\n        loss.backward()\n\n"
        f"    def {method}(self, x, y):\n        return torch.sqrt(((x - y) ** 2).sum(-1))\n"
    )
    assert training(project, f"Kernel.{method}", text).training is expected


@pytest.mark.parametrize("case", BESIDE)
def test_trained_beside(project: Path, case: str) -> None:
    assert training(project, train=BESIDE[case]).training is Training.BESIDE


@pytest.mark.parametrize("case", UNKNOWN)
def test_not_all_uses_are_in_sight(project: Path, case: str) -> None:
    assert training(project, train=UNKNOWN[case]).training is Training.UNKNOWN


LIBRARIES = "import jax\nimport jax.numpy as jnp\nimport tensorflow as tf\nimport torch\n"


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ("jnp.floor(length(x, y))", Training.BESIDE),
        ("jax.lax.round(length(x, y)) + jnp.sign(length(y, x))", Training.BESIDE),
        ("tf.math.ceil(length(x, y))", Training.BESIDE),
        ("tf.sign(length(x, y))", Training.THROUGH),
        ("torch.floor(length(x, y))", Training.THROUGH),
        ("length(x, y).round()", Training.THROUGH),
        ("w[length(x, y).astype(jnp.int32)]", Training.BESIDE),
        ("w[tf.cast(length(x, y), tf.int64)] + w[length(x, y).long()]", Training.BESIDE),
        ("w[int(length(x, y))] + w[jnp.argmax(length(x, y))]", Training.BESIDE),
        ("jax.lax.while_loop(lambda s: s < length(x, y), lambda s: s + w, 0)", Training.BESIDE),
        ("jax.lax.while_loop(lambda s: s < y, lambda s: s + length(s, y), 0)", Training.THROUGH),
    ],
)
def test_what_passes_no_gradient(project: Path, made: str, expected: Training) -> None:
    uses = f"{LIBRARIES}{IMPORT}def train(w, x, y):\n    loss = {made}\n{TRAINS}"
    assert training(project, uses=uses).training is expected


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("    print loss\n" + TRAINS, Training.THROUGH),
        ("    print loss\n", Training.BESIDE),
        ("    print loss\n    x = y +\n", Training.UNKNOWN),
    ],
)
def test_python_2_is_followed_as_far_as_all_of_it_can_be_read(
    project: Path, rows: str, expected: Training
) -> None:
    uses = IMPORT + "def f(x, y):\n    loss = length(x, y).mean()\n" + rows
    assert training(project, uses=uses).training is expected


@pytest.mark.parametrize("case", ELSEWHERE)
def test_trained_elsewhere(project: Path, case: str) -> None:
    assert training(project, **ELSEWHERE[case]).training is Training.UNKNOWN
    found = training(project, **ELSEWHERE[case], train=STEPS)
    assert found == TrainingUse(Training.ELSEWHERE, ("train.py",))


@pytest.mark.parametrize("makes", [MAKES, ""])
def test_method_that_nobody_calls_of_objects_that_somebody_makes_or_nobody(
    project: Path, makes: str
) -> None:
    found = training(project, "Kernel.reach", KERNEL, makes=makes, train=STEPS)
    assert found.training is Training.ELSEWHERE


BASE = """\
class Base:
    def __call__(self, x):
        return self.reach(x).mean()
"""
OF_BASE = "from pkg.base import Base\n" + KERNEL.replace("Kernel:", "Kernel(Base):")
OF_HEIR = """\
from pkg.losses import Kernel


class Wide(Kernel):
    def loss(self, x):
        return self.{name}(x).sum()


def train(x):
    loss = Wide(2).loss(x)
    loss.backward()
"""
TRAINS_BY_CHOICE = (
    "from pkg.losses import Kernel\nKINDS = {'kernel': Kernel}\n"
    "def train(kind, x):\n    loss = KINDS[kind](2)(x)\n" + TRAINS
)


def test_method_that_a_base_class_calls(project: Path) -> None:
    files = {"name": "Kernel.reach", "text": OF_BASE, "train": TRAINS_BY_CHOICE}
    called = training(project, **files, src_in_pkg_in_base=BASE)
    assert called.training is Training.THROUGH
    other = BASE.replace("reach", "spread")
    assert training(project, **files, src_in_pkg_in_base=other).training is not Training.THROUGH


OF_STEP = """\
import torch


class Model(torch.nn.Module):
    def adapted(self, out):
        return out

    def step(self, x, y):
        error = self.{name}(x) - y
        loss = error.mean()
        loss.backward()
"""
ADAPTED = """\
from pkg.base import Model
from pkg.losses import length


class Wide(Model):
    def adapted(self, out):
        return length(out, 0)
"""


@pytest.mark.parametrize(
    ("name", "expected"), [("adapted", Training.THROUGH), ("forward", Training.ELSEWHERE)]
)
def test_method_of_an_heir_on_the_way_that_its_base_calls(
    project: Path, name: str, expected: Training
) -> None:
    files = {"src_in_pkg_in_base": OF_STEP.format(name=name), "src_in_pkg_in_wide": ADAPTED}
    assert training(project, **files, train=STEPS).training is expected
    heir = str(project / "src" / "pkg" / "wide.py")
    is_through = module_resolver_of(heir).training("Wide.adapted").training is Training.THROUGH
    assert is_through is (expected is Training.THROUGH)


@pytest.mark.parametrize(
    ("name", "expected"), [("reach", Training.THROUGH), ("spread", Training.ELSEWHERE)]
)
def test_method_that_a_derived_class_calls(project: Path, name: str, expected: Training) -> None:
    uses = OF_HEIR.format(name=name)
    found = training(project, "Kernel.reach", KERNEL, uses=uses, train=STEPS)
    assert found.training is expected


def test_method_that_a_derived_class_has_itself(project: Path) -> None:
    own = OF_HEIR.format(name="reach").replace(
        "    def loss", "    def reach(self, x):\n        return x\n\n    def loss"
    )
    found = training(project, "Kernel.reach", KERNEL, uses=own, train=STEPS)
    assert found.training is Training.ELSEWHERE


def test_method_by_a_name_of_the_class_alone(project: Path) -> None:
    text = KERNEL.replace("reach", "__reach")
    found = training(project, "Kernel.__reach", text, makes=MAKES, train=STEPS)
    assert found.training is Training.ELSEWHERE


SCORE = "from models import Net\n\n\ndef score(x):\n    print(Net(1).reach(x))\n"


@pytest.mark.parametrize(
    ("score", "expected"),
    [(SCORE, Training.BESIDE), (SCORE.replace("print", "loss = ") + TRAINS, Training.THROUGH)],
)
def test_modules_of_one_name_in_several_folders(
    project: Path, score: str, expected: Training
) -> None:
    for folder in ("first", "second", "third"):
        other = KERNEL.replace("Kernel", "Net" if folder == "second" else folder.title())
        written(project, **{f"{folder}_in_models": other, f"{folder}_in_train": STEPS})
    written(project, second_in_score=score)
    models = project / "second" / "models.py"
    assert module_resolver_of(str(models)).training("Net.reach").training is expected


@pytest.mark.parametrize("case", MAY_BE_TRAINED)
def test_what_may_be_trained_is_not_known(project: Path, case: str) -> None:
    assert training(project, **MAY_BE_TRAINED[case], train=STEPS).training is Training.UNKNOWN


@pytest.mark.parametrize("case", METHODS_THAT_MAY_BE_TRAINED)
def test_method_that_may_be_trained_is_not_beside(project: Path, case: str) -> None:
    files = {"name": "Kernel.reach", "text": KERNEL, **METHODS_THAT_MAY_BE_TRAINED[case]}
    found = training(project, **files, train=STEPS)
    assert found.training in (Training.UNKNOWN, Training.THROUGH)


@pytest.mark.parametrize("case", TRAINS_SO)
def test_a_file_trains(project: Path, case: str) -> None:
    assert training(project, train=TRAINS_SO[case]).training is Training.ELSEWHERE


@pytest.mark.parametrize("case", TRAINS_NOT)
def test_a_file_does_not_train(project: Path, case: str) -> None:
    assert training(project, train=TRAINS_NOT[case]).training is Training.UNKNOWN


def test_neither_a_test_nor_the_file_itself_is_elsewhere(project: Path) -> None:
    assert training(project, tests_in_test_train=STEPS).training is Training.UNKNOWN
    assert training(project, text=LENGTH + STEPS).training is Training.UNKNOWN
    assert training(project, text=LENGTH + STEPS, a=STEPS).training is Training.ELSEWHERE


@pytest.mark.parametrize(
    ("program", "text"),
    [
        ("run.py", "if __name__ == '__main__':\n    print(1)\n"),
        ("show.ipynb", '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'),
    ],
)
def test_a_program_that_does_not_train(project: Path, program: str, text: str) -> None:
    assert training(project).training is Training.UNKNOWN
    (project / program).write_text(text)
    assert training(project).training is Training.ELSEWHERE
    (project / "tests").mkdir()
    (project / program).rename(project / "tests" / program)
    assert training(project).training is Training.UNKNOWN


IN_JAX = """\
import jax.numpy as jnp


def length(x, y):
    return jnp.sqrt(((x - y) ** 2).sum(-1))
"""
STEP_OF_JAX = """\
import jax

from pkg.losses import length


def train(w, x, optimizer):
    y = jax.numpy.zeros(3)

    def loss_fn(w):
        scale = length({of}, y)
        return ((w - y) ** 2 * scale).sum()

    loss, grads = jax.value_and_grad(loss_fn)(w)
    print(loss)
    optimizer.apply_gradients(grads)


if __name__ == "__main__":
    train(1, 2, None)
"""


@pytest.mark.parametrize(("of", "sure"), [("x", Confidence.POSSIBLE), ("w", Confidence.LIKELY)])
def test_a_call_within_what_jax_differentiates_shows_nothing_of_constants(
    project: Path, of: str, sure: Confidence
) -> None:
    module = written(project, train=STEP_OF_JAX.replace("{of}", of))
    module.write_text(IN_JAX)
    request = Request(Settings(min_confidence=Confidence.POSSIBLE))
    found = [one for one in check_file(str(module), request).findings if one.code == "NAN203"]
    assert [one.confidence for one in found] == [sure]


@pytest.mark.parametrize(
    ("uses", "confidence"),
    [
        ("TABLE = {'length': length}\ndef score(x):\n    x.backward()\n", Confidence.POSSIBLE),
        ("TABLE = {'length': length}\nfor x in (): x.backward()\n", Confidence.LIKELY),
    ],
)
def test_a_file_that_takes_other_gradients_shows_nothing_of_what_it_lists(
    project: Path, uses: str, confidence: Confidence
) -> None:
    module = written(project, train=STEPS)
    module.write_text(LENGTH + uses)
    request = Request(Settings(min_confidence=Confidence.POSSIBLE))
    found = [one for one in check_file(str(module), request).findings if one.code == "NAN203"]
    assert [one.confidence for one in found] == [confidence]


@pytest.mark.parametrize("case", BESIDE)
def test_one_use_that_trains_is_enough(project: Path, case: str) -> None:
    trains = THROUGH["called where a gradient is taken"]
    assert training(project, score=BESIDE[case], train=trains).training is Training.THROUGH


def test_tests_tell_what_is_differentiated_and_not_what_is_not(project: Path) -> None:
    checks = IMPORT + "def test_length():\n    print(length(1, 2))\n"
    assert training(project, tests_in_test_length=checks).training is Training.UNKNOWN
    gradients = IMPORT + "def test_length(x):\n    torch.autograd.gradcheck(length, x)\n"
    assert training(project, tests_in_test_length=gradients).training is Training.THROUGH


def test_notebooks_train_too(project: Path) -> None:
    train = IMPORT + "def train(x, y):\n    loss = length(x, y)\n" + TRAINS
    cells = [
        {
            "cell_type": "code",
            "source": "%matplotlib inline\n" + train,
            "metadata": {},
            "outputs": [],
        }
    ]
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (project / "train.ipynb").write_text(json.dumps(notebook))
    use = training(project)
    assert use.training is Training.THROUGH
    assert use.path[0].startswith("train.ipynb")


def test_a_package_hands_on_what_its_modules_define(project: Path) -> None:
    (project / "src" / "pkg" / "__init__.py").write_text("from .losses import length\n")
    train = "import pkg\ndef train(x, y):\n    loss = pkg.length(x, y)\n" + TRAINS
    assert training(project, train=train).training is Training.THROUGH


def test_a_package_hands_on_all_names_of_its_modules(project: Path) -> None:
    written(project, src_in_pkg_in_all="from .losses import *\n")
    (project / "src" / "pkg" / "__init__.py").write_text("from .all import *\n")
    train = "import pkg\ndef train(x, y):\n    loss = pkg.length(x, y)\n" + TRAINS
    assert training(project, train=train).training is Training.THROUGH


def test_what_a_class_is_derived_from_tells_what_it_is_for(project: Path) -> None:
    text = LENGTH + (
        "class Pair(torch.nn.Module):\n    def forward(self, x):\n        return x.sqrt()\n"
        "class Triple(Pair):\n    def forward(self, x):\n        return x.sqrt()\n"
        "class Adam(torch.optim.Optimizer):\n    def step(self):\n        return self.v.sqrt()\n"
        "    def __call__(self):\n        return self.step()\n"
    )
    assert training(project, "Pair.forward", text).training is Training.THROUGH
    assert training(project, "Triple.forward", text).training is Training.THROUGH
    assert training(project, "Adam.step", text).training is Training.BESIDE


def test_of_a_project_that_is_too_large_no_use_is_the_last(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = written(project, train=BESIDE["printed"])
    module.write_text(LENGTH)
    module.with_name("score.py").write_text(BESIDE["printed"])
    assert module_resolver_of(str(module)).training("length").training is Training.BESIDE
    monkeypatch.setattr("mllint_nan.project_files._FILES_MOST", 2)
    assert module_resolver_of(str(module)).training("length").training is Training.UNKNOWN
    module.with_name("fit.py").write_text(THROUGH["by the module"])
    assert module_resolver_of(str(module)).training("length").training is Training.THROUGH


@pytest.mark.parametrize("most", [4, 400])
def test_of_more_methods_than_are_searched_nothing_is_known(
    project: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """A method of some class is given what the function returns; there all of it is dropped."""
    monkeypatch.setattr("mllint_nan.graph.NODES_MOST", most)
    files = {
        f"kept{number}": f"class C{number}:\n    def keep(self, value):\n        pass\n"
        for number in range(6)
    }
    uses = IMPORT + "def show(x, y, log):\n    a = log.keep(length(x, y))\n"
    found = training(project, **files, shows=uses).training
    assert found is (Training.UNKNOWN if most == 4 else Training.BESIDE)


@pytest.mark.parametrize("most", [4, 256])
def test_of_what_too_many_files_name_nothing_is_known(
    project: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr("mllint_nan.graph_edges.NAMING_MOST", most)
    files = {f"shown{number}": BESIDE["printed"] for number in range(5)}
    found = training(project, **files).training
    assert found is (Training.UNKNOWN if most == 4 else Training.BESIDE)


def test_what_fewer_files_name_is_searched_for_again(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mllint_nan.graph_edges.NAMING_MOST", 4)
    files = {f"shown{number}": BESIDE["printed"] for number in range(6)}
    assert training(project, **files).training is Training.UNKNOWN
    module = project / "src" / "pkg" / "losses.py"
    assert module_resolver_of(str(module)).reach("length").least == FILES_FEW + 6 + 1 - 4
    for number in (0, 1, 2):
        (project / f"shown{number}.py").unlink()
    assert module_resolver_of(str(module)).training("length").training is Training.BESIDE


def test_what_takes_differences_of_numbers_takes_no_gradient(project: Path) -> None:
    text = (
        "from scipy.optimize import minimize\n" + IMPORT + "def solve(x, y):\n"
        "    return minimize(lambda z: float(length(z, y)), x)\n"
    )
    assert training(project, solve=text).training is not Training.THROUGH
    traced = text.replace("scipy", "jax.scipy").replace("float(length(z, y))", "length(z, y)")
    assert training(project, solve=traced).training is Training.THROUGH


def test_circles_of_calls_end(project: Path) -> None:
    text = LENGTH + "def f(x):\n    return g(x)\ndef g(x):\n    return f(x) + length(x, x)\n"
    assert training(project, "f", text).training is Training.UNKNOWN


def test_the_way_stands_in_the_answer(project: Path) -> None:
    train = THROUGH["returned by what is called there"]
    assert training(project, train=train).path == ("train.py:5", "train.penalty", "here")


BY_HAND = """\
import torch


def share(x):
    return 1 / (1 + torch.exp(-x))
"""


def test_a_shape_alone_is_no_evidence_of_a_gradient(project: Path) -> None:
    module = written(project)
    module.write_text(BY_HAND)
    assert verdicts(module) == ["NAN106"]
    written(project, train=STEPS)
    assert verdicts(module) == []
    written(project, more="from pkg.losses import share\n" + STEPS.replace("model(x)", "share(x)"))
    assert verdicts(module) == ["NAN106"]


OWN_LOSS = """\
import torch


class FieldLoss:
    def __call__(self, x, y):
        return ((x - y) ** 2).{given}

    def {method}(self, x, y):
        return torch.sqrt(((x - y) ** 2).mean())
"""


@pytest.mark.parametrize(
    ("given", "method", "found"),
    [
        ("mean()", "_root", []),
        ("mean()", "root", ["NAN203"]),
        ("mean(-1)", "root", []),
        ("mean(-1)", "root_loss", ["NAN203"]),
    ],
)
def test_what_a_loss_keeps_to_itself_is_none(
    project: Path, given: str, method: str, found: list[str]
) -> None:
    module = written(project, train=STEPS)
    module.write_text(OWN_LOSS.format(given=given, method=method))
    assert verdicts(module) == found


def test_a_loss_that_is_only_looked_at_is_none(project: Path) -> None:
    module = written(project)
    module.write_text(LENGTH.replace("length", "length_loss"))
    assert verdicts(module) == ["NAN203"]
    looks = "from pkg.losses import length_loss\nprint(length_loss(1, 2))\n"
    written(project, uses=looks)
    assert verdicts(module) == []
    written(project, train=looks.replace("print(", "loss = (") + "loss.backward()\n")
    assert verdicts(module) == ["NAN203"]


HANDED = """\
import torch
from solver import solve


def experiment(size):
    def error(x, y):
        return torch.sqrt(torch.sum((x - y) ** 2))

    return solve(size, {handed})


experiment(3)
"""


@pytest.mark.parametrize(
    ("handed", "found"),
    [
        ("metrics=[error]", []),
        ("metrics={'error': error}", []),
        ("criterion=error", ["NAN203"]),
        ("criterion=error, metrics={'error': error}", ["NAN203"]),
    ],
)
def test_what_an_inner_function_is_handed_over_as(
    tmp_path: Path, handed: str, found: list[str]
) -> None:
    module = tmp_path / "run.py"
    module.write_text(HANDED.format(handed=handed))
    assert verdicts(module) == found
    request = Request(Settings(min_confidence=Confidence.POSSIBLE))
    (finding,) = check_file(str(module), request).findings
    measures = "it is passed on as a metric, not as a loss"
    assert finding.reason == (None if found else measures)


def verdicts(module: Path) -> list[str]:
    return [one.code for one in check_file(str(module), Request(Settings())).findings]


def test_findings_follow_the_uses(project: Path) -> None:
    module = written(project)
    module.write_text(LENGTH)
    assert verdicts(module) == ["NAN203"]
    written(project, train=BESIDE["printed"])
    assert verdicts(module) == []
    written(project, more=THROUGH["by the module"])
    assert verdicts(module) == ["NAN203"]


def test_findings_follow_whether_the_project_trains(project: Path) -> None:
    module = written(project)
    module.write_text(LENGTH)
    assert verdicts(module) == ["NAN203"]
    written(project, train=STEPS)
    assert verdicts(module) == []
    request = Request(Settings(min_confidence=Confidence.POSSIBLE))
    (finding,) = check_file(str(module), request).findings
    assert finding.confidence is Confidence.POSSIBLE
    assert finding.reason == ("no visible program of this project is known to train through it")
    written(project, train=IMPORT + STEPS.replace("model(x)", "length(model(x), 0)"))
    assert verdicts(module) == ["NAN203"]


MADE_FOR_IT = {
    "a loss that is averaged or added up": "import torch\n\n\ndef length(x, average=True):\n"
    "    lengths = torch.sqrt((x ** 2).sum(-1))\n"
    "    if average:\n        return lengths.mean()\n    return lengths.sum()\n",
    "of what a layer gives": "import torch\n\n\ndef length(x):\n    layer = torch.nn.Linear(2, 2)\n"
    "    hidden = layer(x)\n    return torch.sqrt((hidden ** 2).sum(-1))\n",
    "of a distribution": KERNEL.replace("Kernel:", "Kernel(torch.distributions.Distribution):"),
    "of a layer": KERNEL.replace("Kernel:", "Kernel(torch.nn.Module):"),
}


@pytest.mark.parametrize("case", MADE_FOR_IT)
def test_what_is_made_to_be_trained_is_told_wherever_the_project_trains(
    project: Path, case: str
) -> None:
    module = written(project, makes=MAKES, train=STEPS)
    module.write_text(MADE_FOR_IT[case])
    assert verdicts(module) == ["NAN203"]


def test_a_name_makes_no_loss(project: Path) -> None:
    module = written(project, makes=MAKES, train=STEPS)
    module.write_text(LENGTH.replace("length", "length_loss"))
    assert verdicts(module) == []


GRAPH = """\
import tensorflow as tf


class Net:
    def __init__(self, x, y):
        out = tf.layers.dense(x, 1)
        self.loss = tf.reduce_mean(tf.square(out - y))
        if x is None:
            error = tf.reduce_mean(tf.abs(out - y))
        else:
            error = tf.sqrt(tf.reduce_mean(tf.square(out - y)))
        self.error = error
"""


def test_of_what_an_object_keeps_each_attribute_goes_its_own_way(project: Path) -> None:
    module = written(project)
    module.write_text(GRAPH)
    train = (
        "import tensorflow as tf\nfrom pkg.losses import Net\ndef run(sess, x, y):\n"
        "    net = Net(x, y)\n    step = tf.train.AdamOptimizer().minimize(net.loss)\n"
        "    sess.run(step)\n    print(sess.run(net.error))\n"
    )
    assert verdicts(module) == ["NAN203"]
    written(project, train=train)
    assert verdicts(module) == []
    written(project, train=train.replace("minimize(net.loss)", "minimize(net.error)"))
    assert verdicts(module) == ["NAN203"]


PICTURE = """\
import torch


def to_srgb(x):
    return torch.where(x < 0.0031308, 12.92 * x, 1.055 * x**0.41666 - 0.055)


class Trainer:
    def __init__(self, model):
        self.model = model

    def picture(self, x):
        return to_srgb(self.model(x)).detach().numpy()

    def step(self, x, y):
        error = torch.nn.functional.mse_loss(self.model(x), y)
        error.backward()
        return error
"""


def test_what_trains_uses_some_of_its_methods_beside(project: Path) -> None:
    module = written(project)
    module.write_text(PICTURE)
    assert verdicts(module) == []
    module.write_text(PICTURE.replace("mse_loss(self.model(x), y)", "mse_loss(to_srgb(x), y)"))
    assert verdicts(module) == ["NAN401"]


CANDIDATES = """\
import jax
import jax.numpy as jnp


def error(candidate, target):
    return jnp.sqrt(jnp.sum((candidate - target) ** 2))


def best(candidates, target):
    errors = jax.vmap(error, in_axes=(0, None))(candidates, target)
    return candidates[jnp.argmin(errors)]
"""


def test_what_is_mapped_and_ranked_is_not_differentiated(project: Path) -> None:
    module = written(project)
    module.write_text(CANDIDATES)
    assert verdicts(module) == []
    module.write_text(CANDIDATES.replace("candidates[jnp.argmin(errors)]", "jnp.min(errors)"))
    assert verdicts(module) == ["NAN203"]


def test_the_reason_stands_with_what_is_only_possible(project: Path) -> None:
    module = written(project, train=BESIDE["printed"])
    module.write_text(LENGTH)
    request = Request(Settings(min_confidence=Confidence.POSSIBLE))
    (finding,) = check_file(str(module), request).findings
    assert finding.reason == "nothing in this project trains through it"


def test_explained_at_its_line(project: Path) -> None:
    module = written(project, train=BESIDE["printed"])
    module.write_text(LENGTH)
    settings = Request(Settings()).settings_of(str(module))
    trace = trace_row(LENGTH.encode(), str(module), 5, settings)[0]
    assert trace.training == "nothing in this project trains through it: train.py:2 → here"
    written(project, train=THROUGH["by the module"])
    trace = trace_row(LENGTH.encode(), str(module), 5, settings)[0]
    assert trace.training == "trained through: train.py:3 → here"
    written(project, train=STEPS)
    trace = trace_row(LENGTH.encode(), str(module), 5, settings)[0]
    way = "train.py runs this project, but no visible path leads from a gradient to here"
    assert trace.training == way


SPECTRUM = (
    "import torch\n\n\nclass Spectrum(torch.nn.Module):\n"
    "    def parts(self, x):\n        return x.abs().sqrt(), x.sign()\n"
    "    def forward(self, x):\n        size, sign = self.parts(x)\n        return size * sign\n"
)
KEPT = (
    "import torch\nfrom pkg.losses import Spectrum\n\n\nclass Bands(torch.nn.Module):\n"
    "    def __init__(self):\n        super().__init__()\n"
    "        self.spectrum = Spectrum().to('cpu')\n"
    "    def of(self, x):\n        size, _ = self.spectrum.parts(x)\n"
    "        size = size.detach()\n        return 2 * size\n"
)


def test_a_layer_of_which_only_methods_are_called_runs_nothing_else(project: Path) -> None:
    assert training(project, "Spectrum.parts", SPECTRUM, bands=KEPT).training is Training.BESIDE


@pytest.mark.parametrize(
    "more",
    [
        "    def whole(self, x):\n        return self.spectrum(x)\n",
        "    def model(self):\n        return torch.nn.Sequential(self.spectrum)\n",
        "    def run(self, x):\n        return self.spectrum.forward(x)\n",
        "class Other(Spectrum):\n    pass\n",
        "MADE = [Spectrum]\n",
    ],
)
def test_a_layer_that_may_be_called_is_trained_through(project: Path, more: str) -> None:
    files = {"bands": KEPT + more}
    assert training(project, "Spectrum.parts", SPECTRUM, **files).training is Training.THROUGH


def test_a_part_of_several_results_is_followed_alone(project: Path) -> None:
    train = "from pkg.losses import both\ndef train(x, y):\n    far, loss = both(x, y)\n" + TRAINS
    text = "def both(x, y):\n    return (x - y).abs(), (x + y).mean()\n"
    assert training(project, "both^", text, train=train).training is Training.BESIDE
    assert training(project, "both&", text, train=train).training is Training.THROUGH


WRAPPED = """\
class Wrapper:
    def __init__(self, fn):
        self.fn = fn

    def score(self, x, y):
        return self.fn(x, y)


class Shown:
    def __init__(self, what):
        print(what)
"""
WRAPS = (
    IMPORT
    + "from pkg.wrap import Shown, Wrapper\n"
    + "class Inner(Wrapper):\n    pass\n"
    + "class Length(Inner):\n    def __init__(self):\n        super().__init__(length)\n"
    + "def train(x, y):\n    loss = Length().score(x, y)\n"
    + TRAINS
)


def test_what_a_class_hands_to_its_base_goes_there_alone(project: Path) -> None:
    written(project, src_in_pkg_in_wrap=WRAPPED)
    found = training(project, train=WRAPS)
    assert found.training is Training.THROUGH
    assert "Wrapper.__init__" in found.path
    shown = WRAPS.replace("Inner(Wrapper)", "Inner(Shown)").replace("score", "show")
    assert training(project, train=shown).training is not Training.THROUGH


def test_functions_are_read_in_which_a_name_stands_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        "import losses\n"
        "def longer(x):\n    all_losses = x.losses_of()\n    return all_losses\n"
        "def of_module(x):\n    return losses.dice(x)\n"
        "def handed_on(x):\n    return show(losses)\n"
    )
    flows = LazyFlows(text, "train")
    whole = value_flows(ast.parse(text), "train")
    read: list[str] = []
    reading = LazyFlows._read
    monkeypatch.setattr(
        LazyFlows, "_read", lambda flows, one: read.append(one.name) or reading(flows, one)
    )
    edges = list(flows.edges("losses", of_objects=False))
    assert edges == list(whole.edges["losses"].values())
    assert read == ["handed_on"]
    assert {edge.row for edge in edges} == {8}
    assert list(flows.edges("dice")) == list(whole.edges["dice"].values())
    assert list(flows.edges("")) == []


FITTED = """\
import jax
import jax.numpy as jnp

def geodesic(p, y):
    return 2.0 * jnp.arccos(jnp.clip(jnp.abs(jnp.sum(p * y, axis=-1)), 0.0, 1.0))

"""
FITS = """\
def fit(w, x, y):
    @jax.jit
    def step(w):
        loss = lambda v: geodesic(x @ v, y).mean()
        return jax.tree.map(lambda v, g: v - 0.1 * g, w, jax.grad(loss)(w))

    return step(w)
"""
MEASURES = """\
def fit(w, x, y):
    return geodesic(x @ w, y).mean()
"""


def test_name_speaks_against_no_gradient_that_is_taken(tmp_path: Path) -> None:
    """What `fit` calls is not trained through as a rule; here it is."""
    assert found({"angles.py": FITTED + FITS}, tmp_path) == [("angles.py", "NAN208")]
    assert found({"angles.py": FITTED + MEASURES}, tmp_path) == []


POSTPROCESSED = """\
import torch


def postprocess(distance):
    return torch.sqrt(distance)


def loss(x, y):
    return postprocess(((x - y) ** 2).sum(-1)).mean()
"""
TRAINS_LOSS = """\
from pkg.losses import loss


def train(model, optimizer, x, y):
    error = loss(model(x), y)
    error.backward()
    optimizer.step()
"""


@pytest.mark.parametrize(("train", "codes"), [("", []), (TRAINS_LOSS, ["NAN203"])])
def test_a_name_does_not_outweigh_the_path_of_a_gradient(
    project: Path, train: str, codes: list[str]
) -> None:
    module = written(project, train=train)
    module.write_text(POSTPROCESSED)
    checked = check_file(str(module), Request(Settings(), roots=(str(project),)))
    assert [finding.code for finding in checked.findings] == codes
