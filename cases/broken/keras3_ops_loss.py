# breaks: gradient(lambda z: SoftLabel().call(ops.ones((1, 2)), z), [[200.0, 0.0]])
import keras
from keras import ops


class SoftLabel(keras.losses.Loss):
    def call(self, y_true, logits):
        p = ops.softmax(logits, axis=-1)
        return -ops.sum(y_true * ops.log(p), axis=-1)  # expect: NAN101
