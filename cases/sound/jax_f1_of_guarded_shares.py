# holds: value(f1, [[0.0, 1.0]], [[1.0, 0.0]])
# holds: value(dice, [[0.0, 1.0]], [[1.0, 0.0]])
import jax.numpy as jnp


def f1(labels, predictions):
    hits = jnp.sum(labels * predictions, axis=0)
    precision = hits / (jnp.sum(predictions, axis=0) + 1e-7)
    recall = hits / (jnp.sum(labels, axis=0) + 1e-7)
    return 1 - jnp.mean(2 * precision * recall / (precision + recall + 1e-7))


def dice(labels, predictions):
    hits = jnp.sum(labels * predictions, axis=0) + 1.0
    precision = hits / (jnp.sum(predictions, axis=0) + 1.0)
    recall = hits / (jnp.sum(labels, axis=0) + 1.0)
    return 1 - jnp.mean(2 * precision * recall / (precision + recall))
