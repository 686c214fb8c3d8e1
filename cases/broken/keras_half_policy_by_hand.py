"""What a training loop computes itself stays in the policy's float16, where 1e-10 is 0."""

# breaks: value(lambda x: surprise(tf.cast(x, tf.float16)), [[1.0, 0.0]])
import keras
import tensorflow as tf
from keras import layers, ops

keras.mixed_precision.set_global_policy("mixed_float16")
inputs = keras.Input((4,))
model = keras.Model(inputs, layers.Dense(2, activation="softmax")(inputs))
optimizer = keras.optimizers.Adam()


def surprise(shares):
    return -ops.mean(ops.log(shares + 1e-10))  # expect: NAN502 no-fix


def step(x):
    with tf.GradientTape() as tape:
        loss = surprise(model(x))
    slopes = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(slopes, model.trainable_variables))


if __name__ == "__main__":
    step(tf.zeros((8, 4)))
keras.mixed_precision.set_global_policy("float32")
