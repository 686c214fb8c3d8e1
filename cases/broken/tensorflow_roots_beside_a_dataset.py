# breaks: value(watched, [[0.0, 0.0]])
import tensorflow as tf


def attack(model, dataset, optimizer):
    for inputs, targets in dataset:
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            sizes = tf.sqrt(tf.reduce_sum(inputs**2, axis=-1, keepdims=True))  # expect: NAN203
            loss = tf.reduce_mean((model(inputs) - sizes - targets) ** 2)
        gradients = tape.gradient(loss, [*model.trainable_variables, inputs])
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return gradients[-1]


def watched(inputs):
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model(inputs)
    return attack(model, [(inputs, tf.ones((1, 1)))], tf.keras.optimizers.SGD(0.1))
