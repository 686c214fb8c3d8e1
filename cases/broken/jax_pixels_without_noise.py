"""Pixels divided by 255 attain 0 and 1: a logit needs noise or a margin."""

# breaks: gradient(lambda w: loss(w, jnp.array([[0.0, 255.0]])), [1.0, 2.0])
import jax
import jax.numpy as jnp


def raw_logit(x):
    return jnp.log(x) - jnp.log(1 - x)  # expect: NAN201 unsafe; NAN201 unsafe


def loss(params, images):
    y = raw_logit(images / 255.0)
    return jnp.mean((y @ params) ** 2)


grad = jax.grad(loss)
