"""The calls in instrumented code: they inspect results, and recognize an origin.

An operation is an origin if its result is worse than its operands: an infinity from finite
numbers, or NaN from operands without NaN. A finite result costs one reduction; operands are
inspected only if it is not. Gradients are compared between a node's input and output.
"""

from __future__ import annotations

import math
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from mllint_nan.probing.compiling import NO_SUSPECT, Node
from mllint_nan.probing.frameworks import (
    FINITE,
    INFINITE,
    NAN,
    TensorFlow,
    Torch,
    framework_of,
    leaves,
    range_of,
    worst,
)

_PARTS_MOST: Final = 100
"""How many results within one suspect are kept until it is left."""
_OPERANDS_MOST: Final = 300
"""How many operands wait for their operation; those of an operation that raised are left."""
_KEPT_SECONDS: Final = 0.2
"""The time between two looks at what a loop assigns: parameters trained with NaN stay NaN."""
_TOP_MOST: Final = 8
"""How many elements of a call's result are searched for the loss."""
_KEPT_TIMES: Final = 3
"""How often NaN must be seen before it counts: a single batch may have no mean."""


class NonFiniteError(FloatingPointError):
    """A suspected operation made the first number that is not finite; the text says which."""


@dataclass
class Look:
    """What was seen at one operation, in the form in which it is written to the result."""

    number: int
    """The number of the suspect, or `NO_SUSPECT`."""
    effect: str
    """`value`, `gradient`, or `data`, which came from outside the program."""
    execution: int
    """How often it had been executed, from 1."""
    step: int
    """The number of the optimizer's step, from 1; 0 if it is unknown."""
    operands: tuple[str, ...]
    result: str
    file: str = ""
    start: tuple[int, int] = (0, 0)
    end: tuple[int, int] = (0, 0)
    text: str = ""
    inside: str = ""
    """The operation of a framework, and its place if that is in a package."""


class Watch:
    """What was seen so far in one run of a program."""

    def __init__(
        self,
        nodes: Mapping[int, Node],
        stop: Callable[[Look], None],
        *,
        is_wide: bool = False,
        missed: Callable[[Look], None] = lambda _: None,
    ) -> None:
        """`nodes` are the watched expressions by number; `stop` is called with the origin.

        `missed` is called if NaN persists without one.
        """
        self._nodes = nodes
        self._stop = stop
        self._missed = missed
        self._is_wide = is_wide
        self._local = threading.local()
        self._parts: dict[int, list[tuple[int, Any, Sequence[Any]]]] = {}
        """By suspect: the results within it since it was last left."""
        self.executions: dict[int, int] = {}
        self._incoming: dict[int, int] = {}
        self._kept: dict[int, tuple[float, int]] = {}
        """By what a loop assigns: when it was last inspected, and how often it was NaN in a row."""
        self._last: dict[int, Any] = {}
        self.steps = 0
        self.is_counted = "torch" in sys.modules
        """Whether optimizers report their steps."""
        self.passed: Look | None = None
        self.tripped: Look | None = None
        """Where a loop or an optimizer was seen to hold NaN."""
        self._infinity: Look | None = None
        self._infinite_gradient: Look | None = None
        self.became: Look | None = None
        """Where the infinity became NaN."""
        self.is_on = True

    # Called by the program

    def operand(self, number: int, value: Any, /) -> Any:
        """Take an operand on its way to an operation."""
        if not self.is_on:
            return value
        try:
            framework = framework_of(value)
            if (
                framework is not None
                and framework.is_aliased
                and self._is_passed_on(number, framework)
                and not self._waits(number, value)
            ):
                value = framework.watched(value, lambda *seen: self._gradient_left(number, *seen))
        except NonFiniteError:
            raise
        except Exception:
            pass  # what cannot be watched is left unchanged
        local = self._local.__dict__
        try:
            waiting = local["operands"]
        except KeyError:
            waiting = local["operands"] = []
        if len(waiting) > _OPERANDS_MOST:
            del waiting[: _OPERANDS_MOST // 2]
        waiting.append((number, value))
        return value

    def made(self, number: int, count: int, value: Any, /) -> Any:
        """Take the result of an operation with this number of operands."""
        if not self.is_on:
            return value
        operands = self._operands(number, count)
        execution = self.executions[number] = self.executions.get(number, 0) + 1
        try:
            return self._looked_at(number, execution, value, operands)
        except NonFiniteError:
            raise
        except Exception:
            return value

    def kept(self, number: int, value: Any, /) -> Any:
        """Take a value that a loop assigns; it is inspected now and then."""
        now = time.monotonic()
        last, times = self._kept.get(number, (0.0, 0))
        if not self.is_on or self.tripped is not None or now - last < _KEPT_SECONDS:
            scalars = [one for one in _top(value) if getattr(one, "shape", None) == ()]
            if scalars:
                self._last[number] = scalars
            return value
        try:
            is_bad = worst(_flat(value)) == NAN
            times = times + 1 if is_bad else 0
            self._kept[number] = (now, times)
            if times >= _KEPT_TIMES:
                self.trip(number, value)
        except NonFiniteError:
            raise
        except Exception:
            pass
        return value

    def _operands(self, number: int, count: int) -> tuple[Any, ...]:
        if not count:
            return ()
        waiting = self._local.__dict__.get("operands", [])
        taken = waiting[-count:]
        if len(taken) < count or taken[0][0] != number:
            return ()
        del waiting[-count:]
        return tuple([value for _, value in taken])

    def ran(self, number: int, value: Any, operands: tuple[Any, ...]) -> Any:
        """Take the result of an operation in a running function, whose code cannot be replaced."""
        if not self.is_on:
            return value
        execution = self.executions[number] = self.executions.get(number, 0) + 1
        try:
            return self._looked_at(number, execution, value, operands)
        except NonFiniteError:
            raise
        except Exception:
            return value

    # Inspection

    def _is_passed_on(self, number: int, framework: Any) -> bool:
        """Whether the operation accepts an alias of its operand.

        A tape of TensorFlow compares tensors by identity, so only operations that compute accept
        one.
        """
        node = self._nodes[number]
        is_any = node.place.number == NO_SUSPECT and node.is_call
        return not (is_any and framework is TensorFlow)

    def _waits(self, number: int, value: Any) -> bool:
        """Whether a part is inspected only if the whole turns out not to be finite."""
        node = self._nodes[number]
        if node.is_whole or not node.place.is_of_values:
            return False
        return bool(framework_of(value).is_at_hand(value))

    def _looked_at(self, number: int, execution: int, value: Any, operands: tuple[Any, ...]) -> Any:
        node = self._nodes[number]
        framework = framework_of(value)
        if framework is Torch and not node.place.is_of_values and value.grad_fn is None:
            return value
        if framework is TensorFlow and hasattr(value, "assign"):
            return value  # a variable is not a result
        if framework is None:
            self._look_at_others(number, execution, value, operands)
            return value
        if self._waits(number, value):
            parts = self._parts.setdefault(node.place.number, [])
            if len(parts) < _PARTS_MOST:
                parts.append((number, value, operands))
            return value
        if node.place.is_of_values:
            parts = self._parts.pop(node.place.number, []) if node.is_whole else []
            value = framework.look(
                value, operands, lambda *seen: self._value_seen(number, execution, parts, *seen)
            )
        if framework.is_aliased:
            return framework.watched(value, lambda bad, *_: self._incoming.__setitem__(number, bad))
        return framework.watch_gradient(
            value, operands, lambda *seen: self._gradient_seen(number, execution, *seen)
        )

    def _look_at_others(
        self, number: int, execution: int, value: Any, operands: tuple[Any, ...]
    ) -> None:
        """Inspect a Python number, or several tensors at once."""
        node = self._nodes[number]
        if isinstance(value, float):
            # `float("inf")` is intended: the result of a call did not become infinite here.
            is_computed = node.place.number != NO_SUSPECT or not node.is_call
            if node.place.is_of_values and is_computed and not math.isfinite(value):
                bad = NAN if math.isnan(value) else INFINITE
                self._value_seen(number, execution, (), bad, worst(operands), operands, value)
        elif isinstance(value, (list, tuple, dict)):
            for part in _flat(value):
                framework = framework_of(part)
                if framework is Torch:
                    self._looked_at(number, execution, part, operands)
                elif framework is not None and framework.is_at_hand(part):
                    framework.look(
                        part, operands, lambda *seen: self._value_seen(number, execution, (), *seen)
                    )

    def _value_seen(
        self,
        number: int,
        execution: int,
        parts: Sequence[tuple[int, Any, Sequence[Any]]],
        bad: int,
        before: int,
        operands: Sequence[Any],
        made: Any,
    ) -> None:
        """Handle a value that is not finite: one of the parts may have been the first."""
        if not bad:
            return
        for part, value, given in parts:
            bad_part = worst((value,))
            if bad_part > worst(one for one in given if one is not value):
                self._seen(part, execution, "value", bad_part, FINITE, given, value)
        self._seen(number, execution, "value", bad, before, operands, made)

    def _gradient_seen(
        self, number: int, execution: int, bad: int, before: int, operands: Any, made: Any
    ) -> None:
        """Handle the gradient that a node of PyTorch's autograd has passed on."""
        if not self.is_on or self._is_scaled():
            return
        if worst(operands) == NAN:
            before = NAN
        seen = next((part for part in leaves(list(made)) if worst((part,)) == bad), None)
        self._seen(number, execution, "gradient", bad, before, operands, seen)

    def _gradient_left(self, number: int, bad: int, held: int, gradient: Any) -> None:
        """Handle a gradient of another framework, at an operand whose badness is `held`."""
        if self.is_on and bad:
            before = self._incoming.pop(number, FINITE)
            if held == NAN:
                before = NAN
            execution = self.executions.get(number, 1)
            self._seen(number, execution, "gradient", bad, before, (), gradient)

    @staticmethod
    def _is_scaled() -> bool:
        """Whether a gradient scaler is in use, so that gradients may overflow at first."""
        torch = sys.modules["torch"]
        if "torch.amp.grad_scaler" not in sys.modules:
            return False
        import gc

        scaler = getattr(getattr(torch, "amp", None), "GradScaler", ())
        return any(
            one.is_enabled() and one.get_scale() > 1.0
            for one in gc.get_objects()
            if issubclass(type(one), scaler)  # `isinstance` would run code of the object
        )

    def _seen(
        self,
        number: int,
        execution: int,
        effect: str,
        bad: int,
        before: int,
        operands: Sequence[Any],
        made: Any,
    ) -> None:
        """Handle a non-finite number; it is an origin if it is worse than its operands."""
        if not self.is_on:
            return
        look = self.look_at(number, execution, effect, operands, made)
        if bad <= before:
            self.passed = self.passed or look
            if self._is_wide and effect == "value" and bad == NAN and self.infinity is None:
                look.effect = "data"  # no line has made it, and every line is watched
                self._stop(look)
        elif self._is_wide:
            self._seen_widely(look, bad, operands)
        else:
            self._stop(look)

    def _seen_widely(self, look: Look, bad: int, operands: Sequence[Any]) -> None:
        """Handle an origin at any line: for a NaN made from infinities, it is the first infinity.

        An infinite value has precedence over an infinite gradient, whichever is seen first.
        """
        is_given = any(framework_of(part) is not None for part in leaves(list(operands)))
        is_gradient = look.effect == "gradient"
        if bad == INFINITE:
            if is_gradient:
                self._infinite_gradient = self._infinite_gradient or look
            elif is_given:
                self._infinity = self._infinity or look
        elif self.infinity is not None and (is_gradient or worst(operands) == INFINITE):
            self.became = look
            self._stop(self.infinity)
        else:
            if not is_given and not is_gradient:
                look.effect = "data"
            self._stop(look)

    @property
    def infinity(self) -> Look | None:
        """The first infinity of a wide watch, which does not stop there: it may be intended."""
        return self._infinity or self._infinite_gradient

    def look_at(
        self, number: int, execution: int, effect: str, operands: Sequence[Any], made: Any
    ) -> Look:
        node = self._nodes[number]
        return Look(
            node.place.number,
            effect,
            execution,
            self.steps + 1 if self.steps or self.is_counted else 0,
            tuple(map(range_of, leaves(list(operands)))),
            range_of(made),
            node.file,
            node.place.start,
            node.place.end,
            node.text,
        )

    # Persistent NaN

    def trip(self, number: int, value: Any) -> None:
        """Record that NaN persists in what a loop assigns."""
        if self.tripped is None and self.is_on:
            seen = next((one for one in leaves(list(_flat(value))) if worst((one,))), value)
            times = self.executions.get(number, 1)
            self.missing(self.look_at(number, times, "value", (), seen))

    def missing(self, look: Look) -> None:
        """Record where NaN persists, although no suspect has made it."""
        if self.tripped is None and self.is_on:
            self.tripped = look
            self._missed(look)

    def last(self) -> None:
        """Inspect what the loops assigned last, as the program ends."""
        for number, value in self._last.items():
            try:
                if worst(value) and self.tripped is None and self.is_on:
                    bad = next(one for one in value if worst((one,)))
                    self.tripped = self.look_at(number, 1, "value", (), bad)
            except Exception:  # the framework has already shut down
                return

    def stepping(self, optimizer: Any, _: Any = None, __: Any = None) -> None:
        """Count a step of a PyTorch optimizer, and inspect its gradients."""
        if not self.is_on:
            return
        self.steps += 1
        if self.tripped is not None:
            return
        try:
            gradients = [
                parameter.grad
                for group in optimizer.param_groups
                for parameter in group["params"][:1]
                if parameter.grad is not None
            ]
            bad = worst(gradients[:2])
        except Exception:
            return
        self._bad_steps = self._bad_steps + 1 if bad == NAN else 0
        if self._bad_steps >= _KEPT_TIMES or (bad == NAN and self._is_wide):
            text = f"{type(optimizer).__name__}.step"
            seen = range_of(gradients[0])
            self.missing(Look(NO_SUSPECT, "gradient", self.steps, self.steps, (), seen, text=text))

    _bad_steps = 0


for _called in (Watch.operand, Watch.made, Watch.kept):
    # TensorFlow's AutoGraph would compile these functions without this mark.
    setattr(_called, "autograph_info__", {})  # noqa: B010


def _top(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (list, tuple)) and len(value) < _TOP_MOST else (value,)


def _flat(value: Any, depth: int = 4) -> list[Any]:
    """The numbers in the result of a call: also in lists, tuples and dictionaries."""
    if framework_of(value) is not None or isinstance(value, float):
        return [value]
    if depth and isinstance(value, dict):
        return [leaf for part in value.values() for leaf in _flat(part, depth - 1)]
    if depth and isinstance(value, (list, tuple)):
        return [leaf for part in value for leaf in _flat(part, depth - 1)]
    return []
