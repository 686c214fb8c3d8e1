"""`jax.grad(self._loss)` differentiates by the first argument after the object, not by the object."""

# breaks: value(lambda x: Experiment(Settings(0.1, 10)).share({"scale": x}), 0.0)
# holds: value(lambda x: Experiment(Settings(0.1, 10)).smooth(x), 0.0)
from typing import NamedTuple

import jax
import jax.numpy as jnp


class Settings(NamedTuple):
    smoothing: float
    classes: int


class Experiment:
    def __init__(self, config):
        self.config = config
        self.params = {"scale": jnp.ones(())}

    def smooth(self, x):
        return x + self.config.smoothing / self.config.classes

    def share(self, params):
        return 1.0 / params["scale"]  # expect: NAN309 possible

    def _loss(self, params, x):
        return jnp.mean((self.smooth(x) * self.share(params)) ** 2)

    def step(self, x):
        slopes = jax.grad(self._loss, argnums=0)(self.params, x)
        self.params = jax.tree_util.tree_map(lambda p, q: p - 0.1 * q, self.params, slopes)
