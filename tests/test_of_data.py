"""A flaw of a gradient where all that the calls give is data: nothing comes down to it.

Each program is one of data beside others in which the same function is given what is trained.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from mllint_nan.cli import main
from mllint_nan.findings import Confidence
from mllint_nan.linter import Settings
from mllint_nan.project import Request, check_file

GEOMETRY = """\
import torch


def spread(x, y):
    return torch.sqrt(((x - y) ** 2).sum(-1))
"""
TRAIN = """\
import numpy as np
import torch
from geometry import spread

model = torch.nn.Linear(4, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = torch.from_numpy(np.load("data.npy"))
target = torch.zeros(100, 4)
for _ in range(10):
    weight = {call}
    loss = (weight * model(data).sum(-1)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
LIKELY = Request(Settings())
EVERYTHING = Request(Settings(min_confidence=Confidence.POSSIBLE))
REASON = "all visible calls pass it only data, nothing that is trained: "


def program(call: str = "spread(data, target)", before: str = "", **files: str) -> dict[str, str]:
    """A module of geometry, and a program that calls it; `__` stands for a dot."""
    named = {name.replace("__", "."): text for name, text in files.items()}
    train = TRAIN.format(call=call).replace("for _ in", f"{before}for _ in")
    return {"geometry.py": GEOMETRY, "train.py": train, **named}


def is_given_data(folder: Path, files: Mapping[str, str], of: str = "geometry.py") -> bool:
    (folder / ".git").mkdir()
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    found = check_file(str(folder / of), LIKELY).findings
    assert len(found) < 2
    return not found


BATCH = """\
from torch.utils.data import DataLoader
from moving import move

batch = next(iter(DataLoader([])))
move(model, batch)
"""
SETS = """\
def move(model, batch):
    batch["x"] = {value}
    batch.y = {value}
    batch.w[0] = {value}
    setattr(batch, "z", {value})
    return batch
"""
KEEPS = """\
class Trainer:
    def __init__(self, rows):
        self.rows = rows

    def weight(self):
        return spread(self.rows, 2)


"""
DATA: Mapping[str, Mapping[str, str]] = {
    "arrays of a file": program(),
    "by their names": program("spread(y=target, x=data)"),
    "under another name": program("s(data, target)", before="from geometry import spread as s\n"),
    "of a module": program("geometry.spread(data, target)", before="import geometry\n"),
    "drawn": program("spread(torch.randn(3, 4), torch.rand(4))"),
    "from a loader": program(
        "spread(x, y)",
        before="from torch.utils.data import DataLoader\nx, y = next(iter(DataLoader([])))\n",
    ),
    "detached": program("spread(model(data).detach(), target)"),
    "what no gradient is recorded of": program(
        "spread(made, target)", before="with torch.no_grad():\n    made = model(data)\n"
    ),
    "computed of data": program("spread(data.view(-1, 4) / data.max(), torch.cat([target]))"),
    "handed on by a function": program(
        "weigh(data)", before="def weigh(x):\n    return spread(x, 2 * x)\n\n\n"
    ),
    "given by a function": program(
        "spread(*[load()][0], target)", before="def load():\n    return np.load('x.npy')\n\n\n"
    ).__class__(
        program("spread(load(), target)", before="def load():\n    return np.load('x')\n\n\n")
    ),
    "given by a function of another file": program(
        "spread(load(), target)",
        before="from reading import load\n",
        reading__py="import numpy as np\n\n\ndef load():\n    return np.load('x')\n",
    ),
    "kept by an object": program(
        "Trainer().weight()",
        before=(
            "class Trainer:\n    def __init__(self):\n        self.data = np.load('x')\n\n"
            "    def weight(self):\n        return spread(self.data, 2)\n\n\n"
        ),
    ),
    "gathered in a list": program(
        "spread(torch.stack(rows), target)",
        before="rows = []\nfor one in data:\n    rows.append(one)\n",
    ),
    "parts of a batch": program(
        "spread(batch['x'], batch.y)", before=BATCH, moving__py=SETS.format(value="batch['x'] / 2")
    ),
    "given to a constructor": program("Trainer(data).weight()", before=KEEPS),
    "put into a list that an object keeps": program(
        "Trainer(data).weight()",
        before=KEEPS.replace("= rows", "= []").replace(
            "return spread(self.rows",
            "self.rows.append(data)\n        return spread(torch.stack(self.rows)",
        ),
    ),
    "put into the list of a module": program(
        "spread(torch.stack(rows()), target)",
        before="from parts import rows\n",
        parts__py="kept = []\n\n\ndef rows():\n    return kept\n",
    ),
    "beside an attack on copies": program(
        attack__py=(
            "def attack(x):\n    x = x.clone()\n    x.requires_grad_()\n    return x\n\n\n"
            "def freeze(model):\n    for p in model.parameters():\n        p.requires_grad = True\n"
        )
    ),
    "beside a test of nothing else": program(
        test_geometry__py="from geometry import spread\nprint(spread(1, 2))\n"
    ),
}
TRAINED: Mapping[str, Mapping[str, str]] = {
    "a part of a batch that is set elsewhere": program(
        "spread(batch['x'], 1)", before=BATCH, moving__py=SETS.format(value="model(batch['x'])")
    ),
    "an attribute of a batch that is set elsewhere": program(
        "spread(batch.y, 1)", before=BATCH, moving__py=SETS.format(value="model(batch['x'])")
    ),
    "a part of a batch that is written into elsewhere": program(
        "spread(batch.w, 1)", before=BATCH, moving__py=SETS.format(value="model(batch['x'])")
    ),
    "a part of a batch that is set by its name": program(
        "spread(batch.z, 1)", before=BATCH, moving__py=SETS.format(value="model(batch['x'])")
    ),
    "given to a constructor": program("Trainer(model(data)).weight()", before=KEEPS),
    "kept by a name that is written": program(
        "Trainer(data).weight()",
        before=KEEPS.replace("return", "setattr(self, 'rows', model(data))\n        return"),
    ),
    "kept by any name": program(
        "Trainer(data).weight()",
        before=KEEPS.replace("return", "setattr(self, input(), model(data))\n        return"),
    ),
    "put into what an object keeps": program(
        "trainer.weight()",
        before=KEEPS + "trainer = Trainer([data])\ntrainer.rows.append(model(data))\n",
    ),
    "put into a list that an object keeps": program(
        "trainer.weight()",
        before=KEEPS.replace("= rows", "= []")
        + "trainer = Trainer(1)\nrows = trainer.rows\nrows.append(model(data))\n",
    ),
    "put into the list of a module": program(
        "spread(torch.stack(parts.rows), target)",
        before="import parts\nparts.rows.append(model(data))\n",
        parts__py="rows = []\n",
    ),
    "put into the list of a module by another one": program(
        "spread(torch.stack(rows()), target)",
        before="from parts import rows\n",
        parts__py="kept = []\n\n\ndef rows():\n    return kept\n",
        more__py="import parts\n\n\ndef put(model, x):\n    parts.kept.append(model(x))\n",
    ),
    "put into a dictionary by a function": program(
        "spread(rows['x'], 1)",
        before=(
            "def fill(others):\n    others.update(x=model(data))\n\n\n"
            "rows = {'x': data}\nfill(rows)\n"
        ),
    ),
    "what a model gives": program("spread(model(data), target)"),
    "the other argument": program("spread(target, model(data))"),
    "another call": program("spread(data, target) + spread(model(data), target)"),
    "another call under another name": program(
        "spread(data, target) + s(model(data), target)",
        before="from geometry import spread as s\n",
    ),
    "another call in another file": program(
        evaluation__py="import geometry\n\n\ndef f(m, x):\n    return geometry.spread(m(x), x)\n"
    ),
    "a call with what nobody knows": program(
        evaluation__py="from geometry import spread\n\n\ndef f(x):\n    return spread(x, x)\n"
    ),
    "a call with a star": program("spread(*batch)", before="batch = [data, target]\n"),
    "a parameter": program("spread(w, target)", before="w = torch.nn.Parameter(target)\n"),
    "made to require a gradient": program("spread(torch.zeros(4, requires_grad=True), target)"),
    "made so later": program("spread(data, target)", before="data.requires_grad_()\n"),
    "made so by a setting": program(before="target.requires_grad = True\n"),
    "made so by another name": program(before="again = data\nagain.requires_grad_(True)\n"),
    "made so by a function of another file": program(
        before="from attacks import attack\nattack(data)\n",
        attacks__py="def attack(x):\n    x.requires_grad = True\n",
    ),
    "added up on the way": program(before="for one in data:\n    data = data + model(one)\n"),
    "written into": program(before="target[0] = model(data)[0]\n"),
    "written into in place": program(before="target.add_(model(data))\n"),
    "written into by a function": program(before="torch.add(data, model(data), out=target)\n"),
    "gathered in a list": program(
        "spread(torch.stack(rows), target)",
        before="rows = []\nfor one in data:\n    rows.append(model(one))\n",
    ),
    "gathered in a list by another name": program(
        "spread(torch.stack(rows), target)",
        before="rows = []\nothers = rows\nfor one in data:\n    others.append(model(one))\n",
    ),
    "gathered in a list by a function": program(
        "spread(torch.stack(rows), target)",
        before=("def fill(others):\n    others.append(model(data))\n\n\nrows = []\nfill(rows)\n"),
    ),
    "a comprehension of its own name": program(
        "spread(torch.stack(data), target)", before="data = [model(data) for data in data]\n"
    ),
    "through a loader": program(
        "spread(x, y)",
        before=(
            "from torch.utils.data import DataLoader, TensorDataset\n"
            "x, y = next(iter(DataLoader(TensorDataset(model(data), target))))\n"
        ),
    ),
    "through a loader that another file makes": program(
        "spread(x, y)",
        before="from reading import load\nx, y = next(iter(load()))\n",
        reading__py=(
            "import torch\nfrom torch.utils.data import DataLoader, TensorDataset\n\n"
            "rows = TensorDataset(torch.nn.Linear(2, 2)(torch.zeros(2)))\n\n\n"
            "def load():\n    return DataLoader(rows)\n"
        ),
    ),
    "recorded within what is not": program(
        "spread(made, target)",
        before=(
            "with torch.no_grad():\n    with torch.enable_grad():\n        made = model(data)\n"
        ),
    ),
    "given by a function with a gradient of its own": program(
        "spread(give(model(data)), target)",
        before="import jax\n\n\n@jax.custom_vjp\ndef give(x):\n    return x\n\n\n",
    ),
    "kept by an object as a field": program(
        "Row(model(data)).weight()",
        before=(
            "from typing import NamedTuple\n\n\nclass Row(NamedTuple):\n    data: object = 0\n\n"
            "    def weight(self):\n        return spread(self.data, 2)\n\n\n"
        ),
    ),
    "handed on by a function": program(
        "weigh(model(data))", before="def weigh(x):\n    return spread(x, 2)\n\n\n"
    ),
    "handed on by a function that nobody calls": program(
        before="def weigh(x):\n    return spread(x, 2)\n\n\n"
    ),
    "given by a function": program(
        "spread(give(data), target)", before="def give(x):\n    return model(x)\n\n\n"
    ),
    "given by a function of another file": program(
        "spread(give(), target)",
        before="from models import give\n",
        models__py="import torch\n\nw = torch.nn.Parameter(torch.zeros(4))\n\n\n"
        "def give():\n    return w\n",
    ),
    "given by a function of another library": program(
        "spread(give(), target)", before="from elsewhere import give\n"
    ),
    "kept by an object": program(
        "Trainer().weight()",
        before=(
            "class Trainer:\n    def __init__(self):\n        self.data = model(data)\n\n"
            "    def weight(self):\n        return spread(self.data, 2)\n\n\n"
        ),
    ),
    "called with its object in front": program(
        "Trainer.weight(Trainer(), model(data))",
        before=(
            "class Trainer:\n    def __init__(self):\n        self.data = np.load('x')\n\n"
            "    def weight(self, x=1):\n        return spread(x, self.data)\n\n\n"
        ),
    ),
    "set from outside": program(
        "trainer.weight()",
        before=(
            "class Trainer:\n    def __init__(self):\n        self.data = np.load('x')\n\n"
            "    def weight(self):\n        return spread(self.data, 2)\n\n\n"
            "trainer = Trainer()\ntrainer.data = model(data)\n"
        ),
    ),
    "set by a class that is derived": program(
        "Other().weight()",
        before=(
            "class Trainer:\n    def __init__(self):\n        self.data = np.load('x')\n\n"
            "    def weight(self):\n        return spread(self.data, 2)\n\n\n"
            "class Other(Trainer):\n    def __init__(self):\n        self.data = model(data)\n\n\n"
        ),
    ),
    "handed over to nobody knows whom": program(before="register(spread)\n"),
    "kept under a name": program(before="losses = {'spread': spread}\n"),
    "looked up by its name": program(
        before="import geometry\nprint(getattr(geometry, 'spread')(model(data), 1))\n"
    ),
    "looked up by any name": program(
        before="import sys\nimport geometry\nprint(getattr(geometry, sys.argv[1])(model(data)))\n"
    ),
    "named in a setting": program(config__yaml="loss:\n  _target_: geometry.spread\n"),
    "called by itself": {
        **program(),
        "geometry.py": GEOMETRY + "\n\ndef again(x):\n    return spread(x, again(x - 1))\n",
    },
    "differentiated by a function of PyTorch": program(
        before="print(torch.func.grad(spread)(data, target))\n"
    ),
    "given a gradient in a test": program(
        test_geometry__py="import torch\nfrom geometry import spread\n"
        "spread(torch.zeros(2, requires_grad=True), 1).backward()\n"
    ),
    "installed for others": program(
        pyproject__toml="[project]\nname = 'geometry'\n",
        setup__cfg="[options]\npy_modules = geometry\n",
    ),
    "decorated": {**program(), "geometry.py": GEOMETRY.replace("def spread", "@keep\ndef spread")},
}


@pytest.mark.parametrize("name", DATA)
def test_data_have_no_gradient(name: str, tmp_path: Path) -> None:
    assert is_given_data(tmp_path, DATA[name])


@pytest.mark.parametrize("name", TRAINED)
def test_what_may_be_trained_keeps_its_level(name: str, tmp_path: Path) -> None:
    assert not is_given_data(tmp_path, TRAINED[name])


JAX = """\
import jax
import jax.numpy as jnp
import numpy as np


def distance(x, y):
    return jnp.sqrt(((x - y) ** 2).sum(-1))


def loss(params, x, y):
    return (distance(x, y) * (x @ params)).mean()


def main():
    x, y = jnp.asarray(np.load("x.npy")), jnp.asarray(np.load("y.npy"))
    params = jnp.zeros(4)
    for _ in range(10):
        {step}


main()
"""
TENSORFLOW = """\
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.SGD(0.1)
(x_train, y_train), _ = tf.keras.datasets.mnist.load_data()
dataset = tf.data.Dataset.from_tensor_slices((x_train, y_train)).map(lambda x, y: (x / 255, y))


def spread(x):
    return tf.norm(x - tf.reduce_mean(x, axis=0), axis=-1)


for x, y in dataset.batch(8):
    with tf.GradientTape() as tape:
        {step}
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
"""
KERAS = """\
import tensorflow as tf


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.last = tf.keras.layers.Dense(1)

    def call(self, x):
        return self.last(x) * tf.norm(x - tf.reduce_mean(x, axis=0), axis=-1)


model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
net = Net()
optimizer = tf.keras.optimizers.SGD(0.1)
(x_train, y_train), _ = tf.keras.datasets.mnist.load_data()
for x, y in tf.data.Dataset.from_tensor_slices((x_train, y_train)).batch(8):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean({call})
    grads = tape.gradient(loss, net.trainable_variables)
    optimizer.apply_gradients(zip(grads, net.trainable_variables))
"""
GRAPH = """\
import tensorflow as tf


def spread(x):
    return tf.norm(x - tf.reduce_mean(x, axis=0), axis=-1)


x = tf.placeholder(tf.float32, [None, 4])
scale = tf.get_variable("scale", [4])
loss = tf.reduce_mean(spread({given}) * tf.reduce_sum(x * scale, axis=-1))
step = {step}
"""
MINIMIZE = "tf.train.AdamOptimizer(0.1).minimize(loss)"
PLAIN_STEP = "params = params - 0.1 * jax.grad(loss)(params, x, y)"
DECODES = """\
decode = tf.image.decode_png
        halve = tf.nn.avg_pool1d
        fade = tf.image.adjust_contrast
        if len(x) > 4:
            decode = tf.image.decode_jpeg
            halve = tf.nn.max_pool1d
            fade = tf.image_of_others
        text = model.texts.read(x)
        loss = tf.reduce_mean(spread(tf.identity({given})) * (model(x) - y) ** 2)
"""
OTHERS_OF_DATA: Mapping[str, str] = {
    "not among the arguments by which JAX differentiates": JAX.format(step=PLAIN_STEP),
    "nor among several": JAX.format(step="print(jax.grad(loss, argnums=(0,))(params, x, y=y))"),
    "nor in a function that is kept": JAX.format(
        step="f = jax.jit(jax.value_and_grad(loss)); print(f(params, x, y))"
    ),
    "nor in a dictionary": JAX.replace("(distance(x, y)", "(distance(x['a'], y['a'])").format(
        step="d = {'a': x}; e = {'a': y}; print(jax.grad(loss)(params, d, e))"
    ),
    "nor in a function within one": JAX.format(
        step="def inner(p): return loss(p, x, y)\n        print(jax.grad(inner)(params))"
    ),
    "in a program that is run as a script": JAX.replace(
        "\n\nmain()\n", "\n\nif __name__ == '__main__':\n    main()\n"
    ).format(step=PLAIN_STEP),
    "nor in a script that hands on its main function": JAX.replace(
        "\n\nmain()\n", "\n\nif __name__ == '__main__':\n    run(main)\n"
    ).format(step=PLAIN_STEP),
    "what a model of Keras is called with": KERAS.format(call="net(x)"),
    "what is fed to a graph": GRAPH.format(given="x", step=MINIMIZE),
    "the elements of a data set": TENSORFLOW.format(
        step="loss = tf.reduce_mean(spread(x) * (model(x)[:, 0] - y) ** 2)"
    ),
    "what becomes of images of a data set": TENSORFLOW.format(
        step="loss = tf.reduce_mean(spread(tf.image.resize(x, (8, 8))) * (model(x) - y) ** 2)"
    ),
    "what one of two functions decodes": TENSORFLOW.format(
        step=DECODES.format(given="decode(text)")
    ),
}
OTHERS_TRAINED: Mapping[str, str] = {
    "among the arguments": JAX.format(step="print(jax.grad(loss, argnums=1)(params, x, y))"),
    "among several arguments": JAX.format(
        step="print(jax.grad(loss, argnums=(0, 2))(params, x, y))"
    ),
    "perhaps among the arguments": JAX.format(
        step="print(jax.grad(loss, argnums=int(input()))(params, x, y))"
    ),
    "the first argument": JAX.format(step="print(jax.grad(distance)(x, y))"),
    "by way of others": JAX.format(step="print(jax.vjp(loss, params, x, y))"),
    "of a function that is kept": JAX.format(
        step="f = jax.jit(jax.value_and_grad(loss, 1)); print(f(params, x, y))"
    ),
    "the argument of a function within one": JAX.format(
        step="def inner(z): return loss(params, z, y)\n        print(jax.grad(inner)(x))"
    ),
    "the argument of a function without a name": JAX.format(
        step="print(jax.grad(lambda z: loss(params, z, y))(x))"
    ),
    "what is computed of the argument": JAX.format(
        step="def inner(z): return loss(params, x * z, y)\n        print(jax.grad(inner)(1.0))"
    ),
    "what is moved by its gradient": JAX.format(
        step="x = x - 0.1 * jax.grad(loss, 1)(params, x, y)"
    ),
    "handed to a loop": JAX.format(step=PLAIN_STEP + "; print(jax.lax.scan(loss, params, (x, y)))"),
    "what a model of Keras is called with by another one": KERAS.format(call="net(model(x))"),
    "a variable of a graph": GRAPH.format(given="x * scale", step=MINIMIZE),
    "what is fed to a graph that is differentiated by it": GRAPH.format(
        given="x", step="tf.gradients(loss, x)"
    ),
    "what is fed to a graph whose gradients others take": GRAPH.format(given="x", step="loss"),
    "what a model gives": TENSORFLOW.format(step="loss = tf.reduce_mean(spread(model(x)))"),
    "what becomes of images that a model gives": TENSORFLOW.format(
        step="loss = tf.reduce_mean(spread(tf.image.resize(model(x), (8, 8))))"
    ),
    "what one of two functions makes of what a model gives": TENSORFLOW.format(
        step=DECODES.format(given="halve(model(x))")
    ),
    "what one of two functions of another library makes": TENSORFLOW.format(
        step=DECODES.format(given="fade(x)")
    ),
    "what a tape watches": TENSORFLOW.format(
        step="tape.watch(x); loss = tf.reduce_mean(spread(x) * model(x)[:, 0])"
    ),
    "what is differentiated by name": TENSORFLOW.format(
        step="loss = tf.reduce_mean(spread(x)); print(tf.gradients(loss, x))"
    ),
    "a variable": TENSORFLOW.format(
        step="v = tf.Variable(x); loss = tf.reduce_mean(spread(v) * model(x)[:, 0])"
    ),
}


@pytest.mark.parametrize("name", OTHERS_OF_DATA)
def test_data_have_none_in_a_program_of_one_file(name: str, tmp_path: Path) -> None:
    assert is_given_data(tmp_path, {"train.py": OTHERS_OF_DATA[name]}, "train.py")


@pytest.mark.parametrize("name", OTHERS_TRAINED)
def test_what_may_be_trained_keeps_its_level_there(name: str, tmp_path: Path) -> None:
    assert not is_given_data(tmp_path, {"train.py": OTHERS_TRAINED[name]}, "train.py")


LIBRARY = """\
import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)
{before}

def distance(x, y):
    return jnp.sqrt(((x - y) ** 2).sum(-1))


def fit(params):
    return jax.grad(lambda p: (distance(jnp.zeros(3), jnp.ones(3)) * p).sum())(params)
"""


@pytest.mark.parametrize("before", ["", "step = jax.grad(jnp.sum)\n"])
def test_what_sets_something_up_is_no_program(before: str, tmp_path: Path) -> None:
    assert not is_given_data(tmp_path, {"library.py": LIBRARY.format(before=before)}, "library.py")


STEPS = """\
import functools
import equinox as eqx
import jax
import jax.numpy as jnp
from flax import nnx


{decorator}
def loss(params, x, y):
    return (jnp.sqrt((y ** 2).sum(-1)) * (x @ params)).mean()


{step}
"""
LEFT_OUT: Mapping[str, str] = {
    "at once": "def step(p, x, y):\n    return jax.grad(loss)(p, x, y)",
    "by a name": "vg = jax.value_and_grad(loss)\n\n\ndef step(p, x, y):\n    return vg(p, x, y)",
    "compiled": "step = jax.jit(jax.value_and_grad(loss, has_aux=True))",
    "by several": "step = jax.grad(loss, argnums=(0, 1))",
    "by flax": "def step(model, x, y):\n    return nnx.value_and_grad(loss)(model, x, y)",
    "by equinox": "step = eqx.filter_jit(eqx.filter_value_and_grad(loss))",
    "in an attribute": (
        "class Trainer:\n    def __init__(self):\n"
        "        self.vg = jax.jit(jax.value_and_grad(loss))\n"
        "\n    def step(self, p, x, y):\n        return self.vg(p, x, y)"
    ),
    "given back": "def step():\n    return jax.value_and_grad(loss)",
    "and evaluated": "step = jax.grad(loss)\n\n\ndef test(p, x, y):\n    return loss(p, x, y)",
    "by a lambda": ("def step(p, x, y):\n    return jax.grad(lambda q: loss(q, x, y))(p)"),
    "by an inner function": (
        "def step(p, batch):\n    def inner(q):\n        return loss(q, batch['x'], batch['y'])\n\n"
        "    return jax.value_and_grad(inner)(p)"
    ),
    "by a sum": (
        "def total(p, b):\n    return loss(p, b['x'], b['y']) + (p ** 2).sum()\n\n\n"
        "step = jax.grad(total)"
    ),
}
TAKEN: Mapping[str, str] = {
    "by it": "step = jax.grad(loss, argnums=2)",
    "by it, too": "step = jax.grad(loss)\nother = jax.grad(loss, 2)",
    "by all": "step = jax.grad(loss, argnums=(0, 1, 2))",
    "by what is not known": "def step(n):\n    return jax.grad(loss, argnums=n)",
    "by nobody": "def step(p, x, y):\n    return loss(p, x, y)",
    "by what it is computed of": (
        "def total(p, x):\n    return loss(p, x, x @ p)\n\n\nstep = jax.grad(total)"
    ),
    "by what an inner function computes": (
        "def step(p, x):\n    def inner(q):\n        return loss(q, x, x @ q)\n\n"
        "    return jax.value_and_grad(inner)(p)"
    ),
    "by what is passed on": (
        "def total(y, p, x):\n    return loss(p, x, y)\n\n\nstep = jax.grad(loss)\n"
        "other = jax.grad(total)"
    ),
    "twice": "step = jax.grad(jax.grad(loss), argnums=2)",
    "by a loop": "step = jax.grad(loss)\nother = loop(loss)",
}
DECORATED: Mapping[str, bool] = {
    "@jax.value_and_grad": True,
    "@jax.jit\n@jax.grad": True,
    "@functools.partial(jax.value_and_grad, has_aux=True)": True,
    "@eqx.filter_value_and_grad": True,
    "@functools.partial(jax.value_and_grad, argnums=2)": False,
    "@functools.partial(jax.grad, argnums=(0, 2))": False,
    "@jax.jit": False,
}
WITHIN = """\
import jax
import jax.numpy as jnp


def step(params, x, y):
    def loss(p):
        return (jnp.sqrt(({of} ** 2).sum(-1)) * (x @ p)).mean()

    return jax.value_and_grad(loss)(params)
{more}"""


def steps(step: str, decorator: str = "") -> dict[str, str]:
    text = STEPS.format(decorator=decorator, step=step).replace(
        "\n\n\n\ndef loss", "\n\n\ndef loss"
    )
    return {"steps.py": text}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_gradients_by_other_arguments_are_none_by_this_one(name: str, tmp_path: Path) -> None:
    assert is_given_data(tmp_path, steps(LEFT_OUT[name]), "steps.py")


@pytest.mark.parametrize("name", TAKEN)
def test_gradients_that_may_be_taken_by_it_keep_the_level(name: str, tmp_path: Path) -> None:
    assert not is_given_data(tmp_path, steps(TAKEN[name]), "steps.py")


HELPER = """\
import jax
import jax.numpy as jnp


def size(y):
    return jnp.sqrt((y ** 2).sum(-1))


def loss(params, x, y):
    return (size({of}) * (x @ params)).mean()


step = jax.jit(jax.value_and_grad(loss, argnums={by}))
"""


@pytest.mark.parametrize(
    ("of", "by", "is_data"),
    [("y", 0, True), ("x - y", 0, True), ("y", 2, False), ("params", 0, False)],
)
def test_so_is_what_visible_calls_pass_to_a_helper(
    of: str, by: int, is_data: bool, tmp_path: Path
) -> None:
    files = {"steps.py": HELPER.format(of=of, by=by)}
    assert is_given_data(tmp_path, files, "steps.py") is is_data


@pytest.mark.parametrize("decorator", DECORATED)
def test_a_decorator_tells_by_which_argument(decorator: str, tmp_path: Path) -> None:
    assert is_given_data(tmp_path, steps("", decorator), "steps.py") is DECORATED[decorator]


@pytest.mark.parametrize(
    ("of", "more", "is_data"),
    [
        ("y", "", True),
        ("p", "", False),
        ("y", "\n\nother = jax.grad(step, argnums=2)\n", False),
    ],
)
def test_what_a_differentiated_function_reads_around_it_is_constant(
    of: str, more: str, is_data: bool, tmp_path: Path
) -> None:
    files = {"steps.py": WITHIN.format(of=of, more=more)}
    assert is_given_data(tmp_path, files, "steps.py") is is_data


def test_gradients_in_another_file_are_seen(tmp_path: Path) -> None:
    text = steps("")["steps.py"]
    train = "import jax\nfrom steps import loss\n\nstep = jax.value_and_grad(loss{})\n"
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    assert is_given_data(tmp_path / "a", {"steps.py": text, "t.py": train.format("")}, "steps.py")
    by_it = {"steps.py": text, "t.py": train.format(", argnums=(0, 2)")}
    assert not is_given_data(tmp_path / "b", by_it, "steps.py")


@pytest.mark.parametrize("name", ["pkg/train.py", "train.py"])
def test_a_program_in_an_installed_package_is_for_others_too(name: str, tmp_path: Path) -> None:
    setup = "[project]\nname = 'pkg'\n"
    files = {"pyproject.toml": setup, "pkg/__init__.py": "", name: JAX.format(step=PLAIN_STEP)}
    assert is_given_data(tmp_path, files, name) is (name == "train.py")


@pytest.mark.parametrize("place", ["train.py", "src/train.py"])
def test_where_the_program_stands_decides_nothing(place: str, tmp_path: Path) -> None:
    assert is_given_data(tmp_path, {place: JAX.format(step=PLAIN_STEP)}, place)


def test_the_reason_names_a_call(tmp_path: Path) -> None:
    is_given_data(tmp_path, DATA["arrays of a file"])
    [finding] = check_file(str(tmp_path / "geometry.py"), EVERYTHING).findings
    assert finding.confidence is Confidence.POSSIBLE
    assert finding.reason == f"{REASON}train.py:10"


def test_an_explanation_names_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    is_given_data(tmp_path, DATA["arrays of a file"])
    main(["--isolated", "--explain-at", f"{tmp_path / 'geometry.py'}:5"])
    assert f"no more than possible: {REASON}train.py:10" in capsys.readouterr().out


NET = """\
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(4, 1)
        self.register_buffer("center", torch.zeros(4))

    def forward(self, pos, feat):
        return self.fc(feat) * torch.sqrt(((pos - self.center) ** 2).sum(-1))
"""
RUN = """\
import sys
import torch
from torch.utils.data import DataLoader
from net import Net

other = torch.nn.Linear(4, 4)
loader = DataLoader(sys.argv[1])


def train(model, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for pos, feat in loader:
        loss = {call}.mean()
        loss.backward()
        optimizer.step()


def build():
    return Net().cuda()


class Trainer:
    def __init__(self, model):
        self.model = model.cuda()
        self.loader = loader

    def batches(self):
        for one in self.loader:
            yield one[0]

    def run(self):
        for pos in self.batches():
            self.model(pos, other(pos)).mean().backward()


{run}
"""


def model(run: str = "train(Net(), loader)", call: str = "model(pos, feat)") -> dict[str, str]:
    return {"net.py": NET, "train.py": RUN.format(run=run, call=call)}


LIGHTNING = """\
import lightning
from net import Net

if __name__ == "__main__":
    lightning.Trainer().fit(Net())
"""
MODELS_OF_DATA: Mapping[str, Mapping[str, str]] = {
    "given batches": model(),
    "given batches for the one argument": model(call="model(pos, other(feat))"),
    "bound to a name": model("net = Net()\nnet.train()\ntrain(net, loader)"),
    "moved": model("net = Net().to('cuda')\ntrain(net, loader)"),
    "handed to a trainer": model(
        "import lightning\ntrainer = lightning.Trainer()\nnet = Net()\n"
        "trainer.fit(net)\ntrain(net, loader)"
    ),
    "wrapped": model("net = torch.nn.DataParallel(Net())\ntrain(net, loader)"),
    "made by a function": model("train(build(), loader)"),
    "run by an object": model("Trainer(Net()).run()"),
    "a part of another one": {
        **model("train(Both(), loader)"),
        "net.py": NET + "\n\nclass Both(torch.nn.Module):\n    def __init__(self):\n"
        "        super().__init__()\n        self.net = Net()\n\n"
        "    def forward(self, x, y):\n        return self.net(x, y)\n",
        "train.py": RUN.format(run="train(Both(), loader)", call="model(pos, feat)").replace(
            "import Net", "import Both, Net"
        ),
    },
    "a step of Lightning": {
        "net.py": NET.replace("import torch\n", "import lightning\nimport torch\n")
        .replace("torch.nn.Module", "lightning.LightningModule")
        .replace("def forward(self, pos, feat)", "def training_step(self, batch, index)")
        .replace("        return", "        pos, feat = batch\n        return"),
        "train.py": LIGHTNING,
    },
}
MODELS_TRAINED: Mapping[str, Mapping[str, str]] = {
    "with a parameter that is registered": {
        **model(),
        "net.py": NET.replace("__init__(self)", "__init__(self, learns=True)").replace(
            'self.register_buffer("center", torch.zeros(4))',
            "if learns:\n            w = torch.nn.Parameter(torch.zeros(4))\n"
            '            self.register_parameter("center", w)\n'
            "        else:\n            self.center = torch.zeros(4)",
        ),
    },
    "given what another one gives": model(call="model(other(pos), feat)"),
    "given both": model("train(Net(), loader)\nprint(Net()(other(torch.zeros(4)), 1))"),
    "in a sequence": model("train(torch.nn.Sequential(Net()), loader)"),
    "in a list": model("nets = [Net()]\ntrain(Net(), loader)"),
    "handed to what nobody knows": model("train(Net(), loader)\nrun(Net())"),
    "kept as a class": model("train(Net(), loader)\nkinds = {'net': Net}"),
    "derived": {
        **model(),
        "more.py": "from net import Net\n\n\nclass More(Net):\n    pass\n",
    },
    "run by an object": model("trainer = Trainer(Net())\ntrainer.model(other(loader), 1)"),
    "a part of another one": {
        "net.py": NET + "\n\nclass Both(torch.nn.Module):\n    def __init__(self):\n"
        "        super().__init__()\n        self.net, self.fc = Net(), torch.nn.Linear(4, 4)\n\n"
        "    def forward(self, x, y):\n        return self.net(self.fc(x), y)\n",
        "train.py": RUN.format(run="train(Both(), loader)", call="model(pos, feat)").replace(
            "import Net", "import Both, Net"
        ),
    },
    "moved from what it is": model("net = Net()\nnet.center = other.bias\ntrain(net, loader)"),
    "attacked": model(call="model(pos.requires_grad_(), feat)"),
    "called by itself": {
        **model(),
        "net.py": NET + "\n    def twice(self, x):\n        return self(self.fc(x), x)\n",
    },
    "of a base that nobody knows": {
        **model(),
        "net.py": NET.replace("torch.nn.Module", "Base").replace(
            "import torch\n", "import torch\nfrom elsewhere import Base\n"
        ),
    },
    "a step of Lightning": {
        "net.py": NET.replace("import torch\n", "import lightning\nimport torch\n")
        .replace("torch.nn.Module", "lightning.LightningModule")
        .replace("def forward(self, pos, feat)", "def training_step(self, batch, index)")
        .replace(
            "        return", "        pos, feat = self.fc(batch[0]), batch[1]\n        return"
        ),
        "train.py": LIGHTNING,
    },
}


@pytest.mark.parametrize("name", MODELS_OF_DATA)
def test_what_a_model_is_given_is_data(name: str, tmp_path: Path) -> None:
    assert is_given_data(tmp_path, MODELS_OF_DATA[name], "net.py")


@pytest.mark.parametrize("name", MODELS_TRAINED)
def test_what_another_model_gives_it_is_not(name: str, tmp_path: Path) -> None:
    assert not is_given_data(tmp_path, MODELS_TRAINED[name], "net.py")
