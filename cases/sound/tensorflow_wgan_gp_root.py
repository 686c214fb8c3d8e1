# holds: gradient(lambda x: gradient_penalty(lambda v: tf.reduce_sum(v * v, 1), x, x), [[0.0, 0.0]])
import tensorflow as tf


def gradient_penalty(critic, real, fake):
    alpha = tf.random.uniform([tf.shape(real)[0], 1])
    mixed = real + alpha * (fake - real)
    with tf.GradientTape() as tape:
        tape.watch(mixed)
        pred = critic(mixed)
    grads = tape.gradient(pred, mixed)
    norm = tf.sqrt(tf.reduce_sum(tf.square(grads), axis=1) + 1e-12)
    return tf.reduce_mean((norm - 1.0) ** 2)
