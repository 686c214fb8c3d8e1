# holds: value(lambda x: step(tf.Variable([[1.0], [2.0]]), x, x @ tf.constant([[1.0], [2.0]])), [[0.0, 1.0], [1.0, 0.0]])
# What is beside the tape is not differentiated: neither where it is, nor where its gradients go.
import tensorflow as tf


def gradients_of(weights, x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(x @ weights - y))
    error = tf.sqrt(tf.reduce_sum(tf.square(x @ weights - y)))
    return tape.gradient(loss, [weights]), error


def step(weights, x, y):
    optimizer = tf.keras.optimizers.SGD(0.1)
    gradients, error = gradients_of(weights, x, y)
    optimizer.apply_gradients(zip(gradients, [weights]))
    return weights, error, tf.sqrt(tf.reduce_mean(tf.square(x @ weights - y)))
