"""What is handed on before it is called is judged with what it is given there.

A loss or a model is looked up by a name, registered, made by a function, kept in settings, given to
a base class or wrapped; each program is broken in the file of the loss, beside a sound twin.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.test_layouts import (
    COMPILED,
    FUNCTION,
    JAX,
    JAX_FUNCTION,
    JAX_IMPORTS,
    JAX_NET,
    KERAS_NET,
    LOOP,
    MODULE,
    OTHER_NET,
    SEVERAL,
    SUMMED,
    TF,
    TORCH,
    TORCH_NET,
    TRAINER,
    found,
    sound,
)

PARTS: Mapping[str, str] = {
    "models.py": TORCH + TORCH_NET + OTHER_NET,
    "losses.py": TORCH + FUNCTION + MODULE + SEVERAL,
}
OF_ALL = "import sys\nfrom losses import *\nfrom models import *\n"
OF_MODULES = "import sys\nimport losses\nimport models\nfrom models import Net\n"


def script(
    before: str, loss: str = "criterion", imports: str = OF_ALL, **others: str
) -> Mapping[str, str]:
    """A program that makes a model and trains it; `others` are files, by their stems."""
    named = {f"{stem}.py": text for stem, text in others.items()}
    net = "" if "net =" in before else "net = Net()\n"
    return {
        **PARTS,
        **named,
        "train.py": TORCH + imports + net + before + "\n" + LOOP.format(loss=loss),
    }


LOOKED_UP: Mapping[str, Mapping[str, str]] = {
    "a function by its name": script("", 'getattr(losses, "objective")', OF_MODULES),
    "a function by its name in a variable": script(
        'criterion = getattr(losses, "objective")', imports=OF_MODULES
    ),
    "any function of a module": script(
        "criterion = getattr(losses, sys.argv[1])", imports=OF_MODULES
    ),
    "any function of a module by another name": script(
        "criterion = getattr(parts, sys.argv[1])", imports=OF_MODULES + "import losses as parts\n"
    ),
    "any class of a module": script(
        "criterion = getattr(losses, sys.argv[1])()", imports=OF_MODULES
    ),
    "a class by its name": script('criterion = getattr(losses, "Objective")()', imports=OF_MODULES),
    "any model of a module": script(
        "net = getattr(models, sys.argv[1])()", "losses.objective", OF_MODULES
    ),
    "the names of a module": script("criterion = losses.__dict__[sys.argv[1]]", imports=OF_MODULES),
    "the variables of a module": script(
        "criterion = vars(losses)[sys.argv[1]]", imports=OF_MODULES
    ),
    "the models of a module": script(
        "net = models.__dict__[sys.argv[1]]()", "losses.objective", OF_MODULES
    ),
    "all names that are imported": script("criterion = globals()[sys.argv[1]]"),
    "names that are imported one by one": script(
        "criterion = globals()[sys.argv[1]]",
        imports="import sys\nfrom losses import distance, objective\nfrom models import Net\n",
    ),
    "an imported class by its name": script('criterion = globals()["Objective"]()'),
    "an imported model": script("net = globals()[sys.argv[1]]()", "objective"),
    "any function of a module in an attribute": {
        **PARTS,
        "train.py": TORCH
        + OF_MODULES
        + TRAINER.format(
            kept="self.criterion = getattr(losses, config['loss'])", loss="self.criterion(p, y)"
        ),
    },
}
BASE = """
class Base:
    def __init__(self, model, criterion, optimizer, config):
        self.config = config
        self.model = model
        self.criterion = criterion
        self.optimizer = optimizer

    def step(self, batch):
        raise NotImplementedError

    def train(self):
        for batch in self.config["data"]:
            self.step(batch)
"""
HEIR = """
from base import Base

class Trainer(Base):
    def __init__(self, model, criterion, optimizer, config, device):
        super().__init__(model, criterion, optimizer, config)
        self.device = device

    def step(self, batch):
        x, y = batch
        loss = self.criterion(self.model(x.to(self.device)), y)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
"""
CONFIG = """
class Config:
    def __init__(self, settings):
        self.settings = settings

    @classmethod
    def from_args(cls, args):
        for name in args:
            print(name)
        return cls(args)

    def made(self, name, module, *args, **kwargs):
        given = dict(self.settings[name]["args"])
        given.update(kwargs)
        return getattr(module, self.settings[name]["type"])(*args, **given)
"""
MAIN = """
import torch
import losses
import models
from config import Config
from trainer import Trainer

def main(config):
    model = {model}
    criterion = {criterion}
    optimizer = torch.optim.SGD(model.parameters(), 1.0)
    trainer = Trainer(model, criterion, optimizer, config=config, device="cpu")
    trainer.train()

if __name__ == "__main__":
    main(Config.from_args(sys.argv))
"""


def trainer(model: str, criterion: str) -> Mapping[str, str]:
    main = "import sys\n" + MAIN.format(model=model, criterion=criterion)
    own = {"base.py": BASE, "trainer.py": TORCH + HEIR, "config.py": CONFIG}
    return {**PARTS, **own, "train.py": main}


GIVEN_TO_BASES: Mapping[str, Mapping[str, str]] = {
    "a trainer whose base keeps its parts": trainer("models.Net()", "losses.objective"),
    "a trainer that has no constructor": {
        **PARTS,
        "base.py": BASE,
        "trainer.py": TORCH + HEIR.replace("def __init__", "def other"),
        "train.py": TORCH
        + OF_ALL
        + "from trainer import Trainer\nTrainer(Net(), Objective(), None, None).train()\n",
    },
    "a trainer that is given any function": trainer(
        "models.Net()", "getattr(losses, config.settings['loss'])"
    ),
    "a trainer that is given what a method makes": trainer(
        "config.made('model', models)", "getattr(losses, config.settings['loss'])"
    ),
}
FILL = """
{table} = {{}}

def register(name):
    def wrap(member):
        {table}[name] = member
        return member
    return wrap
"""
OBJECT = """
class Registry:
    def __init__(self, name):
        self._name = name
        self._table = {}

    def register(self, name=None):
        def wrap(member):
            self._table[name or member.__name__] = member
            return member
        return wrap

    def add(self, member):
        self._table[member.__name__] = member
        return member

    def get(self, name):
        if name not in self._table:
            raise KeyError(name)
        return self._table[name]

LOSSES = Registry("loss")
"""


def decorated(decorator: str, text: str) -> str:
    """Each definition of a text below a decorator."""
    for kind in ("def", "class"):
        text = text.replace(f"\n{kind} ", f"\n@{decorator}\n{kind} ")
    return text


FILLED = FILL.format(table="LOSSES")
DISTANCE = SEVERAL.partition("\n\n\n")[0] + "\n"
IN_ORDER = FUNCTION + DISTANCE
REGISTERED = decorated('register("objective")', FUNCTION) + decorated(
    'register("distance")', DISTANCE
)
OF_REGISTRY = "import sys\nimport losses\nfrom registry import {}\nfrom models import Net\n"
BUILD = "\ndef build(name):\n    return LOSSES[name]\n"
ADDED = 'LOSSES = {}\nLOSSES["o"] = objective\nLOSSES["d"] = distance\n'
REGISTRIES: Mapping[str, Mapping[str, str]] = {
    "filled by a decorator of the same file": script(
        "criterion = LOSSES[sys.argv[1]]", losses=TORCH + FILLED + REGISTERED
    ),
    "filled by a decorator of another file": script(
        "criterion = LOSSES[sys.argv[1]]",
        imports=OF_REGISTRY.format("LOSSES"),
        registry=FILLED,
        losses=TORCH + "from registry import register\n" + REGISTERED,
    ),
    "asked by a function of the same file": script(
        "criterion = build(sys.argv[1])", losses=TORCH + FILLED + REGISTERED + BUILD
    ),
    "asked by a function of another file": script(
        "criterion = build(sys.argv[1])",
        imports=OF_REGISTRY.format("build"),
        registry=FILLED + BUILD,
        losses=TORCH + "from registry import register\n" + REGISTERED,
    ),
    "an object that keeps functions": script(
        "criterion = LOSSES.get(sys.argv[1])",
        imports=OF_REGISTRY.format("LOSSES"),
        registry=OBJECT,
        losses=TORCH + "from registry import LOSSES\n" + decorated("LOSSES.register()", FUNCTION),
    ),
    "an object that keeps classes": script(
        "criterion = LOSSES.get(sys.argv[1])()",
        imports=OF_REGISTRY.format("LOSSES"),
        registry=OBJECT,
        losses=TORCH + "from registry import LOSSES\n" + decorated("LOSSES.add", MODULE),
    ),
    "models that a decorator registers": {
        **script(
            "net = MODELS[sys.argv[1]]()",
            "objective",
            "import models\nimport sys\n" + "from losses import *\nfrom registry import MODELS\n",
            registry=FILL.format(table="MODELS"),
            models=TORCH
            + "from registry import register\n"
            + decorated('register("n")', TORCH_NET),
        )
    },
    "elements that are set": script(
        "criterion = LOSSES[sys.argv[1]]", losses=TORCH + IN_ORDER + ADDED
    ),
    "elements that another file sets": script(
        "criterion = LOSSES[sys.argv[1]]",
        imports=OF_REGISTRY.format("LOSSES"),
        registry="from losses import distance, objective\n" + ADDED,
    ),
    "an update": script(
        "criterion = LOSSES[sys.argv[1]]",
        losses=TORCH + IN_ORDER + 'LOSSES = {}\nLOSSES.update({"o": objective, "d": distance})\n',
    ),
    "an update by keywords": script(
        "criterion = LOSSES[sys.argv[1]]",
        losses=TORCH + IN_ORDER + "LOSSES = {}\nLOSSES.update(o=objective, d=distance)\n",
    ),
    "a dictionary of another file": script(
        "criterion = LOSSES[sys.argv[1]]",
        imports=OF_REGISTRY.format("LOSSES"),
        registry="from losses import distance, objective\nLOSSES = {0: objective, 1: distance}\n",
    ),
}
CHOOSING = """
def build(name):
    if name == "objective":
        return {first}
    elif name == "distance":
        return {second}
    {last}
"""
_MAKERS: Mapping[str, str] = {
    "objects": CHOOSING.format(first="Objective()", second="Distance()", last="raise ValueError"),
    "one object beside a layer": CHOOSING.format(
        first="Objective()", second="nn.L1Loss()", last="raise ValueError"
    ),
    "objects or nothing": CHOOSING.format(
        first="Objective()", second="Distance()", last="return None"
    ),
    "objects or the end": CHOOSING.format(
        first="Objective()", second="Distance()", last="print(name)"
    ),
    "a variable": """
def build(name):
    if name == "objective":
        made = Objective()
    elif name == "distance":
        made = Distance()
    else:
        raise ValueError
    return made
""",
    "cases": """
def build(name):
    match name:
        case "objective":
            return Objective()
        case "distance":
            return Distance()
        case _:
            raise ValueError
""",
}
MADE: Mapping[str, Mapping[str, str]] = {
    **{
        f"a function of the same file that gives {what}": script(
            "criterion = build(sys.argv[1])", losses=PARTS["losses.py"] + text
        )
        for what, text in _MAKERS.items()
    },
    "a function of the same file that gives classes": script(
        "criterion = build(sys.argv[1])()",
        losses=PARTS["losses.py"]
        + CHOOSING.format(first="Objective", second="Distance", last="raise ValueError"),
    ),
}
SETTINGS = """
from dataclasses import dataclass
from typing import Callable
from losses import objective

@dataclass
class Config:
    lr: float = 0.1
    loss: Callable = objective
"""
STEP = """
def train(cfg, net):
    optimizer = torch.optim.SGD(net.parameters(), lr=cfg.lr)
    for x, y in torch.load("x"):
        loss = cfg.loss(net(x), y)
        loss.backward()
        optimizer.step()
train({given}, Net())
"""
OF_CONFIG = OF_ALL + "from config import *\n"
CONFIGURED: Mapping[str, Mapping[str, str]] = {
    "an attribute that is set": script(
        "class Config:\n    pass\ncfg = Config()\ncfg.loss = objective", "cfg.loss"
    ),
    "an attribute of what is parsed": script(
        "import argparse\nargs = argparse.ArgumentParser().parse_args()\nargs.loss = objective",
        "args.loss",
    ),
    "a namespace": script("import argparse\ncfg = argparse.Namespace(loss=objective)", "cfg.loss"),
    "a field with a default": script(
        "cfg = Config(lr=0.2)", "cfg.loss", OF_CONFIG, config=SETTINGS
    ),
    "a field that is given": script(
        "cfg = Config(loss=objective)",
        "cfg.loss",
        OF_CONFIG,
        config=SETTINGS.replace("= objective", "= print"),
    ),
    "a field that is given to a function": {
        **PARTS,
        "config.py": SETTINGS,
        "train.py": TORCH + OF_CONFIG + STEP.format(given="Config()"),
    },
    "a namespace that is given to a function": {
        **PARTS,
        "train.py": TORCH
        + OF_ALL
        + "from types import SimpleNamespace\n"
        + STEP.format(given="SimpleNamespace(lr=0.1, loss=objective)"),
    },
    "a module with a function": script(
        "",
        "config.loss",
        OF_ALL + "import config\n",
        config="from losses import objective\nlr = 0.1\nloss = objective\n",
    ),
    "a module with an object": script(
        "",
        "config.loss",
        OF_ALL + "import config\n",
        config="from losses import Objective\nlr = 0.1\nloss = Objective()\n",
    ),
    "a dictionary": script("cfg = {'lr': 0.1, 'loss': objective}", "cfg['loss']"),
    "a dictionary of another file": script(
        "",
        "cfg['loss']",
        OF_CONFIG,
        config="from losses import objective\ncfg = {'lr': 0.1, 'loss': objective}\n",
    ),
    "the default of a parameter": {
        **PARTS,
        "engine.py": TORCH
        + "from losses import objective\n"
        + STEP.replace("cfg, net", "net, loss_fn=objective")
        .replace("cfg.loss", "loss_fn")
        .replace("cfg.lr", "0.1")
        .replace("train({given}, Net())", ""),
        "train.py": "from engine import train\nfrom models import Net\ntrain(Net())\n",
    },
    "a dictionary of arguments": {
        **PARTS,
        "base.py": BASE,
        "trainer.py": TORCH + HEIR,
        "train.py": TORCH
        + OF_ALL
        + "from trainer import Trainer\n"
        + "parts = dict(model=Net(), criterion=Objective())\n"
        + "Trainer(**parts, optimizer=None, config=None, device=None).train()\n",
    },
}
FABRIC = "from lightning.fabric import Fabric\nfabric = Fabric()\n"
COMBINED = """
class Combined(nn.Module):
    def __init__(self, losses, weights):
        super().__init__()
        self.losses = nn.ModuleList(losses)
        self.weights = weights

    def forward(self, p, y):
        total = 0
        for loss, weight in zip(self.losses, self.weights):
            total = total + weight * loss(p, y)
        return total
"""
PREDICT = JAX + "\ndef predict(params, x):\n    return jax.nn.softmax(x @ params['w'])\n"
JAX_TRAINER = """
from losses import objective
from models import predict

class Trainer:
    def __init__(self, predict_fn, loss_fn):
        self.predict_fn = predict_fn
        self.loss_fn = loss_fn
        self.grad_fn = jax.jit(jax.value_and_grad(self.total))

    def total(self, params, x, y):
        return self.loss_fn(self.predict_fn(params, x), y)

    def step(self, params, x, y):
        return self.grad_fn(params, x, y)

trainer = Trainer(predict, objective)
trainer.step(params, x, y)
"""
STATE = """
from flax.training import train_state

class TrainState(train_state.TrainState):
    statistics: dict

@jax.jit
def step(state, batch):
    def loss_fn(params):
        return objective(state.apply_fn({"params": params}, batch["x"]), batch["y"])
    loss, grads = jax.value_and_grad(loss_fn)(state.params)
    return state.apply_gradients(grads=grads), loss

def main():
    model = Net()
    params = model.init(jax.random.PRNGKey(0), jnp.ones((1, 3)))["params"]
    state = TrainState.create(apply_fn=model.apply, params=params, tx=None, statistics={})
    for batch in data:
        state, loss = step(state, batch)
main()
"""
HAIKU = """
def forward(x):
    return Net()(x)

net = hk.without_apply_rng(hk.transform(forward))
params = net.init(jax.random.PRNGKey(0), x)

def loss_fn(params, x, y):
    return objective(net.apply(params, x), y)

grads = jax.grad(loss_fn)(params, x, y)
"""
KERAS_PARTS: Mapping[str, str] = {
    "models.py": TF + KERAS_NET,
    "losses.py": COMPILED["compiled with a list"]["losses.py"],
}
TAPE = """
    def {step}(self, {given}):
        {before}with tf.GradientTape() as tape:
            loss = {loss}(y, self.net(x, training=True))
        grads = tape.gradient(loss, self.net.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.net.trainable_variables))
"""
WRAPPED: Mapping[str, Mapping[str, str]] = {
    "a compiled function": script("criterion = torch.compile(objective)"),
    "a module of a wrapped model": script(
        "model = nn.DataParallel(Net())\nnet = model.module", "objective"
    ),
    "synchronised": script("net = nn.SyncBatchNorm.convert_sync_batchnorm(Net())", "objective"),
    "copied": script("import copy\nteacher = Net()\nnet = copy.deepcopy(teacher)", "objective"),
    "set up": script(FABRIC + "net = fabric.setup(Net())", "objective"),
    "set up with its optimizer": script(
        FABRIC + "net = Net()\nnet, other = fabric.setup(net, None)", "objective"
    ),
    "an engine": script(
        "import deepspeed\nnet = Net()\n"
        "net, optimizer, _, _ = deepspeed.initialize(model=net, model_parameters=net.parameters())",
        "objective",
    ),
    "with mixed precision": script(
        "from apex import amp\nnet = Net()\nnet, optimizer = amp.initialize(net, None)", "objective"
    ),
    "called with its parameters": script(
        "from torch.func import functional_call\nmodel = Net()\n"
        "net = lambda x: functional_call(model, dict(model.named_parameters()), (x,))",
        "objective",
    ),
    "a supervised trainer": {
        **PARTS,
        "train.py": TORCH
        + OF_ALL
        + "from ignite.engine import create_supervised_trainer\nnet = Net()\n"
        + "trainer = create_supervised_trainer(net, None, objective)\ntrainer.run([])\n",
    },
    "a learner": {
        **PARTS,
        "train.py": TORCH
        + OF_ALL
        + "from fastai.vision.all import Learner\n"
        + "learn = Learner(None, Net(), loss_func=objective)\nlearn.fit(3)\n",
    },
    "a list with weights in an attribute": script(
        "criterion = Combined([Objective(), Distance()], [1.0, 0.1])",
        losses=PARTS["losses.py"] + COMBINED,
    ),
    "a list that grows": {
        **PARTS,
        "train.py": TORCH
        + OF_ALL
        + "net = Net()\nterms = []\nterms.append((1.0, objective))\nterms.append((0.1, distance))\n"
        + SUMMED.format(each="w * f(p, y) for w, f in terms"),
    },
    "a gradient in an attribute": {
        "models.py": PREDICT,
        "losses.py": JAX + JAX_FUNCTION,
        "train.py": JAX + JAX_TRAINER,
    },
    "a state that is derived": {
        "models.py": JAX + JAX_NET,
        "losses.py": JAX + JAX_FUNCTION,
        "train.py": JAX_IMPORTS + STATE,
    },
    "a module of Haiku": {
        "models.py": "import haiku as hk\n"
        + JAX
        + "\nclass Net(hk.Module):\n    def __call__(self, x):\n"
        + "        return jax.nn.softmax(hk.Linear(5)(x))\n",
        "losses.py": JAX + JAX_FUNCTION,
        "train.py": "import haiku as hk\n" + JAX_IMPORTS + HAIKU,
    },
    "a step that the constructor makes": {
        **KERAS_PARTS,
        "train.py": TF
        + "from losses import objective\nfrom models import Net\n\nclass Trainer:\n"
        + "    def __init__(self, net, loss_fn):\n        self.net = net\n"
        + "        self.loss_fn = loss_fn\n        self.optimizer = tf.keras.optimizers.Adam()\n"
        + "        self.step = tf.function(self._step)\n"
        + TAPE.format(step="_step", given="x, y", before="", loss="self.loss_fn")
        + "\ntrainer = Trainer(Net(), objective)\nfor x, y in data:\n    trainer.step(x, y)\n",
    },
    "the loss of a model of Keras": {
        **KERAS_PARTS,
        "train.py": TF
        + "from losses import objective\nfrom models import Net\n\nclass Own(Net):\n"
        + "    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None):\n"
        + "        return objective(y, y_pred)\n"
        + "\nmodel = Own()\nmodel.compile(optimizer='adam')\nmodel.fit(data)\n",
    },
    "a function that a layer calls": {
        "models.py": TF
        + "\ndef build():\n    inputs = tf.keras.Input((3,))\n"
        + "    hidden = tf.keras.layers.Dense(5)(inputs)\n"
        + "    return inputs, tf.keras.layers.Lambda(probabilities, name='p')(hidden)\n"
        + "\n\ndef probabilities(x):\n    return tf.nn.softmax(x)\n",
        "losses.py": COMPILED["compiled with a list"]["losses.py"],
        "train.py": TF
        + "from losses import objective\nfrom models import build\n\ninputs, outputs = build()\n"
        + "model = tf.keras.Model(inputs, outputs)\n"
        + "model.compile('adam', loss=objective)\nmodel.fit(data)\n",
    },
    "a step of a model of Keras": {
        **KERAS_PARTS,
        "train.py": TF
        + "from losses import objective\nfrom models import Net\n\nclass Own(tf.keras.Model):\n"
        + "    def __init__(self, net):\n        super().__init__()\n        self.net = net\n"
        + TAPE.format(
            step="train_step", given="data", before="x, y = data\n        ", loss="objective"
        )
        + "        return {'loss': loss}\n"
        + "\nmodel = Own(Net())\nmodel.compile(optimizer='adam')\nmodel.fit(data)\n",
    },
}
ALL: Mapping[str, Mapping[str, str]] = {
    **LOOKED_UP,
    **GIVEN_TO_BASES,
    **REGISTRIES,
    **MADE,
    **CONFIGURED,
    **WRAPPED,
}


@pytest.mark.parametrize("handing", ALL)
def test_logarithm_of_a_softmax_elsewhere_is_told(handing: str, tmp_path: Path) -> None:
    assert found(ALL[handing], tmp_path) == [("losses.py", "NAN101")]


@pytest.mark.parametrize("handing", ALL)
def test_sound_twin_is_quiet(handing: str, tmp_path: Path) -> None:
    twin = {name: sound(text) for name, text in ALL[handing].items()}
    assert twin != ALL[handing]
    assert found(twin, tmp_path) == []


OTHER: Mapping[str, Mapping[str, str]] = {
    "another function by its name": script("", 'getattr(losses, "distance")', OF_MODULES),
    "another class by its name": script(
        'criterion = getattr(losses, "Distance")()', imports=OF_MODULES
    ),
    "a function that takes something else": script(
        "criterion = getattr(losses, sys.argv[1])",
        imports=OF_MODULES,
        losses=TORCH + FUNCTION.replace("(p, y)", "(p, y, weight)") + SEVERAL,
    ),
    "another key of a registry": script(
        'criterion = LOSSES["distance"]', losses=TORCH + FILLED + REGISTERED
    ),
    "another table": script(
        "criterion = OTHERS[sys.argv[1]]",
        imports=OF_REGISTRY.format("OTHERS"),
        registry=FILLED + "from torch.nn.functional import mse_loss\nOTHERS = {0: mse_loss}\n",
        losses=TORCH + "from registry import register\n" + REGISTERED,
    ),
    "another name among all": script('criterion = globals()["distance"]'),
    "names that come from elsewhere": script(
        "criterion = globals()[sys.argv[1]]",
        imports="import sys\nimport losses\nfrom models import Net\n",
    ),
    "a field that is given something else": script(
        "cfg = Config(loss=distance)", "cfg.loss", OF_CONFIG, config=SETTINGS
    ),
}


@pytest.mark.parametrize("other", OTHER)
def test_what_is_not_meant_is_not_called(other: str, tmp_path: Path) -> None:
    assert found(OTHER[other], tmp_path) == []


@pytest.mark.parametrize(
    "given", ["Net, criterion=Objective, lr=0.1", "module=Net(), criterion=Objective"]
)
def test_estimator_makes_objects_of_what_it_is_given(given: str, tmp_path: Path) -> None:
    made = f"\nfrom skorch import NeuralNet\nnet = NeuralNet({given})\nnet.fit(None, None)\n"
    program = {"train.py": TORCH + TORCH_NET + MODULE + made}
    assert found(program, tmp_path) == [("train.py", "NAN202")]
    assert found({"train.py": sound(program["train.py"])}, tmp_path) == []
