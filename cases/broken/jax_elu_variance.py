# breaks: value(jax.jit(lambda x: likelihood(x, x)), [[-100.0, 1.0]])
import jax
import jax.numpy as jnp


@jax.jit
def likelihood(x, y):
    sigma = jax.nn.elu(x) + 1 + 1e-15
    return y**2 / sigma - jnp.abs(y)  # expect: NAN501 unsafe


gradient = jax.grad(lambda x, y: likelihood(x, y).sum())
