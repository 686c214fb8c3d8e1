"""PyTorch: autograd in eager mode, on the CPU or on CUDA."""

from __future__ import annotations

import sysconfig
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch._inductor.cpp_builder import get_cpp_compiler
from torch._inductor.exc import InvalidCxxCompiler
from torch.utils._triton import has_triton

from tests.verifier.frameworks import DTYPES, MODES
from tests.verifier.observation import PLAIN, Array, Inputs, Mode, Observed, Runner, Way, leaves


def _has_compiler() -> bool:
    """Whether TorchInductor finds what it compiles with: $CXX or g++, Python's header, Triton."""
    try:
        get_cpp_compiler()
    except InvalidCxxCompiler:
        return False
    has_header = Path(sysconfig.get_path("include"), "Python.h").is_file()
    return has_header and (has_triton() or not torch.cuda.is_available())


version: str = torch.__version__
modes = MODES["torch"] if _has_compiler() else (Mode.EAGER,)
dtypes = DTYPES["torch"]


def place(wanted: str) -> str:
    """The device that stands for `auto`, `cpu` or `cuda` here."""
    return "cuda" if wanted != "cpu" and torch.cuda.is_available() else "cpu"


def device_name(device: str) -> str:
    return torch.cuda.get_device_name() if device == "cuda" else "CPU"


def runner(function: Callable[..., Any], device: str, way: Way = PLAIN) -> Runner:
    if way.mode is Mode.COMPILED:
        function = torch.compile(function, fullgraph=True, dynamic=False)

    # That of all devices formats the stack for each kind that may come later.
    seed = torch.default_generator.manual_seed if device == "cpu" else torch.manual_seed

    def run(inputs: Inputs) -> Observed:
        seed(0)
        leaf = {name: _tensor(array, device, way.dtype) for name, array in inputs.items()}
        # An operation in place needs an operand that is no leaf; what the program makes is put
        # where its inputs are.
        with nullcontext() if device == "cpu" else torch.device(device):
            outputs = function(**{name: tensor.clone() for name, tensor in leaf.items()})
        tensors = [torch.as_tensor(output) for output in leaves(outputs)]
        return Observed(tuple(map(_array, tensors)), _gradients(tensors, leaf, way))

    return run


def _tensor(array: np.ndarray, device: str, dtype: str | None) -> torch.Tensor:
    tensor = torch.tensor(array, device=device)
    if dtype is not None and tensor.is_floating_point():
        tensor = tensor.to(getattr(torch, dtype))
    if tensor.dtype == torch.int32:
        return tensor.long()  # the type of labels and indices
    return tensor.requires_grad_() if tensor.is_floating_point() else tensor


def _gradients(
    outputs: list[torch.Tensor], inputs: dict[str, torch.Tensor], way: Way
) -> dict[str, Array]:
    sources = {name: tensor for name, tensor in inputs.items() if tensor.requires_grad}
    seeds = [
        (tensor, _seed(tensor, way.weight(place)))
        for place, tensor in enumerate(outputs)
        if tensor.requires_grad
    ]
    if not seeds or not sources:
        return {name: _array(torch.zeros_like(tensor)) for name, tensor in sources.items()}
    try:
        gradients = torch.autograd.grad(
            [target for target, _ in seeds],
            list(sources.values()),
            [seed for _, seed in seeds],
            allow_unused=True,
            materialize_grads=True,
        )
    except RuntimeError as error:
        if "modified by an inplace operation" not in str(error):
            raise
        return {}  # such code is for inference: autograd refuses it
    return dict(zip(sources, map(_array, gradients), strict=True))


def _seed(target: torch.Tensor, weights: np.ndarray | None) -> torch.Tensor:
    if weights is None:
        return torch.ones_like(target)
    return torch.tensor(weights, dtype=target.dtype, device=target.device)


def _array(tensor: torch.Tensor) -> Array:
    dtype = str(tensor.dtype).removeprefix("torch.")
    tensor = tensor.detach().cpu()
    return Array((tensor.float() if dtype == "bfloat16" else tensor).numpy(), dtype)
