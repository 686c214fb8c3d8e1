# breaks: value(penalised, [[0.0, 0.0]], [[1.0, 2.0]])
# breaks: value(adapted, [0.0, 0.0], [[1.0, 2.0]])
# breaks: value(weighed, [0.0, 0.0], [[1.0, 2.0]])
import jax
import jax.numpy as jnp


def penalty(score, points):
    slopes = jax.vmap(jax.grad(score))(points)
    return jnp.mean((jnp.sqrt(jnp.square(slopes).sum(-1)) - 1) ** 2)  # expect: NAN203


def penalised(weights, points):
    loss, grads = jax.value_and_grad(lambda w: penalty(lambda p: (w @ p).sum(), points))(weights)
    return loss, weights - 0.1 * grads


def error(params, batch):
    return jnp.mean((batch @ params) ** 2)


def inner_step(params, batch):
    grads = jax.grad(error)(params, batch)
    length = jnp.sqrt(jnp.square(grads).sum())  # expect: NAN203
    return params - 0.1 * grads / jnp.maximum(length, 1.0)


def adapted(params, batch):
    def outer(params):
        return error(inner_step(params, batch), batch)

    loss, grads = jax.value_and_grad(outer)(params)
    return loss, params - 0.1 * grads


def length_of(params):
    return jnp.sqrt(jnp.square(params).sum())  # expect: NAN203


def weighed(params, batch):
    grads = jax.grad(lambda p: error(p, batch) + 0.1 * length_of(p))(params)
    return params - 0.1 * grads, length_of(params)
