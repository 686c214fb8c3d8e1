"""A hazard is told wherever the parts of a program stand: model, loss and loop in files of theirs.

Each layout has a broken program, which is reported in the file of the loss, beside a sound twin.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from mllint_nan.project import Request, check_paths
from mllint_nan.settings import Settings

TORCH = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"
JAX = "import flax.linen as nn\nimport jax\nimport jax.numpy as jnp\n"
TF = "import tensorflow as tf\n"

TORCH_NET = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 5)
    def forward(self, x):
        return F.softmax(self.fc(x), dim=-1)
"""
KERAS_NET = """
class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.fc = tf.keras.layers.Dense(5)
    def call(self, x):
        return tf.nn.softmax(self.fc(x))
"""
FUNCTION = """
def objective(p, y):
    return -(y * torch.log(p)).sum(-1).mean()
"""
MODULE = """
class Objective(nn.Module):
    def forward(self, p, y):
        return -(y * torch.log(p)).sum(-1).mean()
"""
LOOP = """
optimizer = torch.optim.SGD(net.parameters(), lr=1.0)
for x, y in torch.load("x"):
    optimizer.zero_grad()
    p = net(x)
    loss = {loss}(p, y)
    loss.backward()
    optimizer.step()
"""
BY_FUNCTION = {
    "models.py": TORCH + TORCH_NET,
    "losses.py": TORCH + FUNCTION,
}
BY_MODULE = {
    "models.py": TORCH + TORCH_NET,
    "losses.py": TORCH + MODULE,
}
IMPORTS = TORCH + "from losses import objective\nfrom models import Net\n"
LAYOUTS: Mapping[str, Mapping[str, str]] = {
    "gradients that are clipped, of a model that is a variable of a function": {
        **BY_FUNCTION,
        "train.py": IMPORTS
        + """
def main():
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    for epoch in range(3):
        for x, y in torch.load("x"):
            loss = objective(model(x), y)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
main()
""",
    },
    "a folder without an `__init__`, whose files import each other": {
        "src/pkg/models.py": TORCH + "def probabilities(z):\n    return F.softmax(z, dim=-1)\n",
        "src/pkg/losses.py": TORCH
        + "from .models import probabilities\n"
        + "def objective(z, y):\n"
        + "    return -(y * torch.log(probabilities(z))).sum(-1).mean()\n",
    },
    "folders without one, one in the other": {
        "src/pkg/models.py": TORCH + "def probabilities(z):\n    return F.softmax(z, dim=-1)\n",
        "src/pkg/inner/losses.py": TORCH
        + "from ..models import probabilities\n"
        + "def objective(z, y):\n"
        + "    return -(y * torch.log(probabilities(z))).sum(-1).mean()\n",
    },
    "a script": {
        **BY_FUNCTION,
        "train.py": IMPORTS + "net = Net()\n" + LOOP.format(loss="objective"),
    },
    "a model that is wrapped": {
        **BY_FUNCTION,
        "train.py": IMPORTS
        + "net = nn.parallel.DistributedDataParallel(Net().cuda(), device_ids=[0])\n"
        + LOOP.format(loss="objective"),
    },
    "a variable of the module goes to a function": {
        **BY_FUNCTION,
        "train.py": IMPORTS
        + """
net = Net()
def train(model, optimizer):
    for x, y in torch.load("x"):
        loss = objective(model(x), y)
        loss.backward()
        optimizer.step()
train(net, torch.optim.Adam(net.parameters()))
""",
    },
    "main calls an epoch": {
        **BY_FUNCTION,
        "train.py": IMPORTS
        + """
def main(args):
    model = Net()
    if args.resume:
        model.load_state_dict(torch.load(args.resume))
    model = model.cuda()
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        train_one_epoch(model, optimizer, args)
def train_one_epoch(model, optimizer, args):
    for batch in args.loader:
        x, y = batch["x"].cuda(), batch["y"].cuda()
        p = model(x)
        loss = objective(p, y)
        loss.backward()
        optimizer.step()
main(None)
""",
    },
    "an engine": {
        **BY_MODULE,
        "engine.py": TORCH
        + """
def train(model, criterion, optimizer, loader):
    for x, y in loader:
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
""",
        "train.py": TORCH
        + """
from engine import train
from losses import Objective
from models import Net
net = Net()
train(net, Objective(), torch.optim.Adam(net.parameters()), torch.load("x"))
""",
    },
    "a trainer that makes its parts": {
        "pkg/__init__.py": "",
        "pkg/models.py": TORCH + TORCH_NET,
        "pkg/losses.py": TORCH + MODULE,
        "pkg/trainer.py": TORCH
        + """
from .losses import Objective
from .models import Net
class Trainer:
    def __init__(self):
        self.model = Net()
        self.criterion = Objective()
        self.optimizer = torch.optim.Adam(self.model.parameters())
    def step(self, x, y):
        loss = self.criterion(self.model(x), y)
        loss.backward()
        self.optimizer.step()
""",
        "train.py": "from pkg.trainer import Trainer\ntrainer = Trainer()\n"
        "for x, y in range(3):\n    trainer.step(x, y)\n",
    },
    "a trainer that is given its parts": {
        **BY_MODULE,
        "trainer.py": TORCH
        + """
class Trainer:
    def __init__(self, model, criterion, optimizer):
        self.model = model
        self.criterion = criterion
        self.optimizer = optimizer
    def step(self, x, y):
        loss = self.criterion(self.model(x), y)
        loss.backward()
        self.optimizer.step()
""",
        "train.py": TORCH
        + """
from losses import Objective
from models import Net
from trainer import Trainer
net = Net()
trainer = Trainer(net, Objective(), torch.optim.Adam(net.parameters()))
for x, y in torch.load("x"):
    trainer.step(x, y)
""",
    },
    "a module of Lightning": {
        **BY_FUNCTION,
        "lit.py": IMPORTS
        + """
import pytorch_lightning as pl
class Lit(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = Net()
    def training_step(self, batch, i):
        x, y = batch
        return objective(self.net(x), y)
    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters())
""",
    },
    "a loss that hands on": {
        "models.py": TORCH + TORCH_NET,
        "utils.py": TORCH + FUNCTION,
        "losses.py": TORCH
        + """
from utils import objective
class Objective(nn.Module):
    def forward(self, p, y):
        return objective(p, y)
""",
        "train.py": TORCH
        + "from losses import Objective\nfrom models import Net\n"
        + "net = Net()\ncriterion = Objective()\n"
        + LOOP.format(loss="criterion"),
    },
    "a loss that an attribute holds": {
        **BY_FUNCTION,
        "train.py": IMPORTS
        + """
class Trainer:
    def __init__(self):
        self.net = Net()
        self.loss_fn = objective
        self.optimizer = torch.optim.Adam(self.net.parameters())
    def step(self, x, y):
        loss = self.loss_fn(self.net(x), y)
        loss.backward()
        self.optimizer.step()
trainer = Trainer()
for x, y in torch.load("x"):
    trainer.step(x, y)
""",
    },
    "a loss that is applied in part": {
        **BY_FUNCTION,
        "losses.py": TORCH
        + """
def objective(p, y, weight=1.0):
    return -(weight * y * torch.log(p)).sum(-1).mean()
""",
        "train.py": IMPORTS
        + "from functools import partial\nnet = Net()\ncriterion = partial(objective, weight=2.0)\n"
        + LOOP.format(loss="criterion"),
    },
    "a loss by a setting": {
        **BY_FUNCTION,
        "losses.py": TORCH + FUNCTION + 'LOSSES = {"nll": objective, "mse": F.mse_loss}\n',
        "train.py": TORCH
        + "import sys\nfrom losses import LOSSES\nfrom models import Net\n"
        + "net = Net()\ncriterion = LOSSES[sys.argv[1]]\n"
        + LOOP.format(loss="criterion"),
    },
    "a layer under a condition": {
        **BY_FUNCTION,
        "models.py": TORCH
        + """
class Net(nn.Module):
    def __init__(self, probabilities=True):
        super().__init__()
        self.head = nn.Linear(3, 5)
        if probabilities:
            self.head = nn.Sequential(self.head, nn.Softmax(dim=-1))
    def forward(self, x):
        return self.head(x)
""",
        "train.py": IMPORTS + "net = Net()\n" + LOOP.format(loss="objective"),
    },
}

JAX_NET = """
class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.softmax(nn.Dense(5)(x))
"""
JAX_FUNCTION = """
def objective(p, y):
    return -(y * jnp.log(p)).sum(-1).mean()
"""
BY_FLAX = {"models.py": JAX + JAX_NET, "losses.py": JAX + JAX_FUNCTION}
JAX_IMPORTS = JAX + "from losses import objective\nfrom models import Net\n"
EQUINOX = """
class Net(eqx.Module):
    fc: eqx.nn.Linear
    def __init__(self, key):
        self.fc = eqx.nn.Linear(3, 5, key=key)
    def __call__(self, x):
        return jax.nn.softmax(self.fc(x))
"""
OF_JAX: Mapping[str, Mapping[str, str]] = {
    "a module that is applied": {
        **BY_FLAX,
        "train.py": JAX_IMPORTS
        + """
model = Net()
params = model.init(jax.random.PRNGKey(0), jnp.ones((1, 3)))
def loss_fn(params, x, y):
    p = model.apply(params, x, rngs={"dropout": jax.random.PRNGKey(1)})
    return objective(p, y)
grads = jax.grad(loss_fn)(params, x, y)
""",
    },
    "a module that gives its state, too": {
        **BY_FLAX,
        "train.py": JAX_IMPORTS
        + """
model = Net()
params = model.init(jax.random.PRNGKey(0), jnp.ones((1, 3)))
def loss_fn(params, x, y):
    p, state = model.apply(params, x, mutable=["batch_stats"])
    return objective(p, y)
grads = jax.grad(loss_fn)(params, x, y)
""",
    },
    "a state of training": {
        **BY_FLAX,
        "train.py": JAX_IMPORTS
        + """
import optax
from flax.training import train_state
@jax.jit
def train_step(state, batch):
    def loss_fn(params):
        p = state.apply_fn({"params": params}, batch["x"])
        return objective(p, batch["y"])
    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss
def main():
    model = Net()
    params = model.init(jax.random.PRNGKey(0), jnp.ones((1, 3)))["params"]
    state = train_state.TrainState.create(
        apply_fn=model.apply, params=params, tx=optax.adam(1e-3)
    )
    for batch in data:
        state, loss = train_step(state, batch)
main()
""",
    },
    "a module of Equinox that a loop replaces": {
        "models.py": "import equinox as eqx\n" + JAX + EQUINOX,
        "losses.py": JAX + JAX_FUNCTION,
        "train.py": "import equinox as eqx\n"
        + JAX_IMPORTS
        + """
@eqx.filter_value_and_grad
def loss_fn(model, x, y):
    p = jax.vmap(model)(x)
    return objective(p, y)
model = Net(jax.random.PRNGKey(0))
for x, y in data:
    loss, grads = loss_fn(model, x, y)
    model = eqx.apply_updates(model, grads)
""",
    },
}

OF_TENSORFLOW: Mapping[str, Mapping[str, str]] = {
    "a call that takes no `training`": {
        "models.py": TF + KERAS_NET,
        "losses.py": TF
        + """
def objective(y, p):
    return -tf.reduce_mean(tf.reduce_sum(y * tf.math.log(p), -1))
""",
        "train.py": TF
        + """
from losses import objective
from models import Net
model = Net()
optimizer = tf.keras.optimizers.Adam()
@tf.function(jit_compile=True)
def train_step(x, y):
    with tf.GradientTape() as tape:
        p = model(x, training=True)
        loss = objective(y, p)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
for x, y in data:
    train_step(x, y)
""",
    },
}
SEVERAL = """
def distance(p, y):
    return ((p - y) ** 2).sum(-1).mean()


class Distance(nn.Module):
    def forward(self, p, y):
        return ((p - y) ** 2).sum(-1).mean()
"""
OTHER_NET = TORCH_NET.replace("Net", "Other").replace("self.fc(x)", "self.fc(x) * 2")
SUMMED = LOOP.replace("{loss}(p, y)", "sum({each})")
TRAINER = """
class Trainer:
    def __init__(self, config):
        self.net = Net()
        self.optimizer = torch.optim.Adam(self.net.parameters())
        {kept}

    def step(self, x, y):
        p = self.net(x)
        loss = {loss}
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
"""


def _script(before: str, loop: str) -> str:
    return "import sys\nfrom losses import *\n" + IMPORTS + f"net = Net()\n{before}\n" + loop


def _trainer(kept: str, loss: str) -> str:
    names = "from losses import Distance, Objective, distance, objective\n"
    kept = kept.replace("\n", "\n        ")
    return TORCH + names + "from models import Net\n" + TRAINER.format(kept=kept, loss=loss)


_CHOSEN: Mapping[str, str] = {
    "a model by a key": IMPORTS.replace("import Net", "import Net, Other")
    + "import sys\nNETS = {'net': Net, 'other': Other}\nnet = NETS[sys.argv[1]]()\n"
    + LOOP.format(loss="objective"),
    "a class by a key": _script(
        "LOSSES = {'o': Objective, 'd': Distance}\ncriterion = LOSSES[sys.argv[1]]()",
        LOOP.format(loss="criterion"),
    ),
    "a class by a key in a function": _script(
        "def made(name):\n    return dict(objective=Objective, distance=Distance)[name]()\n"
        "criterion = made(sys.argv[1])",
        LOOP.format(loss="criterion"),
    ),
    "a list of functions": _script(
        "losses = [objective, distance]", SUMMED.format(each="f(p, y) for f in losses")
    ),
    "a list of functions beside their weights": _script(
        "losses = [objective, distance]",
        SUMMED.format(each="w * f(p, y) for w, f in zip([1.0, 0.1], losses)"),
    ),
    "a list of objects": _script(
        "criteria = [Objective(), Distance()]", SUMMED.format(each="f(p, y) for f in criteria")
    ),
    "a dictionary of modules": _script(
        "criteria = nn.ModuleDict({'objective': Objective(), 'distance': Distance()})",
        SUMMED.format(each="f(p, y) for f in criteria.values()"),
    ),
    "a class by a key in an attribute": _trainer(
        "self.criterion = {'o': Objective, 'd': Distance}[config['loss']]()", "self.criterion(p, y)"
    ),
    "a list of modules in an attribute": _trainer(
        "self.criteria = nn.ModuleList([Objective(), Distance()])",
        "sum(f(p, y) for f in self.criteria)",
    ),
    "a dictionary of functions in an attribute": _trainer(
        "self.losses = {'o': objective, 'd': distance}",
        "sum(f(p, y) for name, f in self.losses.items())",
    ),
    "a list of pairs in an attribute": _trainer(
        "self.terms = [(1.0, objective), (0.1, distance)]",
        "sum(w * f(p, y) for w, f in self.terms)",
    ),
    "a function in an attribute under a condition": _trainer(
        "if config['loss'] == 'o':\n    self.loss = objective\nelse:\n    self.loss = distance",
        "self.loss(p, y)",
    ),
}
CHOSEN: Mapping[str, Mapping[str, str]] = {
    name: {
        "models.py": TORCH + TORCH_NET + OTHER_NET,
        "losses.py": TORCH + FUNCTION + MODULE + SEVERAL,
        "train.py": text,
    }
    for name, text in _CHOSEN.items()
}
_OF_KERAS: Mapping[str, str] = {
    "compiled with a function by a key": "loss={'a': objective, 'b': distance}[sys.argv[1]]",
    "compiled with a list": "loss=[objective, distance]",
    "compiled with a dictionary": "loss={'a': objective, 'b': distance}",
    "compiled with an object": "loss=Objective()",
    "compiled with what a function makes": "loss=weighted([1.0, 2.0])",
}
COMPILED: Mapping[str, Mapping[str, str]] = {
    name: {
        "models.py": TF
        + """
def build(n):
    inputs = tf.keras.Input((n,))
    outputs = tf.keras.layers.Dense(5, activation="softmax")(inputs)
    return tf.keras.Model(inputs, outputs)
""",
        "losses.py": TF
        + """
def objective(y, p):
    return -tf.reduce_mean(tf.reduce_sum(y * tf.math.log(p), -1))


def distance(y, p):
    return tf.reduce_mean(tf.square(y - p))


def weighted(weights):
    def loss(y, p):
        return -tf.reduce_mean(tf.reduce_sum(weights * y * tf.math.log(p), -1))

    return loss


class Objective(tf.keras.losses.Loss):
    def call(self, y, p):
        return -tf.reduce_mean(tf.reduce_sum(y * tf.math.log(p), -1))
""",
        "train.py": "import sys\nfrom losses import Objective, distance, objective, weighted\n"
        "from models import build\nmodel = build(8)\n"
        f"model.compile(optimizer='adam', {loss})\nmodel.fit(x, y)\n",
    }
    for name, loss in _OF_KERAS.items()
}

CALLED_BY_FRAMEWORKS: Mapping[str, Mapping[str, str]] = {
    "a module of Lightning that is given its parts": {
        **BY_FUNCTION,
        "module.py": TORCH
        + """
import pytorch_lightning as pl

class Module(pl.LightningModule):
    def __init__(self, net, loss_fn):
        super().__init__()
        self.net = net
        self.loss_fn = loss_fn

    def training_step(self, batch, index):
        x, y = batch
        return self.loss_fn(self.net(x), y)
""",
        "train.py": IMPORTS
        + "import pytorch_lightning as pl\nfrom module import Module\n"
        + "pl.Trainer().fit(Module(Net(), objective))\n",
    },
    "a trainer of Hugging Face that is given its model": {
        **BY_FUNCTION,
        "train.py": IMPORTS
        + """
from transformers import Trainer

class OwnTrainer(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False):
        p = model(inputs["x"])
        loss = objective(p, inputs["y"])
        return (loss, p) if return_outputs else loss

OwnTrainer(model=Net(), args=None).train()
""",
    },
    "an inner function that is differentiated": {
        "models.py": JAX
        + """
def predict(params, x):
    return jax.nn.softmax(x @ params["w"])
""",
        "losses.py": JAX
        + """
def objective(p, y):
    return -jnp.mean(jnp.sum(y * jnp.log(p), -1))
""",
        "train.py": JAX
        + """
from losses import objective
from models import predict

def make_step(predict_fn, loss_fn):
    def total(params, x, y):
        return loss_fn(predict_fn(params, x), y)
    return jax.jit(jax.value_and_grad(total))

step = make_step(predict, objective)
""",
    },
    "methods in a dictionary": {
        "models.py": TORCH + TORCH_NET,
        "losses.py": TORCH
        + """
class Criterion:
    def surprise(self, outputs, targets):
        return {"surprise": -(targets["y"] * torch.log(outputs["p"])).sum(-1).mean()}

    def distance(self, outputs, targets):
        return {"distance": (outputs["p"] - targets["y"]).square().mean()}

    def part(self, name, outputs, targets):
        return {"surprise": self.surprise, "distance": self.distance}[name](outputs, targets)

    def __call__(self, outputs, targets):
        losses = {}
        for name in ("surprise", "distance"):
            losses.update(self.part(name, outputs, targets))
        return losses
""",
        "train.py": IMPORTS.replace("import objective", "import Criterion")
        + "net, criterion = Net(), Criterion()\n"
        + LOOP.replace("{loss}(p, y)", "sum(criterion({'p': p}, {'y': y}).values())"),
    },
}
ALL = {
    **LAYOUTS,
    **OF_JAX,
    **OF_TENSORFLOW,
    **CHOSEN,
    **COMPILED,
    **CALLED_BY_FRAMEWORKS,
}


def found(files: Mapping[str, str], folder: Path) -> list[tuple[str, str]]:
    """The files and codes of the default findings."""
    (folder / "pyproject.toml").touch()
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    paths = sorted(map(str, folder.rglob("*.py")))
    return [
        (Path(path).name, finding.code)
        for path, checked in zip(paths, check_paths(paths, Request(Settings())), strict=True)
        for finding in checked.findings
    ]


def sound(text: str) -> str:
    """The same model, of which no probability is 0."""
    text = text.replace("outputs = tf.", "outputs = 1e-3 + tf.")
    for module in ("F.", "nn.", "jax.nn.", "tf.nn."):
        text = text.replace(f"return {module}softmax(", f"return 1e-3 + {module}softmax(")
    return text.replace("nn.Softmax(dim=-1))", "nn.Softmax(dim=-1), Floor())").replace(
        "\nclass Net(nn.Module):\n    def __init__(self, probabilities",
        "\nclass Floor(nn.Module):\n    def forward(self, x):\n        return 1e-3 + x\n"
        "\nclass Net(nn.Module):\n    def __init__(self, probabilities",
    )


@pytest.mark.parametrize("layout", ALL)
def test_logarithm_of_a_softmax_elsewhere_is_told(layout: str, tmp_path: Path) -> None:
    place = "utils.py" if "utils.py" in ALL[layout] else "losses.py"
    assert found(ALL[layout], tmp_path) == [(place, "NAN101")]


@pytest.mark.parametrize("layout", ALL)
def test_sound_twin_is_quiet(layout: str, tmp_path: Path) -> None:
    twin = {name: sound(text) for name, text in ALL[layout].items()}
    assert twin != ALL[layout]
    assert found(twin, tmp_path) == []
