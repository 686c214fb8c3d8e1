# breaks: gradient(length, [[0.0, 0.0]])
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Lambda


def length(v):
    squared = K.sum(K.square(v), axis=-1)
    return K.switch(K.equal(squared, 0.0), K.zeros_like(squared), K.log(squared))  # expect: NAN401


layer = Lambda(length)
