# breaks: value(gcn, [[1.0], [1.0]], [[0.0, 0.0], [0.0, 1.0]])
import tensorflow as tf


def gcn(nodes, adjacency):
    degree = tf.reduce_sum(adjacency, axis=1)
    inv = tf.linalg.diag(tf.pow(degree, -0.5))  # expect: NAN306 unsafe
    return inv @ adjacency @ inv @ nodes
