# breaks: session(sparsity, {x: [[-1e6, -1e6]]})
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
W = tf.Variable([[1.0], [1.0]])
hidden = tf.nn.sigmoid(tf.matmul(x, W))
rho = 0.05
rho_hat = tf.reduce_mean(hidden, axis=0)
sparsity = tf.reduce_sum(
    rho * tf.log(rho / rho_hat)  # expect: NAN201 unsafe
    + (1 - rho) * tf.log((1 - rho) / (1 - rho_hat))  # expect: NAN201 unsafe
)
train = tf.train.GradientDescentOptimizer(0.1).minimize(sparsity)
