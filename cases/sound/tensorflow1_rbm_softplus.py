# holds: gradient(lambda v: free_energy(v, tf.ones([2, 2]), tf.zeros([2])), [[100.0, 100.0]])
import tensorflow as tf


def sample(p):
    return tf.nn.relu(tf.sign(p - tf.random_uniform(tf.shape(p))))


def free_energy(v, W, hbias):
    return -tf.reduce_sum(tf.nn.softplus(tf.matmul(v, W) + hbias), axis=1)
