"""PyTorch: every name under `torch`, the methods of its tensors, and its layers.

Functions come before methods, and `torch.X` before the same function in another module.
"""

from __future__ import annotations

from typing import Final

from mllint_nan.frameworks.signature import Signature, declare
from mllint_nan.frameworks.torch_arrays import ALONG, CONSTANTS, LINEAR_ALGEBRA, REDUCTIONS, VIEWS
from mllint_nan.frameworks.torch_names import layer, method
from mllint_nan.frameworks.torch_pointwise import (
    ACTIVATIONS,
    ARITHMETIC,
    COMPARISONS,
    FUNCTIONS,
    INPLACE_FUNCTIONS,
    SELECTION,
)

_NLL: Final = "weight ?size_average ignore_index ?reduce reduction"
_BCE: Final = "weight ?size_average ?reduce reduction"

_LOSSES: Final = (
    *declare(
        "cross_entropy",
        "torch.nn.functional.cross_entropy",
        f"logits=input labels=target {_NLL} label_smoothing",
    ),
    *layer("cross_entropy", "CrossEntropyLoss", f"{_NLL} label_smoothing"),
    *declare("nll_loss", "torch.nn.functional.nll_loss", f"logits=input labels=target {_NLL}"),
    *layer("nll_loss", "NLLLoss", _NLL),
    *declare(
        "ctc_loss",
        "torch.nn.functional.ctc_loss",
        "logits=log_probs labels=targets lengths=input_lengths label_lengths=target_lengths"
        " blank reduction zero_infinity",
    ),
    *layer("ctc_loss", "CTCLoss", "blank reduction zero_infinity"),
    *declare(
        "binary_cross_entropy",
        "torch.nn.functional.binary_cross_entropy",
        f"x=input labels=target {_BCE}",
    ),
    *layer("binary_cross_entropy", "BCELoss", _BCE),
    *declare(
        "binary_cross_entropy_with_logits",
        "torch.nn.functional.binary_cross_entropy_with_logits",
        f"logits=input labels=target {_BCE} pos_weight",
    ),
    *layer("binary_cross_entropy_with_logits", "BCEWithLogitsLoss", f"{_BCE} pos_weight"),
    *declare(
        "mse",
        "torch.nn.functional.mse_loss",
        "x=input y=target ?size_average ?reduce reduction ?weight",
    ),
    *layer("mse", "MSELoss", "?size_average ?reduce reduction"),
    *declare(
        "l1",
        "torch.nn.functional.l1_loss",
        "x=input y=target ?size_average ?reduce reduction ?weight",
    ),
    *layer("l1", "L1Loss", "?size_average ?reduce reduction"),
    *declare(
        "smooth_l1",
        "torch.nn.functional.smooth_l1_loss",
        "x=input y=target ?size_average ?reduce reduction -beta",
    ),
    *layer("smooth_l1", "SmoothL1Loss", "?size_average ?reduce reduction -beta"),
    *declare(
        "smooth_l1", "torch.nn.functional.huber_loss", "x=input y=target reduction -delta ?weight"
    ),
    *layer("smooth_l1", "HuberLoss", "reduction -delta"),
)

_DIFFERENTIATION: Final = (
    # `grad_outputs` weighs the outputs: the result is still some gradient of them.
    *declare(
        "gradient",
        "torch.autograd.grad",
        "target=outputs sources=inputs -grad_outputs -retain_graph create_graph -only_inputs"
        " -allow_unused -is_grads_batched -materialize_grads",
        render=False,
    ),
)

SPELLINGS: Final[tuple[Signature, ...]] = (
    *ARITHMETIC,
    *FUNCTIONS,
    *ACTIVATIONS,
    *INPLACE_FUNCTIONS,
    *SELECTION,
    *REDUCTIONS,
    *ALONG,
    *COMPARISONS,
    *LINEAR_ALGEBRA,
    *VIEWS,
    *CONSTANTS,
    *_LOSSES,
    *_DIFFERENTIATION,
)

OLDER: Final[tuple[Signature, ...]] = (
    # Without `p` the norm over two axes is a matrix's, which has no gradient at 0.
    *declare(
        "norm",
        "torch.norm",
        "x=input axis=dim keepdims=keepdim",
        fixed={"ord": 2},
        extra="p=2",
    ),
    *declare("square", "torch.pow", "x=input", extra="2"),
    *declare("square", "pow", "x=self", extra="2", method=True),
    *(
        signature
        for operation in ("var", "std")
        for is_method in (False, True)
        for signature in declare(
            operation,
            operation if is_method else f"torch.{operation}",
            "x=input axis=dim keepdims=keepdim",
            fixed={"correction": 0},
            extra="unbiased=False",
            method=is_method,
        )
    ),
)
"""What a fix writes if a version that the project allows has none of the usual spellings."""

_AUTOGRAD: Final = "torch.autograd torch.autograd.anomaly_mode"
_TRAINERS: Final = (
    "pytorch_lightning lightning lightning.pytorch pytorch_lightning.trainer"
    " pytorch_lightning.trainer.trainer lightning.pytorch.trainer.trainer"
)


def _members(modules: str, names: str) -> str:
    return " ".join(f"{module}.{name}" for module in modules.split() for name in names.split())


_ON: Final = {"enabled": True}
_CLIPPING: Final = "torch.nn.utils torch.nn.utils.clip_grad"

EFFECTS: Final[tuple[Signature, ...]] = (
    *declare(
        "clip_gradient_norm",
        _members(_CLIPPING, "clip_grad_norm_ clip_grad_norm"),
        "parameters limit=max_norm ord=norm_type error_if_nonfinite -foreach",
    ),
    *declare(
        "clip_gradient_value",
        _members(_CLIPPING, "clip_grad_value_"),
        "parameters limit=clip_value -foreach",
    ),
    *method("scale_loss", "scale", "scaler=self loss=outputs"),
    *method("register_hook", "register_hook", "tensor=self function=hook"),
    *method("unscale", "unscale_", "scaler=self optimizer"),
    *method("scaled_step", "step", "scaler=self optimizer"),
    *declare(
        "detect_anomaly", _members(_AUTOGRAD, "set_detect_anomaly"), "enabled=mode! -check_nan"
    ),
    *declare("detect_anomaly", _members(_AUTOGRAD, "detect_anomaly"), "-check_nan", fixed=_ON),
    *declare("detect_anomaly", _members(_TRAINERS, "Trainer"), "* enabled=detect_anomaly!"),
)
"""Calls that are made for their side effect; a fix writes only the methods."""
