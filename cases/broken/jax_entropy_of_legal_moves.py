# breaks: value(lambda s: entropy(s, MOVES), [[1.0, 2.0, 3.0]])
# breaks: gradient(lambda s: entropy(s, MOVES), [[1.0, 2.0, 3.0]])
# breaks: value(lambda s: product(s, MOVES), [[1.0, 2.0, 3.0]])
# breaks: gradient(lambda s: product(s, MOVES), [[1.0, 2.0, 3.0]])
import jax
import jax.numpy as jnp

MOVES = jnp.array([True, False, True])


def entropy(scores, legal):
    scores = jnp.where(legal, scores, -jnp.inf)
    p = jax.nn.softmax(scores)
    return -jnp.sum(p * jnp.log(p))  # expect: NAN101


def product(scores, legal):
    scores = jnp.where(legal, scores, -jnp.inf)
    return -jnp.sum(jax.nn.softmax(scores) * jax.nn.log_softmax(scores))  # expect: NAN202


grad_entropy = jax.grad(entropy)
