"""Transitions to other states, and to such that are some steps away: the last have none."""

import numpy as np
import torch

STATES = 360


def from_fewer():
    here, there = np.meshgrid(range(STATES), range(2 * STATES))
    weights = np.maximum(30 - abs(here - there), 0)
    return weights / weights.sum(axis=1, keepdims=True)  # expect: NAN302 unsafe


def of_steps():
    here, there = torch.meshgrid(torch.arange(STATES), torch.arange(STATES), indexing="ij")
    weights = torch.clip(3 - (here - there - 40).abs(), 0)
    return weights / weights.sum(dim=1, keepdims=True)  # expect: NAN302 unsafe


def of_places(places, goals):
    weights = np.maximum(1 - np.abs(places[:, None] - goals[None, :]) / 5, 0)
    return weights / weights.sum(axis=1, keepdims=True)  # expect: NAN302 unsafe
