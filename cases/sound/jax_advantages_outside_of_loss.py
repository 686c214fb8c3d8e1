# holds: value(update, [0.5, 0.5], [[1.0, 2.0], [2.0, 1.0]], [1.0, 1.0])
# holds: value(update_by_closure, [0.5, 0.5], [[1.0, 2.0], [2.0, 1.0]], [1.0, 1.0])
import jax
import jax.numpy as jnp


def loss(weights, states, advantages):
    return jnp.mean(jnp.tanh(states @ weights) * advantages)


def update(weights, states, returns):
    advantages = (returns - returns.mean()) / (returns.std() + 1e-6)
    value, slope = jax.value_and_grad(loss)(weights, states, advantages)
    return value, weights - 0.1 * slope


@jax.jit
def update_by_closure(weights, states, returns):
    advantages = (returns - returns.mean()) / (returns.std() + 1e-6)

    def objective(candidate):
        return jnp.mean(jnp.tanh(states @ candidate) * advantages)

    return weights - 0.1 * jax.grad(objective)(weights)
