# holds: session(context, {h: [[[1000.0], [0.0]]]})
import tensorflow as tf

h = tf.placeholder(tf.float32, [None, 2, 1])
scores = tf.squeeze(tf.tanh(h), -1)
expd = tf.exp(scores)
alphas = expd / tf.reduce_sum(expd, 1, keep_dims=True)
context = tf.reduce_sum(h * tf.expand_dims(alphas, -1), 1)
