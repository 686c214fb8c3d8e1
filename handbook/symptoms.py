"""What a reader sees, and the rules that may explain it, selected by the rules' own data."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from mllint_nan.findings import Hazard
from mllint_nan.rulebook.rule import Rule

_DATA: Final = frozenset(("divisions", "masks", "singularities"))
"""The families whose flaws show on ordinary data: a zero, a constant, an empty selection."""
_GUARDS: Final = frozenset(("masks", "precision"))
_SATURATING: Final = frozenset(
    (
        "exp",
        "softmax",
        "sigmoid",
        "tanh",
        "cosh",
        "softplus",
        "ndtr",
        "erf",
        "erfc",
        "det",
        "prod",
        "cumprod",
    )
)
_CUT_OFF: Final = re.compile(r"\bgradient (is )?(exactly )?0\b")
_MASKED: Final = re.compile(r"\b(everything|all) is masked\b")
_RARE: Final = re.compile(
    rf"0 / 0|by rounding|has no edge|values are equal|empty cell|{_MASKED.pattern}"
)


@dataclass(frozen=True, slots=True)
class Symptom:
    """A sentence that people search for, its meaning, and whether a rule can cause it."""

    title: str
    meaning: str
    can_come_from: Callable[[Rule], bool]
    in_other_words: tuple[str, ...]
    """How others describe it, including messages of frameworks."""

    def of(self, rules: Iterable[Rule]) -> list[Rule]:
        return [rule for rule in rules if self.can_come_from(rule)]


def _breaks(hazard: Hazard) -> Callable[[Rule], bool]:
    return lambda rule: any(case.hazard is hazard for case in rule.cases)


def _teaches_nothing(rule: Rule) -> bool:
    """Whether the gradient is finite, but 0 where it should not be."""
    return _CUT_OFF.search(rule.summary) is not None


def _breaks_on_data(rule: Rule) -> bool:
    return rule.family in _DATA and _breaks(Hazard.VALUE)(rule)


def _saturates(rule: Rule) -> bool:
    operations = (pattern.operations() for case in rule.cases for pattern in case.patterns)
    return (
        _breaks(Hazard.VALUE)(rule)
        and not _MASKED.search(rule.summary)
        and any(_SATURATING & found for found in operations)
    )


def _has_a_number_for_float16(rule: Rule) -> bool:
    return "float16" in " ".join(
        [rule.summary, rule.docs.why, *(case.message for case in rule.cases)]
    )


def _takes_a_rare_batch(rule: Rule) -> bool:
    return _RARE.search(f"{rule.summary} {rule.docs.why}") is not None


def _holds_a_guard(rule: Rule) -> bool:
    roots = (pattern.roots() for case in rule.cases for pattern in case.patterns)
    return rule.family in _GUARDS and not any(found <= _SATURATING for found in roots)


def _is_defined_in_torch(rule: Rule) -> bool:
    is_elsewhere = bool(rule.frameworks) and "torch" not in rule.frameworks
    return is_elsewhere and not _teaches_nothing(rule)


TEACHES_NOTHING: Final = Symptom(
    "Nothing is NaN, and the loss stops falling",
    "The gradient is exactly 0 for the samples on which the model is most wrong: they no "
    "longer move the weights.",
    _teaches_nothing,
    (
        "the loss is stuck",
        "it does not decrease, or stays constant",
        "the loss stays at 0.693",
        "vanishing gradients",
        "the accuracy does not improve",
        "the model does not learn",
    ),
)

SYMPTOMS: Final = (
    Symptom(
        "The loss is NaN at the first step",
        "No weight has moved yet, so the data is to blame: a zero, a negative number, an empty "
        "selection, a constant column, a row in which everything is masked.",
        _breaks_on_data,
        (
            "the loss is nan from the start, immediately, in the first batch, iteration or epoch",
            "the loss is -inf",
            "RuntimeWarning: divide by zero encountered in log",
            "RuntimeWarning: invalid value encountered in divide",
            "Batch 0: Invalid loss, terminating training",
        ),
    ),
    Symptom(
        "The loss is NaN after some steps",
        "The loss is fine for a while, then NaN or infinite. The argument of an exponential grows "
        "as the model becomes confident, until the result leaves the range of the format: in "
        "float32 `exp` is inf from 88.73 on and 0 below -103.98.",
        _saturates,
        (
            "the loss becomes nan after a few epochs, or after thousands of iterations or batches",
            "the loss suddenly goes to infinity",
            "the training explodes, blows up or diverges",
            "the loss is inf for large logits or a high learning rate",
            "RuntimeWarning: overflow encountered in exp",
        ),
    ),
    Symptom(
        "The gradient is NaN, the loss is fine",
        "The value exists, but its derivative does not. All weights are NaN after the step, so the "
        "next loss is NaN too.",
        lambda rule: _breaks(Hazard.GRADIENT)(rule) and not _teaches_nothing(rule),
        (
            "the weights or parameters are nan after the first optimizer step or backward pass",
            "grad_norm is nan, and the loss is finite",
            "RuntimeError: Function 'SqrtBackward0' returned nan values in its 0th output",
        ),
    ),
    TEACHES_NOTHING,
    Symptom(
        "Nothing is NaN, and training is slow, stopped, or gets nowhere",
        "Something goes wrong between the gradients and the step: they are clipped at the wrong "
        "scale, replaced where they are NaN, or checked in every step.",
        _breaks(Hazard.STEP),
        (
            "the learning stalls, or the weights do not change",
            "gradient clipping does not help, or makes it worse",
            "each step takes several times longer than it did",
        ),
    ),
    Symptom(
        "NaN only in fp16",
        "float16 ends at 65504 and its smallest positive number is 6e-8: epsilons become 0, mask "
        "values infinite, and exponentials overflow sooner.",
        _has_a_number_for_float16,
        (
            "the loss is nan with mixed precision, half precision, float16, AMP or autocast",
            "it works in float32 and not in float16",
            "the GradScaler skips every step, and its scale goes to 0",
        ),
    ),
    Symptom(
        "NaN only on some batches",
        "A count, a norm, a deviation or a sum of weights is 0 in those batches, and the value or "
        "the gradient divides by it; a whole row is masked; or a quantity that cannot be "
        "negative becomes negative by rounding.",
        _takes_a_rare_batch,
        (
            "the loss is sometimes, randomly or occasionally nan",
            "nan in validation, evaluation or the last batch only",
            "nan for an empty batch, a batch of one, or padding alone",
        ),
    ),
    Symptom(
        "There is an epsilon, a clamp or a mask, and it is NaN nevertheless",
        "The guard is too small for the format, on the wrong side of the operation, or guards the "
        "value and not the gradient.",
        _holds_a_guard,
        (
            "I added eps and still get nan",
            "clamp, clip, where or nan_to_num does not help",
            "the attention mask gives nan",
        ),
    ),
    Symptom(
        "Nothing is NaN, and small results are 0 or have few digits",
        "A small number is added to 1, or one of two close numbers is subtracted from the other, "
        "and what is left is mostly rounding error.",
        _breaks(Hazard.ACCURACY),
        ("catastrophic cancellation", "loss of precision", "the result is exactly 0 or noisy"),
    ),
    Symptom(
        "It is fine in PyTorch, and NaN in JAX or TensorFlow",
        "The frameworks define some derivatives differently at the point where they do not exist.",
        _is_defined_in_torch,
        (
            "jax.grad or tf.GradientTape returns nan",
            "a port to another framework gives nan",
            "FloatingPointError: invalid value (nan) encountered",
        ),
    ),
)
