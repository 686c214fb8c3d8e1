# holds: value(retrieval, [[0.0, 0.0]], [[1.0, 0.0]])
# No tape: distances rank the gallery.
import tensorflow as tf


def retrieval(query, gallery):
    distance = tf.norm(query[:, None] - gallery[None], axis=-1)
    return tf.argsort(distance, axis=1)
