# breaks: gradient(loss, [[0.0, 1.0], [-1.0, 4.0]], [[1.0, 2.0], [3.0, 4.0]])
# breaks: gradient(penalty, [[0.0, 1.0], [-1.0, 4.0]], [[1.0, 2.0], [3.0, 4.0]])
import tensorflow as tf


def loss(variances, draws):
    deviations = tf.math.sqrt(tf.nn.relu(variances))  # expect: NAN203
    deviations = tf.where(deviations >= 0.0, deviations, 0.0)
    return tf.reduce_sum(deviations * draws)


def penalty(variances, draws):
    deviations = tf.math.sqrt(tf.nn.relu(variances))  # expect: NAN203
    kept = tf.where(deviations > 0.0, deviations, 0.0)
    return tf.reduce_sum(kept * draws) + tf.reduce_sum(deviations)


def train(model, batches):
    optimizer = tf.keras.optimizers.Adam(1e-3)
    for x in batches:
        with tf.GradientTape() as tape:
            states = model(x)
            value = loss(states, tf.random.normal([2, 2])) + penalty(states, x)
        weights = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(value, weights), weights))
