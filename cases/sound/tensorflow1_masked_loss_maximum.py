# holds: session(loss, {logits: [[[0.0, 1.0]]], targets: [[0]]})
import tensorflow as tf

logits = tf.placeholder(tf.float32, [None, None, 2])
targets = tf.placeholder(tf.int32, [None, None])
xent = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=targets, logits=logits)
mask = tf.to_float(tf.not_equal(targets, 0))
loss = tf.reduce_sum(xent * mask) / tf.maximum(tf.reduce_sum(mask), 1.0)
