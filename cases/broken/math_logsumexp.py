# breaks: log_add([1000.0, 999.0])
import math


def log_add(values):
    return math.log(sum(math.exp(v) for v in values))  # expect: NAN104 no-fix


def softplus(x):
    return math.log(1 + math.exp(x))  # expect: NAN105
