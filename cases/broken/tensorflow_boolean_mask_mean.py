# breaks: value(positive_loss, [0.1], [0])
import tensorflow as tf


def positive_loss(loss, labels):
    return tf.reduce_mean(tf.boolean_mask(loss, labels > 0))  # expect: NAN307 no-fix
