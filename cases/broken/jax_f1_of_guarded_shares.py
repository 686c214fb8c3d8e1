# breaks: value(f1, [[0.0, 1.0]], [[1.0, 0.0]])
import jax.numpy as jnp


def f1(labels, predictions):
    hits = jnp.sum(labels * predictions, axis=0)
    precision = hits / (jnp.sum(predictions, axis=0) + 1e-7)
    recall = hits / (jnp.sum(labels, axis=0) + 1e-7)
    return 1 - jnp.mean(2 * precision * recall / (precision + recall))  # expect: NAN309 no-fix


def f2(labels, predictions):
    hits = jnp.sum(labels * predictions, axis=0)
    precision = hits / jnp.maximum(jnp.sum(predictions, axis=0), 1.0)
    recall = hits / jnp.maximum(jnp.sum(labels, axis=0), 1.0)
    return 1 - jnp.mean(5 * precision * recall / (4 * precision + recall))  # expect: NAN309 no-fix
