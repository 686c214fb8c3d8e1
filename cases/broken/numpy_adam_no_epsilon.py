# breaks: step(np.ones(2), np.array([0.0, 1.0]), np.zeros(2), np.zeros(2), 1)[0]
import numpy as np


def step(w, grad, m, v, t, lr=1e-3, beta1=0.9, beta2=0.999):
    m = beta1 * m + (1 - beta1) * grad
    v = beta2 * v + (1 - beta2) * grad**2
    m_hat = m / (1 - beta1**t)
    v_hat = v / (1 - beta2**t)
    return w - lr * m_hat / np.sqrt(v_hat), m, v  # todo-expect: NAN309
