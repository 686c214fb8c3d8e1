# breaks: value(hard_examples, [0.1, 0.2])
import torch


def hard_examples(loss, threshold=0.5):
    hard = loss > threshold
    return loss[hard].mean()  # expect: NAN307 no-fix
