"""Projects of JAX."""

from __future__ import annotations

from tests.called import Called

PROJECTS = (
    Called(
        "root of a moment that starts at zero",
        "jax",
        """
        def root(moment):
            return jnp.sqrt(moment)  # expect: NAN203
        """,
        """
        from lib import root

        def result():
            def loss(moment):
                return root(moment).sum()

            return [jax.grad(loss)(jnp.zeros(3))]  # sound: return [jax.grad(loss)(jnp.ones(3))]
        """,
    ),
    Called(
        "log of an activation",
        "jax",
        """
        def log_rate(rate):
            return jnp.log(rate)  # expect: NAN201
        """,
        """
        import lib

        def loss(x):
            rate = jax.nn.relu(x)  # sound: rate = jax.nn.relu(x) + 1.0
            return lib.log_rate(rate).sum()

        def result():
            return [loss(jnp.array([-1.0, 1.0]))]
        """,
    ),
    Called(
        "shares of indicators",
        "jax",
        """
        def shares(weight):
            return weight / weight.sum()  # expect: NAN302
        """,
        """
        from lib import shares

        def result():
            labels = jnp.zeros(3)
            weight = (labels > 0).astype(jnp.float32)  # sound: weight = jnp.exp(labels)
            return [shares(weight)]
        """,
    ),
    Called(
        "power of a clipped value",
        "jax",
        """
        def compressed(x):
            return x ** 0.3  # expect: NAN206
        """,
        """
        from lib import compressed

        def result():
            floor = 0.0  # sound: floor = 0.01
            return [jax.grad(lambda x: compressed(jnp.maximum(x, floor)))(-1.0)]
        """,
    ),
    Called(
        "maximum of a state that starts at zero",
        "jax",
        """
        class Direction:
            def of(self, velocity):
                return velocity / velocity.max()  # expect: NAN309
        """,
        """
        from lib import Direction

        def result():
            direction = Direction()
            return [direction.of(jnp.zeros(3))]  # sound: return [direction.of(jnp.ones(3))]
        """,
    ),
)
