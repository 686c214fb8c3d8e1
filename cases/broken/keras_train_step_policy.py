# breaks: gradient(lambda z: chosen_nll(z, tf.constant([1])), [[200.0, 0.0]])
import tensorflow as tf
from tensorflow import keras


def chosen_nll(logits, actions):
    probs = tf.nn.softmax(logits)
    picked = tf.gather(probs, actions, batch_dims=1)
    return -tf.reduce_mean(tf.math.log(picked))  # expect: NAN101


class Policy(keras.Model):
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = chosen_nll(self(x, training=True), y)
        grads = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.trainable_variables))
        return {"loss": loss}
