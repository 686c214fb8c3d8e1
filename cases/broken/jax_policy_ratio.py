# breaks: value(entropy, [200.0, 0.0])
import jax
import jax.numpy as jnp


def entropy(logits):
    pi = jax.nn.softmax(logits)
    return -jnp.sum(pi * jnp.log(pi))  # expect: NAN101


batched = jax.vmap(entropy)
loss = lambda logits: -0.01 * batched(logits).mean()
grads = jax.grad(loss)
