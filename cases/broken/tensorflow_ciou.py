# breaks: gradient(aspect, [[0.0, 0.0]], [[1.0, 1.0]])
import math

import tensorflow as tf


def aspect(pred_wh, true_wh):
    arctan = tf.math.atan(true_wh[..., 0] / true_wh[..., 1]) - tf.math.atan(  # expect: NAN309 no-fix
        pred_wh[..., 0] / pred_wh[..., 1]  # expect: NAN309 no-fix
    )
    return 4 / math.pi**2 * tf.square(arctan)
