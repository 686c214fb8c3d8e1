# breaks: value(log_probabilities, [0.0, 300.0], True)
# breaks: value(log_of_kind, [0.0, 300.0], 1)
# breaks: value(mean_of_positive, [-1.0, 2.0])
# Either function may be called, and a condition guards only what it says.
import jax
import jax.numpy as jnp


def log_probabilities(logits, is_exclusive):
    p = jax.lax.cond(is_exclusive, lambda z: jax.nn.softmax(z), lambda z: jax.nn.sigmoid(z), logits)
    return jnp.log(p)  # expect: NAN101 no-fix


def log_of_kind(logits, kind):
    p = jax.lax.switch(kind, [lambda z: jax.nn.sigmoid(z), lambda z: jax.nn.softmax(z)], logits)
    return jnp.log(p)  # expect: NAN101 no-fix


def mean_of_positive(x):
    count = jnp.sum(x > 3)
    return jax.lax.cond(x.sum() > 0, lambda: x.sum() / count, lambda: 0.0)  # expect: NAN301 safe
