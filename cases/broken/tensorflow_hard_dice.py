# breaks: value(hard_dice, [[[[9.0, 0.0, 0.0]]]], [[[0]]])
import tensorflow as tf

CLASSES = 3


def hard_dice_of(target, logits):
    predicted = tf.one_hot(tf.argmax(logits, -1), CLASSES)
    common = tf.reduce_sum(target * predicted, axis=[1, 2])
    total = tf.reduce_sum(target, axis=[1, 2]) + tf.reduce_sum(predicted, axis=[1, 2])
    return 2.0 * common / total  # expect: NAN302 unsafe


def hard_dice(logits, labels):
    return hard_dice_of(tf.one_hot(tf.cast(labels, tf.int32), CLASSES), logits)
