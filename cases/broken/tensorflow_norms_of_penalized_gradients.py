# breaks: gradient(lambda w: penalty(w), [0.0, 0.0])
import tensorflow as tf


def penalty(w):
    with tf.GradientTape() as tape:
        tape.watch(w)
        loss = tf.reduce_sum(w**2)
    norms = {}
    for name, gradient in zip(["w"], tape.gradient(loss, [w])):
        norms[name] = tf.sqrt(tf.reduce_sum(gradient**2))  # expect: NAN203 safe
    return norms["w"]


def train(w, optimizer):
    with tf.GradientTape() as tape:
        tape.watch(w)
        loss = penalty(w)
    optimizer.apply_gradients(zip(tape.gradient(loss, [w]), [w]))
