"""Kinds of false alarm that were met in real packages, each beside its twin that is none.

Where a file stands plays no part; what nothing speaks against is taken at its word.
"""

from __future__ import annotations

import pytest

from mllint_nan.linter import Linted, Settings, lint_bytes

TORCH = "import torch\nimport torch.nn.functional as F\n"
JAX = "import jax\nimport jax.numpy as jnp\n"
TENSORFLOW = "import tensorflow as tf\n"
NUMPY = "import numpy as np\n"


def _codes(source: str, *, filename: str = "module.py") -> list[str]:
    outcome = lint_bytes(source.encode(), filename, Settings())
    assert isinstance(outcome, Linted), outcome
    return [finding.code for finding in outcome.findings]


QUIET = {
    "differences of what is cut off at places that are not written out": TORCH
    + "def angle_loss(x, net):\n    n, m = net.sizes\n    w = x[:n] - x[:m]\n"
    "    h = x[:m] - x[:n]\n    return torch.atan(w / h).sum()\n",
    "a quotient behind a look at what divides": TORCH
    + "def share_loss(x):\n    w = F.relu(x)\n    if x.max() > 0:\n"
    "        return w / w.sum()\n    return w\n",
    "a quotient of what is gathered under the same subscripts": TORCH
    + "def blend_loss(x, w, net, n):\n    total = torch.zeros_like(x)\n"
    "    count = torch.zeros(x.shape[0])\n    for i in range(0, x.shape[0], n):\n"
    "        total[i:i + n] += net(x[i:i + n]) * w\n        count[i:i + n] += w\n"
    "    loss = torch.where(count > 0, total / count, total).sum()\n    loss.backward()\n",
    "a mask of lengths that helpers are passed": TORCH
    + "class Pool:\n    def forward(self, x, lengths):\n"
    "        mask = ~self.make_pad_mask(lengths)\n        return _pool(x, ~mask)\n"
    "def _pool(x, mask):\n    return x.sum(-1) / mask.sum(-1)\n",
    "the tail of a softplus that a helper is passed": TORCH
    + "class Likelihood:\n    def loss(self, x):\n        return self._log(F.softplus(x))\n"
    "    def _log(self, mu):\n        return torch.log(mu)\n",
    "a draw over the logarithm of a probability that rounds to 1": TENSORFLOW
    + "def sample(logits, u):\n"
    "    return tf.floor(tf.math.log(u) / tf.math.log1p(-tf.sigmoid(logits)))\n",
    "a root of what is only drawn": TORCH + "from tools import plot\n"
    "def step(loss, y):\n    loss.backward()\n    plot([y.abs() ** 0.5], titles=['y'])\n",
    "a root in what makes the targets of a loss": TORCH
    + "class Head:\n    def loss(self, points, boxes):\n"
    "        return self.compare(self.get_targets(points, boxes))\n"
    "    def get_targets(self, points, boxes):\n"
    "        return torch.sqrt(((points - boxes) ** 2).sum(-1))\n",
    "a root in the update of an evolution strategy": JAX
    + "class Strategy:\n    def _tell(self, population, fitness, state):\n"
    "        loss = -jnp.dot(fitness, population)\n"
    "        return jnp.sqrt(jnp.dot(fitness, (population - state) ** 2)), jax.grad(loss)\n",
    "the length of a gradient after the backward pass": TORCH
    + "def step(x, loss):\n    loss.backward()\n    grad = x.grad\n"
    "    return grad / (torch.sqrt(torch.sum(grad * grad)) + 1e-8)\n",
    "the length of a gradient without a graph": TORCH
    + "def guide_loss(x, loss):\n    grad = -torch.autograd.grad(loss, x)[0]\n"
    "    return grad * grad.square().mean().sqrt()\n",
    "the root of a bare magnitude": TORCH
    + "def pose_loss(solver, a):\n    return solver(a)[..., 0].abs().sqrt()\n",
    "the softplus of a variational spread": TORCH + "class Posterior:\n    def sample_loss(self):\n"
    "        return torch.log1p(torch.exp(self.param_rho))\n",
    "the weights of a Gaussian window": NUMPY + "def kernel(grid, precision):\n"
    "    k = np.exp(-0.5 * np.sum(np.matmul(grid, precision) * grid, 2))\n"
    "    return k / np.sum(k)\n",
    "a bound of an error that is called after an epsilon": NUMPY
    + "def bound(x, eps_error):\n    return np.log(x) + eps_error\n",
    "a count of masks that einops reduces": TORCH + "from einops import rearrange, reduce\n"
    "def reduce_loss(loss, prediction_mask, sample_id):\n"
    "    same = torch.eq(sample_id, sample_id.T)\n"
    "    n = reduce(same * rearrange(prediction_mask, 's -> 1 s'), 'a b -> a 1', 'sum')\n"
    "    return loss * torch.where(n == 0, n, 1 / n).sum()\n",
    "a root in a function that nobody trains with": TORCH
    + "def length(x, y):\n    return torch.sqrt(((x - y) ** 2).sum(-1))\n",
    "a root beside another function that trains": TORCH
    + "def length(x, y):\n    return torch.sqrt(((x - y) ** 2).sum(-1))\n"
    "def step(loss):\n    loss.backward()\n",
    "a root in the function that calls jax.grad, not in what it hands over": JAX
    + "def train(f, x, y):\n    slope = jax.grad(f)(x)\n"
    "    return slope, jnp.sqrt(((x - y) ** 2).sum(-1))\n",
    "a root in a function beside the one that is handed to jax.grad": JAX
    + "def train(f, x, y):\n    def epoch(s):\n        return jnp.sqrt(((s - y) ** 2).sum(-1))\n"
    "    return jax.grad(f)(x), epoch(x)\n",
    "a root of what torch.tensor has copied": TORCH
    + "def dot_loss(x, y):\n    return torch.tensor(sum((x * y) ** 2)) ** 0.5\n",
    "a root that is kept among the metrics": TORCH
    + "def step(model, batch, metrics):\n    loss = model(batch).pow(2).sum(-1)\n"
    "    metrics['rms'] = loss.sqrt()\n    loss.mean().backward()\n",
    "the norm of gradients after the step": TORCH + "def step(model, loss):\n    loss.backward()\n"
    "    return sum(p.grad.data.norm(2) ** 2 for p in model.parameters()).sqrt()\n",
    "a root of numbers that leave the tensors": TORCH + "from .tools import to_numpy\n"
    "def loss_scale(batch):\n    return to_numpy(torch.sqrt((batch.y ** 2).mean()))\n",
    "a root in a test's helpers": TORCH
    + "def loss_norm(x, y):\n    return torch.sqrt(((x - y) ** 2).sum(-1))\n",
    "a sigmoid by hand, where nothing shows how far out its input is": TORCH
    + "def smooth_loss(x):\n    return 1 / (1 + torch.exp(-x))\n",
    "a sum of exponentials of what may be cosines": TORCH
    + "def margin_loss(x):\n    return torch.log(torch.exp(x).sum(-1))\n",
    "the tail of a softplus": TORCH
    + "def link_loss(x):\n    return torch.log(F.softplus(x)).mean()\n",
    "a log of a cdf, which is -inf outside of the support": TORCH
    + "class Wrapped:\n    def log_cdf(self, value):\n"
    "        return torch.log(torch.clamp(self.base.cdf(value), 0.0, 1.0))\n",
    "a log beside a quotient by the same sigmoid": TORCH
    + "def inverse(z, context):\n    gate = torch.sigmoid(context)\n"
    "    return z / gate, -torch.log(gate)\n",
    "a grid and what it is spread by": TORCH
    + "def weights(eta: float, n: int):\n    w = torch.exp(torch.linspace(-eta, 0, n))\n"
    "    return w / w.sum()\n",
    "tokens that are no padding": TORCH
    + "def loss(x, t, ce):\n    m = (x != 0).float()\n    return (ce * m).sum() / m.sum()\n",
    "tokens that are not a named filler": JAX + "from . import dataset\n"
    "def loss(ce, data):\n    mask = jnp.not_equal(data.inputs, dataset.PAD_TOKEN)\n"
    "    return (ce * mask).sum() / mask.sum()\n",
    "a quotient that is patched right away": TORCH
    + "def score(a, b):\n    iou = (a * b.bool()).sum() / b.bool().sum()\n"
    "    iou = torch.nan_to_num_(iou, nan=0.0)\n    return iou\n",
    "what is computed without gradients, and printed": TORCH
    + "@torch.no_grad()\ndef watch(out):\n    q = torch.exp(out / 0.05)\n    print(q / q.sum())\n",
    "a quotient that only decides": TORCH
    + "def fit(y):\n    skew = (((y - y.mean()) / y.std()) ** 3).mean()\n    return skew > 1.6\n",
    "a ratio of counts that is compared, bounded or not": TORCH
    + "def choose(labels, k, u):\n    n = (labels != -100).sum()\n    ratio = min(k / n, 1)\n"
    "    return u > 1.0 - ratio\n",
    "an epsilon that a function gives": TORCH
    + "from .backend import keras\ndef norm_loss(x):\n    floor = keras.backend.epsilon()\n"
    "    return torch.sqrt(torch.maximum((x ** 2).sum(-1), floor))\n",
    "a direction in NumPy": NUMPY
    + "def look_at(target, position):\n    direction = target - position\n"
    "    return direction / np.linalg.norm(direction)\n",
    "a flag that no call raises": TORCH
    + "def _loss(x, labels, average=False):\n    mask = labels != -100\n    if average:\n"
    "        return (x * mask).sum() / mask.sum()\n    return (x * mask).sum()\n"
    "def total(x, labels):\n    return _loss(x, labels)\n",
    "an output of plain layers that is patched": TORCH
    + "class Encoder(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.mean = torch.nn.Linear(2, 2)\n    def forward(self, x):\n"
    "        return torch.nan_to_num(self.mean(x))\n",
    "overflow that the threshold hides in NumPy": NUMPY + "def softplus(x, beta=1.0):\n"
    "    return np.where(beta * x > 20.0, x, np.log1p(np.exp(beta * x)) / beta)\n",
    "a branch that is regular where it is not selected": TORCH + "def log_loss(xi, x):\n"
    "    return torch.where(xi == torch.zeros_like(xi), -x, -x * (1 + 1 / (xi + 1e-6)))\n",
    "an image that may have been looked at before": NUMPY
    + "def rescale(image):\n    return (image - image.min()) / (image.max() - image.min())\n",
    "a selection that may have been seen to": TORCH
    + "def loss(ce, labels):\n    return ce[labels == 1].mean()\n",
    "a mask that is made elsewhere": TORCH
    + "def loss(ce, mask):\n    return (ce * mask).sum() / mask.sum()\n",
    "a vector that may have a length": TORCH
    + "def loss(x):\n    return x / x.norm(dim=-1, keepdim=True)\n",
    "points that may be near": NUMPY
    + "def weigh(x, centres):\n    w = np.exp(-((x[:, None] - centres) ** 2))\n"
    "    return w / w.sum(axis=1, keepdims=True)\n",
    "a quotient under a log": TORCH
    + "def kl_loss(p, x):\n    return (p * torch.log(p / torch.softmax(x, -1))).sum()\n",
    "the two branches of log(1 - exp(x))": TORCH
    + "def odds_loss(x):\n    is_far = x < -0.69\n    far = torch.where(is_far, x, -1.0)\n"
    "    return torch.where(is_far, torch.log1p(-torch.exp(far)), torch.log(-torch.expm1(x)))\n",
    "a score by which candidates are ranked": TORCH
    + "class Tracker:\n    def get_match_score(self, scores, logits):\n"
    "        match_score = logits.softmax(dim=1).log()\n"
    "        match_score += scores.view(-1, 1)\n        return match_score\n"
    "    def track(self, scores, logits):\n"
    "        return self.get_match_score(scores, logits).max(dim=1)[1]\n",
    "an angle between what is drawn apart": TORCH
    + "def slerp(t, low, high):\n    low_norm = low / torch.norm(low, dim=1, keepdim=True)\n"
    "    high_norm = high / torch.norm(high, dim=1, keepdim=True)\n"
    "    omega = torch.acos((low_norm * high_norm).sum(1))\n    so = torch.sin(omega)\n"
    "    return (torch.sin((1 - t) * omega) / so)[:, None] * low\n",
    "the gradient of a random projection": TORCH
    + "def path_loss(images, styles):\n    noise = torch.randn(images.shape) / images.shape[2]\n"
    "    outputs = (images * noise).sum()\n"
    "    grads = torch.autograd.grad(outputs, styles, create_graph=True)[0]\n"
    "    return (grads ** 2).sum(2).mean(1).sqrt()\n",
    "a sinc that is only given scales": TENSORFLOW
    + "class Waves(Distribution):\n    def _mean(self):\n        return 1 / sinc(self.scale)\n"
    "def sinc(x):\n    return tf.where(x != 0., tf.sin(x) / x, 1.)\n",
    "weights of bins by the distance to their fixed centres": TORCH
    + "class Histogram(torch.nn.Module):\n    def __init__(self, sigma, centres):\n"
    "        self.register_buffer('precision', 1 / (2 * sigma ** 2))\n"
    "        self.register_buffer('centres', centres)\n    def forward(self, x):\n"
    "        weight = torch.exp(-self.precision * (x - self.centres) ** 2)\n"
    "        return weight / weight.sum(-1, keepdim=True)\n",
    "the box around two boxes": TORCH + "def giou_loss(a, b, union):\n"
    "    size = (torch.max(a[:, 2:], b[:, 2:]) - torch.min(a[:, :2], b[:, :2])).clamp(min=0)\n"
    "    area = size[:, 0] * size[:, 1]\n    return (area - union) / area\n",
    "a root that is rounded before it divides": TORCH + "from tools import round_ste\n"
    "def norm_loss(x):\n    deviation = round_ste(torch.sqrt((x ** 2).sum(-1, keepdim=True)))\n"
    "    return round_ste(2 ** 31 / deviation) * x\n",
    "the deviation that describes a distribution": TENSORFLOW
    + "class Empirical(Distribution):\n    def _stddev(self):\n"
    "        r = self._samples - tf.reduce_mean(self._samples, axis=0)\n"
    "        return tf.sqrt(tf.reduce_mean(tf.square(r), axis=0))\n",
    "a part of an angle between what is drawn apart": TORCH
    + "def slerp(t, a, b):\n    a, b = F.normalize(a), F.normalize(b)\n"
    "    d = (a * b).sum(-1, keepdim=True)\n    p = t * torch.acos(d)\n"
    "    return a * torch.cos(p) + F.normalize(b - d * a) * torch.sin(p)\n",
    "cosines over a temperature that the object is given": TORCH
    + "class Attention(torch.nn.Module):\n    def __init__(self, temperature):\n"
    "        self.temperature = temperature\n    def forward(self, x):\n"
    "        x = F.normalize(x, dim=1)\n"
    "        scores = torch.exp(torch.mm(x, x.t()) / self.temperature)\n"
    "        return scores / scores.sum(1, keepdim=True)\n",
}

FOUND = {
    "a quotient behind a look at something else": (
        TORCH + "def share_loss(x, labels):\n    w = F.relu(x)\n    if labels.max() > 0:\n"
        "        return w / w.sum()\n    return w\n",
        "NAN302",
    ),
    "a quotient by what is gathered of a number that is not": (
        TORCH
        + "def blend_loss(x, w, net, n):\n    total, count = net(x), torch.zeros(x.shape[0])\n"
        "    for i in range(0, x.shape[0], n):\n        count[i:i + n] += w\n"
        "    loss = torch.where(count > 0, total / count, total).sum()\n    loss.backward()\n",
        "NAN401",
    ),
    "the logarithm of a probability that rounds to 1": (
        TENSORFLOW
        + "def log_survival(logits, k):\n    return k * tf.math.log1p(-tf.sigmoid(logits))\n",
        "NAN102",
    ),
    "the length of a gradient that is differentiated again": (
        TORCH
        + "def path_loss(x, loss):\n    grad = torch.autograd.grad(loss, x, create_graph=True)[0]\n"
        "    return grad.square().mean().sqrt()\n",
        "NAN203",
    ),
    "the root of the magnitude of a difference": (
        TORCH + "def pair_loss(x, y):\n    return (x - y).abs().sqrt().sum()\n",
        "NAN203",
    ),
    "the softplus of a logit": (
        TORCH
        + "class Head:\n    def loss(self, x):\n        return torch.log1p(torch.exp(x)).sum()\n",
        "NAN105",
    ),
    "a root in a loss": (
        TORCH + "def pair_loss(x, y):\n    return torch.sqrt(((x - y) ** 2).sum(-1))\n",
        "NAN203",
    ),
    "a root in the function that trains": (
        TORCH
        + "def step(x, y):\n    d = torch.sqrt(((x - y) ** 2).sum(-1))\n    d.mean().backward()\n",
        "NAN203",
    ),
    "a root in what is handed to jax.grad": (
        JAX
        + "def train(x, y):\n    def f(x):\n        return jnp.sqrt(((x - y) ** 2).sum(-1)).sum()\n"
        "    return jax.grad(f)(x)\n",
        "NAN203",
    ),
    "a root that a loss calls": (
        TORCH + "def length(x, y):\n    return torch.sqrt(((x - y) ** 2).sum(-1))\n"
        "def pair_loss(x, y):\n    return length(x, y).mean()\n",
        "NAN203",
    ),
    "labels that are all ignored": (
        TORCH
        + "def loss(ce, labels):\n    m = labels != -100\n    return (ce * m).sum() / m.sum()\n",
        "NAN301",
    ),
    "a flag that some call raises": (
        TORCH + "def _loss(x, labels, average=False):\n    mask = labels != -100\n    if average:\n"
        "        return (x * mask).sum() / mask.sum()\n    return (x * mask).sum()\n"
        "def total(x, labels):\n    return _loss(x, labels, average=True)\n",
        "NAN301",
    ),
    "a log and a quotient in different branches": (
        TORCH
        + "def transform(z, context, back):\n    gate = torch.sigmoid(context)\n    if back:\n"
        "        return z / gate\n    return z * gate, torch.log(gate)\n",
        "NAN102",
    ),
    "a condition that holds on its own": (
        JAX + "def log_loss(alpha, value):\n"
        "    return jnp.where(value == 0.0, 0.0, (alpha - 1) * jnp.log(value))\n",
        "NAN401",
    ),
    "the logarithm of a softmax that is no score": (
        TORCH + "class Head:\n    def get_match_cost(self, logits):\n"
        "        return -logits.softmax(dim=1).log()\n",
        "NAN101",
    ),
    "a score that is trained on": (
        TORCH + "def match_loss(logits):\n    match_score = logits.softmax(dim=1).log()\n"
        "    return -match_score.mean()\n",
        "NAN101",
    ),
    "an angle over its own sine": (
        TORCH + "def log_map(x, y):\n"
        "    omega = torch.acos((F.normalize(x, dim=1) * F.normalize(y, dim=1)).sum(1))\n"
        "    return omega / torch.sin(omega)\n",
        "NAN208",
    ),
    "a sinc that is given anything": (
        TENSORFLOW
        + "class Waves(Distribution):\n    def _log_prob(self, x):\n        return sinc(x)\n"
        "def sinc(x):\n    return tf.where(x != 0., tf.sin(x) / x, 1.)\n",
        "NAN401",
    ),
    "weights of bins by a precision that is learned": (
        TORCH + "class Histogram(torch.nn.Module):\n    def __init__(self, centres):\n"
        "        self.precision = torch.nn.Parameter(torch.ones(()))\n"
        "        self.register_buffer('centres', centres)\n    def forward(self, x):\n"
        "        weight = torch.exp(-self.precision * (x - self.centres) ** 2)\n"
        "        return weight / weight.sum(-1, keepdim=True)\n",
        "NAN103",
    ),
    "the box inside of two boxes": (
        TORCH + "def iou_loss(a, b):\n"
        "    size = (torch.min(a[:, 2:], b[:, 2:]) - torch.max(a[:, :2], b[:, :2])).clamp(min=0)\n"
        "    return 1 / (size[:, 0] * size[:, 1])\n",
        "NAN309",
    ),
    "a deviation by which draws are scaled": (
        TENSORFLOW + "class Empirical(Distribution):\n    def _sample_n(self, n):\n"
        "        r = self._samples - tf.reduce_mean(self._samples, axis=0)\n"
        "        return n * tf.sqrt(tf.reduce_mean(tf.square(r), axis=0))\n",
        "NAN203",
    ),
    "an angle to which a margin is added": (
        TORCH + "def arc_loss(a, b, m):\n"
        "    p = m + torch.acos((F.normalize(a) * F.normalize(b)).sum(-1))\n"
        "    return torch.cos(p) + torch.sin(p)\n",
        "NAN208",
    ),
    "a softmax of trained weights": (
        TORCH + "class Mixture(torch.nn.Module):\n    def __init__(self, weights, trainable):\n"
        "        super().__init__()\n        if trainable:\n"
        "            self.scores = torch.nn.Parameter(torch.log(weights))\n        else:\n"
        "            self.register_buffer('scores', torch.log(weights))\n"
        "    def log_prob(self):\n        return torch.log(torch.softmax(self.scores, 1))\n",
        "NAN101",
    ),
    "targets that are computed without gradients": (
        TORCH + "@torch.no_grad()\ndef assign(out):\n    q = torch.exp(out / 0.05)\n"
        "    return q / q.sum()\n",
        "NAN103",
    ),
    "cosines over a temperature that is learned": (
        TORCH + "class Attention(torch.nn.Module):\n    def __init__(self):\n"
        "        self.temperature = torch.nn.Parameter(torch.ones(()))\n    def forward(self, x):\n"
        "        x = F.normalize(x, dim=1)\n"
        "        scores = torch.exp(torch.mm(x, x.t()) / self.temperature.clamp(min=1e-3))\n"
        "        return scores / scores.sum(1, keepdim=True)\n",
        "NAN103",
    ),
    "cosines over a temperature that is low by default": (
        TORCH + "class Attention(torch.nn.Module):\n    def __init__(self, temperature=0.01):\n"
        "        self.temperature = temperature\n    def forward(self, x):\n"
        "        x = F.normalize(x, dim=1)\n"
        "        scores = torch.exp(torch.mm(x, x.t()) / self.temperature)\n"
        "        return scores / scores.sum(1, keepdim=True)\n",
        "NAN103",
    ),
    "products over a temperature that the object is given": (
        TORCH + "class Attention(torch.nn.Module):\n    def __init__(self, temperature):\n"
        "        self.temperature = temperature\n    def forward(self, x):\n"
        "        scores = torch.exp(torch.mm(x, x.t()) / self.temperature)\n"
        "        return scores / scores.sum(1, keepdim=True)\n",
        "NAN103",
    ),
}


TAKEN_AT_ITS_WORD = {
    "the tail of a softplus that a helper is passed": "NAN201",
    "the root of a bare magnitude": "NAN203",
    "a root in a function that nobody trains with": "NAN203",
    "a root beside another function that trains": "NAN203",
    "a root in the function that calls jax.grad, not in what it hands over": "NAN203",
    "a root in a function beside the one that is handed to jax.grad": "NAN203",
    "a sigmoid by hand, where nothing shows how far out its input is": "NAN106",
    "a sum of exponentials of what may be cosines": "NAN104",
    "the tail of a softplus": "NAN201",
    "tokens that are no padding": "NAN301",
    "tokens that are not a named filler": "NAN301",
    "a quotient that is patched right away": "NAN402",
    "an image that may have been looked at before": "NAN305",
    "a selection that may have been seen to": "NAN307",
    "a mask that is made elsewhere": "NAN301",
    "points that may be near": "NAN302",
    "a quotient under a log": "NAN202",
    "a score by which candidates are ranked": "NAN101",
    "the deviation that describes a distribution": "NAN203",
}
"""Of the quiet ones: what a bare file admits, of which no use is in sight."""


@pytest.mark.parametrize("case", [case for case in QUIET if case not in TAKEN_AT_ITS_WORD])
def test_false_alarms_of_real_packages_stay_quiet(case: str) -> None:
    filename = "layer_test_utils.py" if "helpers" in case else "module.py"
    assert _codes(QUIET[case], filename=filename) == []


@pytest.mark.parametrize("case", FOUND)
def test_their_twins_are_found(case: str) -> None:
    source, code = FOUND[case]
    assert _codes(source) == [code]


@pytest.mark.parametrize("case", TAKEN_AT_ITS_WORD)
def test_what_nothing_speaks_against_is_taken_at_its_word(case: str) -> None:
    assert set(_codes(QUIET[case])) == {TAKEN_AT_ITS_WORD[case]}


@pytest.mark.parametrize(
    "filename",
    [
        "pkg/asymmetric_loss.py",
        "torch_geometric/losses.py",
        "pkg/volumetric.py",
        "metric_learning/losses.py",
    ],
)
def test_a_word_inside_a_name_says_nothing(filename: str) -> None:
    source = TORCH + (
        "def penalty_loss(model, x):\n"
        "    grads = torch.autograd.grad(model(x).sum(), x, create_graph=True)[0]\n"
        "    loss = torch.sqrt(torch.sum(torch.relu(grads) ** 2, dim=-1)).mean()\n"
        "    loss.backward()\n"
    )
    assert _codes(source, filename=filename) == _codes(source, filename="pkg/loss.py") == ["NAN203"]
