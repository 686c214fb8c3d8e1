# breaks: value(train, [0.1, -0.1])
import jax
import jax.numpy as jnp


def nll(params, error):
    return jnp.mean(error**2) / params["scale"] + jnp.log(params["scale"])  # expect: NAN201 unsafe; NAN309 possible


def train(error, rate=2.0):
    params = {"scale": jnp.ones(())}
    for _ in range(3):
        grads = jax.grad(nll)(params, error)
        params = jax.tree_util.tree_map(lambda p, g: p - rate * g, params, grads)
    return nll(params, error)
