"""Projects of TensorFlow."""

from __future__ import annotations

from tests.called import Called

PROJECTS = (
    Called(
        "root of a variance that starts at zero",
        "tensorflow",
        """
        def deviation(variance):
            return tf.sqrt(variance)  # expect: NAN203
        """,
        """
        from lib import deviation

        def result():
            variance = tf.Variable(tf.zeros((3,)))  # sound: variance = tf.Variable(tf.ones((3,)))
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(deviation(variance))
            return [tape.gradient(loss, variance)]
        """,
    ),
    Called(
        "mean of what is selected",
        "tensorflow",
        """
        def average(values, weight):
            return tf.reduce_sum(values * weight) / tf.reduce_sum(weight)  # expect: NAN302
        """,
        """
        import lib

        def result():
            values, labels = tf.ones((3,)), tf.zeros((3,))
            chosen = tf.cast(labels > 0, tf.float32)  # sound: chosen = tf.exp(labels)
            return [lib.average(values, chosen)]
        """,
    ),
    Called(
        "log of rectified activations in a layer",
        "tensorflow",
        """
        class Compress(tf.keras.layers.Layer):
            def call(self, x):
                return tf.math.log(x)  # expect: NAN201
        """,
        """
        from lib import Compress

        def result():
            layer = Compress()
            x = tf.constant([[-1.0, 2.0]])
            return [layer(tf.nn.relu(x))]  # sound: return [layer(tf.nn.relu(x) + 1.0)]
        """,
    ),
    Called(
        "angle of a saturated tanh",
        "tensorflow",
        """
        def angle(c):
            return tf.acos(c)  # expect: NAN208
        """,
        """
        from lib import angle

        def result():
            x = tf.Variable([50.0])
            with tf.GradientTape() as tape:
                loss = bend(x)
            return [tape.gradient(loss, x)]

        def bend(x):
            return angle(tf.tanh(x))  # sound: return angle(0.9 * tf.tanh(x))
        """,
    ),
    Called(
        "keyword through a second file",
        "tensorflow",
        """
        def quotient(a, b):
            return a / b  # expect: NAN309
        """,
        """
        from between import relative

        def result():
            x = tf.constant([0.0, 1.0])
            y = tf.nn.relu(-x)  # sound: y = tf.exp(0.1 * tf.tanh(x))
            return [relative(x, to=y)]
        """,
        """
        from lib import quotient

        def relative(x, to):
            return quotient(a=x, b=to)
        """,
    ),
)
