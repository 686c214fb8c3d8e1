"""Record operations of PyTorch that make non-finite numbers, by a function mode.

An operation is what the package calls: `F.normalize`, `x.std()` and a layer of `torch.nn` are one
each, at the line that calls them. Its operands before the call decide: a non-finite operand passes
on what arose elsewhere. An infinity that the package writes down itself (the fill of a mask) counts
like a finite number, so a softmax of nothing else is an origin.

A gradient is witnessed at a node of the graph that an operation created: its input is finite,
its output is not, and neither is the final gradient at the leaves.
"""

from __future__ import annotations

import cmath
import contextlib
import functools
import sys
import sysconfig
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from .events import Event, Position, Sink, position_in_package
from .witness import Effect, Grade

_THROUGH = (
    Path(torch.__file__).parent,
    Path(sysconfig.get_path("stdlib"), "functools.py"),
    Path(sysconfig.get_path("stdlib"), "contextlib.py"),
    Path(__file__).parent,
)
_BACKWARD = {"backward", "grad"}
_UNINITIALIZED = {
    *("empty", "empty_like", "new_empty", "empty_strided", "new_empty_strided", "empty_permuted"),
    *("resize_", "resize_as_", "set_", "new", "from_file", "frombuffer"),
}
_READS = {
    *("__get__", "__set__", "size", "dim", "stride", "numel", "detach", "__len__", "type", "view"),
    *("reshape", "permute", "transpose", "squeeze", "unsqueeze", "expand", "__getitem__"),
    *("contiguous", "clone", "is_floating_point", "is_complex", "requires_grad_", "__repr__"),
}
"""Operations that compute nothing: their results are finite if their operands are."""
_SATURATES = {"sigmoid", "softmax", "tanh", "exp"}
_CUTS = {"clamp", "clip", "clamp_min", "clamp_max", "hardtanh", "minimum", "maximum"}
_PULLED = 100.0
"""A clamp whose gradient is larger than this, from a log or a quotient, is no mere limit."""
_REMEMBERED = 4096
_HALF = (torch.float16, torch.bfloat16)


class _State(Enum):
    """The state of a call's operands before it."""

    FINITE = 1
    MEANT = 2
    """There are infinities, all written down by the package, and no NaN."""
    BROKEN = 3


@dataclass(frozen=True, slots=True)
class _Call:
    name: str
    operands: list[Any]
    outputs: list[torch.Tensor]
    before: set[Any]
    """The nodes of the graph that produced the operands."""
    frame: FrameType
    state: _State | None
    """Set before the call if it changes an operand."""


class TorchRecorder(TorchFunctionMode):
    """Reports each origin in the packages below `roots` to `sink`, each place and effect once."""

    def __init__(self, roots: Sequence[Path], sink: Sink) -> None:
        super().__init__()
        self._roots = tuple(roots)
        self._sink = sink
        self._told: set[tuple[str, int, int, Effect]] = set()
        self._finite: dict[int, tuple[weakref.ref[torch.Tensor], int]] = {}
        self._pending: list[Event] | None = None
        self._has_foreign = False
        """Whether there has been an infinity that the package did not write down."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        super().__exit__(kind, error, trace)  # type: ignore[no-untyped-call]
        self._finite.clear()

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Iterable[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        if name in _BACKWARD and _is_backward(func):
            return self.backward(lambda: func(*args, **kwargs), (args, kwargs))
        if name in _READS:
            return func(*args, **kwargs)
        operands = list(_leaves((args, kwargs)))
        before = {one.grad_fn for one in operands if isinstance(one, torch.Tensor)}
        changes = name.endswith("_") and (not name.endswith("__") or name[:3] in ("__i", "__s"))
        state = self._state(operands) if changes or "out" in kwargs else None
        result = func(*args, **kwargs)
        outputs = [args[0]] if name == "__setitem__" else list(_tensors(result))
        if outputs and name not in _UNINITIALIZED:
            call = _Call(name, operands, outputs, before, sys._getframe(1), state)
            with contextlib.suppress(RuntimeError):  # no numbers: batched, fake, or on no device
                self._judge(call)
        return result

    def backward(self, run: Callable[[], Any], roots: object) -> Any:
        """Call `run()`, which takes gradients; its events count if a final gradient is not finite.

        `roots` contain the tensors whose gradients are taken.
        """
        if self._pending is not None:
            return run()
        self._pending = []
        leaves = [] if roots is None else list(_leaf_tensors(_tensors(roots)))
        try:
            result = run()
            with torch.no_grad(), torch._C.DisableTorchFunction():
                gradients = [leaf.grad for leaf in leaves if leaf.grad is not None]
                is_broken = not _are_finite([*_tensors(result), *gradients])
            for event in self._pending:
                if is_broken or event.effect is Effect.DEAD:
                    self._tell(event)
            return result
        finally:
            self._pending = None

    def take_gradients(self, result: object) -> None:
        """Take the gradient of the sum, and of a weighted sum, of the tensors in `result`.

        No `.grad` is set, and the graph is kept.
        """
        with torch._C.DisableTorchFunction(), torch.enable_grad():
            roots = [
                one for one in _tensors(result) if one.requires_grad and one.grad_fn is not None
            ]
            leaves = list(_leaf_tensors(roots))
            if not roots or not leaves:
                return
            torch_rng = torch.Generator().manual_seed(0)
            for draw in (torch.ones, functools.partial(torch.randn, generator=torch_rng)):
                weights = [draw(root.shape).to(root.dtype) for root in roots]
                self.backward(
                    functools.partial(
                        torch.autograd.grad,
                        roots,
                        leaves,
                        weights,
                        retain_graph=True,
                        allow_unused=True,
                    ),
                    None,
                )

    def _judge(self, call: _Call) -> None:
        with torch._C.DisableTorchFunction():
            outputs = [one for one in call.outputs if _has_fractions(one)]
            if not outputs:
                return
            nodes = list(_new_nodes(outputs, call.before))
            if not all(map(self._is_finite, outputs)):
                self._judge_value(call, outputs)
                return
            position = self._position(call.frame) if nodes else None
            if position is None or (call.state or self._state(call.operands)) is _State.BROKEN:
                return
            for node in nodes:
                self._watch(node, call.name, position, _least(call.operands))

    def _judge_value(self, call: _Call, outputs: list[torch.Tensor]) -> None:
        position = self._position(call.frame)
        state = call.state or self._state(call.operands)
        if state is _State.MEANT and not _have_nan(outputs):
            self._has_foreign |= position is None
            return
        if state is _State.BROKEN or not any(True for _ in _tensors(call.operands)):
            return
        self._has_foreign = True
        if position is not None:
            least = _least(call.operands)
            self._tell(_event(position, call.name, Effect.VALUE, least))

    def _watch(self, node: Any, name: str, position: Position, least: Grade) -> None:
        saturates = _word(node) if _word(node) in _SATURATES | _CUTS else ""

        def judge(outgoing: Sequence[Any], incoming: Sequence[Any]) -> None:
            if self._pending is None:
                return
            go = [one for one in outgoing if one is not None]
            if not saturates and _are_finite(go):
                return
            come = [one for one in incoming if one is not None]
            with torch._C.DisableTorchFunction(), contextlib.suppress(RuntimeError):
                effect = _effect(come, go, saturates)
                if effect is not None:
                    self._pending.append(_event(position, name, effect, least))

        node.register_hook(judge)

    def _tell(self, event: Event) -> None:
        key = (event.file, event.line, event.column, event.effect)
        if key not in self._told:
            self._told.add(key)
            self._sink(event)

    def _position(self, frame: FrameType) -> Position | None:
        return position_in_package(self._roots, frame, through=_THROUGH)

    def _state(self, operands: list[Any]) -> _State:
        with torch._C.DisableTorchFunction():
            try:
                tensors = list(_tensors(operands))
                numbers = [one for one in operands if isinstance(one, (float, complex))]
                if all(map(self._is_finite, tensors)) and all(map(cmath.isfinite, numbers)):
                    return _State.FINITE
                has_nan = _have_nan(tensors) or any(one != one for one in numbers)
                return _State.BROKEN if has_nan or self._has_foreign else _State.MEANT
            except RuntimeError:
                return _State.BROKEN

    def _is_finite(self, tensor: torch.Tensor) -> bool:
        """Whether a tensor is finite; cached, as results of calls are operands of others."""
        if not _has_fractions(tensor):
            return True
        known = self._finite.get(id(tensor))
        if known is not None and known[0]() is tensor and known[1] == tensor._version:
            return True
        is_finite = _are_finite([tensor])
        if is_finite:
            if len(self._finite) >= _REMEMBERED:
                self._finite.clear()
            self._finite[id(tensor)] = (weakref.ref(tensor), tensor._version)
        return is_finite


Recorder = TorchRecorder


def _is_backward(func: Callable[..., Any]) -> bool:
    return func in (torch.Tensor.backward, torch.autograd.grad, torch.autograd.backward)


def _event(position: Position, operation: str, effect: Effect, least: Grade) -> Event:
    where = (position.file, position.line, position.column, position.function)
    return Event(*where, _plain(operation), effect, least)


def _least(operands: list[Any]) -> Grade:
    tensors = _tensors(operands)
    return Grade.STRESS if any(one.dtype in _HALF for one in tensors) else Grade.ORDINARY


def _plain(name: str) -> str:
    """Return `div` for `__rdiv__` and `div_`."""
    word = name.strip("_") or name
    return word[1:] if word in ("rdiv", "rsub", "rpow") else word


def _leaves(tree: object) -> Iterator[Any]:
    """Yield what is neither a container nor None."""
    if isinstance(tree, (tuple, list)):
        for part in tree:
            yield from _leaves(part)
    elif isinstance(tree, dict):
        for part in tree.values():
            yield from _leaves(part)
    elif tree is not None:
        yield tree


def _tensors(tree: object) -> Iterator[torch.Tensor]:
    return (leaf for leaf in _leaves(tree) if isinstance(leaf, torch.Tensor))


def _has_fractions(tensor: torch.Tensor) -> bool:
    return tensor.is_floating_point() or tensor.is_complex()


def _are_finite(tensors: Iterable[torch.Tensor]) -> bool:
    """Whether all tensors are finite: a sum costs least, but it may overflow itself."""
    for tensor in tensors:
        numbers = _numbers(tensor)
        total = numbers.sum().item()
        if not cmath.isfinite(total) and not bool(torch.isfinite(numbers).all()):
            return False
    return True


def _have_nan(tensors: Iterable[torch.Tensor]) -> bool:
    return any(bool(torch.isnan(_numbers(one)).any()) for one in tensors)


def _numbers(tensor: torch.Tensor) -> torch.Tensor:
    tensor = tensor.detach()
    if tensor.layout is torch.strided:
        return tensor
    return tensor.coalesce().values() if tensor.layout is torch.sparse_coo else tensor.values()


def _new_nodes(outputs: Iterable[torch.Tensor], before: set[Any]) -> Iterator[Any]:
    """Yield the nodes of the graph between operands and outputs that this call created."""
    waiting = [one.grad_fn for one in outputs if one.grad_fn is not None]
    known = set(before)
    while waiting:
        node = waiting.pop()
        marks: Any = node.metadata
        if node in known or _SEEN in marks:
            continue
        known.add(node)
        marks[_SEEN] = True
        if node.name() == "torch::autograd::AccumulateGrad":
            continue
        yield node
        waiting += [after for after, _ in node.next_functions if after is not None]


_SEEN = "benchmarks.witnesses"


def _leaf_tensors(roots: Iterable[torch.Tensor]) -> Iterator[torch.Tensor]:
    """Yield the leaves of the graph that a gradient of `roots` reaches."""
    waiting = [root.grad_fn for root in roots if root.grad_fn is not None]
    known: set[Any] = set()
    while waiting:
        node = waiting.pop()
        if node in known:
            continue
        known.add(node)
        variable = getattr(node, "variable", None)
        if isinstance(variable, torch.Tensor):
            yield variable
        waiting += [after for after, _ in node.next_functions if after is not None]


def _word(node: Any) -> str:
    """Return `sigmoid` for `SigmoidBackward0`."""
    name: str = node.name().rpartition("::")[2].partition("Backward")[0]
    return "".join(f"_{one.lower()}" if one.isupper() else one for one in name).lstrip("_")


def _effect(
    incoming: list[torch.Tensor], outgoing: list[torch.Tensor], saturates: str
) -> Effect | None:
    if not incoming or not outgoing or not _are_finite(incoming):
        return None
    if not _are_finite(outgoing):
        return Effect.GRADIENT
    if saturates and _is_dead(incoming[0], outgoing, saturates):
        return Effect.DEAD
    return None


def _is_dead(incoming: torch.Tensor, outgoing: list[torch.Tensor], saturates: str) -> bool:
    """Whether all of a gradient ends at an operation that has saturated."""
    if incoming.numel() == 0 or any(bool(one.count_nonzero()) for one in outgoing):
        return False
    pull = incoming.abs().max().item()
    if saturates in _CUTS:
        return pull >= _PULLED
    if saturates == "softmax":  # 0 everywhere for one entry, or if pulled evenly
        return incoming.numel() > 1 and bool((incoming != incoming.flatten()[0]).any())
    return pull > 0
