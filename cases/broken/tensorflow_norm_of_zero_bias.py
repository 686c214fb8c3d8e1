# breaks: step(tf.ones(4))
import tensorflow as tf

b = tf.Variable(tf.zeros(4))


def step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(x + b) + tf.norm(b)  # expect: NAN204
    return tape.gradient(loss, b)
