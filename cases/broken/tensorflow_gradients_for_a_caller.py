# breaks: value(lambda x: step(tf.Variable([[1.0], [2.0]]), x, x @ tf.constant([[1.0], [2.0]])), [[0.0, 1.0], [1.0, 0.0]])
import tensorflow as tf


def gradients_of(weights, x, y):
    with tf.GradientTape() as tape:
        loss = tf.sqrt(tf.reduce_sum(tf.square(x @ weights - y)))  # expect: NAN203
    return tape.gradient(loss, [weights])


def step(weights, x, y):
    optimizer = tf.keras.optimizers.SGD(0.1)
    gradients = gradients_of(weights, x, y)
    optimizer.apply_gradients(zip(gradients, [weights]))
    return weights
