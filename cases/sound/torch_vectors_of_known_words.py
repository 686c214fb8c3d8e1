# holds: value(lambda x: sentence(["loss"], {"layer": [1.0, 2.0]}) + x, [1.0, 2.0])
import torch


def sentence(words, vectors):
    rows = [vectors[word] for word in words if word in vectors]
    if not rows:
        return torch.zeros(())
    return torch.tensor(rows).mean()
