# holds: gradient(triplet, [[[1.0, 2.0], [1.0, 2.0], [0.0, 1.0]]])
import tensorflow as tf


def distances(points):
    squared = tf.reduce_sum(tf.square(points[:, None] - points[None]), axis=-1)
    equal = tf.cast(tf.equal(squared, 0.0), tf.float32)
    return (1.0 - equal) * tf.sqrt(squared + equal * 1e-16)


def triplet(points):
    return tf.reduce_mean(distances(points))


def step(points, optimizer):
    with tf.GradientTape() as tape:
        tape.watch(points)
        loss = triplet(points)
    return tape.gradient(loss, points)
