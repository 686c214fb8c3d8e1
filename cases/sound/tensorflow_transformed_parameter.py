import gpflow
import tensorflow as tf
from gpflow import Param, transforms
from gpflow.params import Parameter, params_as_tensors
from gpflow.utilities import positive


class Regression(gpflow.models.Model):
    def __init__(self):
        super().__init__()
        self.variance = Parameter(0.05, transform=transforms.positive)
        self.noise = Param(0.05, transforms.Log1pe())
        self.scale = gpflow.Parameter(0.05, transform=positive())

    @params_as_tensors
    def _build_likelihood(self):
        deviation = tf.sqrt(self.variance) + tf.sqrt(self.noise)
        return deviation + tf.sqrt(self.scale)
