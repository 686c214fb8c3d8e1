# breaks: value(lambda p: BalancedBCE()(tf.zeros([2]), p), [0.5, 0.25])
import tensorflow as tf


class BalancedBCE(tf.keras.losses.Loss):
    def call(self, y_true, y_pred):
        p = tf.clip_by_value(y_pred, 1e-6, 1 - 1e-6)
        share = tf.reduce_mean(y_true)
        weight = 0.5 / share  # expect: NAN302 unsafe
        positive = weight * y_true * tf.math.log(p)
        return -tf.reduce_mean(positive + (1 - y_true) * tf.math.log(1 - p))
