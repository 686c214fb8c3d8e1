# holds: session(nll, {error: [0.1, -0.1]})
import tensorflow as tf

error = tf.placeholder(tf.float32, [None])
mean = tf.get_variable("mean", shape=[], initializer=tf.zeros_initializer())
variance = tf.get_variable("variance", initializer=2.0, trainable=False)
prior = tf.constant(0.5)
nll = tf.reduce_mean(tf.square(error - mean) / variance) + tf.log(prior)
step = tf.train.GradientDescentOptimizer(0.1).minimize(nll)
