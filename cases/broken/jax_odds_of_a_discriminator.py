# breaks: value(lambda x: ratio({"w": jnp.ones((2, 1)), "b": jnp.zeros(1)}, x), [[20.0, 20.0]])
import jax
import jax.numpy as jnp


def ratio(params, x):
    p = jax.nn.sigmoid(x @ params["w"] + params["b"])
    return jnp.mean(p / (1 - p))  # expect: NAN309 no-fix


def step(params, x, rate):
    gradients = jax.grad(ratio)(params, x)
    return jax.tree_util.tree_map(lambda p, g: p - rate * g, params, gradients)
