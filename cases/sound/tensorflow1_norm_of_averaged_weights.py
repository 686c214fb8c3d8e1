# holds: session(slopes, {x: [[1.0, 2.0]]})
import tensorflow as tf


def variable(name, averages, **settings):
    v = tf.get_variable(name, **settings)
    if averages is not None:
        v = averages.average(v)
    return v


def dense(x, units, averages=None):
    v = variable(
        "v", averages, shape=[2, units], initializer=tf.random_normal_initializer(0, 0.05)
    )
    g = variable("g", averages, shape=[units], initializer=tf.constant_initializer(1.0))
    scale = g / tf.sqrt(tf.reduce_sum(tf.square(v), [0]))
    return scale * tf.matmul(x, v)


x = tf.placeholder(tf.float32, [None, 2])
loss = tf.reduce_mean(tf.square(dense(x, 3) - 1))
slopes = tf.gradients(loss, tf.trainable_variables())
train = tf.train.AdamOptimizer(1e-3).minimize(loss)
