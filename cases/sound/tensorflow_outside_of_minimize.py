# holds: value(lambda x: train(tf.Variable([[1.0], [2.0]]), x, x @ tf.constant([[0.8], [1.6]])), [[0.0, 1.0], [1.0, 0.0]])
# The optimizer calls the loss on a tape of its own; nothing else is differentiated.
import tensorflow as tf


def train(weights, x, y):
    optimizer = tf.compat.v1.train.GradientDescentOptimizer(0.1)

    def loss():
        return tf.reduce_sum(tf.square(x @ weights - y))

    optimizer.minimize(loss, var_list=[weights])
    return weights, tf.sqrt(loss())


def train_by_lambda(weights, x, y):
    optimizer = tf.compat.v1.train.GradientDescentOptimizer(0.1)
    optimizer.minimize(lambda: tf.reduce_sum(tf.square(x @ weights - y)), var_list=[weights])
    return weights, tf.sqrt(tf.reduce_sum(tf.square(x @ weights - y)))
