# breaks: normalise([1000.0, 1000.0])
import math


def normalise(z):
    total = 0.0
    for item in z:
        total += math.exp(item)
    out = []
    for item in z:
        out.append(math.exp(item) / total)  # expect: NAN103 no-fix
    return out
