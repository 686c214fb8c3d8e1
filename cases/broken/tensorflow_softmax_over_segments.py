# breaks: value(lambda e: segment_softmax(e, tf.constant([0, 0, 1]), 2), [100.0, 1.0, 2.0])
import tensorflow as tf


def segment_softmax(logits, segments, number):
    weights = tf.exp(logits)
    total = tf.math.unsorted_segment_sum(weights, segments, number)
    return weights / tf.gather(total, segments)  # expect: NAN103 no-fix
