# breaks: gradient(loss, [20.0, 0.5])
import jax
import jax.numpy as jnp


class Elementwise:
    def forward(self, x, log_density, **options):
        y = self.fwd(x, **options)
        return y, log_density - self.log_jac(x, y).sum()

    def fwd(self, x, **options):
        raise NotImplementedError

    def log_jac(self, x, y):
        raise NotImplementedError


class Logistic(Elementwise):
    def fwd(self, x, **options):
        return jax.nn.sigmoid(x)

    def log_jac(self, x, y):
        return jnp.log(y) + jnp.log(1 - y)  # expect: NAN102 no-fix; NAN102 no-fix


class Squash(Elementwise):
    def fwd(self, x, **options):
        return jnp.tanh(x)

    def log_jac(self, x, y):
        return jnp.log(jnp.abs(1 - y**2))  # expect: NAN113 no-fix


def loss(x):
    density = Logistic().forward(x, 0.0)[1]
    return Squash().forward(x, density)[1]
