# breaks: session(lossfunc, {y: [[1e6]], h: [[0.0] * 6]})
import math

import tensorflow as tf

KMIX = 2
y = tf.placeholder(tf.float32, [None, 1])
h = tf.placeholder(tf.float32, [None, KMIX * 3])
b = tf.Variable(tf.zeros([KMIX * 3]))
out_pi, out_sigma, out_mu = tf.split(h + b, 3, 1)
max_pi = tf.reduce_max(out_pi, 1, keep_dims=True)
out_pi = tf.exp(tf.subtract(out_pi, max_pi))
out_pi = out_pi / tf.reduce_sum(out_pi, 1, keep_dims=True)
out_sigma = tf.exp(out_sigma)
oneDivSqrtTwoPI = 1 / math.sqrt(2 * math.pi)


def tf_normal(y, mu, sigma):
    result = tf.subtract(y, mu)
    result = tf.multiply(result, tf.reciprocal(sigma))
    result = -tf.square(result) / 2
    return tf.multiply(tf.exp(result), tf.reciprocal(sigma)) * oneDivSqrtTwoPI


result = tf_normal(y, out_mu, out_sigma)
result = tf.multiply(result, out_pi)
result = tf.reduce_sum(result, 1, keep_dims=True)
lossfunc = tf.reduce_mean(-tf.log(result))  # expect: NAN201 unsafe
train_op = tf.train.AdamOptimizer().minimize(lossfunc)
