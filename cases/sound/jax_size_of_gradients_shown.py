# holds: value(step, [[0.0], [0.0]], [[1.0, 2.0]])
# holds: value(measured, [0.0, 0.0], [[1.0, 2.0]])
# holds: value(descended, [0.0, 0.0], [[1.0, 2.0]])
import jax
import jax.numpy as jnp


def rms(tree):
    leaves = jax.tree.leaves(tree)
    count = sum(leaf.size for leaf in leaves)
    total = jnp.stack([jnp.square(leaf).sum() for leaf in leaves]).sum()
    return jnp.sqrt(total / count)


def step(params, batch):
    def error(params):
        return jnp.mean((batch @ params) ** 2)

    value, grads = jax.value_and_grad(error)(params)
    shown = {"loss": value, "grads": rms(grads), "params": rms(params)}
    params = jax.tree.map(lambda p, g: p - 1e-3 * g, params, grads)
    return params, shown


def measured(params, batch):
    value, grads = jax.value_and_grad(lambda p: jnp.mean((batch @ p) ** 2))(params)
    return value, jnp.sqrt(jnp.square(grads).sum())


def descended(params, batch):
    for _ in range(3):
        grads = jax.grad(lambda p: jnp.mean((batch @ p) ** 2))(params)
        length = jnp.sqrt(jnp.square(grads).sum())
        params = params - 0.1 * grads / jnp.maximum(length, 1.0)
    return params
