# breaks: gradient(swish, [-100.0])
import tensorflow as tf


def swish(x):
    sig = 1.0 / (1.0 + tf.exp(-x))  # expect: NAN106
    return x * sig
