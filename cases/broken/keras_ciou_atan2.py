# breaks: gradient(box_ciou, [[0.0, 0.0, 0.0, 0.0]], [[0.0, 0.0, 1.0, 1.0]])
import math

import tensorflow as tf
from tensorflow.keras import backend as K


def box_ciou(b1, b2):
    b1_xy, b1_wh = b1[..., :2], b1[..., 2:4]
    b2_xy, b2_wh = b2[..., :2], b2[..., 2:4]
    b1_mins, b1_maxes = b1_xy - b1_wh / 2.0, b1_xy + b1_wh / 2.0
    b2_mins, b2_maxes = b2_xy - b2_wh / 2.0, b2_xy + b2_wh / 2.0
    inter_wh = K.maximum(K.minimum(b1_maxes, b2_maxes) - K.maximum(b1_mins, b2_mins), 0.0)
    inter = inter_wh[..., 0] * inter_wh[..., 1]
    union = b1_wh[..., 0] * b1_wh[..., 1] + b2_wh[..., 0] * b2_wh[..., 1] - inter
    iou = inter / K.maximum(union, K.epsilon())
    angle = tf.math.atan2(b1_wh[..., 0], b1_wh[..., 1])  # expect: NAN210 possible
    angle -= tf.math.atan2(b2_wh[..., 0], b2_wh[..., 1])  # expect: NAN210 possible
    v = 4 * K.square(angle) / math.pi**2
    return iou - v
