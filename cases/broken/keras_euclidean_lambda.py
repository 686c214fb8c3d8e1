# breaks: gradient(lambda a: euclidean_distance([a, a]), [[1.0, 2.0]])
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Input, Lambda
from tensorflow.keras.models import Model


def euclidean_distance(vects):
    x, y = vects
    return K.sqrt(K.sum(K.square(x - y), axis=1, keepdims=True))  # expect: NAN203


def siamese(base):
    a, b = Input((8,)), Input((8,))
    distance = Lambda(euclidean_distance)([base(a), base(b)])
    return Model([a, b], distance)
