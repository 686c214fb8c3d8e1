# holds: gradient(entropy, [200.0, 0.0])
import jax
import jax.numpy as jnp


def entropy(logits):
    logp = jax.nn.log_softmax(logits)
    return -jnp.sum(jnp.exp(logp) * logp)


grads = jax.grad(entropy)
