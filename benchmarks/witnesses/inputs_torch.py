"""Replaces tensors that a test creates by those of a kind of input."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from torch.overrides import TorchFunctionMode

from .inputs_numpy import MOST
from .kinds import Kind
from .places import Places

_DRAWN = {
    *("rand", "randn", "randint", "normal", "bernoulli", "ones", "zeros", "empty_like"),
    *("rand_like", "randn_like", "randint_like", "ones_like", "zeros_like"),
}
_BUILT = {
    *("tensor", "as_tensor", "asarray", "from_numpy", "full", "full_like", "linspace"),
    *("arange", "logspace", "eye"),
}
_BETWEEN = ("torch/overrides.py", "torch/functional.py")


class TorchInputs(TorchFunctionMode):
    """Tensors that tests draw or build are replaced by `kind`, and require gradients."""

    def __init__(self, kind: Kind, places: Places, rng: np.random.Generator) -> None:
        super().__init__()
        self._kind = kind
        self._places = places
        self._rng = rng
        self._patches = ExitStack()

    def __enter__(self) -> TorchInputs:
        from_numpy = torch.from_numpy

        def converted(array: Any) -> Any:
            made = from_numpy(array)
            return self._made("from_numpy", made, {}) if self._is_asked() else made

        self._patches.enter_context(patch.object(torch, "from_numpy", converted))
        self._patches.enter_context(patch("torch.autograd.gradcheck", _called_once))
        self._patches.enter_context(patch("torch.autograd.gradgradcheck", _called_once))
        super().__enter__()  # type: ignore[no-untyped-call]
        return self

    def __exit__(self, *exception: Any) -> None:
        super().__exit__(*exception)  # type: ignore[no-untyped-call]
        self._patches.close()

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Iterable[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        if name in ("numpy", "__array__") and isinstance(args[0], torch.Tensor):
            return func(args[0].detach(), *args[1:], **kwargs)
        if name == "__deepcopy__" and args[0].requires_grad and not args[0].is_leaf:
            return args[0].detach().clone().requires_grad_()
        result = func(*args, **kwargs)
        if (name in _DRAWN or name in _BUILT) and self._is_asked():
            return self._made(name, result, kwargs)
        return result

    def _is_asked(self) -> bool:
        return self._places.is_called_by_test(sys._getframe(2), _BETWEEN)

    def _made(self, name: str, tensor: Any, options: dict[str, Any]) -> Any:
        """Return `tensor` changed by the kind; it is a leaf only if the test asks for one.

        Tests write into tensors that they have drawn, which autograd forbids for leaves.
        """
        if type(tensor) is not torch.Tensor or tensor.layout is not torch.strided:
            return tensor
        if tensor.is_complex() or not 0 < tensor.numel() <= MOST or options.get("out") is not None:
            return tensor
        with torch._C.DisableTorchFunction(), torch.no_grad():
            made = self._changed(tensor.detach(), drawn=name in _DRAWN)
        if not made.is_floating_point():
            return made
        made.requires_grad_()
        return made if options.get("requires_grad") or not torch.is_grad_enabled() else made.clone()

    def _changed(self, tensor: torch.Tensor, *, drawn: bool) -> torch.Tensor:
        if self._kind.name == "as-is":
            return tensor
        dtype = tensor.dtype
        narrow = dtype.is_floating_point and dtype not in (torch.float32, torch.float64)
        array = (tensor.float() if narrow else tensor).cpu().numpy()
        changed = self._kind.applied(array, self._rng, drawn=drawn)
        made = torch.from_numpy(np.ascontiguousarray(changed).reshape(changed.shape))
        return made if changed.dtype != array.dtype else made.to(dtype)


Inputs = TorchInputs


def _called_once(function: Callable[..., Any], inputs: Any, *_: Any, **__: Any) -> bool:
    """Replaces `gradcheck`, which calls a function many times for each input."""
    function(*(inputs if isinstance(inputs, (tuple, list)) else (inputs,)))
    return True
