# breaks: value(Replay().probabilities, [0.0, 0.0])
import numpy as np


class Replay:
    alpha = 0.6

    def probabilities(self, td_errors):
        p = np.abs(td_errors) ** self.alpha
        return p / p.sum()  # expect: NAN302 unsafe
