import tensorflow as tf


def sample_gumbel(shape):
    U = tf.random.uniform(shape, minval=0, maxval=1)
    return -tf.math.log(-tf.math.log(U))  # expect: NAN211


def gumbel_softmax_sample(logits, temperature):
    return tf.nn.softmax((logits + sample_gumbel(tf.shape(logits))) / temperature)
