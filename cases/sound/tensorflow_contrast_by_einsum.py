# holds: value(contrast, [[100.0, 0.0]], [[100.0, 0.0]])
import tensorflow as tf


def contrast(x, y, temperature=0.02):
    x, y = tf.math.l2_normalize(x, axis=-1), tf.math.l2_normalize(y, axis=1)
    scores = tf.exp(tf.einsum("id,jd->ij", x, y) / temperature)
    return scores / tf.reduce_sum(scores, axis=-1, keepdims=True)
