# breaks: value(lambda x: apply({"w": 1.0}, x), [[-1.0]])
import jax
import jax.numpy as jnp
from jax import grad, nn


def apply(params, x):
    h = nn.relu(x * params["w"])
    return jnp.log(h).sum()  # expect: NAN201 unsafe


def update(params, x):
    return grad(apply)(params, x)
