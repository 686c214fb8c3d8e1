# breaks: value(sinkhorn, [[100.0, 200.0], [300.0, 400.0]])
import tensorflow as tf


def sinkhorn(C, epsilon=0.1, iterations=5):
    n = tf.cast(tf.shape(C)[0], tf.float32)
    K = tf.exp(-C / epsilon)
    v = tf.ones_like(C[:, :1])
    for _ in range(iterations):
        u = 1.0 / n / tf.matmul(K, v)  # expect: NAN302 unsafe
        v = 1.0 / n / tf.matmul(K, u, transpose_a=True)  # expect: NAN302 unsafe
    return u * K * tf.transpose(v)
