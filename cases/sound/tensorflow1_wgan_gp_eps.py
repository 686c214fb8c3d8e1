# holds: session(tf.gradients(penalty, D_W), {real: [[0.0]], fake: [[0.0]]})
import tensorflow as tf

real = tf.placeholder(tf.float32, [None, 1])
fake = tf.placeholder(tf.float32, [None, 1])
D_W = tf.Variable([[0.0]])
alpha = tf.random_uniform([1, 1], 0.0, 1.0)
interpolates = real + alpha * (fake - real)
critic = tf.square(tf.matmul(interpolates, D_W))
gradients = tf.gradients(critic, [interpolates])[0]
slopes = tf.sqrt(1e-10 + tf.reduce_sum(tf.square(gradients), axis=[1]))
penalty = tf.reduce_mean((slopes - 1.0) ** 2)
D_train = tf.train.AdamOptimizer(1e-4).minimize(10 * penalty)
