import gpflow
import tensorflow as tf
from gpflow import transforms
from gpflow.params import Parameter, params_as_tensors


class Regression(gpflow.models.Model):
    def __init__(self):
        super().__init__()
        self.variance = Parameter(0.05)
        self.noise = Parameter(0.05, transform=transforms.Identity())
        self.scale = Parameter(0.05, name="scale")

    @params_as_tensors
    def _build_likelihood(self):
        deviation = tf.sqrt(self.variance)  # expect: NAN207 no-fix
        deviation += tf.sqrt(self.noise)  # expect: NAN207 no-fix
        return deviation + tf.sqrt(self.scale)  # expect: NAN207 no-fix
