# holds: step(tf.ones(4))
import tensorflow as tf

a = tf.Variable(tf.zeros(4))
a.assign(tf.ones(4))
b = tf.Variable(tf.ones(4))
c = tf.Variable(tf.zeros(4))


def step(x):
    with tf.GradientTape() as tape:
        loss = tf.norm(a) + tf.norm(b) + tf.sqrt(tf.reduce_sum(c * c) + 1e-8) + tf.reduce_sum(x)
    return tape.gradient(loss, [a, b, c])
