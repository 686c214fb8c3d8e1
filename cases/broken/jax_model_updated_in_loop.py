# breaks: loss_of(Classifier(jnp.full((2, 1), -200.0)), jnp.ones((1, 2)), jnp.ones((1, 1)))
import copy

import jax
import jax.numpy as jnp


class Classifier:
    def __init__(self, weight):
        self.weight = weight

    def __call__(self, x):
        return jax.nn.sigmoid(x @ self.weight)[0]


def loss_of(model, x, y):
    p = model(x)
    return -jnp.mean(y * jnp.log(p))  # expect: NAN102 no-fix


def evaluated(weight, batches):
    model, losses = Classifier(weight), []
    for x, y in batches:
        losses.append(loss_of(model, x, y))
        model = copy.copy(model)
        model.weight = model.weight / 2
    return losses
