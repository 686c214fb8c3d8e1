"""Replace the code of existing functions by watched code.

The code of a running function cannot be replaced. For PyTorch, its operations are inspected when
they are called, by a mode that looks up the caller.
"""

from __future__ import annotations

import builtins
import gc
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType, FrameType, FunctionType
from typing import Any, Final

from mllint_nan.probing.compiling import NAME, NO_SUSPECT, Node, Place, instrumented
from mllint_nan.probing.watching import Watch

_HOPS_MOST: Final = 12
"""How many frames of the framework are between an operation and the line that calls it."""

Span = tuple[tuple[int, int], tuple[int, int]]


@dataclass(frozen=True)
class Source:
    """A text that is part of the program, and the places watched in it."""

    text: str
    places: Sequence[Place]


def is_watched() -> bool:
    """Whether another probe is active already."""
    return hasattr(builtins, NAME) and not isinstance(getattr(builtins, NAME), _Idle)


class Exchange:
    """The watched code of a running program, from `start` to `end`."""

    def __init__(
        self, watch: Watch, sources: Mapping[str, Source], nodes: dict[int, Node], *, is_wide: bool
    ) -> None:
        """`sources` are the texts, by the file name in their code."""
        self._watch = watch
        self._nodes = nodes
        self._codes: dict[CodeType, CodeType] = {}
        """By the plain code: the watched code."""
        for name, source in sources.items():
            plain = compile(source.text, name, "exec", dont_inherit=True)
            watched = instrumented(
                source.text, name, source.places, nodes, is_wide=is_wide, keeps=True
            )
            self._codes.update(_pairs(plain, watched))
        self._files = frozenset(sources)
        self._exchanged: list[tuple[FunctionType, CodeType]] = []
        self._undo: list[Any] = []
        self.running: list[Node] = []
        """The suspects in running functions, watched only when their operations are called."""

    def start(self, frame: FrameType | None) -> None:
        """Replace existing code; `frame` is the innermost frame of the running program."""
        setattr(builtins, NAME, self._watch)
        for one in gc.get_objects():
            if type(one) is FunctionType and one.__code__.co_filename in self._files:
                watched = self._codes.get(one.__code__)
                if watched is not None:
                    self._exchanged.append((one, one.__code__))
                    one.__code__ = watched
        codes = frozenset(_running(frame, self._files))
        spans = {
            (node.file, node.place.start, node.place.end): number
            for number, node in self._nodes.items()
            if node.is_whole
        }
        self.running = [node for node in self._nodes.values() if _is_in(node, codes)]
        if self.running:
            self._undo += _watched_as_called(self._watch, codes, spans)
        self._undo += _uncompiled()
        optimizers = sys.modules.get("torch.optim.optimizer")
        if optimizers is not None:
            hook = optimizers.register_optimizer_step_post_hook(self._watch.stepping)
            self._undo.append(hook.remove)

    def end(self) -> None:
        """Restore the code of every function."""
        self._watch.is_on = False
        for function, code in self._exchanged:
            function.__code__ = code
        self._exchanged.clear()
        while self._undo:
            self._undo.pop()()
        if getattr(builtins, NAME, None) is self._watch:
            # Closures that were created meanwhile still refer to it.
            setattr(builtins, NAME, _Idle())


class _Idle:
    """The stub that is called by watched code which outlives its probe."""

    @staticmethod
    def operand(_: int, value: Any, /) -> Any:
        return value

    @staticmethod
    def made(_: int, __: int, value: Any, /) -> Any:
        return value

    @staticmethod
    def kept(_: int, value: Any, /) -> Any:
        return value


def _pairs(plain: CodeType, watched: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """Yield each code object of a text with its watched one: nested ones are in the same order."""
    yield plain, watched
    inner = [
        [one for one in code.co_consts if isinstance(one, CodeType)] for code in (plain, watched)
    ]
    for before, after in zip(*inner, strict=True):
        yield from _pairs(before, after)


def _running(frame: FrameType | None, files: frozenset[str]) -> Iterator[CodeType]:
    while frame is not None:
        if frame.f_code.co_filename in files:
            yield frame.f_code
        frame = frame.f_back


def _is_in(node: Node, codes: frozenset[CodeType]) -> bool:
    """Whether a suspect is in one of these code objects itself, not in a function within it."""
    if node.place.number == NO_SUSPECT or not node.is_whole:
        return False
    return any(
        code.co_filename == node.file and node.place.start[0] in _rows(code) for code in codes
    )


def _rows(code: CodeType) -> frozenset[int]:
    return frozenset(row for _, _, row in code.co_lines() if row is not None)


def _watched_as_called(
    watch: Watch, codes: frozenset[CodeType], numbers: Mapping[Any, int]
) -> list[Any]:
    """Inspect PyTorch's operations when these code objects call them; returns how to undo that."""
    torch = sys.modules.get("torch")
    if torch is None:
        return []
    home = os.path.dirname(torch.__file__ or "")
    known: dict[tuple[CodeType, int], int | None] = {}

    def number_at(frame: FrameType | None) -> int | None:
        for _ in range(_HOPS_MOST):
            if frame is None:
                return None
            code = frame.f_code
            if code in codes:
                at = (code, frame.f_lasti)
                if at not in known:
                    known[at] = _number_at(code, frame.f_lasti, frame.f_lineno, numbers)
                return known[at]
            if not code.co_filename.startswith(home):
                return None
            frame = frame.f_back
        return None

    base: Any = torch.overrides.TorchFunctionMode

    class Called(base):  # type: ignore[misc]
        def __torch_function__(
            self, function: Any, _: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            made = function(*args, **(kwargs or {}))
            if not hasattr(made, "grad_fn"):
                return made
            number = number_at(sys._getframe(1))
            return made if number is None else watch.ran(number, made, args)

    mode = Called()
    mode.__enter__()
    return [lambda: mode.__exit__(None, None, None)]


def _number_at(
    code: CodeType, instruction: int, row: int, numbers: Mapping[Any, int]
) -> int | None:
    """The number of the smallest watched expression that an instruction belongs to."""
    begin = end = (row, -1)
    if hasattr(code, "co_positions"):  # Python 3.11
        for index, (first, last, left, right) in enumerate(code.co_positions()):
            if index != instruction // 2 or first is None or last is None:
                continue
            if left is not None and right is not None:
                begin, end = (first, left), (last, right)
    around = [
        (start, stop, number)
        for (file, start, stop), number in numbers.items()
        if file == code.co_filename
        and (start <= begin and end <= stop if begin[1] >= 0 else start[0] <= row <= stop[0])
    ]
    if not around:
        return None
    return min(around, key=lambda one: (one[1][0] - one[0][0], one[1][1] - one[0][1]))[2]


def _uncompiled() -> list[Any]:
    """Run eagerly what would be compiled; returns how to undo that."""
    undo: list[Any] = []
    jax, tf, torch = (sys.modules.get(name) for name in ("jax", "tensorflow", "torch"))
    if jax is not None:
        jax.clear_caches()  # what was traced before is traced again, with the probe in it
        undo.append(jax.clear_caches)
    if tf is not None and not tf.config.functions_run_eagerly():
        tf.config.run_functions_eagerly(True)
        undo.append(lambda: tf.config.run_functions_eagerly(False))
    if torch is not None and "torch._dynamo" in sys.modules:
        stance = getattr(torch.compiler, "set_stance", None)
        if stance is not None:  # PyTorch 2.6
            stance("force_eager")
            undo.append(lambda: stance("default"))
    return undo
