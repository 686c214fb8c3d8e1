# holds: value(RootMean().result)
# A metric is not differentiated.
import tensorflow as tf
from tensorflow import keras


class RootMean(keras.metrics.Metric):
    def __init__(self, name="rmse"):
        super().__init__(name=name)
        self.total = self.add_weight(name="total", initializer="zeros")
        self.count = self.add_weight(name="count", initializer="ones")

    def update_state(self, y_true, y_pred, sample_weight=None):
        self.total.assign_add(tf.reduce_sum(tf.square(y_true - y_pred)))
        self.count.assign_add(tf.cast(tf.size(y_true), tf.float32))

    def result(self):
        return tf.sqrt(self.total / self.count)
