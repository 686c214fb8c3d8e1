# breaks: value(step, [[1.0, 2.0]], [[1.0, 0.0]])
import tensorflow as tf


def attention(scores, mask):
    return tf.nn.softmax(scores + (1.0 - mask) * -1e9)  # expect: NAN503 no-fix


def step(scores, mask):
    return attention(tf.cast(scores, tf.float16), tf.cast(mask, tf.float16))
