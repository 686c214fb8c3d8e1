# breaks: value(iou, [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0])
import jax.numpy as jnp


def iou(a, b):
    w = jnp.maximum(jnp.minimum(a[2], b[2]) - jnp.maximum(a[0], b[0]), 0)
    h = jnp.maximum(jnp.minimum(a[3], b[3]) - jnp.maximum(a[1], b[1]), 0)
    inter = w * h
    union = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - inter
    return inter / union  # expect: NAN309 possible
