# holds: value(AttentionPool(1).weigh, [[[100.0], [100.0]]], [[1.0, 1.0]])
import tensorflow as tf


class AttentionPool(tf.keras.layers.Layer):
    def __init__(self, units):
        super().__init__()
        self.w = tf.keras.layers.Dense(units, activation="tanh")
        self.u = tf.keras.layers.Dense(1, use_bias=False)

    def weigh(self, scores, mask):
        scores = tf.squeeze(scores, -1)
        e = tf.exp(scores - tf.reduce_max(scores, axis=1, keepdims=True))
        e = e * tf.cast(mask, tf.float32)
        return e / (tf.reduce_sum(e, axis=1, keepdims=True) + 1e-7)

    def call(self, inputs, mask):
        weights = self.weigh(self.u(self.w(inputs)), mask)
        return tf.reduce_sum(inputs * tf.expand_dims(weights, -1), axis=1)
