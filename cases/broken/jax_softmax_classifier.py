# breaks: gradient(lambda z: nll(z, jnp.array([[0.0, 1.0]])), [[200.0, 0.0]])
import jax
import jax.numpy as jnp


def predict(params, x):
    for w, b in params[:-1]:
        x = jax.nn.relu(x @ w + b)
    w, b = params[-1]
    return x @ w + b


def nll(logits, targets):
    probs = jax.nn.softmax(logits, axis=-1)
    return -jnp.mean(jnp.sum(targets * jnp.log(probs), axis=-1))  # expect: NAN101


def loss(params, x, y):
    return nll(predict(params, x), y)


@jax.jit
def update(params, x, y, lr=0.01):
    grads = jax.grad(loss)(params, x, y)
    return jax.tree_util.tree_map(lambda p, g: p - lr * g, params, grads)
