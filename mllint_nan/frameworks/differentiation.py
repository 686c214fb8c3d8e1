"""The names of calls that compute gradients or train, all in one place."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_PATHS_MOST: Final = 4096
"""The most qualified names whose answer is cached."""
TRANSFORMS: Final = frozenset(
    ("grad", "value_and_grad", "vjp", "jvp", "jacfwd", "jacrev", "jacobian", "hessian", "linearize")
)
"""Functions of JAX that differentiate the function passed to them."""
OTHER_TRANSFORMS: Final = frozenset(
    (
        *("filter_grad", "filter_value_and_grad", "filter_vjp"),
        *("gradcheck", "gradgradcheck", "check_grads"),
    )
)
"""Such functions of libraries on top of JAX, and of PyTorch."""
OF_VALUES: Final = frozenset(
    ("gradients", "gradient", "batch_jacobian", "minimize", "compute_gradients", "add_loss")
)
"""Functions and methods that differentiate their first argument, a value."""
OF_LOSSES: Final = frozenset(
    ("grad", "value_and_grad", "filter_grad", "filter_value_and_grad", "gradient", "gradients")
)
"""The functions that differentiate a single number, in order to minimize it."""
BACKWARD: Final = frozenset(("backward", "manual_backward"))
"""Methods of a differentiated value, or of an object that differentiates its argument."""
FITS: Final = frozenset(("fit", "fit_generator", "train_on_batch"))
"""Methods of a model that train it."""
HOOKS: Final = frozenset(("training_step", "compute_loss"))
"""Methods that a framework's trainer calls with data and whose results it differentiates."""
NOT_OF_ARGUMENTS: Final = frozenset(
    (
        *("load", "load_state_dict_from_url", "grad", "vjp", "jvp", "functional_call", "compile"),
        *("script", "trace", "get_parameter", "checkpoint"),
    )
)
"""Functions of PyTorch and JAX that may return something trained, whatever their arguments are."""
STEPS_OF_MODELS: Final = frozenset(("train_step",))
"""Methods of models that `fit` calls with data and that compute a gradient themselves."""
STEPS: Final = frozenset(
    (
        *("apply_updates", "apply_gradients", "minimize"),
        *("assign_sub", "opt_update", "update_params", "step"),
    )
)
"""Calls that update parameters by their gradients."""
DRIVES: Final = frozenset(("step", "update", "backward", "backward_step", "optimize", "optimise"))
"""Methods that give an optimizer the loss, its gradients, or a function that computes both."""
SCALES: Final = frozenset(("manual_backward", "scale_loss"))
"""Calls that give a trainer the loss, whatever object they are called on."""
SHOWS_TRAINING: Final = frozenset(
    ("backward", "minimize", "apply_gradients", "compute_gradients", "add_loss", "compile")
)
"""Methods that are only called on something that is trained."""

LOSSES: Final = frozenset(
    ("loss", "loss_fn", "loss_func", "loss_function", "criterion", "objective")
)
"""Keyword arguments that name what is minimized, in calls that train."""
METRICS: Final = frozenset(
    (
        *("metrics", "metric", "metric_fn", "metric_fns", "metric_dict", "weighted_metrics"),
        *("compute_metrics", "eval_metric", "eval_metrics", "val_metrics", "eval_fn", "scoring"),
    )
)
"""Keyword arguments that name what is measured, in calls that train."""

DIFFERENTIATES: Final = TRANSFORMS | OTHER_TRANSFORMS | OF_VALUES
"""Calls that differentiate their first argument, or what it returns."""


def any_of(names: frozenset[str]) -> str:
    """A regular expression that matches any of these names."""
    return f"({'|'.join(sorted(names, key=len, reverse=True))})"


_TRAINS: Final = re.compile(
    rf"^jax\.{any_of(TRANSFORMS)}$"
    r"|^torch\.(autograd\.(grad|backward|functional\.\w+)|func\.(grad\w*|vjp|jac\w+|hessian)|optim\.\w+)$"
    r"|^tensorflow\.(.+\.)?(GradientTape|gradients|\w*Optimizer)$"
    r"|(^|\.)keras\.(.+\.)?optimizers\.\w+$|^optax\.apply_updates$"
)


@lru_cache(_PATHS_MOST)
def tells_training(path: str) -> bool:
    """Whether a qualified name belongs to something that trains or computes gradients."""
    return _TRAINS.search(path) is not None
