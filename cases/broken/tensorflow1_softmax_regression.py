# breaks: session(tf.gradients(cost, W), {x: [[1e5, -1e5]], y: [[1.0, 0.0]]})
import tensorflow as tf

x = tf.placeholder("float", [None, 2])
y = tf.placeholder("float", [None, 2])
W = tf.Variable([[0.0, 1.0], [1.0, 0.0]])
b = tf.Variable(tf.zeros([2]))
pred = tf.nn.softmax(tf.matmul(x, W) + b)
cost = tf.reduce_mean(-tf.reduce_sum(y * tf.log(pred), reduction_indices=1))  # expect: NAN101
optimizer = tf.train.GradientDescentOptimizer(0.01).minimize(cost)
