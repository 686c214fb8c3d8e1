# breaks: value(lambda x: nll(Model(), x, x), [[1e4, 1e4], [1e4, -1e4], [-1e4, 1e4], [-1e4, -1e4]])
import tensorflow as tf

tf.random.set_seed(0)


class Model(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.heads = {"mean": tf.keras.layers.Dense(1), "log_variance": tf.keras.layers.Dense(1)}

    def call(self, x):
        return {name: head(x) for name, head in self.heads.items()}


def nll(model, x, y):
    given = model(x)
    errors = (y[:, :1] - given["mean"]) ** 2
    spread = given["log_variance"]
    return tf.reduce_mean(errors * tf.exp(-spread) + spread)  # expect: NAN504 no-fix


def step(model, optimizer, x, y):
    with tf.GradientTape() as tape:
        loss = nll(model, x, y)
    optimizer.apply_gradients(zip(tape.gradient(loss, model.variables), model.variables))


def train(batches, optimizer):
    model = Model()
    for x, y in batches:
        step(model, optimizer, x, y)
