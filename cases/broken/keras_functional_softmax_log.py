# breaks: value(lambda x: loss([[1.0, 0.0]], model(x)), [[1000.0]])
from tensorflow import keras
from tensorflow.keras import layers
from tensorflow.keras import backend as K

inputs = keras.Input(shape=(1,))
x = layers.Dense(2, kernel_initializer=keras.initializers.Constant([[1.0, -1.0]]))(inputs)
outputs = layers.Softmax()(x)
model = keras.Model(inputs, outputs)


def loss(y_true, y_pred):
    return -K.sum(y_true * K.log(y_pred), axis=-1)  # expect: NAN202 no-fix


model.compile(optimizer="adam", loss=loss)
