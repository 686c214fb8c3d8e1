# breaks: session(loss, {state: [[1e6, -1e6]], action: [1], advantage: [1.0]})
import tensorflow as tf

state = tf.placeholder(tf.float32, [None, 2])
action = tf.placeholder(tf.int32, [None])
advantage = tf.placeholder(tf.float32, [None])
W = tf.Variable([[1.0, 0.0], [0.0, 1.0]])
action_probs = tf.nn.softmax(tf.matmul(state, W))
indices = tf.range(tf.shape(action_probs)[0]) * 2 + action
picked = tf.gather(tf.reshape(action_probs, [-1]), indices)
loss = -tf.reduce_mean(tf.log(picked) * advantage)  # expect: NAN101
entropy = -tf.reduce_sum(action_probs * tf.log(action_probs))  # expect: NAN101
train_op = tf.train.RMSPropOptimizer(1e-2).minimize(loss - 0.01 * entropy)
