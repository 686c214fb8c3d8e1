# breaks: session(slopes, {x: [[0.0, 0.0]]})
import tensorflow as tf


def dense(x, units, averages=None):
    weights = tf.get_variable("w", [2, units], initializer=tf.zeros_initializer())
    outputs = tf.matmul(x, weights)
    if averages is not None:
        outputs = averages.average(outputs)
    lengths = tf.sqrt(tf.reduce_sum(tf.square(outputs), [1]))  # expect: NAN203
    return lengths * tf.get_variable("g", [], initializer=tf.constant_initializer(1.0))


x = tf.placeholder(tf.float32, [None, 2])
loss = tf.reduce_mean(tf.square(dense(x, 3) - 1))
slopes = tf.gradients(loss, tf.trainable_variables())
train = tf.train.AdamOptimizer(1e-3).minimize(loss)
