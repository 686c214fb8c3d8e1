# holds: session(rmse, {x: [[1.0]], y: [[1.0]]})
# The root is only shown; what is minimised is the square.
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 1])
y = tf.placeholder(tf.float32, [None, 1])
w = tf.Variable([[1.0]])
mse = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
rmse = tf.sqrt(mse)
tf.summary.scalar("rmse", rmse)
train = tf.train.AdamOptimizer().minimize(mse)
