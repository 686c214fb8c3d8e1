# holds: gradient(lambda z: chosen_nll(z, tf.constant([1])), [[200.0, 0.0]])
import tensorflow as tf
from tensorflow import keras


def chosen_nll(logits, actions):
    return tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=actions, logits=logits)
    )


class Policy(keras.Model):
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = chosen_nll(self(x, training=True), y)
        grads = tape.gradient(loss, self.trainable_variables)
        grads = [g / (tf.norm(g) + 1e-8) for g in grads]
        self.optimizer.apply_gradients(zip(grads, self.trainable_variables))
        return {"loss": loss}
