# holds: log_add([1000.0, 999.0])
import math


def log_add(values):
    top = max(values)
    return top + math.log(sum(math.exp(v - top) for v in values))
