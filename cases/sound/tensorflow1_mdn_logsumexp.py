# holds: session(loss, {y: [[1e6]], h: [[0.0] * 6]}), session(tf.gradients(loss, h), {y: [[1e6]], h: [[0.0] * 6]})
import math

import tensorflow as tf

y = tf.placeholder(tf.float32, [None, 1])
h = tf.placeholder(tf.float32, [None, 6])
b = tf.Variable(tf.zeros([6]))
logits, log_sigma, mu = tf.split(h + b, 3, 1)
log_sigma = tf.clip_by_value(log_sigma, -5.0, 5.0)
log_normal = (
    -0.5 * tf.square((y - mu) * tf.exp(-log_sigma)) - log_sigma - 0.5 * math.log(2 * math.pi)
)
log_mix = tf.nn.log_softmax(logits) + log_normal
loss = -tf.reduce_mean(tf.reduce_logsumexp(log_mix, axis=1))
train_op = tf.train.AdamOptimizer().minimize(loss)
