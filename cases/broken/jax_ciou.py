# breaks: gradient(aspect, [[0.0, 0.0]], [[1.0, 1.0]])
import jax.numpy as jnp


def aspect(pred, target):
    w1, h1 = pred[..., 0], pred[..., 1]
    w2, h2 = target[..., 0], target[..., 1]
    return (4 / jnp.pi**2) * (jnp.arctan(w2 / h2) - jnp.arctan(w1 / h1)) ** 2  # expect: NAN309 no-fix; NAN309 no-fix
