# breaks: softmax([1000.0, 1000.0])
import math


def softmax(scores):
    exps = [math.exp(s) for s in scores]
    total = sum(exps)
    return [e / total for e in exps]  # expect: NAN103 no-fix
