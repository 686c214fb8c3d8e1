# breaks: session(tf.gradients(penalty, D_W), {real: [[0.0]], fake: [[0.0]]})
import tensorflow as tf

real = tf.placeholder(tf.float32, [None, 1])
fake = tf.placeholder(tf.float32, [None, 1])
D_W = tf.Variable([[0.0]])


def critic(x):
    return tf.square(tf.matmul(x, D_W))


alpha = tf.random_uniform([1, 1], 0.0, 1.0)
interpolates = real + alpha * (fake - real)
gradients = tf.gradients(critic(interpolates), [interpolates])[0]
slopes = tf.sqrt(tf.reduce_sum(tf.square(gradients), reduction_indices=[1]))  # expect: NAN203
penalty = tf.reduce_mean((slopes - 1.0) ** 2)
D_train = tf.train.AdamOptimizer(1e-4, beta1=0.5).minimize(10 * penalty, var_list=[D_W])
