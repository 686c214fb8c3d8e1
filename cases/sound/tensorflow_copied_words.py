# holds: nll(tf.constant([[0.0, 1.0]]), tf.constant([[3, 4]]), tf.constant([[1]]), 5)
# holds: logged(tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[0], [1]]))
import tensorflow as tf


def nll(scores, source, target, vocabulary):
    attention = tf.nn.softmax(scores)
    copied = tf.einsum("bt,btv->bv", attention, tf.one_hot(source, vocabulary))
    chosen = tf.gather(copied, target, batch_dims=1)
    return -tf.reduce_mean(tf.math.log(chosen + 1e-12))


def logged(x, index):
    positive = 1.0 + tf.nn.softplus(x)
    rows = tf.matmul(tf.one_hot(index[:, 0], 2), positive)
    padded = tf.pad(positive, [[0, 0], [0, 3]], constant_values=1.0)
    return tf.reduce_sum(tf.math.log(rows)) + tf.reduce_sum(tf.math.log(padded))
