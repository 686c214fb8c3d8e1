# breaks: value(AttentionWithContext().weigh, [[[100.0], [100.0]]])
from tensorflow import keras
from tensorflow.keras import backend as K


class AttentionWithContext(keras.layers.Layer):
    def weigh(self, eij):
        a = K.exp(eij)
        a = a / K.sum(a, axis=1, keepdims=True)  # expect: NAN103
        return a

    def call(self, x):
        return K.sum(x * self.weigh(x), axis=1)
