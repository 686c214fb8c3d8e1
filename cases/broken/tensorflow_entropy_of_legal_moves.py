# breaks: value(lambda s: entropy(s, MOVES), [[1.0, 2.0, 3.0]])
# breaks: gradient(lambda s: entropy(s, MOVES), [[1.0, 2.0, 3.0]])
# breaks: value(lambda s: product(s, MOVES), [[1.0, 2.0, 3.0]])
# breaks: gradient(lambda s: product(s, MOVES), [[1.0, 2.0, 3.0]])
import numpy as np
import tensorflow as tf

MOVES = tf.constant([True, False, True])


def entropy(scores, legal):
    scores = tf.where(legal, scores, -np.inf)
    p = tf.nn.softmax(scores)
    return -tf.reduce_sum(p * tf.math.log(p))  # expect: NAN101


def product(scores, legal):
    scores = tf.where(legal, scores, -np.inf)
    return -tf.reduce_sum(tf.nn.softmax(scores) * tf.nn.log_softmax(scores))  # expect: NAN202
