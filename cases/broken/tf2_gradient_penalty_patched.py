# breaks: gradient(penalty, [[0.0, 1.0]])
import tensorflow as tf


def penalty(x):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            value = tf.reduce_sum(tf.math.sqrt(tf.nn.relu(x)))  # expect: NAN203 unsafe
        gradient = inner.gradient(value, x)
        patched = tf.where(tf.math.is_nan(gradient), 0.0, gradient)  # expect: NAN402 no-fix
        loss = tf.reduce_sum(patched**2)
    return outer.gradient(loss, x)
