# holds: value(train, [0.1, -0.1])
import jax
import jax.numpy as jnp


def nll(params, error, config):
    scale = jax.nn.softplus(params["raw"]) + 1e-3
    return jnp.mean(error**2) / scale + jnp.log(scale) + error.sum() / config["size"]


def train(error, rate=0.1):
    params = {"raw": jnp.ones(())}
    for _ in range(2):
        grads = jax.grad(nll)(params, error, {"size": 2.0})
        params = jax.tree_util.tree_map(lambda p, g: p - rate * g, params, grads)
    return nll(params, error, {"size": 2.0})
