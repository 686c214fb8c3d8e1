# breaks: value(lambda x: -tf.math.log(Gate()(x)), [[1e4, 1e4], [1e4, -1e4], [-1e4, 1e4], [-1e4, -1e4]])
import tensorflow as tf

tf.random.set_seed(0)


class Gate(tf.keras.Sequential):
    def __init__(self):
        super().__init__([tf.keras.layers.Dense(1), tf.keras.layers.Activation("sigmoid")])


def train(batches, optimizer):
    gate = Gate()
    for x in batches:
        with tf.GradientTape() as tape:
            loss = -tf.reduce_mean(tf.math.log(gate(x)))  # expect: NAN102 no-fix
        gradients = tape.gradient(loss, gate.trainable_variables)
        optimizer.apply_gradients(zip(gradients, gate.trainable_variables))
