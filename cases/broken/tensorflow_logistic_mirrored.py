# breaks: value(loss, [[-100.0]], [[1.0]])
import tensorflow as tf


def loss(logits, labels):
    per_sample = logits - logits * labels + tf.math.log(1.0 + tf.exp(-logits))  # expect: NAN108
    return tf.reduce_mean(per_sample)
