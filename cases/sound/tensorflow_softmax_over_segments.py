# holds: value(lambda e: segment_softmax(e, tf.constant([0, 0, 1]), 2), [100.0, 1.0, 2.0])
import tensorflow as tf


def segment_softmax(logits, segments, number):
    largest = tf.math.unsorted_segment_max(logits, segments, number)
    weights = tf.exp(logits - tf.gather(largest, segments))
    total = tf.math.unsorted_segment_sum(weights, segments, number)
    return weights / tf.gather(total, segments)
