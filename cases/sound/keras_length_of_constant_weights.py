# holds: step(Scaled(), [[1.0, 2.0]])
# The first step takes the lengths of weights that an initializer sets to other numbers than 0.
import tensorflow as tf


class Scaled(tf.keras.layers.Layer):
    def build(self, shape):
        self.table = self.add_weight(shape=(2, 3), initializer="ones")
        self.shift = self.add_weight(shape=(3,), initializer=tf.keras.initializers.Constant(0.5))

    def call(self, x):
        length = tf.sqrt(tf.reduce_sum(tf.square(self.table)))
        spread = tf.sqrt(tf.reduce_sum(tf.square(self.shift)))
        return tf.matmul(x, self.table) + length + spread


def step(layer, x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(layer(tf.constant(x)))
    return tf.reduce_sum([tf.reduce_sum(g) for g in tape.gradient(loss, layer.trainable_weights)])
