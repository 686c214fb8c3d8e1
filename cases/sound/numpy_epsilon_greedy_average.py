# holds: run()
import numpy as np


def run(steps=20, arms=3, epsilon=0.1):
    q, n = np.zeros(arms), np.zeros(arms)
    for t in range(1, steps):
        a = np.random.randint(arms) if np.random.rand() < epsilon else int(np.argmax(q))
        n[a] += 1
        q[a] += (np.random.randn() - q[a]) / n[a]
    ucb = q + np.sqrt(2 * np.log(steps) / (n + 1e-5))
    return q, ucb
