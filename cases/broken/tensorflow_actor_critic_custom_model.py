# breaks: value(lambda z: Agent.policy_loss(z, tf.constant([1]), tf.ones([1])), [[200.0, 0.0]])
import tensorflow as tf


class Agent(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden = tf.keras.layers.Dense(32, activation="relu")
        self.logits = tf.keras.layers.Dense(2)

    def call(self, x):
        return self.logits(self.hidden(x))

    @staticmethod
    def policy_loss(logits, actions, returns):
        probs = tf.nn.softmax(logits)
        chosen = tf.gather(probs, actions, axis=1, batch_dims=1)
        return -tf.reduce_sum(tf.math.log(chosen) * returns)  # expect: NAN101
