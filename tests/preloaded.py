"""Interpreters that have imported frameworks already: a program that imports one begins at once.

To import PyTorch takes two seconds, TensorFlow and Keras five, and most programs of the tests run
for less. A server imports them once and forks for each program; what stands for `python` in a
command hands its arguments, environment, folder and streams over and ends as the program does.
What a program does, prints and writes is the same, but that the modules are there before it begins
and that what started it is other than `python`: a test of that runs `sys.executable`. Servers end
with the process that started them.
"""

from __future__ import annotations

import gc
import io
import json
import os
import re
import runpy
import select
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Final

_MODULES: Final = ("jax", "keras", "lightning", "mllint_nan", "tensorflow", "torch")
_IMPORT: Final = re.compile(rf"^\s*(?:import|from) ({'|'.join(_MODULES)})\b", re.MULTILINE)
_LATER: Final = {
    "mllint_nan": (
        "mllint_nan.cache",
        "mllint_nan.fixing.completeness",
        "mllint_nan.project",
        "mllint_nan.suspects.candidates",
    ),
    "torch": ("torch._dynamo",),
}
"""What the first use of a module imports, which takes as long again."""
_ROOT: Final = Path(__file__).parents[1]
_CLIENT: Final = """\
import array, json, os, signal, socket, sys
connection = socket.socket(socket.AF_UNIX)
connection.connect(sys.argv[1])
request = json.dumps([sys.argv[2:], dict(os.environ), os.getcwd()]).encode()
streams = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0, 1, 2]))]
connection.sendmsg([b"%d\\n" % len(request)], streams)
connection.sendall(request)
status = int(connection.recv(16))
if status < 0:
    signal.signal(-status, signal.SIG_DFL)
    os.kill(os.getpid(), -status)
sys.exit(status)
"""


def python_for(*programs: Path) -> str:
    """What to write for `python` in a command that runs a program of these files."""
    texts = [path.read_text(encoding="utf-8") for path in programs]
    return python_with(*{name for text in texts for name in _IMPORT.findall(text)})


def python_with(*modules: str) -> str:
    """The same, of modules that a program imports."""
    if not modules or not sys.platform.startswith("linux"):
        return sys.executable  # elsewhere libraries do not survive that a process is forked
    both = {"keras", "tensorflow"}
    return _served(frozenset(both.union(modules) if both & {*modules} else modules))


@lru_cache(None)
def _served(modules: frozenset[str]) -> str:
    kept = tempfile.TemporaryDirectory(prefix="mllint-nan-")
    folder = Path(kept.name)
    (folder / "client.py").write_text(_CLIENT, encoding="utf-8")
    words = [sys.executable, "-SE", folder / "client.py", folder / "socket"]
    python = folder / "python"
    python.write_text(f'#!/bin/sh\nexec {shlex.join(map(str, words))} "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    server = subprocess.Popen(
        [sys.executable, __file__, str(folder / "socket"), *sorted(modules)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert server.stdout is not None
    assert server.stdout.readline() == b"ready\n"
    _running.append((server, kept))
    return str(python)


_running: Final[list[tuple[subprocess.Popen[bytes], tempfile.TemporaryDirectory[str]]]] = []
"""Servers, each of which ends when the input does that this process holds open."""


def close() -> None:
    """End the servers of this process."""
    while _running:
        server, folder = _running.pop()
        server.communicate()
        folder.cleanup()
    _served.cache_clear()


def lower_in_one_context() -> None:
    """JAX makes a context of MLIR for each program, half of the time of lowering a small one."""
    mlir = sys.modules.get("jax._src.interpreters.mlir")
    if mlir is not None and hasattr(mlir, "make_ir_context"):
        mlir.make_ir_context = lru_cache(None)(mlir.make_ir_context)


def _serve(path: str, modules: Sequence[str]) -> list[str]:
    """Forks for each program, and returns in a fork alone, with the arguments of `python`."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    own, sys.path[0] = sys.path[0], str(_ROOT)
    for name in modules:
        for each in (name, *_LATER.get(name, ())):
            with suppress(ImportError):
                import_module(each)
    lower_in_one_context()
    if "mllint_nan" in modules:
        import_module("mllint_nan.rulebook.load").load_rules()
    sys.path[0] = own
    listener.listen()
    gc.freeze()
    os.write(1, b"ready\n")
    while True:
        readable, _, _ = select.select([listener.fileno(), 0], [], [])
        if 0 in readable:
            sys.exit()
        connection, _ = listener.accept()
        with connection:
            size, streams, _, _ = socket.recv_fds(connection, 16, 3)
            request = b""
            while len(request) < int(size):
                request += connection.recv(1 << 16)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # JAX warns of threads, of which none runs yet
                process = os.fork()
            if process == 0:
                listener.close()
                break
            for stream in streams:
                os.close(stream)
            status = _ended(process, connection)
            with suppress(BrokenPipeError):
                connection.sendall(b"%d" % status)
    for target, stream in enumerate(streams):
        os.dup2(stream, target)
        os.close(stream)
    sys.stdin, sys.stdout = os.fdopen(0, closefd=False), os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", 1, errors="backslashreplace", closefd=False)
    arguments, environment, folder = json.loads(request)
    os.chdir(folder)
    before, after = os.environ.get("PYTHONPATH"), environment.get("PYTHONPATH")
    os.environ.clear()
    os.environ.update(environment)
    if before != after:
        known = [os.path.abspath(each) for each in (before or "").split(os.pathsep) if each]
        new = [os.path.abspath(each) for each in (after or "").split(os.pathsep) if each]
        sys.path[1:] = [*new, *(each for each in sys.path[1:] if each not in known)]
    return list(arguments)


def _ended(process: int, connection: socket.socket) -> int:
    """The status with which a process ends; it is killed if whoever waits for it is gone."""
    file = os.pidfd_open(process)
    try:
        readable, _, _ = select.select([file, connection.fileno()], [], [])
        if file not in readable:
            os.kill(process, signal.SIGKILL)
        return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    finally:
        os.close(file)


def _run(arguments: Sequence[str]) -> None:
    """Runs what `python` would run."""
    sys.excepthook = _shown
    if arguments[0] == "-m":
        sys.path[0] = os.getcwd()
        sys.argv = ["-m", *arguments[2:]]
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
        return
    path = os.path.abspath(arguments[0])
    sys.path[0] = path if os.path.isdir(path) else os.path.dirname(path)
    sys.argv = list(arguments)
    main = ModuleType("__main__")
    main.__file__ = os.path.join(path, "__main__.py") if os.path.isdir(path) else path
    sys.modules["__main__"] = main
    with io.open_code(main.__file__) as file:
        exec(compile(file.read(), main.__file__, "exec", dont_inherit=True), main.__dict__)


_OWN: Final = (__file__, "<frozen runpy>", runpy.__file__)


def _shown(
    kind: type[BaseException], error: BaseException, traceback: TracebackType | None
) -> None:
    """As `python` shows it: without the frames of this file."""
    while traceback is not None and traceback.tb_frame.f_code.co_filename in _OWN:
        traceback = traceback.tb_next
    sys.__excepthook__(kind, error.with_traceback(traceback), traceback)


def _main() -> None:
    arguments = _serve(sys.argv[1], sys.argv[2:])
    if arguments[0].startswith("-") and arguments[0] != "-m":
        os.execv(sys.executable, [sys.executable, *arguments])
    _run(arguments)


if __name__ == "__main__":
    _main()
