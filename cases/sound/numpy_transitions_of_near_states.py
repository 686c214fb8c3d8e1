"""Transitions between near states: each state goes to itself, so that no row adds up to 0."""

import numpy as np
import torch

STATES = 360
WIDEST = 35.92 * 160 / 16000 * 60 + 1


def triangular():
    here, there = np.meshgrid(range(STATES), range(STATES))
    weights = np.maximum(30 - abs(here - there), 0)
    return weights / weights.sum(axis=1, keepdims=True)


def of_tensors():
    here, there = torch.meshgrid(torch.arange(STATES), torch.arange(STATES), indexing="ij")
    weights = torch.clip(WIDEST - (here - there).abs(), 0)
    return weights / weights.sum(dim=1, keepdims=True)


def of_places(places):
    weights = np.maximum(1 - np.abs(places[:, None] - places[None, :]) / 5, 0)
    return weights / weights.sum(axis=1, keepdims=True)
