# holds: value(loss, [[[1.0, 2.0]]], [[[0.0, 1.0]]], [[0.0]])
# holds: value(loss_of_all, [[[1.0, 2.0]]], [[[0.0, 1.0]]])
import jax.numpy as jnp


def loss(predicted, target, valid=None):
    if valid is None:
        valid = jnp.ones(target.shape[:2])
    share = jnp.maximum(jnp.sum(valid, axis=-1), 1.0) / valid.shape[-1]
    error = jnp.where(valid > 0.0, jnp.mean(jnp.square(target - predicted), axis=-1), 0.0)
    return jnp.mean(jnp.mean(error, axis=-1) / share)


def loss_of_all(predicted, target):
    valid = jnp.ones(target.shape[:2])
    share = jnp.sum(valid, axis=-1) / valid.shape[-1]
    error = jnp.where(valid > 0.0, jnp.mean(jnp.square(target - predicted), axis=-1), 0.0)
    return jnp.mean(jnp.mean(error, axis=-1) / share)
