# breaks: gradient(Gan().penalty, [[0.0, 0.0]])
import tensorflow as tf


class Gan(tf.keras.Model):
    def penalty(self, gradients):
        norm = tf.norm(gradients, axis=-1)  # expect: NAN204
        return tf.reduce_mean(tf.square(norm - 1.0))

    def gradients_of(self, x):
        with tf.GradientTape() as inner:
            inner.watch(x)
            score = self.critic(x)
        return inner.gradient(score, x)

    def train_step(self, x):
        with tf.GradientTape() as tape:
            loss = self.penalty(self.gradients_of(x))
        self.optimizer.apply_gradients(zip(tape.gradient(loss, self.weights), self.weights))
