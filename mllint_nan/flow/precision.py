"""Trainers and accelerators, which are given the format in which they compute models."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from mllint_nan.flow.containers import is_container
from mllint_nan.flow.conversions import in_region
from mllint_nan.flow.evaluated_arguments import Arguments
from mllint_nan.flow.regions import MODULE
from mllint_nan.ir.term import ATTRIBUTE, OPAQUE, QUALIFIED, SEQUENCE, Term, constant_of, peel

if TYPE_CHECKING:
    from mllint_nan.flow.framework_calls import FrameworkCalls

PRECISIONS: Final = ("precision", "mixed_precision")
_MIXED: Final = {"16": "float16", "16-mixed": "float16", "fp16": "float16"}
_MIXED_BRAIN: Final = {"bf16": "bfloat16", "bf16-mixed": "bfloat16"}
_TOLD: Final = re.compile(r"(^|\.)(Accelerator|Fabric|Trainer|Seq2SeqTrainer|TrainingArguments)$")
_TRAINER: Final = re.compile(r"^(pytorch_lightning|lightning)\..*Trainer$")
_OF_HUGGING_FACE: Final = re.compile(r"^transformers\..*Trainer$")
_RUNS: Final = frozenset(("call fit", "call validate", "call test"))
_STEPS: Final = frozenset(("training_step", "validation_step", "test_step"))


def kept_by(at: FrameworkCalls, item: Term) -> Term:
    """Return the value of an attribute that is set once, in the constructor, else `item`."""
    if item.operation is not ATTRIBUTE:
        return item
    return stored_by(at, peel(item.operands[0]), str(item.detail)) or item


def stored_by(at: FrameworkCalls, holder: Term, name: str) -> Term | None:
    """Return what the constructor of `self` or of a visible object sets an attribute to, once."""
    made = at.instances.get(holder.key)
    owner = made.blueprint.scope if made is not None else at.scope.owner
    if owner is None or name in owner.changing or (made is None and holder.detail != "self"):
        return None
    stored = owner.attributes.get(name, [])
    return peel(stored[0]) if len(stored) == 1 else None


def layer_listed(at: FrameworkCalls, iterable: Term) -> Term | None:
    """Return a layer of `ModuleList([Block() for _ in range(n)])`, which stands for any."""
    kept = kept_by(at, iterable)
    if kept.operation.name != "collect":
        return None
    layer = peel(kept.operands[0])
    return layer if at.is_called(layer) else None


def region_told(at: FrameworkCalls, told: Term) -> Term | None:
    """Return the context that a trainer's calls enter, if it is given a lower precision."""
    inner = kept_by(at, peel(told))
    if inner.operation is not OPAQUE or not _TOLD.search(str(inner.detail)):
        return None
    text = str(constant_of(inner.settings["precision"])) if "precision" in inner.settings else ""
    if text == "16-true":
        return at.build.leaf(QUALIFIED, f"{MODULE}half")
    named = _MIXED.get(text) or _MIXED_BRAIN.get(text)
    if "fp16" in at.analysis.switched_on.get(inner.key, ()):
        named = "float16"
    if named is None:
        return None
    region = at.build.leaf(QUALIFIED, "torch.autocast")
    given = (at.build.constant("cuda"), at.build.constant(named))
    return at.build.leaf(OPAQUE, "call torch.autocast", (region, *given))


def prepared_in(at: FrameworkCalls, told: Term, given: tuple[Term, ...]) -> tuple[Term, ...]:
    """Return what an accelerator prepares: models are computed in its context."""
    region = region_told(at, told)
    if region is None:
        return given
    return tuple(in_region(at, one, region) if at.is_called(one) else one for one in given)


def given_in_full(at: FrameworkCalls, entered: Term, result: Term | None) -> Term | None:
    """Cast the result of a prepared model back; `None` for a container not written out."""
    if result is None or MODULE in str(entered.detail):
        return result
    inner = peel(result)
    if inner.operation is SEQUENCE:
        parts = tuple(at.in_format(peel(one), "float32") for one in inner.operands)
        return at.build.leaf(SEQUENCE, inner.detail, parts, None, inner.framework)
    return None if is_container(inner) else at.in_format(inner, "float32")


def runs_models(call: Term) -> bool:
    """Whether a call may construct a trainer, or start one."""
    return call.operation is OPAQUE and (call.detail in _RUNS or call.detail[-7:] == "Trainer")


def run_by(at: FrameworkCalls, call: Term, receiver: Term | None, given: Arguments) -> None:
    """Evaluate what a trainer calls, in the precision that it is given."""
    path = str(call.detail).removeprefix("call ")
    if receiver is not None and call.detail in _RUNS:
        trainer = kept_by(at, peel(receiver))
        if _TRAINER.match(str(trainer.detail).removeprefix("call ")):
            _run(at, region_told(at, trainer), given, _STEPS)
    elif _OF_HUGGING_FACE.match(path):
        arguments = given.keywords.get("args")
        region = region_told(at, arguments) if arguments is not None else None
        _run(at, region, given, frozenset(("forward",)))


def _run(at: FrameworkCalls, region: Term | None, given: Arguments, names: frozenset[str]) -> None:
    if region is None:
        return
    outside = at.state.contexts
    at.state = at.state.within((*outside, region))
    for model in given.everything():
        if peel(model).key not in at.instances:
            continue
        for name in sorted(names):
            method = at.method_of(model, name)
            if method is not None:
                needed = [
                    one
                    for one in method.parameters[1:]
                    if not one.star and (one.default is None or name == "forward")
                ]
                data = [at.opaque("data", (), None) for _ in needed]
                at.call_own(None, method, Arguments((model, *data), {}))
    at.state = at.state.within(outside)
