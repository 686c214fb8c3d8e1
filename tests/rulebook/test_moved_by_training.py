"""Evidence of training: a parameter, or what a layer gives, reaches any number by default.

Each program that is reported stands beside twins in which the same point cannot be reached, or in
which nothing shows that it is.
"""

from __future__ import annotations

import pytest

from mllint_nan.findings import Confidence
from mllint_nan.linter import Linted, Settings, lint_bytes

TORCH = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"
TENSORFLOW = "import tensorflow as tf\n"
TENSORFLOW1 = "import tensorflow.compat.v1 as tf\n"
FLAX = "import jax\nimport jax.numpy as jnp\nimport flax.linen as nn\n"
NNX = "import jax\nimport jax.numpy as jnp\nfrom flax import nnx\n"
HAIKU = "import jax\nimport jax.numpy as jnp\nimport haiku as hk\n"
JAX = "import jax\nimport jax.numpy as jnp\nimport optax\n"


def _reported(source: str, *, least: Confidence = Confidence.LIKELY) -> list[str]:
    settings = Settings(min_confidence=least)
    outcome = lint_bytes(source.encode(), "module.py", settings)
    assert isinstance(outcome, Linted), outcome
    return [finding.code for finding in outcome.findings]


def _module(made: str, used: str, imports: str = TORCH) -> str:
    return (
        f"{imports}class Module(nn.Module):\n    def __init__(self, size):\n"
        f"        super().__init__()\n        {made}\n"
        f"    def forward(self, x):\n        return {used}\n"
    )


SCALE = "self.scale = nn.Parameter(torch.ones(3))"

PARAMETERS = {
    "log of a parameter": (_module(SCALE, "x + torch.log(self.scale)"), "NAN201"),
    "log of some of its elements": (_module(SCALE, "x + self.scale[None, :2].log()"), "NAN201"),
    "log of a multiple": (_module(SCALE, "x + torch.log(2 * self.scale)"), "NAN201"),
    "root of a parameter": (_module(SCALE, "x * torch.sqrt(self.scale)"), "NAN207"),
    "one over a root": (_module(SCALE, "x * torch.rsqrt(self.scale)"), "NAN207"),
    "power of a parameter": (_module(SCALE, "x * self.scale ** 0.75"), "NAN207"),
    "angle of a parameter": (_module(SCALE, "x * torch.acos(self.scale)"), "NAN208"),
    "area of a parameter": (_module(SCALE, "x * torch.atanh(self.scale)"), "NAN209"),
    "registered": (
        _module('self.register_parameter("s", nn.Parameter(torch.ones(1)))', "torch.log(self.s)"),
        "NAN201",
    ),
    "passed to a method": (
        _module(SCALE, "self._density(x, self.scale)")
        + "    def _density(self, x, s):\n        return x - torch.log(s)\n",
        "NAN201",
    ),
    "handed to an optimizer": (
        TORCH + "s = torch.ones(1, requires_grad=True)\noptimizer = torch.optim.Adam([s])\n"
        "def loss(x):\n    return x.mean() - torch.log(s)\n",
        "NAN201",
    ),
    "handed to an optimizer in groups": (
        TORCH + "s = torch.ones(1, requires_grad=True)\n"
        "optimizer = torch.optim.Adam([{'params': [s], 'lr': 1e-3}])\n"
        "def loss(x):\n    return x.mean() - torch.log(s)\n",
        "NAN201",
    ),
    "stepped by hand": (
        TORCH + "s = torch.ones(1).requires_grad_()\ndef loss(x):\n"
        "    return x.mean() - torch.log(s)\ndef step(x):\n    loss(x).backward()\n"
        "    with torch.no_grad():\n        s.sub_(0.1 * s.grad)\n",
        "NAN201",
    ),
    "variable of a first graph": (
        TENSORFLOW1 + "s = tf.get_variable('s', [3], initializer=tf.ones_initializer())\n"
        "loss = tf.reduce_mean(x) - tf.log(s)\ntrain = tf.train.AdamOptimizer().minimize(loss)\n",
        "NAN201",
    ),
    "variable of a module": (
        TENSORFLOW + "class Module(tf.Module):\n    def __init__(self):\n"
        "        self.s = tf.Variable(1.0)\n    def __call__(self, x):\n"
        "        return x - tf.math.log(self.s)\n",
        "NAN201",
    ),
    "weight that a constraint cuts off at 0": (
        TENSORFLOW + "class Layer(tf.keras.layers.Layer):\n    def build(self, shape):\n"
        "        self.s = self.add_weight(shape=(3,), constraint=tf.keras.constraints.NonNeg())\n"
        "    def call(self, x):\n        return x / self.s\n",
        "NAN309",
    ),
    "flax": (
        FLAX + "class Module(nn.Module):\n    @nn.compact\n    def __call__(self, x):\n"
        "        s = self.param('s', nn.initializers.ones, (3,))\n        return x - jnp.log(s)\n",
        "NAN201",
    ),
    "flax's own kind of variable": (
        NNX + "class Module(nnx.Module):\n    def __init__(self):\n"
        "        self.s = nnx.Param(jnp.ones(3))\n    def __call__(self, x):\n"
        "        return x - jnp.log(self.s.value)\n",
        "NAN201",
    ),
    "haiku": (
        HAIKU + "def forward(x):\n    s = hk.get_parameter('s', [3], init=jnp.ones)\n"
        "    return x - jnp.log(s)\n",
        "NAN201",
    ),
    "leaf of a tree": (
        JAX + "def loss(params, x):\n    return x.mean() - jnp.log(params['s'])\n"
        "def step(params, x, state, optimizer):\n    grads = jax.grad(loss)(params, x)\n"
        "    updates, state = optimizer.update(grads, state)\n"
        "    return optax.apply_updates(params, updates), state\n",
        "NAN201",
    ),
    "leaf of a tree in a helper": (
        JAX + "def density(params, x):\n    return x.mean() - jnp.log(params['flow']['s'])\n"
        "def loss(params, x):\n    return density(params, x)\ndef step(params, x):\n"
        "    grads = jax.value_and_grad(loss)(params, x)[1]\n"
        "    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)\n",
        "NAN201",
    ),
    "leaf of the second argument": (
        JAX + "def loss(x, params):\n    return x.mean() - jnp.log(params.s)\n"
        "def step(params, x):\n    grads = jax.grad(loss, argnums=1)(x, params)\n"
        "    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)\n",
        "NAN201",
    ),
}

PASSED = {
    "divisor": _module(SCALE, "x / self.scale"),
    "divisor of a number": _module(SCALE, "x * (1 / self.scale)"),
    "variable under a tape": (
        TENSORFLOW + "s = tf.Variable(tf.ones([3]))\ndef loss(x):\n    return x / s\n"
        "def step(x, optimizer):\n    with tf.GradientTape() as tape:\n        value = loss(x)\n"
        "    optimizer.apply_gradients([(tape.gradient(value, s), s)])\n"
    ),
    "weight of a layer": (
        TENSORFLOW + "class Layer(tf.keras.layers.Layer):\n    def build(self, shape):\n"
        "        self.s = self.add_weight(name='s', shape=(3,), initializer='ones')\n"
        "    def call(self, x):\n        return x / self.s\n"
    ),
}
"""Divisors that training moves past 0, but seldom to it."""


NO_PARAMETERS = {
    "frozen": _module(
        "self.s = nn.Parameter(torch.ones(3), requires_grad=False)", "x - torch.log(self.s)"
    ),
    "frozen by a setting": _module(
        "self.s = nn.Parameter(torch.ones(3), requires_grad=size > 1)", "x - torch.log(self.s)"
    ),
    "buffer": _module('self.register_buffer("s", torch.ones(3))', "x - torch.log(self.s)"),
    "constant": _module("self.s = torch.ones(3)", "x - torch.log(self.s)"),
    "exponential of a parameter": _module(SCALE, "x / self.scale.exp() + F.softplus(self.scale)"),
    "softplus with a floor": _module(SCALE, "x / (F.softplus(self.scale) + 1e-3)"),
    "clamped where it is used": _module(SCALE, "x - torch.log(self.scale.clamp(min=1e-3))"),
    "layer norm": _module(SCALE, "x / (x.std(-1, keepdim=True) + 1e-5) * self.scale"),
    "clamped in place": _module(SCALE, "self._kept(x)")
    + "    def _kept(self, x):\n        self.scale.data.clamp_(min=1e-3)\n"
    "        return x - torch.log(self.scale)\n",
    "clamped after each step": _module(SCALE, "x - torch.log(self.scale)")
    + "def step(model, optimizer):\n    optimizer.step()\n    with torch.no_grad():\n"
    "        model.scale.clamp_(1e-3, 10.0)\n",
    "asked for a gradient, and never updated": TORCH
    + "t = torch.linspace(0.1, 1, 5, requires_grad=True)\ndef residual(net):\n"
    "    return torch.autograd.grad(net(t).sum(), t)[0] - torch.log(t)\n",
    "variable that is not trained": TENSORFLOW
    + "class Layer(tf.keras.layers.Layer):\n    def build(self, shape):\n"
    "        self.s = self.add_weight(name='s', trainable=False, initializer='ones')\n"
    "    def call(self, x):\n        return x - tf.math.log(self.s)\n",
    "weight with a constraint of another kind": TENSORFLOW
    + "class Layer(tf.keras.layers.Layer):\n    def build(self, shape):\n"
    "        self.s = self.add_weight(shape=(3,), constraint=lambda w: tf.maximum(w, 1e-3))\n"
    "    def call(self, x):\n        return x - tf.math.log(self.s)\n",
    "count that the program keeps itself": TENSORFLOW
    + "class Mean(tf.keras.layers.Layer):\n    def build(self, shape):\n"
    "        self.count = self.add_weight(name='n', initializer='ones')\n"
    "    def call(self, x):\n        self.count.assign_add(1.0)\n"
    "        return x - tf.math.log(self.count)\n",
    "whole number": TENSORFLOW
    + "epoch = tf.Variable(1)\ndef rate(optimizer, loss):\n    optimizer.minimize(loss)\n"
    "    return 0.1 / epoch\n",
    "argument by which nothing is differentiated": JAX
    + "def loss(params, data):\n    return (params['w'] * data['x'] - jnp.log(data['n'])).sum()\n"
    "def step(params, data):\n    grads = jax.grad(loss)(params, data)\n"
    "    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)\n",
    "coordinates by which a field is differentiated": JAX
    + "def potential(x):\n    return jnp.log(x['r'])\n"
    "def force(x):\n    return jax.grad(potential)(x)\n",
}


@pytest.mark.parametrize(("source", "code"), PARAMETERS.values(), ids=PARAMETERS)
def test_training_moves_a_parameter_to_the_singular_point(source: str, code: str) -> None:
    assert code in _reported(source)


@pytest.mark.parametrize("source", PASSED.values(), ids=PASSED)
def test_training_moves_a_divisor_past_0_but_seldom_to_it(source: str) -> None:
    assert _reported(source) == []
    assert "NAN309" in _reported(source, least=Confidence.POSSIBLE)


@pytest.mark.parametrize("made", ["torch.zeros(3)", "torch.zeros_like(torch.ones(3))"])
def test_a_divisor_that_starts_at_0_is_reported(made: str) -> None:
    assert _reported(_module(f"self.scale = nn.Parameter({made})", "x / self.scale")) == ["NAN309"]


@pytest.mark.parametrize("source", NO_PARAMETERS.values(), ids=NO_PARAMETERS)
def test_what_training_does_not_move_there_is_not_reported(source: str) -> None:
    assert not _reported(source)


HEAD = "self.head = nn.Linear(size, 2)"

OUTPUTS = {
    "exp of a layer's output": (_module(HEAD, "torch.exp(self.head(x))"), "NAN504"),
    "exp of one half": (
        _module(HEAD, "self._sample(self.head(x))")
        + "    def _sample(self, both):\n        mean, logvar = both.chunk(2, dim=-1)\n"
        "        return mean + torch.exp(logvar)\n",
        "NAN504",
    ),
    "exp of a part": (_module(HEAD, "self.head(x)[:, 1:].exp()"), "NAN504"),
    "exp of a sum with an offset": (_module(HEAD, "torch.exp(self.head(x) + 1.0)"), "NAN504"),
    "exp of the last of several layers": (
        _module(
            "self.net = nn.Sequential(nn.Linear(size, 8), nn.Tanh(), nn.Linear(8, 1))",
            "self.net(x).exp()",
        ),
        "NAN504",
    ),
    "exp of a product with weights": (
        _module("self.w = nn.Parameter(torch.zeros(3, 2))", "torch.exp(x @ self.w)"),
        "NAN504",
    ),
    "exp of what an own module gives": (
        TORCH + "class Encoder(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.a = nn.Linear(2, 2)\n        self.b = nn.Linear(2, 2)\n"
        "    def forward(self, x):\n        self.seen = x\n        return self.a(x), self.b(x)\n"
        "class Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.encoder = Encoder()\n    def forward(self, x):\n"
        "        mean, logvar = self.encoder(x)\n        return mean + torch.exp(logvar)\n",
        "NAN504",
    ),
    "quotient by a gate": (_module(HEAD, "x / torch.sigmoid(self.head(x))"), "NAN309"),
    "quotient by a share": (_module(HEAD, "x / F.softmax(self.head(x), dim=-1)"), "NAN309"),
    "scale of a normal": (
        _module(HEAD, "torch.distributions.Normal(x, F.softplus(self.head(x))).rsample()"),
        "NAN212",
    ),
    "Keras": (
        TENSORFLOW + "class Encoder(tf.keras.Model):\n    def __init__(self):\n"
        "        super().__init__()\n        self.logvar = tf.keras.layers.Dense(2, name='v')\n"
        "    def call(self, x):\n        return tf.exp(self.logvar(x))\n",
        "NAN504",
    ),
    "layers of a first graph": (
        TENSORFLOW1 + "logvar = tf.layers.dense(x, 2)\nstd = tf.exp(logvar)\n"
        "z = mean + std * noise\n",
        "NAN504",
    ),
    "Flax": (
        FLAX + "class Encoder(nn.Module):\n    @nn.compact\n    def __call__(self, x):\n"
        "        return jnp.exp(nn.Dense(2)(x))\n",
        "NAN504",
    ),
    "Haiku": (HAIKU + "def encode(x):\n    return jnp.exp(hk.Linear(2)(x))\n", "NAN504"),
}

BOUNDED = {
    "clamped": _module(HEAD, "torch.exp(self.head(x).clamp(-20, 20))"),
    "hyperbolic tangent": _module(HEAD, "torch.exp(torch.tanh(self.head(x)))"),
    "tangent as the last layer": _module(
        "self.net = nn.Sequential(nn.Linear(size, 1), nn.Tanh())", "self.net(x).exp()"
    ),
    "negative": _module(HEAD, "torch.exp(-F.softplus(self.head(x)))"),
    "negative square": _module(HEAD, "torch.exp(-self.head(x) ** 2)"),
    "without its maximum": _module(HEAD, "self._share(self.head(x))")
    + "    def _share(self, s):\n        return torch.exp(s - s.max(-1, keepdim=True).values)\n",
    "logarithms of probabilities": _module(HEAD, "F.log_softmax(self.head(x), -1).exp()"),
    "unit vectors": _module(
        HEAD, "torch.exp(F.normalize(self.head(x)) @ F.normalize(self.head(x)).T / 0.1)"
    ),
    "logit scale": _module("self.s = nn.Parameter(torch.ones([]))", "x * self.s.exp()"),
    "one of several parameters": _module(
        "self.s = nn.Parameter(torch.zeros(size, 2))",
        "torch.exp(F.one_hot(x, 5).float() @ self.s) * F.linear(F.one_hot(x, 5), self.s).exp()",
    ),
    "module of which nothing is known": _module("self.net = make(size)", "self.net(x).exp()"),
    "function of which nothing is known": TENSORFLOW
    + "class Encoder(tf.keras.Model):\n    def __init__(self, activation):\n"
    "        super().__init__()\n        self.v = tf.keras.layers.Dense(2, activation=activation)\n"
    "    def call(self, x):\n        return tf.exp(self.v(x))\n",
    "activation": TENSORFLOW + "class Encoder(tf.keras.Model):\n    def __init__(self):\n"
    "        super().__init__()\n        self.v = tf.keras.layers.Dense(2, activation='tanh')\n"
    "    def call(self, x):\n        return tf.exp(self.v(x))\n",
    "quotient by a gate with a floor": _module(HEAD, "x / (torch.sigmoid(self.head(x)) + 1e-3)"),
    "only printed": _module(HEAD, "self._shown(x)")
    + "    def _shown(self, x):\n        y = self.head(x)\n        with torch.no_grad():\n"
    "            print(torch.exp(y).mean())\n        return y\n",
}


@pytest.mark.parametrize(("source", "code"), OUTPUTS.values(), ids=OUTPUTS)
def test_output_of_a_layer_is_unbounded(source: str, code: str) -> None:
    assert code in _reported(source)


@pytest.mark.parametrize("part", ["0.5 * self.head(x)", "self.head(x) / 2"])
def test_part_of_an_output_is_possible(part: str) -> None:
    source = _module(HEAD, f"torch.exp({part})")
    assert "NAN504" not in _reported(source)
    assert "NAN504" in _reported(source, least=Confidence.POSSIBLE)
    assert "NAN504" in _reported(_module(HEAD, f"torch.exp(2 * ({part}))"))


@pytest.mark.parametrize("source", BOUNDED.values(), ids=BOUNDED)
def test_what_is_bounded_since_is_not_reported(source: str) -> None:
    assert not _reported(source)


def _aside(body: str, entered: str = "with torch.no_grad():") -> str:
    lines = "".join(f"            {line}\n" for line in body.splitlines())
    return (
        TORCH + "class Agent:\n    def __init__(self, score):\n        self.score = score\n"
        f"    def imitate(self, x, m):\n        {entered}\n{lines}"
    )


FED_ON = {
    "reward of a discriminator": (
        _aside("s = torch.sigmoid(self.score(x))\nreturn s.log() - (1 - s).log()"),
        "NAN102",
    ),
    "reward as an array": (
        _aside("s = torch.relu(self.score(x))\nreturn torch.log(s).cpu().numpy()"),
        "NAN201",
    ),
    "reward on one of two paths": (
        _aside("r = torch.log(torch.relu(x)) if m else x\nreturn r"),
        "NAN201",
    ),
    "density of a reward": (_aside("return m.log_prob(torch.log(torch.relu(x)))"), "NAN201"),
    "target that is stored": (_aside("self.target = torch.log(torch.relu(x))"), "NAN201"),
    "target that is written": (_aside("m[0] = torch.log(torch.relu(x))"), "NAN201"),
    "target that is passed on": (_aside("self.learn(x, torch.log(torch.relu(x)))"), "NAN201"),
    "share of a rectified score": (_aside("return m / torch.relu(x)"), "NAN309"),
    "in a function that makes targets": (
        TORCH + "@torch.no_grad()\ndef compute_targets(x):\n    return torch.log(torch.relu(x))\n",
        "NAN201",
    ),
}

LOOKED_AT = {
    "printed": _aside("print(torch.log(torch.relu(x)).mean())"),
    "logged": _aside("y = torch.log(torch.relu(x))\nself.writer.add_scalar('y', y.mean().item())"),
    "compared": _aside("return torch.log(torch.relu(x)) > 0"),
    "kept among statistics": _aside("stats = {}\nstats['y'] = torch.log(torch.relu(x))"),
    "metric": TORCH + "@torch.no_grad()\ndef evaluate(x):\n    return torch.log(torch.relu(x))\n",
}


@pytest.mark.parametrize(("source", "code"), FED_ON.values(), ids=FED_ON)
def test_value_hazard_needs_no_gradient(source: str, code: str) -> None:
    assert code in _reported(source)


@pytest.mark.parametrize("source", LOOKED_AT.values(), ids=LOOKED_AT)
def test_what_is_only_looked_at_without_gradients_is_not_reported(source: str) -> None:
    assert not _reported(source)


@pytest.mark.parametrize("what", sorted(LOOKED_AT.keys() - {"compared"}))
def test_what_is_only_looked_at_is_still_in_an_audit(what: str) -> None:
    assert _reported(LOOKED_AT[what], least=Confidence.POSSIBLE)
