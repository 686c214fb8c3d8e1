# holds: gradient(loss, [[0.0, 1.0], [0.6, 0.4]])
import keras
from keras import ops


def power_loss(y_true, y_pred, q):
    labels = ops.one_hot(ops.cast(y_true, "int32"), 2)
    chosen = ops.sum(y_pred * labels, axis=-1)
    return (1 - ops.power(chosen, q)) / q


class FunctionLoss(keras.losses.Loss):
    def __init__(self, function, **settings):
        super().__init__()
        self.function = function
        self.settings = settings

    def call(self, y_true, y_pred):
        return self.function(y_true, y_pred, **self.settings)


class PowerLoss(FunctionLoss):
    def __init__(self, q=2.0):
        if q < 1:
            raise ValueError("q must not be below 1")
        super().__init__(power_loss, q=q)


def loss(y_pred):
    return PowerLoss()(ops.convert_to_tensor([0, 1]), y_pred)
