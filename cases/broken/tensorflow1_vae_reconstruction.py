# breaks: session(recon_loss, {x: [[1.0]], z: [[-1e6]]})
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 1])
z = tf.placeholder(tf.float32, [None, 1])
W = tf.Variable([[1.0]])
x_hat = tf.nn.sigmoid(tf.matmul(z, W))
recon_loss = -tf.reduce_sum(x * tf.log(x_hat) + (1 - x) * tf.log(1 - x_hat), 1)  # expect: NAN108
train = tf.train.RMSPropOptimizer(1e-3).minimize(tf.reduce_mean(recon_loss))
