# holds: session(cross_entropy, {x: [[1e4] * 4], y_: [[0.0, 1.0]]})
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 4])
y_ = tf.placeholder(tf.float32, [None, 2])
W = tf.Variable(tf.random_normal([4, 2], stddev=0.35))
logits = tf.matmul(x, W)
y_conv = tf.nn.softmax(logits)
cross_entropy = tf.reduce_mean(
    tf.nn.softmax_cross_entropy_with_logits_v2(labels=y_, logits=logits)
)
accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(y_conv, 1), tf.argmax(y_, 1)), tf.float32))
