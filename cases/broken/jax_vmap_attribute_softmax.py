# breaks: value(predict_loss, [[200.0, 0.0]])
import jax
import jax.numpy as jnp
from jax import nn, vmap

batched_softmax = vmap(nn.softmax)


def predict_loss(logits):
    return -jnp.log(batched_softmax(logits)[:, 1]).sum()  # expect: NAN101
