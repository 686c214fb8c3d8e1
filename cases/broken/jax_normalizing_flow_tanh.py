# breaks: value(log_det, [20.0])
import jax
import jax.numpy as jnp


def log_det(u):
    a = jnp.tanh(u)
    return jnp.sum(jnp.log(1 - a**2))  # expect: NAN113


@jax.jit
def loss(u, logp):
    return -(logp - log_det(u)).mean()


grads = jax.grad(loss)
