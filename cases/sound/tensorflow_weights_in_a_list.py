# holds: [sigma.assign(-3.0) for sigma in weighted.log_sigma] and weighted([1.0, 1.0])
import tensorflow as tf


class Weighted(tf.Module):
    def __init__(self, given):
        self.log_sigma = [tf.Variable(0.0), tf.Variable(0.0)]
        self.given = [2.0, 3.0]

    def __call__(self, losses):
        weighted = sum(loss * tf.exp(-s) + s for s, loss in zip(self.log_sigma, losses))
        return weighted + sum(tf.math.log(g) for g in self.given)


weighted = Weighted(None)


def step(optimizer, losses):
    with tf.GradientTape() as tape:
        loss = weighted(losses)
    gradients = tape.gradient(loss, weighted.trainable_variables)
    optimizer.apply_gradients(zip(gradients, weighted.trainable_variables))
