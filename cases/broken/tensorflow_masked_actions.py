# breaks: value(loss, [[1.0, 2.0, 0.5]], [[0.0, 1.0, 0.0]])
import tensorflow as tf


def loss(logits, actions):
    legal = tf.constant([[True, True, False]])
    logits = tf.where(legal, logits, -float("inf"))
    each = tf.nn.softmax_cross_entropy_with_logits(labels=actions, logits=logits)  # expect: NAN202 no-fix
    return tf.reduce_mean(each)
