# holds: value(lambda x: step(tf.Variable([1.0, 0.0]), x), [0.0, 0.0])
import tensorflow as tf


def step(weights, x):
    optimizer = tf.keras.optimizers.SGD(0.1)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(weights * x)
        gradients = tape.gradient(loss, [weights])
        length = tf.norm(gradients[0])
    optimizer.apply_gradients(zip(gradients, [weights]))
    return loss, length
