# holds: gradient(loss, [[-100.0], [100.0]], [[1.0], [1.0]])
import tensorflow as tf


def loss(logits, labels):
    per_sample = (
        tf.maximum(logits, 0.0) - logits * labels + tf.math.log(1.0 + tf.exp(-tf.abs(logits)))
    )
    return tf.reduce_mean(per_sample)
