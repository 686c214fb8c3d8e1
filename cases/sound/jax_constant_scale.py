# holds: value(train, [0.1, -0.1])
# The parameters are differentiated by; the scale is a constant beside them.
import jax
import jax.numpy as jnp
import optax

SCALE = jnp.ones(())


def train(error):
    params = {"mean": jnp.zeros(())}
    optimizer = optax.sgd(0.1)
    state = optimizer.init(params)

    def loss_fn(params):
        return jnp.mean((error - params["mean"]) ** 2 / SCALE) + jnp.log(SCALE)

    for _ in range(2):
        _, grads = jax.value_and_grad(loss_fn)(params)
        updates, state = optimizer.update(grads, state)
        params = optax.apply_updates(params, updates)
    return loss_fn(params)
