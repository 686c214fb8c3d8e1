# breaks: value(info_nce, [[10.0, 0.0], [0.0, 10.0]], [[10.0, 0.0], [0.0, 10.0]])
import tensorflow as tf


def info_nce(za, zb, temperature=0.1):
    sim = tf.exp(tf.einsum("id,jd->ij", za, zb) / temperature)
    positive = tf.linalg.diag_part(sim)
    denominator = tf.reduce_sum(sim, axis=1)
    return tf.reduce_mean(-tf.math.log(positive / denominator))  # expect: NAN103 no-fix
