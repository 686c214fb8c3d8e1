# holds: value(lambda x: MaskedPool().call(x, mask=keras.ops.zeros((1, 2))), [[[1.0], [2.0]]])
import keras
from keras import ops


class MaskedPool(keras.layers.Layer):
    def call(self, inputs, mask=None):
        mask = ops.cast(ops.expand_dims(mask, -1), inputs.dtype)
        return ops.sum(inputs * mask, axis=1) / ops.maximum(ops.sum(mask, axis=1), 1.0)
