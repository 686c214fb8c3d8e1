# breaks: value(scores, [[1.0, 2.0, 3.0]], [[1.0, 1.0, 0.0]])
import keras
from keras import layers, ops

keras.mixed_precision.set_global_policy("mixed_float16")


class MaskedScores(layers.Layer):
    def __init__(self, heads):
        super().__init__()
        self.heads = heads
        self.both = layers.Dense(2 * 3)

    def _by_head(self, t):
        return ops.reshape(t, (-1, 3))

    def call(self, x, mask):
        q, k = (self._by_head(t) for t in ops.split(self.both(x), 2, axis=-1))
        score = ops.multiply(q, k)
        keep = ops.cast(mask, score.dtype)
        return score + (1.0 - keep) * -1e9  # expect: NAN503 unsafe


def scores(x, mask):
    layer = MaskedScores(1)
    keras.mixed_precision.set_global_policy("float32")
    return layer(x, mask)
