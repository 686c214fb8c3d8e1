# breaks: value(lambda r: nll(r, jnp.zeros(1), jnp.ones(1)), [-200.0])
import jax
import jax.numpy as jnp


def head(params, x):
    hidden = jnp.tanh(x @ params["w"])
    return hidden @ params["mean"], hidden @ params["scale"]


def nll(raw, mean, y):
    sigma = jax.nn.softplus(raw)
    return jnp.mean(jnp.log(sigma) + 0.5 * ((y - mean) / sigma) ** 2)  # expect: NAN201 unsafe
