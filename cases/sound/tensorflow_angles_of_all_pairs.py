# holds: angles(2.0 * tf.constant([[2.2408931, 1.867558, -0.9772779]]), tf.constant([[2.2408931, 1.867558, -0.9772779]]))
# holds: kernel(tf.constant([[1.0, 0.0]]), tf.constant([[0.0, 1.0]]))
import tensorflow as tf


def angles(x, centres):
    cosines = tf.matmul(tf.nn.l2_normalize(x, -1), tf.nn.l2_normalize(centres, -1), transpose_b=True)
    return tf.acos(tf.clip_by_value(cosines, -1 + 1e-6, 1 - 1e-6))


def kernel(queries, keys):
    products = tf.linalg.matmul(tf.nn.elu(queries) + 1.1, tf.nn.elu(keys) + 1.1, transpose_b=True)
    return tf.math.log(products)
