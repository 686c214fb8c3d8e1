# breaks: gradient(opacity, [[30.0, 1.0], [-2.0, 4.0]])
import tensorflow as tf

SAMPLES = 3
field = tf.keras.layers.Dense(4, kernel_initializer="ones")
falling = tf.keras.initializers.Constant([[0.0, -50.0, -100.0], [0.0, -50.0, -100.0]])
moves = tf.keras.layers.Dense(SAMPLES, kernel_initializer=falling)


def opacity(directions, near=2.0, far=6.0):
    depth = tf.linspace(near, far, SAMPLES) + moves(directions)
    density = tf.nn.relu(field(directions)[..., 3:])
    gaps = depth[..., 1:] - depth[..., :-1]
    return tf.reduce_sum(1.0 - tf.exp(-density * gaps), -1)  # expect: NAN504 no-fix


def train(batches, optimizer):
    for directions, target in batches:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(opacity(directions) - target))
        gradients = tape.gradient(loss, field.trainable_variables)
        optimizer.apply_gradients(zip(gradients, field.trainable_variables))
