"""Call public functions and modules of a package by their signatures, on each kind of input.

    python -m benchmarks.witnesses.calls FOLDER --framework torch --out FILE [--module NAME]...

FOLDER is that of an unpacked package, `.../site-packages/kornia`. Each of its modules is imported
and driven in a process of its own, with limits of time and memory; its result is a line of FILE,
and a module that has one is not driven again.

It executes the package: give it only packages that you would run.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.witnesses.arguments import (
    Drawn,
    Hint,
    Plan,
    Role,
    hints,
    plans,
    roles_of,
    with_labels,
    with_optional,
)
from benchmarks.witnesses.events import Event
from benchmarks.witnesses.kinds import KINDS, Kind, kind_named
from benchmarks.witnesses.packages import Package, read_packages
from benchmarks.witnesses.ran import Ran
from benchmarks.witnesses.styles import (
    STYLES,
    Refused,
    Style,
    TooLong,
    numbers_in,
    recorder_of,
    style_of,
)
from benchmarks.witnesses.targets import (
    Target,
    bound,
    densest_first,
    found_target,
    imported_module,
    modules_of,
    targets_of,
)
from benchmarks.witnesses.units import environment, python_of, read_lines
from benchmarks.witnesses.witness import Effect, Grade, Witness

SECONDS_OF_A_TARGET: Final = 20.0
SECONDS_OF_A_SEARCH: Final = 8.0
SECONDS_OF_A_MODULE: Final = 240.0
ATTEMPTS_MOST: Final = 120
LABELLED_MOST: Final = 60
WITHOUT_NUMBERS_MOST: Final = 4
CONSTRUCTIONS_MOST: Final = 4
"""How many ways to construct an object are tried for a method."""
_MEMORY: Final = 6 << 30
_CHECKOUT: Final = Path(__file__).resolve().parents[2]
_BAR: Final = 40


@dataclass(slots=True)
class Call:
    """A target with its arguments: those of the constructor, and its own."""

    target: Target
    style: Style
    made: Plan
    given: Plan

    @property
    def drawn(self) -> list[tuple[str, Drawn]]:
        """Return the arrays, in the order in which `applied` takes them."""
        return [
            (name, each)
            for plan in (self.made, self.given)
            for name, each in plan.items()
            if isinstance(each, Drawn)
        ]

    def applied(self, arrays: Sequence[Any]) -> Any:
        """Return the result of the call; an object is constructed each time."""
        rest = iter(arrays)

        def values(plan: Plan) -> dict[str, Any]:
            return {
                name: next(rest) if isinstance(each, Drawn) else each.make()
                for name, each in plan.items()
            }

        if self.target.owner is None:
            return bound(self.target.function, values(self.given))
        made = values(self.made)
        return self.style.called(self.target.owner, self.target.method, made, values(self.given))

    def described(self) -> str:
        """Describe the arguments."""
        found = [
            f"{name}: {each.role.value} {each.shape}"
            if isinstance(each, Drawn)
            else f"{name}={each.text}"
            for plan in (self.made, self.given)
            for name, each in plan.items()
        ]
        return ", ".join(found)


@dataclass(slots=True)
class Search:
    """The attempts to call a target."""

    call: Call | None = None
    attempts: int = 0
    last_error: str = ""
    without_numbers: int = 0
    """How many calls returned no numbers."""
    is_not_finite: bool = False
    """Whether ordinary random numbers gave non-finite results for some plan."""


def search(target: Target, style: Style) -> Search:
    """Return the first call that returns finite numbers for ordinary random input."""
    found = Search()
    end = time.monotonic() + SECONDS_OF_A_SEARCH
    try:
        own = hints(target.function, target.docs)
        constructor = [] if target.owner is None else hints(target.owner, target.docs)
    except (TypeError, ValueError, NameError) as error:
        found.last_error = f"no signature: {error}"
        return found
    own = [hint for hint in own if hint.name not in ("self", "cls")]
    for made in itertools.islice(_constructions(target, constructor, style), CONSTRUCTIONS_MOST):
        for given in _given(own, style, target):
            if time.monotonic() > end or found.without_numbers == WITHOUT_NUMBERS_MOST:
                return found
            call = Call(target, style, made, given)
            found.attempts += 1
            if _is_finite(call, found):
                found.call = call
                return found
    return found


def _given(own: Sequence[Hint], style: Style, target: Target) -> Iterator[Plan]:
    """Yield the plans to try: without optional labels, then with them."""
    yield from itertools.islice(plans(own, style.things(), target.docs), ATTEMPTS_MOST)
    labelled = with_labels(own)
    if labelled != own:
        yield from itertools.islice(plans(labelled, style.things(), target.docs), LABELLED_MOST)


def _is_finite(call: Call, found: Search) -> bool:
    """Whether a call succeeds with finite numbers; other outcomes are recorded in `found`."""
    style = call.style
    try:
        with quiet():
            style.framework.seed()
            result = call.applied(_arrays(call, None, None))
            values = [
                np.asarray(style.framework.numbers(each))
                for each in numbers_in(result, style.framework)
            ]
    except TooLong:
        raise
    except Exception as error:
        found.last_error = f"{type(error).__name__}: {str(error)[:200]}"
        return False
    floats = [each for each in values if each.dtype.kind == "f" and each.size]
    if not floats:
        found.last_error = "no numbers come out of it"
        found.without_numbers += 1
        return False
    if not call.drawn:
        found.last_error = "no arrays go into it"
        return False
    if not all(np.isfinite(each).all() for each in floats):
        found.is_not_finite = True
        return False
    return True


_ALTERNATIVES: Final = ("probs", "logits", "scale", "covariance_matrix", "scale_tril", "rate")
"""Parameters of distributions of which one has to be given."""


def _constructions(target: Target, hinted: Sequence[Hint], style: Style) -> Iterator[Plan]:
    """Yield arguments with which an object can be constructed."""
    if target.owner is None:
        yield {}
        return
    end = time.monotonic() + SECONDS_OF_A_SEARCH / 2
    alternatives: list[Plan] = [{}]
    for hint in hinted:
        if not hint.is_required and hint.default is None and hint.name in _ALTERNATIVES:
            alternatives.append({hint.name: Drawn(roles_of(hint)[0], (4, 3))})
    for plan in itertools.islice(plans(hinted, style.things(), target.docs), 24):
        for more in alternatives:
            if time.monotonic() > end:
                return
            made = {**plan, **more}
            style.framework.seed()
            try:
                with quiet():
                    target.owner(**_values(made, style))
            except TooLong:
                raise
            except Exception as error:
                if "flax" in type(error).__module__ or "haiku" in str(error):
                    yield made
                continue
            yield made


def _values(plan: Plan, style: Style) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    return {
        name: style.framework.array(each.numbers(rng)) if isinstance(each, Drawn) else each.make()
        for name, each in plan.items()
    }


def _arrays(call: Call, kind: Kind | None, only: str | None) -> list[Any]:
    """Return the arrays of a call: all, or only the one called `only`, changed by the kind."""
    rng = np.random.default_rng(0)
    changes = np.random.default_rng(1)
    found = []
    for name, each in call.drawn:
        numbers = each.numbers(rng)
        is_meant = only is None or only == name
        if kind is not None and is_meant and not (each.role.is_structured and kind.keeps_dtype):
            numbers = kind.applied(numbers, changes, drawn=each.role is not Role.POSITIVE)
        found.append(call.style.framework.array(numbers))
    return found


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


Opened = Callable[[Callable[[Event], None]], AbstractContextManager[object]]
"""A recorder that only needs its sink."""


def seen(call: Call, arrays: Sequence[Any], opened: Opened) -> list[Event]:
    """Return what a recorder sees of a call and its gradient; nothing if the call is refused.

    A non-finite value counts only if a non-finite number leaves the call, as a result or
    gradient: what the program replaces before is harmless.
    """
    framework = call.style.framework
    events: list[Event] = []
    left: list[Any] = []
    framework.seed()
    with quiet():
        try:
            with opened(events.append) as recorder:
                hears = getattr(recorder, "returned", lambda result: None)

                def returned(result: Any) -> None:
                    left.extend(numbers_in(result, framework))
                    hears(result)

                left.extend(call.style.forward_and_back(call.applied, arrays, returned))
        except TooLong:
            raise
        except Refused:
            return []
        except Exception:
            pass  # what was seen before the gradient failed is kept
        is_harmed = any(event.effect is Effect.GRADIENT for event in events) or not all(
            np.isfinite(np.asarray(framework.numbers(each))).all()
            for each in left
            if np.asarray(framework.numbers(each)).dtype.kind in "fc"
        )
    return [event for event in events if is_harmed or event.effect is not Effect.VALUE]


@dataclass(frozen=True, slots=True)
class Sighting:
    """An event, and the call that shows it."""

    event: Event
    target: str
    kind: str
    only: str = ""
    arguments: str = ""

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "event": self.event.as_entry()}

    @staticmethod
    def from_json(entry: Mapping[str, Any]) -> Sighting:
        rest = {name: value for name, value in entry.items() if name != "event"}
        return Sighting(Event.from_entry(entry["event"]), **rest)

    def witness(self, package: str, version: str, framework: str) -> Witness:
        command = f"python -m benchmarks.witnesses show {package} '{self.target}'"
        command += f" --driver calls --kind {self.kind}"
        return self.event.witness(
            (package, version, framework),
            (self.kind, kind_named(self.kind).grade),
            "calls",
            command + (f" --only {self.only}" if self.only else ""),
        )


def sightings(call: Call, opened: Opened, grades: Sequence[Grade]) -> Iterator[Sighting]:
    """Yield each place once: mildest kinds first, and all arguments before single ones.

    Single arguments are changed only in ordinary ways.
    """
    known = set()
    tried: set[bytes] = set()
    names = [name for name, each in call.drawn]
    singles: list[str | None] = list(names) if len(names) > 1 else []
    for grade in grades:
        for only in [None, *(singles if grade is Grade.ORDINARY else [])]:
            for kind in KINDS:
                if kind.grade is not grade or (only and not kind.keeps_shape):
                    continue
                arrays = _arrays(call, kind, only)
                numbers = b"".join(
                    np.asarray(call.style.framework.numbers(each)).tobytes() for each in arrays
                )
                if numbers in tried:  # a kind may change nothing
                    continue
                tried.add(numbers)
                for event in seen(call, arrays, opened):
                    place = (event.file, event.line, event.column, event.effect)
                    if place not in known:
                        known.add(place)
                        yield Sighting(
                            event, call.target.name, kind.name, only or "", call.described()
                        )


def calls_of(call: Call) -> list[Call]:
    """Return a call that was found, and one with optional masks or weights."""
    own = hints(call.target.function, call.target.docs)
    for given in itertools.islice(with_optional(call.given, own), ATTEMPTS_MOST):
        more = Call(call.target, call.style, call.made, given)
        if _is_finite(more, Search()):
            return [call, more]
    return [call]


def driven(target: Target, style: Style, work: Work) -> Iterator[dict[str, Any]]:
    """Yield records of one target: what was tried, what ran, and each sighting."""
    recorder = recorder_of(style)
    found = search(target, style)
    status = "called" if found.call else ("not finite" if found.is_not_finite else "not called")
    yield {
        "target": target.name,
        "status": status,
        "attempts": found.attempts,
        "arguments": found.call.described() if found.call else "",
        "error": "" if found.call else found.last_error,
    }
    if found.call is None:
        return
    options = calls_of(found.call)
    trouble = ""
    with Ran([work.folder]) as ran, quiet():
        try:
            style.forward_and_back(options[-1].applied, _arrays(options[-1], None, None))
        except TooLong:
            raise
        except Exception as error:
            trouble = f"{type(error).__name__}: {str(error)[:200]}"
    yield {"ran": ran.names(), "without a gradient": trouble}
    for call in options:
        for sighting in sightings(call, lambda sink: recorder([work.folder], sink), work.grades):
            yield sighting.as_json()


@dataclass(slots=True)
class Work:
    """A package that is driven."""

    folder: Path
    framework: str
    paths: Sequence[str] = ()
    """Further folders for its imports."""
    first: str = ""
    """Statements that are executed before its modules are imported."""
    grades: Sequence[Grade] = tuple(Grade)
    """The grades whose kinds of input are passed."""


def _child(work: Work, module: str, done: Sequence[str], pipe: Any) -> None:
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with open(os.devnull, "r+") as nowhere:
        for stream in (0, 1, 2):
            os.dup2(nowhere.fileno(), stream)
    signal.signal(signal.SIGALRM, _stop)
    try:
        style = style_of(work.framework)
        sys.path[:0] = [str(work.folder.parent), *work.paths]
        with quiet():
            exec(work.first, {})
            imported = imported_module(module)
        for target in list(targets_of(imported, style)):
            if target.name not in done:
                _drive(target, style, work, pipe)
    except BaseException as error:
        pipe.send({"trouble": f"{type(error).__name__}: {str(error)[:300]}"})
    pipe.send(None)
    os._exit(0)


def _drive(target: Target, style: Style, work: Work, pipe: Any) -> None:
    pipe.send({"begun": target.name})
    signal.setitimer(signal.ITIMER_REAL, SECONDS_OF_A_TARGET)
    try:
        for record in driven(target, style, work):
            pipe.send(record)
    except TooLong:
        pipe.send({"target": target.name, "status": "too long"})
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _stop(*_: object) -> None:
    raise TooLong("the time of this target is over")


_RESTARTS_MOST: Final = 4


def drive_module(work: Work, module: str) -> list[dict[str, Any]]:
    """Return a module's records; if its process ends in a target, another continues."""
    records: list[dict[str, Any]] = []
    begun: list[str] = []
    end = time.monotonic() + SECONDS_OF_A_MODULE
    for _ in range(_RESTARTS_MOST):
        count = len(begun)
        if _finished(work, module, begun, records, end) or len(begun) == count:
            break
        records.append({"target": begun[-1], "status": "its process ended"})
    return records


def _finished(
    work: Work, module: str, begun: list[str], records: list[dict[str, Any]], end: float
) -> bool:
    ours, theirs = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(
        target=_child, args=(work, module, tuple(begun), theirs)
    )
    child.start()
    theirs.close()
    try:
        while ours.poll(max(0.0, min(end - time.monotonic(), SECONDS_OF_A_TARGET * 2))):
            said = ours.recv()
            if said is None:
                return True
            if "begun" in said:
                begun.append(said["begun"])
            else:
                records.append(said)
        return time.monotonic() >= end
    except EOFError:
        return False
    finally:
        child.kill()
        child.join()


def preloaded(work: Work) -> Work:
    """Import the package once, for all processes; returns the remaining work.

    Only for PyTorch: the other frameworks start threads, which a forked process lacks.
    """
    sys.path[:0] = [str(work.folder.parent), *work.paths]
    with quiet(), contextlib.suppress(Exception):
        exec(work.first, {})
        imported_module(work.folder.name)
    return replace(work, first="")


def drive(work: Work, modules: Sequence[str], out: Path) -> None:
    """Drive the modules that have no line in `out` yet, and append theirs."""
    done = {entry["module"] for entry in read_lines(out)}
    for number, module in enumerate(modules, 1):
        _progress(number, len(modules), module)
        if module in done:
            continue
        begun = time.monotonic()
        records = drive_module(work, module)
        seconds = round(time.monotonic() - begun, 1)
        with out.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"module": module, "seconds": seconds, "records": records}))
            file.write("\n")


def sightings_in(out: Path) -> Iterator[Sighting]:
    """Yield the sightings that `drive` wrote."""
    for entry in read_lines(out):
        for record in entry["records"]:
            if "event" in record:
                yield Sighting.from_json(record)


def ran_in(out: Path) -> frozenset[str]:
    """Return the functions of the package that were executed: `kornia/losses/ssim.py:ssim`."""
    return frozenset(
        name
        for entry in read_lines(out)
        for record in entry["records"]
        for name in record.get("ran", ())
    )


def show(work: Work, name: str, kind: str, only: str = "") -> list[Sighting]:
    """Return a target's events on a kind of input; raises `LookupError` if it has no call."""
    style = style_of(work.framework)
    recorder = recorder_of(style)
    sys.path[:0] = [str(work.folder.parent), *work.paths]
    exec(work.first, {})
    target = found_target(name, style)
    found = search(target, style)
    if found.call is None:
        raise LookupError(f"{name} cannot be called: {found.last_error}")
    return [
        Sighting(event, name, kind, only, call.described())
        for call in calls_of(found.call)
        if not only or only in dict(call.drawn)
        for event in seen(
            call,
            _arrays(call, kind_named(kind), only or None),
            lambda sink: recorder([work.folder], sink),
        )
    ]


def _shown(found: Sequence[Sighting]) -> int:
    for each in found:
        event = each.event
        where = f"{event.file}:{event.line}:{event.column}"
        print(f"{where}: {event.operation} ({event.effect.value}) in {event.function}")
        print(f"    of {each.arguments}")
    if not found:
        print("nothing arises of which something is left")
    return 0


def command(package: Package, folder: Path, framework: str, home: Path) -> list[str]:
    """Return the command that calls the modules of a root; `--out` or `--show` has to follow."""
    source = package.source(home)
    words = [python_of(home), "-m", "benchmarks.witnesses.calls", str(folder)]
    words += ["--framework", framework]
    for path in package.imports:
        words += ["--path", str(source / path)]
    return [*words, "--first", package.first] if package.first else words


def surroundings(package: Package, home: Path, scratch: str) -> dict[str, str]:
    """Return the environment of a call's process: this project is found before the package.

    The package comes before an installed one of its name, which its framework may import itself.
    """
    folders = [_CHECKOUT, *(folder.parent for folder in package.folders(home))]
    paths = os.pathsep.join(map(str, folders))
    return {**environment(package, home, scratch), "PYTHONPATH": paths}


def out_of(package: Package, folder: Path, framework: str, home: Path) -> Path:
    """Return the file of the results."""
    return home / "events" / package.name / "calls" / f"{folder.name}.{framework}.jsonl"


def drive_package(package: Package, home: Path, seconds: float) -> None:
    """Call what has not been called yet of a package, within the time."""
    until = time.monotonic() + seconds
    for folder, framework in itertools.product(package.folders(home), package.frameworks):
        out = out_of(package, folder, framework, home)
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="witness-") as scratch:
            process = subprocess.Popen(
                [*command(package, folder, framework, home), "--out", str(out)],
                env=surroundings(package, home, scratch),
                start_new_session=True,
            )
            try:
                process.wait(max(1.0, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                pass
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def witnesses(package: Package, home: Path) -> Iterator[Witness]:
    """Yield the witnesses from a package's calls."""
    for folder, framework in itertools.product(package.folders(home), package.frameworks):
        for sighting in sightings_in(out_of(package, folder, framework, home)):
            yield sighting.witness(package.name, package.version, framework)


def show_again(arguments: Sequence[str]) -> int:
    """Run `show PACKAGE TARGET --driver calls --kind K [--only ARGUMENT]`."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.witnesses show")
    parser.add_argument("package")
    parser.add_argument("target")
    parser.add_argument("--driver", choices=("calls",))
    parser.add_argument("--kind", default="as-is")
    parser.add_argument("--only", default="")
    parser.add_argument("--home", type=Path, default=Path())
    options = parser.parse_args(arguments)
    home, package = options.home.resolve(), read_packages()[options.package]
    top = options.target.partition(".")[0].partition(":")[0]
    folder = next((each for each in package.folders(home) if each.name == top), None)
    if folder is None:
        parser.error(f"{top} is no root of {package.name}")
    words = ["--show", options.target, "--kind", options.kind, "--only", options.only]
    status = 0
    for framework in package.frameworks:
        with tempfile.TemporaryDirectory(prefix="witness-") as scratch:
            done = subprocess.run(
                [*command(package, folder, framework, home), *words],
                env=surroundings(package, home, scratch),
            )
        status = max(status, done.returncode)
    return status


def _progress(done: int, total: int, module: str) -> None:
    if sys.stderr.isatty():
        bar = "#" * (done * _BAR // total)
        print(f"\r[{bar:<{_BAR}}] {done}/{total} {module[-40:]:<40}", end="", file=sys.stderr)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--framework", choices=tuple(STYLES), required=True)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--module", action="append")
    parser.add_argument("--path", action="append", default=[])
    parser.add_argument("--first", default="", help="statements that are executed first")
    parser.add_argument("--show", help="a target that is called once more, on --kind")
    parser.add_argument("--kind", default="as-is")
    parser.add_argument("--only", default="", help="the one argument that is of the kind")
    grades = [grade.value for grade in Grade]
    parser.add_argument("--grade", action="append", choices=grades)
    options = parser.parse_args(arguments)
    work = Work(
        options.folder.resolve(),
        options.framework,
        options.path,
        options.first,
        tuple(map(Grade, options.grade or grades)),
    )
    if options.show:
        return _shown(show(work, options.show, options.kind, options.only))
    if options.out is None:
        parser.error("--out is required")
    style_of(options.framework)  # imported once, for all processes
    if options.framework == "torch":
        import torch

        torch.set_num_threads(1)
        work = preloaded(work)
    modules = options.module or densest_first(work.folder, modules_of(work.folder))
    drive(work, modules, options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
