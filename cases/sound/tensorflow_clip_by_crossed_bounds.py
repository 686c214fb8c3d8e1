# holds: value(log_of_share, [-1.0, 0.5], [-2.0])
# holds: gradient(log_of_share, [-1.0, 0.5], [-2.0])
import tensorflow as tf


def log_of_share(x, limit):
    # Where the upper bound is 0, the lower one counts, which TensorFlow applies last.
    return tf.math.log(tf.clip_by_value(x, 1e-6, tf.nn.relu(limit)))
