# breaks: gradient(steep_sigmoid, [-100.0])
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Activation


def steep_sigmoid(x):
    return 1 / (1 + K.exp(-5.0 * x))  # expect: NAN106


activation = Activation(steep_sigmoid)
