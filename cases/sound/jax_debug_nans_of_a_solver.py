"""Integrates an equation and looks for NaN: nothing is trained, and no step has to be fast."""

import jax
import jax.numpy as jnp

jax.config.update("jax_debug_nans", True)


def field(state):
    prey, predators = state
    return jnp.stack([prey * (0.5 - 0.05 * predators), predators * (0.05 * prey - 0.5)])


@jax.jit
def solve(initial, step, count):
    def advance(_, state):
        slope = field(state)
        middle = field(state + 0.5 * step * slope)
        return state + step * middle

    return jax.lax.fori_loop(0, count, advance, initial)


if __name__ == "__main__":
    print(solve(jnp.array([20.0, 20.0]), 0.01, 1000))
