# breaks: value(lambda x: odds(10), [1.0])
import tensorflow as tf


def odds(steps):
    t = tf.linspace(0.0, 1.0, steps)
    return t / (1.0 - t)  # expect: NAN309 no-fix
