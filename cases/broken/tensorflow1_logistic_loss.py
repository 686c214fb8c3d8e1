# breaks: gradient(lambda x: logistic(x, tf.zeros([1])), [-100.0])
import tensorflow as tf


def logistic(logits, labels):
    return logits - logits * labels + tf.log(1 + tf.exp(-logits))  # expect: NAN108
