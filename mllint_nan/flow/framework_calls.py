"""What frameworks call: losses that are handed over, hooks of trainers, what is differentiated."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
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
from mllint_nan.flow.given import Arguments
from mllint_nan.flow.several_callees import SeveralCallees
from mllint_nan.flow.state import Blueprint, Closure
from mllint_nan.frameworks.differentiation import HOOKS
from mllint_nan.ir.term import CHOICE, FUNCTION, LAYER, QUALIFIED, Term, peel

_CALLING_HOOKS: Final = re.compile(
    r"^(pytorch_lightning|lightning|transformers)\.(\w+\.)*(LightningModule|\w*Trainer)$"
)


class FrameworkCalls(SeveralCallees):
    """Calls of the program's own functions that stand nowhere in it."""

    __slots__ = ()

    def method_of(self, receiver: Term, name: str) -> Closure | None:
        """The method of an object whose class is in sight."""
        raise NotImplementedError

    def compile_model(self, model: Term, arguments: Arguments) -> None:
        """`model.compile(loss=…)` of Keras: that loss is taken of what the model gives."""
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
            self.call_value(loss.site, callee, Arguments((labels, given), {}), None)

    def _losses(self, loss: Term, output: Term) -> Iterator[tuple[Term, Term]]:
        """The functions that a model is compiled with, each with what it is taken of."""
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
        """A trainer calls the hooks of an object with data; what it is made with, it knows."""
        names = [name for name in sorted(HOOKS) if blueprint.text.method(name) is not None]
        if not names or not any(map(self._may_be_called, arguments.everything())):
            return
        if not any(_CALLING_HOOKS.match(str(peel(base).detail)) for base in bases):
            return
        for name in names:
            hook = self.method_of(made, name)
            if hook is None:
                continue
            given = (
                arguments.keywords.get(one.name) or self.opaque("data", (), None)
                for one in hook.parameters[1:]
                if not one.star and one.default is None
            )
            self.call_own(None, hook, Arguments((made, *given), {}))

    def _may_be_called(self, argument: Term) -> bool:
        """Whether an argument is known to be called, or something that it holds."""
        inner = peel(argument)
        if self.is_called(inner) or inner.operation is QUALIFIED:
            return True
        return is_container(inner) and any(map(self._may_be_called, inner.operands[:LAST_MOST]))

    def differentiate(self, path: str, arguments: Arguments) -> None:
        """`jax.grad(f)`: an inner function is called with arguments that are not in sight."""
        if self.visiting is None or f"call {path}" not in DIFFERENTIATES:
            return
        for function in map(peel, arguments.positional[:1]):
            if function.operation is not FUNCTION or function.detail.scope.kind != "function":
                continue
            given = [self.opaque("data", (), None) for one in function.detail.parameters]
            self.call_closure(None, function.detail, Arguments(tuple(given), {}))
