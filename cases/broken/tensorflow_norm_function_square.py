# breaks: gradient(compiled, [[0.0, 0.0]])
import tensorflow as tf


@tf.function(jit_compile=True)
def penalty(x):
    norms = tf.norm(x, axis=1)  # expect: NAN204
    return tf.reduce_mean(tf.square(norms - 1.0))


def compiled(x):
    return penalty(x)


def step(x, optimizer, variables):
    with tf.GradientTape() as tape:
        loss = penalty(x)
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
