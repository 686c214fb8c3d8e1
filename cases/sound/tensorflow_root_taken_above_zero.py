# holds: gradient(loss, [[0.0, 1.0], [-1.0, 4.0]], [[1.0, 2.0], [3.0, 4.0]])
import tensorflow as tf


def loss(variances, draws):
    deviations = tf.math.sqrt(tf.nn.relu(variances))
    # the gradient of the root is infinite at 0
    deviations = tf.where(deviations > 0.0, deviations, 0.0)
    return tf.reduce_sum(deviations * draws)


def train(model, batches):
    optimizer = tf.keras.optimizers.Adam(1e-3)
    for x in batches:
        with tf.GradientTape() as tape:
            value = loss(model(x), tf.random.normal([2, 2]))
        weights = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(value, weights), weights))
