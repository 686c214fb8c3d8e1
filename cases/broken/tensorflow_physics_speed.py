# breaks: gradient(speed, [0.0], [0.0])
import tensorflow as tf


def speed(u, v):
    return tf.sqrt(u ** 2 + v ** 2)  # expect: NAN203


def pinn_loss(net, xt):
    with tf.GradientTape() as tape:
        uv = net(xt)
        loss = tf.reduce_mean(speed(uv[:, 0], uv[:, 1]))
    return tape.gradient(loss, net.trainable_variables)
