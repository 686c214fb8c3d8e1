# breaks: gradient(Siamese().contrast, [[0.0, 0.0]], [[0.0, 0.0]])
import tensorflow as tf


class EuclideanMixin:
    def euclidean(self, a, b):
        return tf.norm(a - b, axis=-1)  # expect: NAN204


class Siamese(EuclideanMixin, tf.keras.Model):
    def contrast(self, a, b):
        return tf.reduce_mean(self.euclidean(a, b))

    def train_step(self, data):
        a, b = data
        with tf.GradientTape() as tape:
            loss = self.contrast(a, b)
        grads = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.trainable_variables))
        return {"loss": loss}
