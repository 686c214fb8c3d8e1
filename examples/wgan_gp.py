"""WGAN with a gradient penalty: wherever the critic is flat, its gradient is the zero vector."""

import tensorflow as tf


class WGAN(tf.keras.Model):
    def __init__(self, generator, critic, penalty_weight=10.0):
        super().__init__()
        self.generator = generator
        self.critic = critic
        self.penalty_weight = penalty_weight

    def gradient_penalty(self, real, fake):
        mix = tf.random.uniform([tf.shape(real)[0], 1, 1, 1])
        between = mix * real + (1 - mix) * fake
        with tf.GradientTape() as tape:
            tape.watch(between)
            score = self.critic(between, training=True)
        gradients = tape.gradient(score, between)
        flat = tf.reshape(gradients, [tf.shape(real)[0], -1])
        slopes = tf.norm(flat, axis=-1)
        return tf.reduce_mean(tf.square(slopes - 1))

    def train_step(self, real):
        noise = tf.random.normal([tf.shape(real)[0], 128])
        with tf.GradientTape() as tape:
            fake = self.generator(noise, training=True)
            wasserstein = tf.reduce_mean(self.critic(fake)) - tf.reduce_mean(self.critic(real))
            loss = wasserstein + self.penalty_weight * self.gradient_penalty(real, fake)
        weights = self.critic.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
        return {"critic_loss": loss}
