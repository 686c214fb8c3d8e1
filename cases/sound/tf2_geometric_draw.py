# holds: value(sample, [200.0, 0.0, -3.0], [0.5, 0.25, 0.125])
import tensorflow as tf


def sample(logits, u):
    return tf.floor(tf.math.log(u) / tf.math.log1p(-tf.sigmoid(logits)))
