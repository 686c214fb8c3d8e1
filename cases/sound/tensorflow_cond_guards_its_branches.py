# holds: value(mean_of_positive, [-1.0, -2.0])
# holds: value(mean_of_named, [-1.0, -2.0])
# holds: gradient(lambda x: safe_log(x[0]), [0.0])
# Each function is called only where the condition says so.
import tensorflow as tf


def mean_of_positive(x):
    count = tf.reduce_sum(tf.cast(x > 0, tf.float32))
    return tf.cond(count > 0, lambda: tf.reduce_sum(x) / count, lambda: tf.constant(0.0))


def mean_of_named(x):
    count = tf.reduce_sum(tf.cast(x > 0, tf.float32))

    def some():
        return tf.reduce_sum(x) / count

    def none():
        return tf.constant(0.0)

    return tf.cond(count > 0, some, none)


def safe_log(x):
    return tf.cond(x > 0, lambda: tf.math.log(x), lambda: x)
