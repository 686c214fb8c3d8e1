# breaks: gradient(rmse, [1.0], [1.0])
from tensorflow.keras import backend as K
from tensorflow.keras.layers import Dense
from tensorflow.keras.models import Sequential


def rmse(y_true, y_pred):
    return K.sqrt(K.mean(K.square(y_pred - y_true)))  # expect: NAN203


model = Sequential([Dense(8, activation="relu"), Dense(1)])
model.compile(optimizer="adam", loss=rmse)
