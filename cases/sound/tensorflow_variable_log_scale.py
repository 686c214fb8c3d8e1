# holds: value(train, [0.1, -0.1])
import tensorflow as tf

log_scale = tf.Variable(0.0)
optimizer = tf.keras.optimizers.SGD(0.1)


def nll(error):
    bounded = tf.clip_by_value(log_scale, -10.0, 10.0)
    return tf.reduce_mean(tf.square(error)) * tf.exp(-bounded) + bounded


def train(error):
    for _ in range(2):
        with tf.GradientTape() as tape:
            loss = nll(error)
        optimizer.apply_gradients(zip(tape.gradient(loss, [log_scale]), [log_scale]))
    return nll(error)
