# breaks: value(lambda x: train(tf.Variable([[1.0], [2.0]]), x, x @ tf.constant([[1.0], [2.0]])), [[0.0, 1.0], [1.0, 0.0]])
import tensorflow as tf


def train(weights, x, y):
    optimizer = tf.compat.v1.train.GradientDescentOptimizer(0.1)

    def loss():
        return tf.sqrt(tf.reduce_sum(tf.square(x @ weights - y)))  # expect: NAN203

    optimizer.minimize(loss, var_list=[weights])
    return weights
