"""The share of a mask decides a scale; no gradient flows into a mask, and its share is 1 at most."""

# holds: value(lambda x: scale({"mask": x > 0}), [1.0, 0.0])
import torch


def scale(batch):
    share = torch.mean(batch["mask"].float().view(1, -1), dim=1)
    return 1 / (1 + ((share - 0.8) * 8).exp())


class Model(torch.nn.Module):
    def prepare(self, batch):
        self.mask = batch["mask"]

    def scale(self):
        share = torch.mean(self.mask.view(self.mask.size(0), -1), dim=1)
        return 1 / (1 + ((share - 0.8) * 8).exp())
