# breaks: value(lambda x: loss([(jnp.full((2, 2), 50.0), jnp.zeros(2))], x, x), [[-1.0, -1.0]])
import jax
import jax.numpy as jnp


def predict(params, x):
    for w, b in params[:-1]:
        x = jnp.tanh(jnp.dot(x, w) + b)
    w, b = params[-1]
    return jnp.dot(x, w) + b


def loss(params, x, y):
    mean, log_variance = jnp.split(predict(params, x), 2, axis=-1)
    errors = (y[:, :1] - mean) ** 2
    return jnp.mean(errors * jnp.exp(-log_variance) + log_variance)  # expect: NAN504 no-fix


def step(params, x, y, rate):
    gradients = jax.grad(loss)(params, x, y)
    return [(w - rate * dw, b - rate * db) for (w, b), (dw, db) in zip(params, gradients)]
