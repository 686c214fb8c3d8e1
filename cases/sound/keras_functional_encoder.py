"""The same with an activation that bounds the log-variance."""

# holds: value(lambda x: vae.divergence(x), [[-100.0, 1.0]])
import keras
import tensorflow as tf
from keras import layers, ops

inputs = keras.Input(shape=(2,))
mean = layers.Dense(2, name="mean")(inputs)
logvar = layers.Dense(2, name="logvar", activation="tanh", kernel_initializer=keras.initializers.Constant(-1.0))(inputs)
encoder = keras.Model(inputs, [mean, logvar], name="encoder")


class VAE(keras.Model):
    def __init__(self, encoder, decoder):
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder

    def divergence(self, data):
        mean, logvar = self.encoder(data)
        return -0.5 * ops.mean(1 + logvar - ops.square(mean) - ops.exp(logvar))

    def train_step(self, data):
        with tf.GradientTape() as tape:
            mean, logvar = self.encoder(data)
            z = mean + ops.exp(0.5 * logvar) * keras.random.normal(ops.shape(mean))
            loss = ops.mean((self.decoder(z) - data) ** 2) + self.divergence(data)
        gradients = tape.gradient(loss, self.trainable_weights)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_weights, strict=True))
        return {"loss": loss}


vae = VAE(encoder, keras.Sequential([layers.Dense(2)]))
if __name__ == "__main__":
    vae.compile(optimizer="adam")
    vae.fit(tf.random.normal((8, 2)), epochs=1, verbose=0)
