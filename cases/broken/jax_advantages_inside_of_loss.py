# breaks: value(update, [0.5, 0.5], [[1.0, 2.0], [1.0, 2.0]])
import jax
import jax.numpy as jnp


def loss(weights, states):
    scores = jnp.tanh(states @ weights)
    advantages = (scores - scores.mean()) / (scores.std() + 1e-6)  # expect: NAN205 unsafe
    return jnp.mean(scores * advantages)


def update(weights, states):
    value, slope = jax.value_and_grad(loss)(weights, states)
    return value, weights - 0.1 * slope
