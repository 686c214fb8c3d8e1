# breaks: value(lambda a: GraphLayer(1)((tf.ones((2, 1)), a)), [[0.0, 0.0], [0.0, 1.0]])
import tensorflow as tf
from tensorflow.keras import layers


class GraphLayer(layers.Layer):
    def __init__(self, units):
        super().__init__()
        self.dense = layers.Dense(units)

    def call(self, inputs):
        x, adjacency = inputs
        degree = tf.reduce_sum(adjacency, -1)
        scale = tf.linalg.diag(1.0 / tf.sqrt(degree))  # expect: NAN306 unsafe
        return scale @ adjacency @ scale @ self.dense(x)
