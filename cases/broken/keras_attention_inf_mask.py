# breaks: value(lambda s: MaskedAttention().call([s, K.ones((1, 2))]), [[1.0, 2.0]])
import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Layer


class MaskedAttention(Layer):
    def call(self, inputs):
        scores, mask = inputs
        scores = scores + (1.0 - mask) * -np.inf  # expect: NAN404 no-fix
        return tf.nn.softmax(scores, axis=-1)
