# breaks: gradient(lambda x: reinforce(x, torch.tensor([[1]]), torch.tensor([1.0])), [[200.0, 0.0]])
import torch
import torch.nn.functional as F


def reinforce(logits, actions, returns):
    probs = F.softmax(logits, dim=-1)
    logp = torch.log(probs.gather(1, actions)).squeeze(1)  # expect: NAN101
    return -(logp * returns).mean()
