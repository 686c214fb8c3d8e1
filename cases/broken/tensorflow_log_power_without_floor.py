# breaks: value(lambda x: Frontend().log_power(x), [0.0, 1.0])
import tensorflow as tf


class Frontend:
    def __init__(self, gain=1.0, floor=None):
        self.gain, self.floor = gain, floor

    def log_power(self, spectrum):
        power = self.gain * tf.abs(spectrum) ** 2
        if self.floor is not None:
            power = power + self.floor
        return tf.math.log(power)  # expect: NAN201 unsafe


def train(batches):
    frontend, net = Frontend(), tf.keras.layers.Dense(4)
    optimizer = tf.keras.optimizers.Adam()
    for spectrum in batches:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(net(frontend.log_power(spectrum)))
        variables = net.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
