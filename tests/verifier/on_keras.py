"""Keras: its operations are those of its backend, and so is their differentiation."""

from __future__ import annotations

import os
from importlib import import_module

os.environ.setdefault("KERAS_BACKEND", "tensorflow")

import keras

_backend = import_module(f"tests.verifier.on_{keras.config.backend()}")

version: str = f"{keras.__version__} on {keras.config.backend()}"
place = _backend.place
device_name = _backend.device_name
runner = _backend.runner
modes = _backend.modes
dtypes = _backend.dtypes
