# holds: gradient(lambda z: SoftLabel().call(ops.ones((1, 2)), z), [[200.0, 0.0]])
import keras
from keras import ops


class SoftLabel(keras.losses.Loss):
    def call(self, y_true, logits):
        return -ops.sum(y_true * ops.log_softmax(logits, axis=-1), axis=-1)
