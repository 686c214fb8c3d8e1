# holds: jax.grad(loss)(jnp.ones(1), jnp.ones((2, 3)), jnp.ones((2, 1)))
# holds: jax.grad(penalised)(jnp.zeros(1), jnp.ones((2, 3)), jnp.ones((2, 1)))
import jax
import jax.numpy as jnp


def loss(b, x, y):
    return jnp.mean((x + b - y) ** 2) + jnp.linalg.norm(b)


def penalised(b, x, y):
    return jnp.mean((x + b - y) ** 2) + jnp.sum(b**2)


jax.grad(loss)(jnp.ones(1), jnp.ones((2, 3)), jnp.ones((2, 1)))
jax.grad(penalised)(jnp.zeros(1), jnp.ones((2, 3)), jnp.ones((2, 1)))
