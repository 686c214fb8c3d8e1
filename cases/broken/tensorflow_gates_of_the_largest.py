# breaks: value(gates, [[-1.0, -2.0, -3.0]])
import tensorflow as tf


def gates(scores):
    top = tf.math.top_k(tf.nn.relu(scores), k=2)
    return top.values / tf.reduce_sum(top.values, -1, keepdims=True)  # expect: NAN302 unsafe
