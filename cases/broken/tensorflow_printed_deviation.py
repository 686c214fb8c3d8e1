# breaks: gradient(lambda x: standardise(x), [[1.0, 2.0], [1.0, 3.0]])
import tensorflow as tf


def standardise(x):
    mean, variance = tf.nn.moments(x, axes=[0])
    deviation = tf.sqrt(variance)  # expect: NAN203 safe
    x = tf.compat.v1.Print(x, [mean, deviation], message="mean and deviation ")
    return x - mean + deviation


def step(optimizer, weight, x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(standardise(weight * x) ** 2)
    optimizer.apply_gradients([(tape.gradient(loss, weight), weight)])
