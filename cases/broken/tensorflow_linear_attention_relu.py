# breaks: value(attend, [[1.0, 0.0], [0.0, -1.0]], [[1.0, 0.0], [0.0, 1.0]])
import tensorflow as tf


def attend(q, k):
    weights = tf.matmul(tf.nn.relu(q), tf.transpose(tf.nn.relu(k)))
    return weights / tf.reduce_sum(weights, axis=-1, keepdims=True)  # expect: NAN302 unsafe
