# breaks: gradient(activations["softplus"], [100.0])
import torch

activations = {
    "relu": torch.relu,
    "softplus": lambda x: torch.log(1 + torch.exp(x)),  # expect: NAN105
}


def forward(x, w, name="softplus"):
    return activations[name](x @ w)
