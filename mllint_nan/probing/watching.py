"""What the instrumented expressions call: it looks at what they make, and knows an origin.

An operation is an origin if it makes worse numbers than it is given: an infinity of finite ones, or
NaN of what has none. A result that is finite costs one reduction; its operands are looked at only
where it is not. Gradients are looked at between what flows into the result and what flows on.
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
"""Of one suspect, that are kept until it is left."""
_OPERANDS_MOST: Final = 300
"""That wait for their operation; those of one that raised stay behind."""
_KEPT_SECONDS: Final = 0.2
"""Between two looks at what a loop assigns: what is trained with NaN stays NaN."""
_TOP_MOST: Final = 8
"""Of what a call gives at once, among which the loss is looked for."""
_KEPT_TIMES: Final = 3
"""That NaN must be held before it counts: one batch may have no mean."""


class NonFiniteError(FloatingPointError):
    """A suspected operation has made the first number that is not finite; the text says which."""


@dataclass
class Look:
    """What was seen at one operation, in the plain form in which it is written down."""

    number: int
    """Of the suspect, or none."""
    effect: str
    """`value`, `gradient` or `data`, which came in from outside the program."""
    execution: int
    """How often it had been executed, from 1 on."""
    step: int
    """How often an optimizer had stepped, and one; 0 where none is known."""
    operands: tuple[str, ...]
    result: str
    file: str = ""
    start: tuple[int, int] = (0, 0)
    end: tuple[int, int] = (0, 0)
    text: str = ""
    inside: str = ""
    """Which operation of a framework it was, and where in a package."""


class Watch:
    """What was seen so far, of one run of a program."""

    def __init__(
        self,
        nodes: Mapping[int, Node],
        stop: Callable[[Look], None],
        *,
        is_wide: bool = False,
        missed: Callable[[Look], None] = lambda _: None,
    ) -> None:
        """`nodes` gives by its number what is watched; `stop` is called with the origin.

        `missed` is told where NaN goes on to come without one.
        """
        self._nodes = nodes
        self._stop = stop
        self._missed = missed
        self._is_wide = is_wide
        self._local = threading.local()
        self._parts: dict[int, list[tuple[int, Any, Sequence[Any]]]] = {}
        """By suspect: what was made within it since it was last left."""
        self.executions: dict[int, int] = {}
        self._incoming: dict[int, int] = {}
        self._kept: dict[int, tuple[float, int]] = {}
        """By what a loop assigns: when it was looked at, and how often it was NaN since."""
        self._last: dict[int, Any] = {}
        self.steps = 0
        self.is_counted = "torch" in sys.modules
        """Whether something tells of steps."""
        self.passed: Look | None = None
        self.tripped: Look | None = None
        """Where NaN came to, that a loop or an optimizer holds."""
        self._infinity: Look | None = None
        self._infinite_gradient: Look | None = None
        self.became: Look | None = None
        """Where that became NaN."""
        self.is_on = True

    # What the program calls

    def operand(self, number: int, value: Any, /) -> Any:
        """An operand on its way to an operation."""
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
            pass  # whatever cannot be watched is left as it is
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
        """The result of an operation, of as many operands."""
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
        """What a loop assigns, which is looked at now and then."""
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
        """The result of an operation whose code cannot be exchanged, as it is running."""
        if not self.is_on:
            return value
        execution = self.executions[number] = self.executions.get(number, 0) + 1
        try:
            return self._looked_at(number, execution, value, operands)
        except NonFiniteError:
            raise
        except Exception:
            return value

    # Looks

    def _is_passed_on(self, number: int, framework: Any) -> bool:
        """Whether the operation takes another name of its operand for the operand itself.

        A tape of TensorFlow asks for the very tensor, so that only what computes may have another.
        """
        node = self._nodes[number]
        is_any = node.place.number == NO_SUSPECT and node.is_call
        return not (is_any and framework is TensorFlow)

    def _waits(self, number: int, value: Any) -> bool:
        """Whether a part is looked at only where the whole turns out not to be finite."""
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
            return value  # a variable is no result
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
        """A number of Python, or several tensors at once."""
        node = self._nodes[number]
        if isinstance(value, float):
            # `float("inf")` is meant: what a call gives is no number that arose.
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
        """A value is not finite: that of the first of the parts may be it."""
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
        """Of PyTorch: what a node of autograd has handed on."""
        if not self.is_on or self._is_scaled():
            return
        if worst(operands) == NAN:
            before = NAN
        seen = next((part for part in leaves(list(made)) if worst((part,)) == bad), None)
        self._seen(number, execution, "gradient", bad, before, operands, seen)

    def _gradient_left(self, number: int, bad: int, held: int, gradient: Any) -> None:
        """Of the others: what has passed through an operation, to an operand as bad as `held`."""
        if self.is_on and bad:
            before = self._incoming.pop(number, FINITE)
            if held == NAN:
                before = NAN
            execution = self.executions.get(number, 1)
            self._seen(number, execution, "gradient", bad, before, (), gradient)

    @staticmethod
    def _is_scaled() -> bool:
        """Whether the loss is scaled so far that a gradient may overflow, until it no longer is."""
        torch = sys.modules["torch"]
        if "torch.amp.grad_scaler" not in sys.modules:
            return False
        import gc

        scaler = getattr(getattr(torch, "amp", None), "GradScaler", ())
        return any(
            one.is_enabled() and one.get_scale() > 1.0
            for one in gc.get_objects()
            if issubclass(type(one), scaler)  # `isinstance` would ask the object itself
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
        """A number that is not finite; what it was made of decides whether it is the first."""
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
        """Of any line: NaN that is made of infinities leads back to the first one of them.

        One of a value comes before one of a gradient, whatever is told first.
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
        """The first one of a wide watch, which does not stop there: it may be meant."""
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

    # What is held

    def trip(self, number: int, value: Any) -> None:
        """NaN is here to stay."""
        if self.tripped is None and self.is_on:
            seen = next((one for one in leaves(list(_flat(value))) if worst((one,))), value)
            times = self.executions.get(number, 1)
            self.missing(self.look_at(number, times, "value", (), seen))

    def missing(self, look: Look) -> None:
        """NaN was seen where it is held, and none of the suspects has made it."""
        if self.tripped is None and self.is_on:
            self.tripped = look
            self._missed(look)

    def last(self) -> None:
        """Look at what the loops assigned last, as the program ends."""
        for number, value in self._last.items():
            try:
                if worst(value) and self.tripped is None and self.is_on:
                    bad = next(one for one in value if worst((one,)))
                    self.tripped = self.look_at(number, 1, "value", (), bad)
            except Exception:  # of a framework that has already ended
                return

    def stepping(self, optimizer: Any, _: Any = None, __: Any = None) -> None:
        """PyTorch's optimizers tell of each step that they have made."""
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
    # TensorFlow's AutoGraph compiles what it meets, unless it is marked so.
    setattr(_called, "autograph_info__", {})  # noqa: B010


def _top(value: Any) -> Sequence[Any]:
    return value if isinstance(value, (list, tuple)) and len(value) < _TOP_MOST else (value,)


def _flat(value: Any, depth: int = 4) -> list[Any]:
    """The numbers in what a call gives: in lists, tuples and dictionaries."""
    if framework_of(value) is not None or isinstance(value, float):
        return [value]
    if depth and isinstance(value, dict):
        return [leaf for part in value.values() for leaf in _flat(part, depth - 1)]
    if depth and isinstance(value, (list, tuple)):
        return [leaf for part in value for leaf in _flat(part, depth - 1)]
    return []
