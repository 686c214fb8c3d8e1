# holds: gradient(steep_sigmoid, [-100.0])
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Activation


def steep_sigmoid(x):
    return K.sigmoid(5.0 * x)


activation = Activation(steep_sigmoid)
