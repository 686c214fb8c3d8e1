"""Changes to a framework once it is imported, so that its numbers can be watched.

What would be compiled runs eagerly, if the framework can do that; otherwise there is a note. A
deep watch adds the framework's own checks: autograd's records, and the checked operations of
TensorFlow and JAX, which also cover code outside the project.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from importlib.machinery import ModuleSpec
from types import ModuleType, TracebackType
from typing import Any, Final

from mllint_nan.probing.compiling import NO_SUSPECT, source_watched
from mllint_nan.probing.frameworks import NAN, range_of, worst
from mllint_nan.probing.watching import Look, Watch

PREPARED: Final = ("torch", "tensorflow", "keras", "jax")
_FRAME: Final = re.compile(r'\s*File "(?P<file>[^"]+)", line (?P<row>\d+), in ')
_GRAPH_FRAME: Final = re.compile(r"\s*\+ (?P<file>\S+) \(L(?P<row>\d+)\) ")
_CHECKED: Final = re.compile(r'Detected Infinity or NaN in output \d+ of .*?op "(\w+)"')
_DEBUGGED: Final = re.compile(r"encountered in (?:jit\()?([\w.-]+)")
_CUT: Final = "..."


class Preparation:
    """The changes to the frameworks of one run, and notes about them."""

    def __init__(self, watch: Watch, files: Collection[str], notes: list[str]) -> None:
        """`files` are the real paths of the files that are watched by line."""
        self._watch = watch
        self._files = files
        self._notes = notes
        self.is_wide = False
        self.is_deep = False
        self.first: Look | None = None
        """The first NaN made by any operation of PyTorch."""

    def on_load(self, spec: ModuleSpec) -> None:
        """Prepare the framework of a specification as soon as it is loaded."""
        loader: Any = spec.loader
        load: Callable[[ModuleType], None] = loader.exec_module

        def loaded(module: ModuleType) -> None:
            load(module)
            self.prepare(spec.name, module)

        loader.exec_module = loaded

    def prepare(self, name: str, module: ModuleType) -> None:
        """Prepare a framework; whatever its version lacks is skipped."""
        prepare = {
            "torch": self._torch,
            "tensorflow": self._tensorflow,
            "keras": self._keras,
            "jax": self._jax,
        }[name]
        with suppress(AttributeError, ImportError, KeyError, TypeError):
            prepare(module)

    def note(self, text: str) -> None:
        if text not in self._notes:
            self._notes.append(text)

    # PyTorch

    def _torch(self, torch: Any) -> None:
        os.environ.setdefault("TORCH_COMPILE_DISABLE", "1")  # PyTorch 2.4 and later
        os.environ.setdefault("TORCHDYNAMO_DISABLE", "1")
        if "torch._dynamo" in sys.modules:  # it has read them already
            settings: Any = sys.modules["torch._dynamo"].config
            settings.disable = os.environ["TORCH_COMPILE_DISABLE"] == "1"
        if os.environ["TORCH_COMPILE_DISABLE"] == "1":
            said = "torch.compile is disabled: the code runs uncompiled"
            self._note_calls(torch, "compile", lambda _: said)
        self._note_calls(torch.jit, "script", self._scripted)
        if self.is_wide:
            torch.autograd.set_detect_anomaly(True, check_nan=False)
            self._torch_operations(torch).__enter__()
        self._watch.is_counted = True
        optimizers = sys.modules["torch.optim.optimizer"]
        optimizers.register_optimizer_step_post_hook(self._watch.stepping)

    def _note_calls(self, module: Any, name: str, said: Callable[[Any], str]) -> None:
        usual = getattr(module, name)

        def noting(*args: Any, **kwargs: Any) -> Any:
            text = said(args[0] if args else None)
            if text:
                self.note(text)
            return usual(*args, **kwargs)

        setattr(module, name, noting)

    def _scripted(self, made: Any) -> str:
        code = getattr(getattr(made, "forward", made), "__code__", None)
        if code is None or os.path.realpath(code.co_filename) not in self._files:
            return ""
        place = f"{os.path.basename(code.co_filename)}:{code.co_firstlineno}"
        return (
            f"{place}: torch.jit.script compiles {code.co_name} from its source, so its lines are "
            "not watched; set PYTORCH_JIT=0 in the environment to watch them"
        )

    def _torch_operations(self, torch: Any) -> Any:
        """A mode that records the first operation, in any file, that makes NaN."""
        base: Any = importlib.import_module("torch.utils._python_dispatch").TorchDispatchMode
        preparation = self

        class Operations(base):  # type: ignore[misc]
            def __torch_dispatch__(
                self, operation: Any, _: Any, args: Any = (), kwargs: Any = None
            ) -> Any:
                if preparation.first is not None:
                    return operation(*args, **(kwargs or {}))
                before = worst(args)
                given = tuple(map(range_of, preparation._tensors(args)))
                made = operation(*args, **(kwargs or {}))
                changed = args[:1] if operation._schema.is_mutable else made
                is_new = operation.overloadpacket.__name__.startswith(("empty", "new_empty"))
                tensors = list(preparation._tensors((changed,)))
                if not is_new and worst(tensors) == NAN > before:
                    preparation.first = preparation._made(torch, operation, given, tensors)
                return made

        return Operations()

    @staticmethod
    def _tensors(args: Any) -> Iterator[Any]:
        for part in args:
            if isinstance(part, (list, tuple)):
                yield from Preparation._tensors(part)
            elif hasattr(part, "is_floating_point"):
                yield part

    def _made(self, torch: Any, operation: Any, given: tuple[str, ...], made: Any) -> Look:
        node = torch._C._current_autograd_node()
        frames = list(_frames(node.metadata.get("traceback_", ())) if node else _running())
        bad = next((part for part in made if worst((part,)) == NAN), None)
        effect = "gradient" if node else "value"
        name = operation.overloadpacket.__name__
        return self._look(effect, name, frames, given, range_of(bad))

    def _look(
        self,
        effect: str,
        operation: str,
        frames: list[tuple[str, int]],
        given: tuple[str, ...],
        made: str,
    ) -> Look:
        own = [one for one in frames if os.path.realpath(one[0]) in self._files]
        foreign = [one for one in frames if not _is_of_framework(one[0])]
        file, row = own[-1] if own else ("", 0)
        inside = operation
        if foreign and foreign[-1] != (file, row):
            inside = f"{operation} ({foreign[-1][0]}:{foreign[-1][1]})"
        steps = self._watch.steps
        step = steps + 1 if steps else 0
        return Look(NO_SUSPECT, effect, 1, step, given, made, file, (row, 0), (row, 0), "", inside)

    # TensorFlow, Keras and JAX

    def _tensorflow(self, tf: Any) -> None:
        usual = tf.function

        def function(func: Any = None, *args: Any, **kwargs: Any) -> Any:
            if kwargs.get("jit_compile"):
                kwargs["jit_compile"] = None
                self.note(
                    "tf.function(jit_compile=True) is ignored: it runs as a graph, without XLA"
                )
            return usual(func, *args, **kwargs)

        tf.function = function
        _have_autograph_read_what_is_watched()
        if self.is_deep:
            tf.debugging.enable_check_numerics()

    def _keras(self, keras: Any) -> None:
        callbacks = keras.callbacks.CallbackList
        usual = callbacks.on_epoch_end

        def on_epoch_end(this: Any, epoch: int, logs: Any = None) -> None:
            usual(this, epoch, logs)
            bad = [name for name, value in (logs or {}).items() if worst((value,))]
            if bad and self._watch.tripped is None:
                text = f"{bad[0]} of epoch {epoch + 1}"
                self._watch.missing(Look(NO_SUSPECT, "value", 1, 0, (), "nan", text=text))

        callbacks.on_epoch_end = on_epoch_end

    def _jax(self, jax: Any) -> None:
        if self.is_deep:
            jax.config.update("jax_debug_nans", True)

    # Errors of frameworks

    def told_by(self, error: BaseException) -> Look | None:
        """Return where a number became non-finite, if the exception reports that."""
        said = str(error)
        frames = [*_raised(error.__traceback__)]
        checked = _CHECKED.search(said)
        if checked is not None:
            graph = [(one["file"], int(one["row"])) for one in _GRAPH_FRAME.finditer(said)]
            known = [(self._known(file), row) for file, row in graph]
            whole = [*frames, *((file, row) for file, row in known if file)]
            return self._look("value", checked[1], whole, (), "not finite")
        debugged = _DEBUGGED.search(said)
        if isinstance(error, FloatingPointError) and debugged is not None:
            return self._look("value", debugged[1], frames, (), "not finite")
        return None

    def _known(self, file: str) -> str:
        """The path of a project's file of which only the end is given, or an empty string."""
        end = file[len(_CUT) :] if file.startswith(_CUT) else file
        return next((one for one in self._files if one.endswith(end)), "")


def _have_autograph_read_what_is_watched() -> None:
    """Make AutoGraph compile the watched text: it reads a function's file, not its code."""
    try:
        reader: Any = importlib.import_module("tensorflow.python.autograph.pyct.inspect_utils")
        usual = reader.getimmediatesource
    except (ImportError, AttributeError):  # a version with another reader
        return

    def watched(read: Any) -> Any:
        code = getattr(read, "__code__", None)
        return (source_watched(code) if code is not None else None) or usual(read)

    reader.getimmediatesource = watched


def _frames(lines: Any) -> Iterator[tuple[str, int]]:
    for line in lines:
        found = _FRAME.match(line)
        if found is not None:
            yield found["file"], int(found["row"])


def _running() -> Iterator[tuple[str, int]]:
    frame = sys._getframe()
    found = []
    while frame is not None:
        found.append((frame.f_code.co_filename, frame.f_lineno))
        frame = frame.f_back  # type: ignore[assignment]
    return reversed(found)


def _raised(traceback: TracebackType | None) -> Iterator[tuple[str, int]]:
    while traceback is not None:
        yield traceback.tb_frame.f_code.co_filename, traceback.tb_lineno
        traceback = traceback.tb_next


_HERE: Final = os.path.dirname(os.path.abspath(__file__))
_INNER: Final = re.compile(r"(^|[/\\])(torch|tensorflow|jax|keras|numpy)[/\\]|^<|importlib")


def _is_of_framework(file: str) -> bool:
    return file.startswith(_HERE) or _INNER.search(file) is not None
