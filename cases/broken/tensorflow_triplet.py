# breaks: gradient(lambda a: triplet(a, a, tf.zeros([1, 2])), [[0.0, 0.0]])
import tensorflow as tf


def triplet(anchor, positive, negative, margin=0.2):
    ap = tf.norm(anchor - positive, axis=-1)  # expect: NAN204
    an = tf.norm(anchor - negative, axis=-1)  # expect: NAN204
    return tf.reduce_mean(tf.nn.relu(ap - an + margin))


def step(net, opt, a, p, n):
    with tf.GradientTape() as tape:
        loss = triplet(net(a), net(p), net(n))
    opt.apply_gradients(zip(tape.gradient(loss, net.trainable_weights), net.trainable_weights))
