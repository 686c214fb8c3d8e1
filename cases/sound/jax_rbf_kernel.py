# holds: value(kernel_weights, [0.0], [1000.0, 0.0])
# exp sees what is not positive, and the nearest point is itself.
import jax.numpy as jnp


def rbf(x, y, length=1.0):
    return jnp.exp(-0.5 * jnp.square(x - y) / length**2)


def kernel_weights(x, ys):
    k = rbf(x, ys)
    return k / (k.sum() + 1e-6)
