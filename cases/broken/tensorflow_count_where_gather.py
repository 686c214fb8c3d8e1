# breaks: value(foreground_loss, [1.0, 2.0], [0, 0])
import tensorflow as tf


def foreground_loss(losses, classes):
    indices = tf.where(classes > 0)
    chosen = tf.gather_nd(losses, indices)
    return tf.reduce_mean(chosen)  # expect: NAN307 no-fix
