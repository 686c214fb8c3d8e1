# breaks: value(fake_quant, [0.0], [-200.0])
import tensorflow as tf


def fake_quant(x, log_scale):
    scale = tf.exp(log_scale)  # expect: NAN212 no-fix
    q = tf.round(tf.div(x, scale))
    return q * scale
