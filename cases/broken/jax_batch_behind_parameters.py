# breaks: train({"w": jnp.full((2, 1), 200.0)}, [(jnp.ones((1, 2)), jnp.zeros((1, 1)))])
import jax
import jax.numpy as jnp


def loss_of(predict, params, x, y):
    p = predict(params, x)
    return -jnp.mean(y * jnp.log(p) + (1 - y) * jnp.log(1 - p))  # expect: NAN108 no-fix


def predict(params, x):
    return jax.nn.sigmoid(x @ params["w"])


def train(params, batches):
    total = 0.0
    for batch in batches:
        total = total + loss_of(predict, params, *batch)
    return total
