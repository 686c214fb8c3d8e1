# breaks: gradient(Triplet().loss, [[0.0, 0.0]], [[0.0, 0.0]])
import jax
import jax.numpy as jnp


class DistanceMixin:
    def distance(self, a, b):
        return jnp.linalg.norm(a - b, axis=-1)  # expect: NAN204


class Triplet(DistanceMixin):
    def loss(self, anchor, positive):
        return jnp.mean(self.distance(anchor, positive))

    def update(self, anchor, positive):
        return jax.grad(self.loss)(anchor, positive)
