# breaks: value(lambda x: sentence(["loss"], {"layer": [1.0, 2.0]}) + x, [1.0, 2.0])
import torch


def sentence(words, vectors):
    return torch.tensor([vectors[word] for word in words if word in vectors]).mean()  # expect: NAN307 no-fix
