"""Run a program as `python` itself would, under a plan of what to watch in it."""

from __future__ import annotations

import atexit
import json
import os
import runpy
import sys
import tokenize
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType, TracebackType
from typing import Any, Final

from mllint_nan.probing.compiling import NAME, Node, Place, instrumented
from mllint_nan.probing.preparing import PREPARED, Preparation
from mllint_nan.probing.watching import Look, Watch

STOPPED: Final = 86
"""The exit status of a program that was stopped at the origin."""
_HERE: Final = os.path.dirname(os.path.abspath(__file__))


@dataclass
class Plan:
    """What to watch in which files, and where to write what was seen."""

    result: str
    places: Mapping[str, Sequence[Place]]
    """By real path, for each file of the program."""
    is_wide: bool
    """Whether every operation of these files is watched, rather than only the suspects."""
    is_deep: bool
    """Whether the frameworks check each of their operations themselves."""
    nodes: dict[int, Node] = field(default_factory=dict)

    def compiled(self, text: str, path: str) -> CodeType:
        places = self.places.get(os.path.realpath(path))
        if places is None:
            return compile(text, path, "exec", dont_inherit=True)
        return instrumented(text, path, places, self.nodes, is_wide=self.is_wide, keeps=True)


class Session:
    """One run of a program."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._pid = os.getpid()
        self.notes: list[str] = []
        self.watch = Watch(plan.nodes, self._stop, is_wide=plan.is_wide, missed=self._missed)
        self.preparation = Preparation(self.watch, plan.places, self.notes)
        self.preparation.is_wide, self.preparation.is_deep = plan.is_wide, plan.is_deep
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forked)

    def _forked(self) -> None:
        self.watch.is_on = False  # only the parent watches

    def _stop(self, look: Look) -> None:
        first = self.preparation.first
        if first is not None and first.effect == look.effect and self.watch.became is None:
            look.inside = first.inside
        self._leave(look)

    def _missed(self, _: Look) -> None:
        self._leave(self._missed_one())

    def _missed_one(self) -> Look | None:
        """What was seen of an origin without stopping there."""
        return self.watch.infinity or self.preparation.first

    def _leave(self, origin: Look | None) -> None:
        self._write(origin)
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError, AttributeError):
                stream.flush()
        os._exit(STOPPED)

    def end(self) -> None:
        """Write the result when the program has ended by itself."""
        if os.getpid() == self._pid:
            self.watch.last()
            self._write(self._missed_one() if self.watch.tripped is not None else None)

    def failed(self, error: BaseException) -> None:
        """Handle the exception that ends the program; a framework's checks may have raised it."""
        if self._plan.is_deep:
            look = self.preparation.told_by(error)
            if look is not None:
                self._leave(look)

    def _write(self, origin: Look | None) -> None:
        watch = self.watch
        executed = {self._plan.nodes[number].place.number for number in watch.executions}
        told = {
            "origin": asdict(origin) if origin is not None else None,
            "passed": asdict(watch.passed) if watch.passed is not None else None,
            "tripped": asdict(watch.tripped) if watch.tripped is not None else None,
            "became": asdict(watch.became) if watch.became is not None else None,
            "executed": sorted(executed - {-1}),
            "notes": self.notes,
        }
        with open(f"{self._plan.result}.part", "w", encoding="utf-8") as file:
            json.dump(told, file)
        os.replace(f"{self._plan.result}.part", self._plan.result)


class _Loader(SourceFileLoader):
    def __init__(self, name: str, path: str, plan: Plan) -> None:
        super().__init__(name, path)
        self._plan = plan

    def get_code(self, fullname: str) -> CodeType | None:
        return self._plan.compiled(self.get_source(fullname) or "", self.path)


class _Finder(MetaPathFinder):
    """Finds the files of the plan, and prepares frameworks once they are imported."""

    def __init__(self, plan: Plan, session: Session) -> None:
        self._plan, self._session = plan, session

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or not spec.origin:
            return None
        if fullname in PREPARED and spec.loader is not None:
            self._session.preparation.on_load(spec)
            return spec
        if os.path.realpath(spec.origin) not in self._plan.places:
            return None
        if isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(spec.loader.name, spec.loader.path, self._plan)
            return spec
        return None


def main(argv: Sequence[str]) -> None:
    """Run a program under a plan; `argv` begins with the plan's path."""
    with open(argv[0], encoding="utf-8") as file:
        told = json.load(file)
    command = list(argv[2:])
    places = {path: tuple(map(_place, ones)) for path, ones in told["files"].items()}
    plan = Plan(told["result"], places, told["is_wide"], told["is_deep"])
    session = Session(plan)
    atexit.register(session.end)
    import builtins

    setattr(builtins, NAME, session.watch)
    for name in PREPARED:  # imported by `sitecustomize`, or a `.pth` file
        if name in sys.modules:
            session.preparation.prepare(name, sys.modules[name])
    sys.meta_path.insert(0, _Finder(plan, session))
    sys.excepthook = _hook(sys.excepthook)
    try:
        if command[0] == "-m":
            sys.argv = command[1:]
            _lead_with(os.getcwd())
            _run_module(command[1], plan)
            return
        script = os.path.abspath(command[0])
        sys.argv = command
        if os.path.isdir(script):
            _lead_with(script)
            script = os.path.join(script, "__main__.py")
        else:
            _lead_with(os.path.dirname(script))
        _run_file(script, plan)
    except BaseException as error:
        session.failed(error)
        raise


def _lead_with(folder: str) -> None:
    if getattr(sys.flags, "safe_path", False):
        del sys.path[0]
    else:
        sys.path[0] = folder


def _hook(usual: Any) -> Any:
    """Return a hook that shows exceptions as `python` would: without the frames of the probe."""

    def show(
        kind: type[BaseException], error: BaseException, traceback: TracebackType | None
    ) -> None:
        while traceback is not None and _is_own(traceback):
            traceback = traceback.tb_next
        usual(kind, error.with_traceback(traceback), traceback)

    return show


def _is_own(traceback: TracebackType) -> bool:
    name = traceback.tb_frame.f_code.co_filename
    return os.path.abspath(name).startswith(_HERE) or name.startswith("<frozen runpy")


def _place(told: Mapping[str, Any]) -> Place:
    start, end = ((int(row), int(column)) for row, column in (told["start"], told["end"]))
    return Place(told["number"], told["is_of_values"], start, end)


def _run_file(script: str, plan: Plan) -> None:
    with tokenize.open(script) as file:
        text = file.read()
    main_module = ModuleType("__main__")
    main_module.__file__ = script
    main_module.__dict__["__builtins__"] = __builtins__
    sys.modules["__main__"] = main_module
    exec(plan.compiled(text, script), main_module.__dict__)


def _run_module(name: str, plan: Plan) -> None:
    import importlib.util

    spec = importlib.util.find_spec(name)
    if spec is not None and spec.submodule_search_locations is not None:
        spec = importlib.util.find_spec(f"{name}.__main__")
    if spec is None or spec.origin is None or not isinstance(spec.loader, SourceFileLoader):
        runpy.run_module(name, run_name="__main__", alter_sys=True)
        return
    main_module = ModuleType("__main__")
    main_module.__file__, main_module.__spec__ = spec.origin, spec
    main_module.__package__ = spec.parent or ""
    main_module.__dict__["__builtins__"] = __builtins__
    sys.modules["__main__"] = main_module
    sys.argv[0] = spec.origin
    with tokenize.open(spec.origin) as file:
        text = file.read()
    exec(plan.compiled(text, spec.origin), main_module.__dict__)
