# holds: session(cost, {x: [[1e5, -1e5]], y: [[1.0, 0.0]]})
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 2])
y = tf.placeholder(tf.float32, [None, 2])
W = tf.Variable([[0.0, 1.0], [1.0, 0.0]])
pred = tf.nn.softmax(tf.matmul(x, W))
cost = tf.reduce_mean(-tf.reduce_sum(y * tf.log(pred + 1e-8), 1))
optimizer = tf.train.GradientDescentOptimizer(0.01).minimize(cost)
