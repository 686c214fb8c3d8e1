"""Projects of NumPy."""

from __future__ import annotations

from tests.called import Called

PROJECTS = (
    Called(
        "frequencies of a histogram",
        "numpy",
        """
        def rarity(found, total):
            return total / found  # expect: NAN306
        """,
        """
        from lib import rarity

        def result():
            seen = np.array([0, 2])
            times = np.bincount(seen, minlength=3)
            return [rarity(times, 2)]  # sound: return [rarity(1 + times, 2)]
        """,
    ),
    Called(
        "log of one-hot rows",
        "numpy",
        """
        def surprise(p):
            return -np.log(p)  # expect: NAN201
        """,
        """
        from lib import surprise

        def result():
            labels = np.eye(3)[[0, 2]]  # sound: labels = np.eye(3)[[0, 2]] + 0.1
            return [surprise(labels)]
        """,
    ),
    Called(
        "quotient of an indicator",
        "numpy",
        """
        def lift(a, b):
            return a / b  # expect: NAN309
        """,
        """
        from lib import lift

        def result():
            x = np.array([1.0, -1.0])
            positive = np.maximum(x, 0)  # sound: positive = np.maximum(x, 0.5)
            return [lift(x, positive)]
        """,
    ),
    Called(
        "reciprocal of indicators through a second file",
        "numpy",
        """
        def inverse(weight):
            return 1.0 / weight  # expect: NAN309
        """,
        """
        from between import balanced

        def result():
            return [balanced(np.eye(3)[0])]  # sound: return [balanced(np.full(3, 2.0))]
        """,
        """
        import lib

        def balanced(share):
            scaled = 2 * share
            return lib.inverse(scaled)
        """,
    ),
    Called(
        "scale of the constructor",
        "numpy",
        """
        class Scaler:
            def __init__(self, scale):
                self.scale = scale

            def apply(self, x):
                return x / self.scale  # expect: NAN309
        """,
        """
        from lib import Scaler

        def result():
            scaler = Scaler(np.zeros(3))  # sound: scaler = Scaler(np.ones(3))
            return [scaler.apply(np.ones(3))]
        """,
    ),
)
