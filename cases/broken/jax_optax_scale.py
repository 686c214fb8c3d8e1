# breaks: value(train, [0.1, -0.1])
import jax
import jax.numpy as jnp
import optax


def train(error):
    params = {"scale": jnp.ones(())}
    optimizer = optax.sgd(2.0)
    state = optimizer.init(params)

    def loss_fn(params):
        return jnp.mean(error**2) + jnp.log(params["scale"])  # expect: NAN201 unsafe

    for _ in range(3):
        _, grads = jax.value_and_grad(loss_fn)(params)
        updates, state = optimizer.update(grads, state)
        params = optax.apply_updates(params, updates)
    return loss_fn(params)
