# holds: session(tf.gradients(a_1, [w]), {})
import tensorflow as tf

w = tf.Variable([[-200.0]])
b = tf.Variable([0.0])
z_1 = tf.add(tf.matmul(tf.ones([1, 1]), w), b)
a_1 = tf.div(tf.sigmoid(z_1), tf.add(1.0, tf.exp(-tf.abs(z_1))))
