# breaks: value(log_probabilities, [[0.0, 300.0]], True)
# breaks: value(mean_of_positive, [-1.0, 2.0])
# Either function may be called, and a condition guards only what it says.
import tensorflow as tf


def log_probabilities(logits, is_exclusive):
    p = tf.cond(is_exclusive, lambda: tf.nn.softmax(logits), lambda: tf.nn.sigmoid(logits))
    return tf.math.log(p)  # expect: NAN101 no-fix


def mean_of_positive(x):
    count = tf.reduce_sum(tf.cast(x > 3, tf.float32))

    def some():
        return tf.reduce_sum(x) / count  # expect: NAN301 safe

    def none():
        return tf.constant(0.0)

    return tf.cond(tf.reduce_sum(x) > 0, some, none)
