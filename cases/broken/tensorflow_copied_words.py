# breaks: nll(tf.constant([[0.0, 1.0]]), tf.constant([[3, 4]]), tf.constant([[0.0] * 3]), tf.constant([[1]]), 5)
# breaks: extended_nll(tf.constant([[0.0, 1.0]]), tf.constant([[3]]))
import tensorflow as tf


def nll(scores, source, logits, target, vocabulary):
    attention = tf.nn.softmax(scores)
    copied = tf.einsum("bt,btv->bv", attention, tf.one_hot(source, vocabulary))
    chosen = tf.gather(copied, target, batch_dims=1)
    return -tf.reduce_mean(tf.math.log(chosen))  # expect: NAN201 unsafe


def extended_nll(logits, target):
    extended = tf.pad(tf.nn.softmax(logits), [[0, 0], [0, 3]])
    return -tf.reduce_mean(tf.math.log(tf.gather(extended, target, batch_dims=1)))  # expect: NAN101 no-fix
