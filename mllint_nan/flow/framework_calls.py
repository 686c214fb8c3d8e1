"""What frameworks call: losses that they are given, hooks of trainers, differentiated functions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from mllint_nan.flow.applied_models import DIFFERENTIATES
from mllint_nan.flow.containers import (
    ELEMENT,
    LAST_MOST,
    is_container,
    is_dict,
    is_display,
    is_text,
)
from mllint_nan.flow.conversions import in_format_of_losses
from mllint_nan.flow.evaluated_arguments import Arguments
from mllint_nan.flow.several_callees import SeveralCallees
from mllint_nan.flow.state import Blueprint, Closure
from mllint_nan.flow.summaries import methods_handed
from mllint_nan.frameworks.differentiation import HOOKS, STEPS_OF_MODELS
from mllint_nan.ir.program import CALLED_BY_NAME, FIRST_METHODS
from mllint_nan.ir.term import CHOICE, FUNCTION, LAYER, QUALIFIED, SEQUENCE, Term, peel

_KERAS_MODEL: Final = re.compile(r"^(tensorflow\.|tf_)?keras\.(models\.)?Model$")
_HOOKS: Final = HOOKS | STEPS_OF_MODELS
_GIVEN_BY_FIT: Final = frozenset(("x", "y", "y_pred"))
"""Parameters of `compute_loss` that `fit` of Keras passes, whatever their defaults."""
HANDS_BACK: Final[Mapping[str, int]] = {"deepspeed.initialize": 4, "apex.amp.initialize": 2}
"""Calls that return this many values, the first of which is the model that they are given."""
TAKEN: Final[Mapping[str, tuple[tuple[int, str], tuple[int, str]]]] = {
    "ignite.engine.create_supervised_trainer": ((0, "model"), (2, "loss_fn")),
    **dict.fromkeys(
        ("fastai.learner.Learner", "fastai.vision.all.Learner", "fastai.basics.Learner"),
        ((1, "model"), (2, "loss_func")),
    ),
    **dict.fromkeys(
        (
            *("skorch.NeuralNet", "skorch.NeuralNetClassifier", "skorch.NeuralNetRegressor"),
            *("skorch.NeuralNetBinaryClassifier", "skorch.net.NeuralNet"),
            *("skorch.classifier.NeuralNetClassifier", "skorch.regressor.NeuralNetRegressor"),
        ),
        ((0, "module"), (1, "criterion")),
    ),
}
"""Calls that take a model and a loss `f(output, labels)` to train it: where both are given.

Each may be given as its class.
"""
_CALLING_HOOKS: Final = re.compile(
    r"^(pytorch_lightning|lightning|transformers)\.(\w+\.)*(LightningModule|\w*Trainer)$"
)


class FrameworkCalls(SeveralCallees):
    """Evaluates calls of the program's own functions that only frameworks make."""

    __slots__ = ()

    def method_of(self, receiver: Term, name: str) -> Closure | None:
        """The method of an object whose class is visible."""
        raise NotImplementedError

    def is_object(self, term: Term) -> bool:
        inner = peel(term)
        if inner.key in self.typed:
            return any(self.method_of(inner, name) is not None for name in CALLED_BY_NAME)
        return inner.key in self.instances or inner.key in self.wrapped

    def compile_model(self, model: Term, arguments: Arguments) -> None:
        """Call the loss of `model.compile(loss=…)` of Keras with the model's output."""
        loss = next(iter(arguments.positional[1:2]), arguments.keywords.get("loss"))
        if loss is None:
            return
        labels, data = (self.opaque(what, (), None) for what in ("labels", "data"))
        output = self.outputs.get(peel(model).key)
        if output is None:
            output = self.call_value(None, model, Arguments((data,), {}), None)
        if output is None:
            return
        for callee, given in self._losses(loss, output):
            given = in_format_of_losses(self, given)
            self.call_value(loss.site, callee, Arguments((labels, given), {}), None)

    def trained_by(self, path: str, arguments: Arguments) -> None:
        """Call a loss with the model's output, where both are given to a trainer."""
        model, loss = (_argument(arguments, *place) for place in TAKEN[path])
        if model is None or loss is None:
            return
        model, loss = self._object_of(model), self._object_of(loss)
        data, labels = (self.opaque(what, (), None) for what in ("data", "labels"))
        output = self.call_value(None, model, Arguments((data,), {}), None)
        if output is not None:
            self.call_value(loss.site, loss, Arguments((output, labels), {}), None)

    def _object_of(self, given: Term) -> Term:
        """An object of the visible class that is given, else what is given."""
        blueprint = self.blueprint_of(given)
        if blueprint is None or peel(given).key in self.instances:
            return given
        return self.constructed(given, blueprint, Arguments((), {}))

    def handed_back(self, site: object, path: str, arguments: Arguments) -> Term | None:
        """The tuple that one of `HANDS_BACK` returns: the model that it is given, and the rest."""
        given = arguments.everything()
        model = next((one for one in given if self.is_called(one)), None)
        if model is None:
            return None
        others = [self.opaque("rest", given, None) for _ in range(HANDS_BACK[path] - 1)]
        return self.build.leaf(SEQUENCE, "tuple", (model, *others), site)

    def _losses(self, loss: Term, output: Term) -> Iterator[tuple[Term, Term]]:
        """Yield the losses that a model is compiled with, each with the output that it takes."""
        inner = peel(loss)
        if is_display(inner) or is_dict(inner):
            losses = inner.operands if is_display(inner) else inner.operands[1::2]
            outputs = peel(output).operands if is_display(output) else (output,)
            if len(outputs) != len(losses):
                outputs = (self.choice(outputs, None, ELEMENT),) * len(losses)
            for one, given in zip(losses, outputs, strict=True):
                yield from self._losses(one, given)
        elif is_text(inner):
            yield self.build.leaf(QUALIFIED, f"keras.losses.{inner.detail}"), output
        elif inner.operation in (LAYER, QUALIFIED, FUNCTION, CHOICE) or self.is_called(inner):
            yield inner, output

    def call_hooks(
        self, made: Term, bases: Iterable[Term], blueprint: Blueprint, arguments: Arguments
    ) -> None:
        """Call the hooks of a new object with data or its constructor's arguments, as trainers do.

        So are methods that its constructor passes on: `self.step = tf.function(self._step)`.
        """
        if blueprint.hooks is None:
            blueprint.hooks = _hooks_of(blueprint)
        if not blueprint.hooks:
            return
        paths = [str(peel(base).detail) for base in bases]
        is_keras = any(map(_KERAS_MODEL.match, paths))
        is_given = any(map(self._may_be_called, arguments.everything()))
        if not is_given and not is_keras:
            return
        is_trained = is_keras or any(map(_CALLING_HOOKS.match, paths))
        own = {*HOOKS, *(STEPS_OF_MODELS if is_keras else ())} if is_trained else set()
        names = [one for one in blueprint.hooks if one in own or (is_given and one not in _HOOKS)]
        for name in names:
            hook = self.method_of(made, name)
            if hook is None:
                continue
            given = [
                arguments.keywords.get(one.name) or self._data_for(one.name, made, is_keras)
                for one in hook.parameters[1:]
                if not one.star and one.default is None
            ]
            named = {
                one.name: self._data_for(one.name, made, is_keras)
                for one in hook.parameters[1:]
                if is_keras and one.default is not None and one.name in _GIVEN_BY_FIT
            }
            self.call_own(None, hook, Arguments((made, *given), named))

    def _data_for(self, parameter: str, made: Term, is_keras: bool) -> Term:
        """The argument that a trainer passes to a hook; `y_pred` of Keras is the model's output."""
        data = self.opaque("data", (), None)
        if parameter != "y_pred" or not is_keras:
            return data
        return self.call_value(None, made, Arguments((data,), {}), None) or data

    def _may_be_called(self, argument: Term) -> bool:
        """Whether an argument, or something that it holds, may be called."""
        inner = peel(argument)
        if self.is_called(inner) or inner.operation is QUALIFIED:
            return True
        return is_container(inner) and any(map(self._may_be_called, inner.operands[:LAST_MOST]))

    def differentiate(self, path: str, arguments: Arguments) -> None:
        """Call a local function that is given to `jax.grad` or the like, with unknown arguments."""
        if self.visiting is None or f"call {path}" not in DIFFERENTIATES:
            return
        for function in map(peel, arguments.positional[:1]):
            if function.operation is not FUNCTION or function.detail.scope.kind != "function":
                continue
            given = [self.opaque("data", (), None) for one in function.detail.parameters]
            self.call_closure(None, function.detail, Arguments(tuple(given), {}))


def _hooks_of(blueprint: Blueprint) -> tuple[str, ...]:
    """The methods of a class that a trainer may call, and those that its constructor passes on."""
    first = blueprint.text.method(FIRST_METHODS[0])
    handed = methods_handed(first) if first is not None else []
    names = dict.fromkeys((*sorted(_HOOKS), *handed))
    return tuple(name for name in names if blueprint.text.method(name) is not None)


def _argument(arguments: Arguments, place: int, keyword: str) -> Term | None:
    """The argument at a position, or else with a keyword."""
    if len(arguments.positional) > place:
        return arguments.positional[place]
    return arguments.keywords.get(keyword)
