# breaks: value(lambda x: step(tf.Variable([[1.0], [2.0]]), x), [[0.0, 1.0], [1.0, 0.0]])
# The same distances, of what is trained.
import tensorflow as tf


def step(weights, x):
    optimizer = tf.keras.optimizers.SGD(0.1)
    with tf.GradientTape() as tape:
        outputs = x @ weights
        distances = tf.norm(outputs[:, None] - outputs[None], axis=-1)  # expect: NAN204
        loss = tf.reduce_mean(tf.exp(-distances) * tf.abs(outputs))
    gradients = tape.gradient(loss, [weights])
    optimizer.apply_gradients(zip(gradients, [weights]))
    return weights
