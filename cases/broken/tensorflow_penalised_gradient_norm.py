# breaks: gradient(lambda w: penalised(w, [[0.0, 0.0]]), [1.0, 0.0])
import tensorflow as tf


def penalised(weights, x):
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        score = tf.reduce_sum(tf.square(x) * weights)
    slope = tape.gradient(score, x)
    return tf.square(tf.norm(slope) - 1)  # expect: NAN204
