# breaks: gradient(lambda v: sampling([K.zeros((1, 1)), v]), [[-220.0]])
from tensorflow.keras import backend as K


def sampling(args):
    z_mean, z_log_var = args
    epsilon = K.random_normal(shape=K.shape(z_mean))
    return z_mean + K.sqrt(K.exp(z_log_var)) * epsilon  # expect: NAN118
