# breaks: value(train, [0.1, -0.1])
import tensorflow as tf

scale = tf.Variable(1.0)
optimizer = tf.keras.optimizers.SGD(2.0)


def nll(error):
    return tf.reduce_mean(tf.square(error)) + tf.math.log(scale)  # expect: NAN201 unsafe


def train(error):
    for _ in range(3):
        with tf.GradientTape() as tape:
            loss = nll(error)
        optimizer.apply_gradients(zip(tape.gradient(loss, [scale]), [scale]))
    return nll(error)
