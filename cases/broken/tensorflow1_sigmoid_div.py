# breaks: gradient(neuron, [[-100.0]])
import tensorflow as tf


def sigmoid(x):
    return tf.div(tf.constant(1.0), tf.add(tf.constant(1.0), tf.exp(tf.negative(x))))  # expect: NAN106


def neuron(x):
    w = tf.ones([1, 1])
    return sigmoid(tf.matmul(x, w))
