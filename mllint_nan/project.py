"""Many files: in which process each is checked, and how a repaired one is written back.

Every file ends in a result: no file, and no death of a worker process, stops the others.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mllint_nan.baseline import of_file
from mllint_nan.cache import Entry, Watched
from mllint_nan.config.line_length import line_length_of
from mllint_nan.config.resolve import Configurations, Scopes
from mllint_nan.files import reason
from mllint_nan.findings import Finding
from mllint_nan.fingerprints import Fingerprint, fingerprints
from mllint_nan.frames import with_room
from mllint_nan.module_resolver import ModuleResolver, module_resolver_of
from mllint_nan.project_files import root_of, unchanging
from mllint_nan.requirements.declared import NotedVersions, Versions
from mllint_nan.results import (
    Failed,
    Linted,
    LintResult,
    RuleFailure,
    Skipped,
    Unparsable,
    innermost,
    linted,
)
from mllint_nan.settings import Settings
from mllint_nan.syntax.markdown import is_markdown
from mllint_nan.syntax.reading import text_of
from mllint_nan.syntax.suppressions import Form
from mllint_nan.verify.failures import Unavailable
from mllint_nan.words import keep_in
from mllint_nan.workers import closing, start_workers
from mllint_nan.writing import WriteRefused, write_atomically

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

    from mllint_nan.verify.verifier import Verifier

_SEQUENTIAL_UP_TO = 8
"""Starting a worker costs as much as analysing a few files."""
_SECONDS_MOST = 120
"""The most processor time for one file; 5,000 lines take about two seconds."""
_FILES_PER_TASK = 8
_TASKS_AHEAD_PER_WORKER = 4
_SHARED_FROM = 256
"""With this many files, nearly every process would make or import the same."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is done with each file, by `settings`, or by those that `scopes` has for its place."""

    settings: Settings
    fix: bool = False
    scopes: Scopes | None = None
    baseline: str | None = None
    roots: tuple[str, ...] = ()
    """Directories below which absolute imports are searched for."""
    verifier: Verifier | None = None
    """Executes fixes; it cannot be passed to another process."""
    cache: str | None = None
    """The directory in which the results of earlier runs are kept."""

    @property
    def is_cached(self) -> bool:
        """Whether results are cached: fixes are tried, and executed, anew each time."""
        return self.cache is not None and not self.fix and self.verifier is None

    def settings_of(self, path: str) -> Settings:
        settings = self.settings
        if self.scopes is not None:
            settings = self.scopes.of(path).settings_of(path)
        if self.baseline is not None:
            settings = replace(settings, known=of_file(self.baseline, path))
        if self.verifier is not None:
            settings = replace(settings, verifier=self.verifier)
        return placed(settings, path, self.roots)


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of one file; `before` and `after` differ if fixes were applied.

    Findings refer to `after`; a file without anything to show does not carry its bytes along.
    """

    path: str
    outcome: LintResult
    applied: tuple[Finding, ...] = ()
    before: bytes = b""
    after: bytes = b""

    @property
    def findings(self) -> tuple[Finding, ...]:
        found = linted(self.outcome)
        return found.findings if found is not None else ()

    @property
    def failures(self) -> tuple[RuleFailure, ...]:
        """The rules that failed on the file, where the others did not."""
        found = linted(self.outcome)
        return found.failures if found is not None else ()

    @property
    def is_analysed(self) -> bool:
        return isinstance(self.outcome, Linted | Skipped)

    @property
    def is_silenced(self) -> bool:
        """Whether something was found that is not reported."""
        found = linted(self.outcome)
        return found is not None and bool(found.suppressed or found.known)

    @property
    def is_described(self) -> bool:
        """Whether a baseline can hold what was found."""
        return not isinstance(self.outcome, Failed)

    @property
    def is_changed(self) -> bool:
        return self.before != self.after

    def not_described(self) -> Checked:
        """The file with only what no baseline can contain: that it is not Python 3."""
        if not isinstance(self.outcome, Unparsable):
            return self
        return replace(self, outcome=replace(self.outcome, read=Linted(())))

    def with_bytes_if_needed(self) -> Checked:
        if self.findings or self.is_changed or self.is_silenced:
            return self
        return self.without_bytes()

    def without_bytes(self) -> Checked:
        return replace(self, before=b"", after=b"")


def described(checked: Checked) -> list[tuple[Fingerprint, str]]:
    """The findings of a file as a baseline contains them, each with its first row.

    The finding that a file is not Python 3 is left out.
    """
    read = checked.outcome.read if isinstance(checked.outcome, Unparsable) else checked.outcome
    checked = replace(checked, outcome=read)
    text = text_of(checked.after, checked.path)
    rows = re.split(r"\r\n|\r|\n", text)
    found = fingerprints(text, checked.findings)
    return [
        (one, rows[finding.start.row - 1].strip())
        for one, finding in zip(found, checked.findings, strict=True)
    ]


def write_silenced(checked: Checked, form: str, request: Request) -> Checked:
    """Write comments that silence a file's findings; the result has the findings that are left.

    A file that could not be analysed any more is left as it is.
    """
    from mllint_nan.linter import silence_bytes

    if not isinstance(checked.outcome, Linted):
        return checked
    try:
        after = silence_bytes(checked.after, checked.path, checked.findings, Form(form))
    except UnicodeEncodeError:
        return Checked(checked.path, Failed("not silenced: its encoding has no such characters"))
    settings = request.settings_of(checked.path)
    silenced = check_bytes(after, checked.path, replace(request, settings=settings))
    if not silenced.is_analysed:
        return Checked(checked.path, Failed("not silenced: comments would break the file"))
    if after == checked.after:
        return checked
    return write_fixed(replace(silenced, before=checked.after, after=after))


def default_jobs() -> int:
    """The number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@with_room
def check_bytes(data: bytes, path: str, request: Request) -> Checked:
    """Lint or fix one file's bytes; whatever goes wrong inside is a `Failed`."""
    from mllint_nan.linter import fix_bytes, lint_bytes

    try:
        with _within(_SECONDS_MOST if request.verifier is None else 0):
            if request.fix:
                settings = replace(request.settings, line_length=line_length_of(path))
                fixed = fix_bytes(data, path, settings)
                checked = Checked(path, fixed.outcome, fixed.applied, data, fixed.data)
            else:
                checked = Checked(path, lint_bytes(data, path, request.settings), (), data, data)
    except _TooLong:
        return Checked(path, Skipped(f"took more than {_SECONDS_MOST} seconds", is_final=False))
    except Unavailable as error:
        return Checked(path, Failed(str(error)), (), data, data)
    except Exception as error:  # one file must never stop the others
        return Checked(path, _internal_failure(error), (), data, data)
    return checked.with_bytes_if_needed()


class _TooLong(BaseException):
    """The time for one file is over; no `except Exception` on the way catches this."""


@contextlib.contextmanager
def _within(seconds: float) -> Iterator[None]:
    """Raise `_TooLong` after so much processor time, if the system can; 0 means no limit."""
    is_main = threading.current_thread() is threading.main_thread()
    if not hasattr(signal, "setitimer") or not is_main or not seconds:
        yield
        return

    def stop(*_: object) -> None:
        raise _TooLong

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def check_cached(data: bytes, path: str, request: Request) -> Checked:
    """Lint one file's bytes, unless the cache has their result."""
    if not request.is_cached:
        return check_bytes(data, path, request)
    assert request.cache is not None
    keep_in(request.cache)
    settings, resolver = request.settings, request.settings.project
    entry = Entry.of(request.cache, data, path, settings)
    kept = _kept(entry, data, path)
    if kept is not None:
        return kept
    watched = Watched(resolver) if isinstance(resolver, ModuleResolver) else None
    noted = NotedVersions(settings.versions) if settings.versions is not None else None
    settings = replace(settings, project=watched, versions=noted)
    checked = check_bytes(data, path, replace(request, settings=settings))
    versions = noted.state if noted is not None else ""
    if watched is None:
        entry.write(checked.outcome, versions=versions)
    else:
        entry.write(checked.outcome, watched.asked(), versions)
    return checked


def _kept(entry: Entry, data: bytes, path: str) -> Checked | None:
    outcome = entry.read()
    if outcome is None:
        return None
    return Checked(path, outcome, (), data, data).with_bytes_if_needed()


def _kept_of(path: str, request: Request) -> Checked | None:
    """The cached result of a file, if there is one."""
    assert request.cache is not None
    try:
        with open(path, "rb") as file:
            data = file.read()
    except (OSError, ValueError, MemoryError):
        return None
    return _kept(Entry.of(request.cache, data, path, request.settings_of(path)), data, path)


def check_file(path: str, request: Request) -> Checked:
    """Read one file, and lint or fix it; nothing is written."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except (OSError, ValueError, MemoryError) as error:
        return Checked(path, Failed(reason("read", error)))
    return check_cached(data, path, replace(request, settings=request.settings_of(path)))


def placed(settings: Settings, path: str, roots: tuple[str, ...] = ()) -> Settings:
    """The settings, with the project of a file and the versions that it allows.

    A project that has a root is the same whatever paths are named; `roots` only count for a file
    in none. A notebook belongs to its project as a script does.
    """
    folder = os.path.dirname(os.path.abspath(path))
    settings = replace(settings, versions=Versions(folder, settings.target_versions))
    if is_markdown(path):  # it is no module of a package
        return settings
    if root_of(folder):
        roots = ()
    return replace(settings, project=module_resolver_of(path, roots))


def settings_at(path: str, configurations: Configurations) -> Settings:
    """The settings of one file, whose configuration may not have been searched for yet."""
    configurations.of_file(path)
    run = configurations.run
    request = Request(run.settings, scopes=configurations.scopes(), baseline=run.baseline)
    return request.settings_of(path)


def too_large(paths: Iterable[str], roots: tuple[str, ...] = ()) -> list[str]:
    """The roots of those projects that are too large, so that only a part is analysed."""
    first: dict[str, str] = {}
    for path in paths:
        root = root_of(os.path.dirname(os.path.abspath(path)))
        if root:
            first.setdefault(root, path)
    return [root for root, path in first.items() if not module_resolver_of(path, roots).is_indexed]


Check = Callable[[str, Request], Checked]


def check_paths(
    files: Sequence[str], request: Request, jobs: int = 1, check: Check = check_file
) -> Iterator[Checked]:
    """The result of `check` for each file, in the order of `files` whatever the number of jobs."""
    with unchanging():
        yield from _checked(files, request, jobs, check)


def _checked(files: Sequence[str], request: Request, jobs: int, check: Check) -> Iterator[Checked]:
    if jobs == 1 or request.verifier is not None or len(files) <= _SEQUENTIAL_UP_TO:
        return (check(path, request) for path in files)
    if check is check_file and request.is_cached:
        return _where_unknown(files, request, jobs)
    return _in_parallel(files, request, jobs, check)


def _where_unknown(files: Sequence[str], request: Request, jobs: int) -> Iterator[Checked]:
    """Yield cached results, and start processes only for the other files."""
    known = {path: _kept_of(path, request) for path in files}
    unknown = [path for path in files if known[path] is None]
    others: Iterator[Checked]
    if len(unknown) <= _SEQUENTIAL_UP_TO:
        others = (check_file(path, request) for path in unknown)
    else:
        others = _in_parallel(unknown, request, jobs, check_file)
    for path in files:
        yield known.pop(path) or next(others)


def _in_parallel(
    files: Sequence[str], request: Request, jobs: int, check: Check
) -> Iterator[Checked]:
    """Yield results in order; if a worker dies, files under way are repeated one at a time."""
    from concurrent.futures.process import BrokenProcessPool

    if len(files) >= _SHARED_FROM:
        _share(files, request)
    ahead = jobs * _TASKS_AHEAD_PER_WORKER
    tasks = _tasks(files, min(_FILES_PER_TASK, max(1, len(files) // ahead)))
    while tasks:
        done = 0
        try:
            workers = start_workers(min(jobs, len(tasks)))
        except (ImportError, NotImplementedError, OSError):  # no semaphores, as in some sandboxes
            yield from (check(path, request) for task in tasks for path in task)
            return
        try:
            with closing(workers) as pool:
                for results in _in_order(pool, tasks, ahead, request, check):
                    done += 1
                    yield from results
        except BrokenProcessPool:
            suspects = [path for task in tasks[done : done + ahead] for path in task]
            yield from _one_at_a_time(suspects, request, check)
            done += ahead
        tasks = tasks[done:]


def _share(files: Sequence[str], request: Request) -> None:
    """Load once what every process would load, if they are forks of this one."""
    import multiprocessing

    if multiprocessing.get_start_method() != "fork":
        return
    from mllint_nan.linter import load

    if request.cache is not None:
        keep_in(request.cache)
    settings = request.settings_of(files[len(files) // 2])
    load(settings)
    if isinstance(settings.project, ModuleResolver):
        settings.project.index()


def _tasks(files: Sequence[str], most: int) -> list[tuple[str, ...]]:
    """The files in their order, in groups of at most so many; of large files, fewer."""
    sizes = [_size(path) for path in files]
    share = most * sum(sizes) / len(files)
    tasks: list[list[str]] = []
    room = 0.0
    for path, size in zip(files, sizes, strict=True):
        if not tasks or len(tasks[-1]) == most or size > room:
            tasks.append([])
            room = share
        tasks[-1].append(path)
        room -= size
    return [tuple(task) for task in tasks]


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except (OSError, ValueError):
        return 0


def _in_order(
    pool: ProcessPoolExecutor,
    tasks: Sequence[tuple[str, ...]],
    ahead: int,
    request: Request,
    check: Check,
) -> Iterator[tuple[Checked, ...]]:
    """Yield the results of `tasks`, of which at most `ahead` are submitted and not yet yielded.

    Of those that are submitted at once, the largest comes first: none is left to wait for.
    """
    begun: dict[tuple[str, ...], Future[tuple[Checked, ...]]] = {}
    for task in sorted(tasks[:ahead], key=lambda one: -sum(map(_size, one))):
        begun[task] = pool.submit(_check_all, task, request, check)
    submitted = deque(begun[task] for task in tasks[:ahead])
    for task in tasks[ahead:]:
        yield submitted.popleft().result()
        submitted.append(pool.submit(_check_all, task, request, check))
    while submitted:
        yield submitted.popleft().result()


def _one_at_a_time(files: Sequence[str], request: Request, check: Check) -> Iterator[Checked]:
    """Yield results of files, each alone in its worker: a death names the file that caused it."""
    from concurrent.futures.process import BrokenProcessPool

    remaining = deque(files)
    while remaining:
        with closing(start_workers(1)) as pool:
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


def write_fixed(checked: Checked) -> Checked:
    """Write a fixed file back; if that is impossible, nothing counts as fixed."""
    try:
        write_atomically(checked.path, checked.after, original=checked.before)
    except WriteRefused as refusal:
        return Checked(checked.path, Failed(f"not fixed: {refusal}"))
    except OSError as error:
        return Checked(checked.path, Failed(reason("write", error)))
    return checked


def _internal_failure(error: Exception) -> Failed:
    match error:
        case RecursionError():
            reason = "nested too deeply to be analysed"
        case MemoryError():
            reason = "out of memory"
        case _:
            said = next(iter(str(error).splitlines()), "")
            reason = f"internal error: {type(error).__name__}: {said}".removesuffix(": ")
    return Failed(reason, innermost(error))
