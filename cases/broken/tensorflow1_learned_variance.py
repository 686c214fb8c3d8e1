# breaks: session(trained, {error: [0.1, -0.1]})
import tensorflow as tf

error = tf.placeholder(tf.float32, [None])
variance = tf.get_variable("variance", shape=[], initializer=tf.ones_initializer())
nll = tf.reduce_mean(tf.square(error) / variance) + tf.log(variance)  # expect: NAN201 unsafe; NAN309 possible
step = tf.train.GradientDescentOptimizer(2.0).minimize(nll)
with tf.control_dependencies([step]):
    trained = tf.sqrt(variance.read_value())
