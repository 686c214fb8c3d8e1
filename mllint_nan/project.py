"""Many files: which ones, in which process, and how a repaired one is written back.

Every file ends as a value: no file, and no death of a worker process, stops the others.
"""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import stat
import tempfile
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mllint_nan.findings import Finding
from mllint_nan.linter import (
    Failed,
    Linted,
    Outcome,
    Settings,
    Skipped,
    Unparsable,
    fix_bytes,
    lint_bytes,
)
from mllint_nan.neighbours import neighbours_of

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

EXCLUDED = frozenset(
    {
        ".bzr", ".direnv", ".eggs", ".git", ".git-rewrite", ".hg", ".ipynb_checkpoints",
        ".mllint_nan_cache", ".mypy_cache", ".nox", ".pants.d", ".pyenv", ".pytest_cache",
        ".pytype", ".ruff_cache", ".svn", ".tox", ".venv", ".vscode", "__pycache__",
        "__pypackages__", "_build", "buck-out", "build", "dist", "node_modules",
        "site-packages", "venv",
    }
)  # fmt: skip
"""Directories that are not entered unless they are named: ruff's, and where builds end up."""

_SEQUENTIAL_UP_TO = 8
"""Starting a worker costs as much as analysing a few files."""

_FILES_PER_TASK = 8
_TASKS_AHEAD_PER_WORKER = 4

_ADVICE = {
    errno.EACCES: "check the file's mode",
    errno.EPERM: "check the file's owner and mode",
    errno.ENOENT: "check the path",
    errno.ENOTDIR: "check the path",
    errno.ELOOP: "the symbolic link leads back to itself",
}


@dataclass(frozen=True, slots=True)
class Discovery:
    """The files to check, and the paths that lead nowhere."""

    files: tuple[str, ...]
    failures: tuple[tuple[str, Failed], ...]


@dataclass(frozen=True, slots=True)
class Request:
    """What is done with each file."""

    settings: Settings
    fix: bool = False
    roots: tuple[str, ...] = ()
    """Directories below which absolute imports are looked for."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What became of one file; `before` and `after` differ where fixes were applied.

    Outcomes with findings speak of `after`; other files do not carry their bytes along.
    """

    path: str
    outcome: Outcome
    applied: tuple[Finding, ...] = ()
    before: bytes = b""
    after: bytes = b""

    @property
    def findings(self) -> tuple[Finding, ...]:
        match self.outcome:
            case Linted(findings):
                return findings
            case Unparsable(finding):
                return (finding,)
            case Skipped() | Failed():
                return ()

    @property
    def is_changed(self) -> bool:
        return self.before != self.after

    def without_bytes(self) -> Checked:
        return replace(self, before=b"", after=b"")


class WriteRefused(Exception):
    """Writing would destroy something; the message says what, in one line."""


def discover(paths: Iterable[str]) -> Discovery:
    """The given files, and every `*.py` below the given directories, each once, sorted.

    Symbolic links to directories are followed when they are given, not when they are met: so no
    loop exists, and no fix reaches outside what was named.
    """
    files: dict[str, str] = {}
    directories: list[tuple[str, str]] = []
    failures: dict[str, Failed] = {}
    for path in paths:
        try:
            mode = os.stat(path).st_mode
        except (OSError, ValueError) as error:
            failures[path] = _io_failure("read", error)
            continue
        if stat.S_ISDIR(mode):
            directories.append((path, os.path.realpath(path)))
        else:
            files.setdefault(os.path.realpath(path), path)

    links: list[str] = []
    visited: set[str] = set()
    while directories:
        directory, real = directories.pop()
        if real in visited:
            continue
        visited.add(real)
        try:
            entries = list(os.scandir(directory))
        except OSError as error:
            failures[directory] = _io_failure("read", error)
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in EXCLUDED:
                    directories.append((entry.path, os.path.join(real, entry.name)))
            elif entry.name.endswith(".py"):
                if entry.is_symlink():
                    links.append(entry.path)
                elif entry.is_file():
                    files.setdefault(os.path.join(real, entry.name), entry.path)
    for link in sorted(links):
        if os.path.isfile(link):
            files.setdefault(os.path.realpath(link), link)

    found = (path.removeprefix(os.path.join(os.curdir, "")) for path in files.values())
    return Discovery(
        tuple(sorted(found, key=lambda path: path.split(os.sep))),
        tuple(sorted(failures.items(), key=lambda failure: failure[0])),
    )


def default_jobs() -> int:
    """The processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def check_bytes(data: bytes, path: str, request: Request) -> Checked:
    """Lint or fix one file's bytes; whatever goes wrong inside is a `Failed`."""
    try:
        if request.fix:
            fixed = fix_bytes(data, path, request.settings)
            checked = Checked(path, fixed.outcome, fixed.applied, data, fixed.data)
        else:
            checked = Checked(path, lint_bytes(data, path, request.settings), (), data, data)
    except Exception as error:  # one file must never stop the others
        return Checked(path, _internal_failure(error), (), data, data)
    if checked.findings or checked.is_changed:
        return checked
    return checked.without_bytes()


def check_file(path: str, request: Request) -> Checked:
    """Read one file, and lint or fix it; nothing is written."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except (OSError, ValueError, MemoryError) as error:
        return Checked(path, _io_failure("read", error))
    return check_bytes(
        data, path, replace(request, settings=placed(request.settings, path, request.roots))
    )


def placed(settings: Settings, path: str, roots: tuple[str, ...] = ()) -> Settings:
    """The settings, with what the file's surroundings say of it."""
    beside = os.path.join(os.path.dirname(path), "__init__.py")
    project = neighbours_of(path, roots)
    return replace(settings, in_package=os.path.exists(beside), project=project)


Check = Callable[[str, Request], Checked]


def check_paths(
    files: Sequence[str], request: Request, jobs: int = 1, check: Check = check_file
) -> Iterator[Checked]:
    """The result of `check` for each file, in the order of `files` whatever the number of jobs."""
    if jobs == 1 or len(files) <= _SEQUENTIAL_UP_TO:
        return (check(path, request) for path in files)
    return _in_parallel(files, request, jobs, check)


def _in_parallel(
    files: Sequence[str], request: Request, jobs: int, check: Check
) -> Iterator[Checked]:
    """When a worker dies, the files that were under way are repeated one at a time."""
    from concurrent.futures.process import BrokenProcessPool

    size = min(_FILES_PER_TASK, max(1, len(files) // (jobs * _TASKS_AHEAD_PER_WORKER)))
    tasks = [tuple(files[start : start + size]) for start in range(0, len(files), size)]
    ahead = jobs * _TASKS_AHEAD_PER_WORKER
    while tasks:
        done = 0
        try:
            workers = _start_workers(min(jobs, len(tasks)))
        except (ImportError, NotImplementedError, OSError):  # no semaphores, as in some sandboxes
            yield from (check(path, request) for task in tasks for path in task)
            return
        try:
            with _closing(workers) as pool:
                for results in _in_order(pool, tasks, ahead, request, check):
                    done += 1
                    yield from results
        except BrokenProcessPool:
            suspects = [path for task in tasks[done : done + ahead] for path in task]
            yield from _one_at_a_time(suspects, request, check)
            done += ahead
        tasks = tasks[done:]


def _in_order(
    pool: ProcessPoolExecutor,
    tasks: Sequence[tuple[str, ...]],
    ahead: int,
    request: Request,
    check: Check,
) -> Iterator[tuple[Checked, ...]]:
    """The results of `tasks`, of which never more than `ahead` are submitted and not yielded."""
    submitted: deque[Future[tuple[Checked, ...]]] = deque()
    for task in tasks:
        submitted.append(pool.submit(_check_all, task, request, check))
        if len(submitted) == ahead:
            yield submitted.popleft().result()
    while submitted:
        yield submitted.popleft().result()


def _one_at_a_time(files: Sequence[str], request: Request, check: Check) -> Iterator[Checked]:
    """Each file is alone in its worker, so that a death names the file that caused it."""
    from concurrent.futures.process import BrokenProcessPool

    remaining = deque(files)
    while remaining:
        with _closing(_start_workers(1)) as pool:
            while remaining:
                path = remaining.popleft()
                try:
                    checked = pool.submit(check, path, request).result()
                except BrokenProcessPool:
                    yield Checked(path, Failed("internal error: the process analysing it died"))
                    break
                yield checked


def _check_all(files: tuple[str, ...], request: Request, check: Check) -> tuple[Checked, ...]:
    return tuple(check(path, request) for path in files)


def _start_workers(number: int) -> ProcessPoolExecutor:
    from concurrent.futures import ProcessPoolExecutor

    if os.name == "nt":
        number = min(number, 61)  # the most handles that Windows waits for at once
    return ProcessPoolExecutor(number, initializer=_let_interrupts_kill)


@contextlib.contextmanager
def _closing(pool: ProcessPoolExecutor) -> Iterator[ProcessPoolExecutor]:
    """Leaving early forgets what has not begun."""
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _let_interrupts_kill() -> None:
    """Ctrl-C ends a worker without a traceback of its own."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def write_atomically(path: str, data: bytes, *, original: bytes) -> None:
    """Replace the content of `path`, which must still be `original`; mode, owner and links stay.

    Raises `WriteRefused` or `OSError`; either way the file is as it was.
    """
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode):
        raise WriteRefused("not a regular file; fix its source instead")
    real = os.path.realpath(path)
    if not os.access(real, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    descriptor, temporary = tempfile.mkstemp(prefix=".mllint-nan-", dir=os.path.dirname(real))
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if hasattr(os, "chown"):
            with contextlib.suppress(PermissionError):
                os.chown(temporary, status.st_uid, status.st_gid)
        os.chmod(temporary, stat.S_IMODE(status.st_mode))
        with open(real, "rb") as file:
            if file.read() != original:
                raise WriteRefused("changed on disk since it was read; run again")
        os.replace(temporary, real)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def write_fixed(checked: Checked) -> Checked:
    """Write a fixed file back; where that is impossible, nothing counts as fixed."""
    try:
        write_atomically(checked.path, checked.after, original=checked.before)
    except WriteRefused as refusal:
        return Checked(checked.path, Failed(f"not fixed: {refusal}"))
    except OSError as error:
        return Checked(checked.path, _io_failure("write", error))
    return checked


def _io_failure(verb: str, error: OSError | ValueError | MemoryError) -> Failed:
    match error:
        case OSError():
            reason = f"cannot {verb}: {error.strerror or error}"
            advice = _ADVICE.get(error.errno or 0)
        case MemoryError():
            reason, advice = f"cannot {verb}: out of memory", None
        case _:
            reason, advice = f"cannot {verb}: {error}", None
    return Failed(f"{reason}; {advice}" if advice else reason)


def _internal_failure(error: Exception) -> Failed:
    match error:
        case RecursionError():
            reason = "nested too deeply to be analysed"
        case MemoryError():
            reason = "out of memory"
        case _:
            said = next(iter(str(error).splitlines()), "")
            reason = f"internal error: {type(error).__name__}: {said}".removesuffix(": ")
    # The innermost calls tell; a recursion has thousands of them.
    return Failed(reason, "".join(traceback.format_exception(error, limit=-20)))
