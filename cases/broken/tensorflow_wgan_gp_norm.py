# breaks: gradient(lambda x: gradient_penalty(lambda v: tf.reduce_sum(v * v, 1), x, x), [[0.0, 0.0]])
import tensorflow as tf


def gradient_penalty(critic, real, fake):
    alpha = tf.random.uniform([tf.shape(real)[0], 1], 0.0, 1.0)
    interpolated = real + alpha * (fake - real)
    with tf.GradientTape() as tape:
        tape.watch(interpolated)
        pred = critic(interpolated)
    grads = tape.gradient(pred, [interpolated])[0]
    norm = tf.norm(grads, axis=1)  # expect: NAN204
    return tf.reduce_mean((norm - 1.0) ** 2)


def critic_step(critic, opt, real, fake):
    with tf.GradientTape() as tape:
        loss = 10.0 * gradient_penalty(critic, real, fake)
    grads = tape.gradient(loss, critic.trainable_variables)
    opt.apply_gradients(zip(grads, critic.trainable_variables))
