# breaks: [sigma.assign(0.0) for sigma in weighted.sigma] and weighted([1.0, 1.0])
import tensorflow as tf


class Weighted(tf.Module):
    def __init__(self):
        self.sigma = [tf.Variable(1.0), tf.Variable(1.0)]

    def __call__(self, losses):
        return sum(loss + tf.math.log(s) for s, loss in zip(self.sigma, losses))  # expect: NAN201 no-fix


weighted = Weighted()


def step(optimizer, losses):
    with tf.GradientTape() as tape:
        loss = weighted(losses)
    gradients = tape.gradient(loss, weighted.trainable_variables)
    optimizer.apply_gradients(zip(gradients, weighted.trainable_variables))
