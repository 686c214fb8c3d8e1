# holds: value(lambda x: trained()(x), [[1.0, 2.0]])
import tensorflow as tf


class Compress(tf.keras.layers.Layer):
    def build(self, shape):
        self.raw = self.add_weight(name="raw", shape=(shape[-1],), initializer="ones")
        self.step = self.add_weight(name="step", shape=(), trainable=False, initializer="ones")

    def call(self, x):
        base = tf.nn.softplus(self.raw) + 1e-3
        return x * base**0.5 + tf.math.log(base) + x / self.step


def trained():
    layer = Compress()
    optimizer = tf.keras.optimizers.SGD(3.0)
    x = tf.constant([[1.0, 2.0]])
    for _ in range(2):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(layer(x))
        weights = layer.trainable_weights
        optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
    return layer
