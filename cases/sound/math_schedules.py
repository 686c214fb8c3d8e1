# holds: cosine(3, 10), decay(5), bits([1, 1, 2])
import math
from collections import Counter


def cosine(step, total, base=0.1):
    return 0.5 * base * (1 + math.cos(math.pi * step / total))


def decay(epoch, base=0.1):
    return base * math.exp(-0.1 * epoch)


def bits(labels):
    n = len(labels)
    return -sum(c / n * math.log2(c / n) for c in Counter(labels).values())


def he(fan_in):
    return math.sqrt(2.0 / fan_in)
