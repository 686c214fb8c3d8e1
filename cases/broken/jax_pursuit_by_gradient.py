# breaks: gradient(lambda p: Pursuit(p).cost(p), [1.0, 2.0])
import jax
import jax.numpy as jnp


class Pursuit:
    def __init__(self, evader):
        self.evader = jax.lax.stop_gradient(evader)

    def cost(self, pursuer):
        return jnp.sqrt(jnp.sum((pursuer - self.evader) ** 2, axis=-1))  # expect: NAN203

    def step(self, pursuer, rate=0.1):
        return pursuer - rate * jax.grad(self.cost)(pursuer)
