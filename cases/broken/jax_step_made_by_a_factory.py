# breaks: gradient(lambda w: make_loss(network)(w, [1.0], [1.0, 0.0]), [[0.0, 300.0]])
# The function that is returned computes with what the one around it was given.
import jax
import jax.numpy as jnp
import optax


def network(w, x):
    return jax.nn.softmax(jnp.asarray(x) @ w)


def make_loss(model):
    def loss(w, x, y):
        return -jnp.sum(jnp.asarray(y) * jnp.log(model(w, x)))  # expect: NAN101 no-fix

    return loss


def make_step(model, optimizer):
    loss = make_loss(model)

    @jax.jit
    def step(w, state, x, y):
        gradient = jax.grad(loss)(w, x, y)
        updates, state = optimizer.update(gradient, state)
        return optax.apply_updates(w, updates), state

    return step


step = make_step(network, optax.sgd(0.1))
