import tensorflow as tf


class Categorical:
    def __init__(self, logits):
        self.logits = logits

    def sample(self):
        u = tf.random.uniform(tf.shape(self.logits))
        return tf.argmax(self.logits - tf.math.log(-tf.math.log(u)), axis=-1)


def check(draws):
    categorical = Categorical(tf.tile(tf.constant([[-0.2, 0.3, 0.5]]), [draws, 1]))
    print(categorical.sample())
