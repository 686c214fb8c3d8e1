"""A mask is divided by its mean, which is 0 where it selects nothing, and multiplies a loss."""

# breaks: value(masked_loss, [1.0, 2.0], [0.0, 0.0])
import tensorflow as tf


def masked_loss(loss, mask):
    mask = tf.cast(mask, dtype=tf.float32)
    mask /= tf.reduce_mean(mask)  # expect: NAN301 no-fix
    loss *= mask
    return tf.reduce_mean(loss)
