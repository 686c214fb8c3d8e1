# breaks: gradient(loss, [1.0, 0.5], [0.3, 0.3])
import tensorflow as tf


class Model:
    def __init__(self, correlation, volatility):
        self._correlation = (
            correlation
            if callable(correlation)
            else tf.convert_to_tensor(correlation, dtype=tf.float32)
        )
        self._volatility = volatility
        self.checks = []
        if not callable(self._correlation):
            self.checks.append(
                tf.debugging.assert_greater_equal(self._correlation, tf.constant(-1, dtype=tf.float32))
            )
            self.checks.append(
                tf.debugging.assert_less_equal(self._correlation, tf.constant(1, dtype=tf.float32))
            )

    def step(self, time, state):
        correlation = (
            tf.convert_to_tensor(self._correlation(time))
            if callable(self._correlation)
            else self._correlation
        )
        return state * self._volatility * tf.math.sqrt(  # expect: NAN203 unsafe
            1 - tf.square(correlation)
        )


def loss(correlation, volatility):
    return tf.reduce_sum(Model(correlation, volatility).step(0.0, tf.ones([2])))


def calibrate(correlation, volatility):
    optimizer = tf.keras.optimizers.Adam(1e-3)
    for _ in range(10):
        with tf.GradientTape() as tape:
            value = loss(correlation, volatility)
        slopes = tape.gradient(value, [correlation, volatility])
        optimizer.apply_gradients(zip(slopes, [correlation, volatility]))
