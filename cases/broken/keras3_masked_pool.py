# breaks: value(lambda x: MaskedPool().call(x, mask=keras.ops.zeros((1, 2))), [[[1.0], [2.0]]])
import keras


class MaskedPool(keras.layers.Layer):
    def call(self, inputs, mask=None):
        mask = keras.ops.cast(keras.ops.expand_dims(mask, -1), "float32")
        total = keras.ops.sum(inputs * mask, axis=1)
        return total / keras.ops.sum(mask, axis=1)  # expect: NAN301 unsafe
