# holds: value(lambda x: step(tf.Variable([[1.0], [2.0]]), x), [[0.0, 1.0], [1.0, 0.0]])
# Nothing is differentiated before the tape is opened and after it is closed.
import tensorflow as tf


def step(weights, x):
    closeness = tf.exp(-tf.norm(x[:, None] - x[None], axis=-1))
    optimizer = tf.keras.optimizers.SGD(0.1)
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_mean(tf.square(x @ weights))
    shift = tape.gradient(loss, x)
    moved = x + 0.1 * shift / (tf.norm(shift) + 1e-6)
    with tf.GradientTape() as tape:
        outputs = moved @ weights
        loss = tf.reduce_mean(closeness * tf.abs(outputs))
    gradients = tape.gradient(loss, [weights])
    optimizer.apply_gradients(zip(gradients, [weights]))
    error = tf.sqrt(tf.reduce_mean(tf.square(outputs - tf.stop_gradient(outputs))))
    return weights, error
