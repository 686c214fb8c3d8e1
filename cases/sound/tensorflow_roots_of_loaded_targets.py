# holds: value(learned, [[0.0, 0.0], [1.0, 2.0]])
import tensorflow as tf


def train(model, dataset, optimizer):
    for inputs, targets in dataset:
        with tf.GradientTape() as tape:
            sizes = tf.sqrt(tf.reduce_sum(targets**2, axis=-1, keepdims=True))
            loss = tf.reduce_mean((model(inputs) - sizes) ** 2)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))


def learned(targets):
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model(tf.ones((2, 2)))
    train(model, [(tf.ones((2, 2)), targets)], tf.keras.optimizers.SGD(0.1))
    return model.trainable_variables[0]
