# breaks: gradient(lambda z: make_loss(lambda x: tf.nn.softmax(z))(0.0, [1.0, 0.0]), [0.0, 300.0])
# The function that is returned computes with what the one around it was given.
import tensorflow as tf


class Head(tf.keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.dense = tf.keras.layers.Dense(4)

    def call(self, x):
        return tf.nn.softmax(self.dense(x))


def make_loss(model):
    def loss(x, y):
        return -tf.reduce_sum(y * tf.math.log(model(x)), -1)  # expect: NAN101 no-fix

    return loss


def make_step(model, optimizer):
    loss = make_loss(model)

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            value = tf.reduce_mean(loss(x, y))
        gradients = tape.gradient(value, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))

    return step


step = make_step(Head(), tf.keras.optimizers.Adam())
