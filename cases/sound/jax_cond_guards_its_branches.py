# holds: value(mean_of_positive, [-1.0, -2.0])
# holds: gradient(lambda x: safe_log(x[0]), [0.0])
# holds: gradient(lambda x: safe_log_of_operand(x[0]), [0.0])
# Each function is called only where the condition says so.
import jax
import jax.numpy as jnp


def mean_of_positive(x):
    count = jnp.sum(x > 0)
    return jax.lax.cond(count > 0, lambda: x.sum() / count, lambda: 0.0)


def safe_log(x):
    return jax.lax.cond(x > 0, lambda: jnp.log(x), lambda: x)


def safe_log_of_operand(x):
    return jax.lax.cond(x > 0, lambda v: jnp.log(v), lambda v: v, x)
