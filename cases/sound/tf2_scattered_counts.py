# holds: gradient(lambda x: restore(x, [[0], [2]], 4), [[1.0, 2.0]])
import tensorflow as tf


def restore(logits, indices, size):
    counts = tf.scatter_nd(indices, tf.ones_like(logits), [size])
    placed = tf.scatter_nd(indices, logits, [size])
    return tf.where(counts > 0.0, placed / counts, 0.0)


def step(model, x, indices, size):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(restore(model(x), indices, size))
    return tape.gradient(loss, model.trainable_variables)
