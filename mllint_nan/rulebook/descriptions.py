"""Rules in words: what each part of a rule asks and claims, as on its page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from mllint_nan.findings import Confidence, Hazard
from mllint_nan.rulebook.evidence import rests_on_operand
from mllint_nan.rulebook.predicates import PREDICATES, asked_by
from mllint_nan.rulebook.rule import Condition, Rule, Variable

_VALUES: Final = re.compile(r"∈ γ\((.*?)\)")
FRAMEWORKS: Final = {
    "torch": "PyTorch",
    "tensorflow": "TensorFlow",
    "keras": "Keras",
    "jax": "JAX",
    "numpy": "NumPy",
    "math": "math",
}
OF_EVIDENCE: Final = (
    "These are the conditions; not every pattern needs all of them. YES makes a finding likely, "
    "UNKNOWN makes it possible, and with NO there is no finding:"
)
OF_NEAR_MISSES: Final = "None of these lines is reported at the default confidence:"
_ENDS: Final = {
    "exp": "(`exp` is the largest number whose exponential is finite in its format)",
    "tail": "(up to `tail` no sigmoid and no softmax rounds to 0 or 1)",
}
"""Explanations of the ends of ranges that have names."""
_MOVED: Final = "certain where training or data moves the operand; else likely, if a fix is safe"
_SHAPE: Final = "likely: the pattern itself is enough"
_ATTAINED: Final = "likely at most: it needs evidence that the bad value is attained"
_UNPROVED: Final = "possible: reported with `--min-confidence possible` only"


def strongest_fix(rule: Rule) -> str:
    """The applicability of the rule's best fix: `safe`, `unsafe`, `display-only`, or `none`."""
    return str(max((fix.applicability for fix in rule.fixes), default="none"))


def hazards(rule: Rule) -> str:
    """What breaks: the value, the gradient, or both; or the accuracy."""
    broken = {case.hazard for case in rule.cases}
    return " and ".join(str(hazard) for hazard in Hazard if hazard in broken)


def selected_by(rule: Rule) -> str:
    """How to select a rule that is off by default; empty for all others.

    A prefix of its code does not select it.
    """
    if not rule.off_by_default:
        return ""
    return f"off by default; selected by {rule.code}, {rule.name}, {rule.family} or ALL"


def summary(rule: Rule) -> str:
    """The flaw in one line of a list."""
    return f"{rule.summary} (off by default)" if rule.off_by_default else rule.summary


def strongest_confidence(rule: Rule) -> str:
    """What the surest finding of a rule rests on; the rule must have cases."""
    most = max(case.at_most for case in rule.cases)
    surest = [case for case in rule.cases if case.at_most is most]
    if most is Confidence.POSSIBLE:
        return _UNPROVED
    if most is Confidence.CERTAIN and any(rests_on_operand(rule, case) for case in surest):
        return _MOVED
    return _ATTAINED if all(case.when for case in surest) else _SHAPE


def witnesses(rule: Rule) -> list[str]:
    """The inputs that break it, in the variables of its patterns."""
    texts = (re.sub(r"\{(\w+)\}", r"\1", witness.text) for witness in rule.witnesses)
    return list(dict.fromkeys(texts))


def patterns(rule: Rule) -> list[str]:
    """The shapes, in the words of the rule file."""
    return list(dict.fromkeys(pattern.text for case in rule.cases for pattern in case.patterns))


def evidence(rule: Rule) -> list[str]:
    """What makes a match likely."""
    return list(dict.fromkeys(described(each) for case in rule.cases for each in case.when))


def excuses(rule: Rule) -> list[str]:
    """What makes a match safe."""
    return list(dict.fromkeys(described(each) for case in rule.cases for each in case.unless))


def reasons_to_silence(rule: Rule) -> list[str]:
    """Why a correct finding may not matter."""
    reasons = []
    if any(case.hazard is Hazard.GRADIENT for case in rule.cases):
        reasons.append(
            "Nothing is trained through the line: it computes a metric or an evaluation. "
            "A `no_grad` or `stop_gradient` around it tells the tool."
        )
    if any(case.hazard is Hazard.VALUE for case in rule.cases):
        reasons.append(
            "You know what the source does not show: the operand comes from data that was "
            "checked when it was loaded, and never takes the value of the witness."
        )
    if any(case.hazard is Hazard.ACCURACY for case in rule.cases):
        reasons.append(
            "The digits do not matter: nothing divides by the result, multiplies it by a large "
            "number or compares it with another small one."
        )
    if any(case.hazard is Hazard.STEP for case in rule.cases):
        reasons.append(
            "The training loop does it on purpose, and a comment beside the line says why."
        )
    return reasons


def questions() -> Iterator[tuple[str, str, bool]]:
    """Yield every condition as it is written, its sentence, and whether it is a proof."""
    for name, asked in sorted(PREDICATES.items()):
        for member, one in sorted(asked.members.items()) or [("", asked)]:
            word = (f'"{member}"',) if member else ()
            yield f"{name}({', '.join((*one.names, *word))})", _in_words(one.says), one.is_proof


def described(condition: Condition) -> str:
    """The predicate's own sentence, about the variables of the rule.

    >>> described(Condition("is_guarded", (Variable("z"),), "", member="bound"))
    'exp(z) cannot overflow in its dtype.'
    >>> described(Condition("is_phase", (Variable("s"), Variable("c")), ""))
    's and c are a sine and a cosine: they are not both 0.'
    >>> described(Condition("can_be", (Variable("c"), 1), "", is_negated=True))
    'Not: 1 is among the values of c: YES if it is attained.'
    """
    asked = asked_by(condition)
    said = {
        name: _argument(argument)
        for name, argument in zip(asked.names, condition.arguments, strict=True)
    }
    text = re.sub(r"\b\w+\b", lambda word: said.get(word[0], word[0]), asked.says)
    text = re.sub(r"\b(the) the\b", r"\1", text, flags=re.IGNORECASE)
    text = _in_words(text)
    return f"Not: {text}" if condition.is_negated else text


def _in_words(text: str) -> str:
    return _VALUES.sub(r"is among the values of \1", text)


def _argument(argument: Any) -> str:
    match argument:
        case Variable(name):
            return "the result" if name == "result" else name
        case float():
            return f"{argument:g}"
        case str() if "," in argument:
            ends = (said for name, said in _ENDS.items() if name in argument)
            text = argument.replace(" whole", " and are whole numbers")
            return " ".join((text, *ends))
        case str():
            return " or ".join(argument.split())
        case _:
            return str(argument)
