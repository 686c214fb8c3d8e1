# holds: value(lambda e: batch_all(tf.constant([0, 0, 1, 1]), e), [[0.0], [0.1], [9.0], [9.1]])
import tensorflow as tf


def squared_distances(e):
    products = tf.matmul(e, e, transpose_b=True)
    lengths = tf.linalg.diag_part(products)
    return tf.maximum(lengths[:, None] - 2.0 * products + lengths[None, :], 0.0)


def batch_all(labels, e, margin=0.2):
    distances = squared_distances(e)
    same = tf.equal(labels[:, None], labels[None, :])
    others = tf.logical_not(tf.cast(tf.eye(tf.shape(labels)[0]), tf.bool))
    positive = tf.cast(tf.logical_and(same, others), tf.float32)
    negative = tf.cast(tf.logical_not(same), tf.float32)
    valid = positive[:, :, None] * negative[:, None, :]
    losses = tf.nn.relu(distances[:, :, None] - distances[:, None, :] + margin) * valid
    active = tf.reduce_sum(tf.cast(losses > 0, tf.float32))
    return tf.reduce_sum(losses) / tf.maximum(active, 1.0)


def train(batches):
    net, optimizer = tf.keras.layers.Dense(4), tf.keras.optimizers.Adam()
    for x, labels in batches:
        with tf.GradientTape() as tape:
            loss = batch_all(labels, net(x))
        variables = net.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
