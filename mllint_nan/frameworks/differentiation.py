"""The calls that take gradients, or train by them: the one list of their names."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_PATHS_MOST: Final = 4096
"""Qualified names of which an answer is kept."""
TRANSFORMS: Final = frozenset(
    ("grad", "value_and_grad", "vjp", "jvp", "jacfwd", "jacrev", "jacobian", "hessian", "linearize")
)
"""Functions of JAX that differentiate the function that they are given."""
OTHER_TRANSFORMS: Final = frozenset(
    (
        *("filter_grad", "filter_value_and_grad", "filter_vjp"),
        *("gradcheck", "gradgradcheck", "check_grads"),
    )
)
"""The same in what is built on JAX and PyTorch."""
OF_VALUES: Final = frozenset(
    ("gradients", "gradient", "batch_jacobian", "minimize", "compute_gradients", "add_loss")
)
"""Functions and methods that differentiate their first argument, a value."""
OF_LOSSES: Final = frozenset(
    ("grad", "value_and_grad", "filter_grad", "filter_value_and_grad", "gradient", "gradients")
)
"""Those among all of these that differentiate one number, as it is done to make it small."""
BACKWARD: Final = frozenset(("backward", "manual_backward"))
"""Methods of what is differentiated, or of what differentiates an argument."""
FITS: Final = frozenset(("fit", "fit_generator", "train_on_batch"))
"""Methods of the model that they train."""
HOOKS: Final = frozenset(("training_step", "compute_loss"))
"""Methods that a framework's trainer calls with data, and takes the gradient of what they give."""
NOT_OF_ARGUMENTS: Final = frozenset(
    (
        *("load", "load_state_dict_from_url", "grad", "vjp", "jvp", "functional_call", "compile"),
        *("script", "trace", "get_parameter", "checkpoint"),
    )
)
"""Functions of PyTorch and JAX that may give what is trained, whatever they are given."""
STEPS_OF_MODELS: Final = frozenset(("train_step",))
"""Methods of models that `fit` calls with data, and that take a gradient themselves."""
STEPS: Final = frozenset(
    (
        *("apply_updates", "apply_gradients", "minimize"),
        *("assign_sub", "opt_update", "update_params", "step"),
    )
)
"""What has parameters moved against their gradients."""
DRIVES: Final = frozenset(("step", "update", "backward", "backward_step", "optimize", "optimise"))
"""Methods by which an optimizer is given the loss, its gradients or what computes both."""
SCALES: Final = frozenset(("manual_backward", "scale_loss"))
"""Calls by which a trainer is given the loss, whatever they are methods of."""
SHOWS_TRAINING: Final = frozenset(
    ("backward", "minimize", "apply_gradients", "compute_gradients", "add_loss", "compile")
)
"""Methods that only what is trained has called."""

LOSSES: Final = frozenset(
    ("loss", "loss_fn", "loss_func", "loss_function", "criterion", "objective")
)
"""Arguments by which what trains is told what it makes small."""
METRICS: Final = frozenset(
    (
        *("metrics", "metric", "metric_fn", "metric_fns", "metric_dict", "weighted_metrics"),
        *("compute_metrics", "eval_metric", "eval_metrics", "val_metrics", "eval_fn", "scoring"),
    )
)
"""Arguments by which it is told what it measures."""

DIFFERENTIATES: Final = TRANSFORMS | OTHER_TRANSFORMS | OF_VALUES
"""Calls that differentiate their first argument, or what it returns."""


def any_of(names: frozenset[str]) -> str:
    """A regular expression of these names."""
    return f"({'|'.join(sorted(names, key=len, reverse=True))})"


_TRAINS: Final = re.compile(
    rf"^jax\.{any_of(TRANSFORMS)}$"
    r"|^torch\.(autograd\.(grad|backward|functional\.\w+)|func\.(grad\w*|vjp|jac\w+|hessian)|optim\.\w+)$"
    r"|^tensorflow\.(.+\.)?(GradientTape|gradients|\w*Optimizer)$"
    r"|(^|\.)keras\.(.+\.)?optimizers\.\w+$|^optax\.apply_updates$"
)


@lru_cache(_PATHS_MOST)
def tells_training(path: str) -> bool:
    """Whether a qualified name is that of what trains, or takes gradients."""
    return _TRAINS.search(path) is not None
