# The gradient is 0 where the prediction is most wrong.
# breaks: 1 / gradient(lambda z: loss(tf.constant([[0.0, 1.0]]), z), [[200.0, 0.0]])[0]
import tensorflow as tf


def loss(labels, logits):
    y_conv = tf.nn.softmax(logits)
    log_y = tf.log(tf.clip_by_value(y_conv, 1e-10, 1.0))  # expect: NAN505 possible
    return -tf.reduce_sum(labels * log_y)


def train_op(labels, logits):
    return tf.train.AdamOptimizer(1e-3).minimize(loss(labels, logits))
