# breaks: gradient(lambda v: free_energy(v, tf.ones([2, 2]), tf.zeros([2]), tf.zeros([2])), [[100.0, 100.0]])
import tensorflow as tf


def free_energy(v, W, vbias, hbias):
    wx_b = tf.matmul(v, W) + hbias
    vbias_term = tf.matmul(v, tf.expand_dims(vbias, 1))
    hidden_term = tf.reduce_sum(tf.log(1 + tf.exp(wx_b)), axis=1)  # expect: NAN105
    return -hidden_term - tf.squeeze(vbias_term, 1)
