# breaks: value(iou, [[0.0, 0.0, 0.0, 0.0]], [[0.0, 0.0, 0.0, 0.0]])
import tensorflow as tf


def iou(boxes1, boxes2):
    area1 = boxes1[..., 2] * boxes1[..., 3]
    area2 = boxes2[..., 2] * boxes2[..., 3]
    left_up = tf.maximum(boxes1[..., :2], boxes2[..., :2])
    right_down = tf.minimum(
        boxes1[..., :2] + boxes1[..., 2:], boxes2[..., :2] + boxes2[..., 2:]
    )
    inter_section = tf.maximum(right_down - left_up, 0.0)
    inter_area = inter_section[..., 0] * inter_section[..., 1]
    union_area = area1 + area2 - inter_area
    return 1.0 * inter_area / union_area  # expect: NAN309 possible
