# breaks: value(lambda x: trained()(x), [[1.0, 2.0]])
import tensorflow as tf


class Compress(tf.keras.layers.Layer):
    def build(self, shape):
        self.base = self.add_weight(name="base", shape=(shape[-1],), initializer="ones")

    def call(self, x):
        return x * self.base**0.5 + tf.math.log(self.base)  # expect: NAN207 no-fix; NAN201 no-fix


def trained():
    layer = Compress()
    optimizer = tf.keras.optimizers.SGD(3.0)
    x = tf.constant([[1.0, 2.0]])
    for _ in range(2):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(layer(x))
        optimizer.apply_gradients(zip(tape.gradient(loss, layer.weights), layer.weights))
    return layer
