# breaks: gradient(lambda x: restore(x, [[0], [2]]), [[1.0, 2.0, 3.0, 4.0]])
import tensorflow as tf


def restore(logits, indices):
    counts = tf.scatter_nd(indices, tf.ones([2]), [4])
    return tf.where(counts > 0.0, logits / counts, 0.0)  # expect: NAN401


def step(model, x, indices):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(restore(model(x), indices))
    return tape.gradient(loss, model.trainable_variables)
