import torch


def inverse(z, context):
    gate = torch.sigmoid(context)
    return z / gate, -torch.log(gate)
