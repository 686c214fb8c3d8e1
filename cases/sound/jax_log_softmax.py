# holds: gradient(lambda z: nll(z, jnp.array([[0.0, 1.0]])), [[200.0, 0.0]])
import jax
import jax.numpy as jnp


def nll(logits, targets):
    return -jnp.mean(jnp.sum(targets * jax.nn.log_softmax(logits), axis=-1))


@jax.jit
def update(w, x, y):
    return w - 0.1 * jax.grad(lambda w: nll(x @ w, y))(w)
