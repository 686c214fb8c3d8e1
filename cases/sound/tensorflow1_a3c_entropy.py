# holds: session(loss, {state: [[1e6, -1e6]], action: [1], advantage: [1.0]})
import tensorflow as tf

state = tf.placeholder(tf.float32, [None, 2])
action = tf.placeholder(tf.int32, [None])
advantage = tf.placeholder(tf.float32, [None])
logits = tf.matmul(state, tf.Variable([[1.0, 0.0], [0.0, 1.0]]))
log_prob = tf.nn.log_softmax(logits)
prob = tf.nn.softmax(logits)
entropy = -tf.reduce_sum(prob * log_prob, 1)
picked = tf.reduce_sum(log_prob * tf.one_hot(action, 2), 1)
loss = -tf.reduce_mean(picked * advantage + 0.01 * entropy)
train_op = tf.train.AdamOptimizer(1e-3).minimize(loss)
