"""`with mllint_nan.probe():` watches the suspects of a program from within it."""

from __future__ import annotations

import linecache
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ContextDecorator, contextmanager
from dataclasses import asdict, dataclass, field, replace
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, Final

from mllint_nan.probing.watching import NonFiniteError

if TYPE_CHECKING:
    from mllint_nan.probing.exchange import Exchange
    from mllint_nan.probing.watching import Look, Watch
    from mllint_nan.suspects.candidates import Suspect

_MOST: Final = 20
_OWN: Final = os.path.dirname(os.path.abspath(__file__))


class Probe(ContextDecorator):
    """Watches the suspects of the calling program while it is entered.

    Entering reads the program, as `mllint-nan --suspects` does, and replaces the code of the
    functions that contain suspects; leaving restores it. At the first number that is not finite, in
    a value or in a gradient, `NonFiniteError` is raised: its text has the line, what the operands
    were, the step, and the fix. It is a decorator, too.
    """

    def __init__(
        self,
        entry: str | None = None,
        *,
        most: int = _MOST,
        stops: bool = True,
        every_line: bool = False,
        _frame: FrameType | None = None,
    ) -> None:
        """`entry` is the file, the `file.py::function` or the notebook to read: by default, the
        calling one. The first `most` suspects are watched.

        Without `stops` what is found is printed, and the program goes on unwatched.
        `every_line` watches each line of the project instead, in case no suspect is the origin.
        """
        if most < 1:
            raise ValueError(f"most must be at least 1, not {most}")
        self._most = most
        self._stops = stops
        self._is_wide = every_line
        self._program = _program_of(_frame or _caller(), entry)
        self._exchange: Exchange | None = None
        self._watch: Watch | None = None
        self._suspects: tuple[Suspect, ...] = ()
        self._error: NonFiniteError | None = None

    @property
    def suspects(self) -> tuple[Suspect, ...]:
        """The suspects that are watched, the likeliest first."""
        return self._suspects

    def __enter__(self) -> Probe:
        from mllint_nan.probing.exchange import Exchange, is_watched
        from mllint_nan.probing.watching import Watch

        if is_watched():
            _say("a probe is already watching; this one does nothing")
            return self
        nodes: dict[int, Any] = {}
        sources, self._suspects = self._program.sources(self._most)
        self._error = None
        self._watch = Watch(nodes, self._found, is_wide=self._is_wide, missed=self._missed)
        self._exchange = Exchange(self._watch, sources, nodes, is_wide=self._is_wide)
        self._exchange.start(_caller())
        if not self._suspects and not self._is_wide:
            _say(f"no suspects in {self._program.name}; NaN is still reported where it is stored")
        others = {"jax", "tensorflow"} & set(sys.modules)
        if self._exchange.running and others:
            rows = sorted({node.place.start[0] for node in self._exchange.running})
            _say(
                f"line {', '.join(map(str, rows))} of the running code is watched in "
                "PyTorch only; inside a function, it is watched in all frameworks"
            )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        watch = self._watch
        if self._exchange is None or watch is None:
            return
        if error is None and "jax" in sys.modules:
            try:
                sys.modules["jax"].effects_barrier()
            except Exception:
                if self._error is None:
                    raise
        if error is None:
            watch.last()
        self._close()
        if self._error is not None:
            # A framework that calls back raises an exception of its own.
            if self._stops and error is not self._error and not _is_leaving(error):
                raise self._error from None
        elif error is None and (watch.tripped or watch.passed) is not None:
            self._told(self._text_of_miss(watch.tripped or watch.passed))

    def step(self) -> None:
        """Count a step of training that has ended, if no optimizer of PyTorch tells of it."""
        if self._watch is not None:
            self._watch.steps += 1

    def count_steps(self) -> None:
        """Announce that `step` will be called."""
        if self._watch is not None:
            self._watch.is_counted = True

    def _close(self) -> None:
        if self._exchange is not None:
            self._exchange.end()
        self._exchange = self._watch = None

    def _found(self, look: Look) -> None:
        from mllint_nan.reporting.runs import of_origin
        from mllint_nan.suspects.running import seen

        one = seen(asdict(look), self._suspects)
        assert one is not None
        if one.suspect is not None:
            one = replace(one, suspect=self._program.with_fix(one.suspect))
        self._told(of_origin(one, self._program.read))

    def _missed(self, look: Look) -> None:
        self._told(self._text_of_miss(look))

    def _text_of_miss(self, look: Look | None) -> str:
        from mllint_nan.reporting.runs import ISSUES

        place = f"{look.file}:{look.start[0]}" if look and look.file else look.text if look else ""
        seen = f" ({look.result})" if look else ""
        return (
            f"No suspect is the origin: a non-finite number came to {place}{seen}. "
            "mllint_nan.probe(every_line=True) watches every line of the project from the "
            f"beginning. The tool missed this, please report it: {ISSUES}"
        )

    def _told(self, text: str) -> None:
        """Stop the program with this text, or print it once."""
        if self._watch is not None:
            self._watch.is_on = False
        if self._error is not None:
            raise self._error
        self._error = NonFiniteError(f"{text.strip()}\n")
        if self._stops:
            raise self._error
        _say(text.strip())


def _is_leaving(error: BaseException | None) -> bool:
    return isinstance(error, (KeyboardInterrupt, SystemExit, GeneratorExit))


def _say(text: str) -> None:
    print(f"mllint-nan: {text}", file=sys.stderr)


def _caller() -> FrameType | None:
    """The innermost frame that is not the tool's."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and (
        os.path.abspath(frame.f_code.co_filename).startswith(_OWN)
        or os.path.basename(frame.f_code.co_filename) == "contextlib.py"
    ):
        frame = frame.f_back
    return frame


@dataclass
class _Program:
    """The files of a program, as the analysis is to read them."""

    name: str
    entry: str
    """The entry as `--suspects` takes it; empty if the program is in cells."""
    cells: tuple[tuple[str, str], ...] = ()
    """The texts of a notebook's cells, each with the file name in its code."""
    _file: str = ""
    _shown: dict[str, bytes] = field(default_factory=dict)

    def sources(self, most: int) -> tuple[Mapping[str, Any], tuple[Suspect, ...]]:
        """The texts with the places to watch, and the suspects at the places that people know."""
        from mllint_nan.probing.compiling import Place
        from mllint_nan.probing.exchange import Source
        from mllint_nan.suspects.candidates import suspects_of
        from mllint_nan.suspects.program import EntryError, entry_of, program_from
        from mllint_nan.suspects.running import places_of

        with self._readable() as entry:
            try:
                program = program_from(entry_of(entry))
            except EntryError as error:
                raise ValueError(f"mllint_nan.probe: {error}") from None
            found = suspects_of(program, _settings_of()).ranked[:most]
            texts = {path: _text(path) for path in program.files}
            places = places_of(found)
        sources: dict[str, Any] = {}
        for path, text in texts.items():
            told = places.get(os.path.realpath(path), [])
            spots = [
                Place(one["number"], one["is_of_values"], one["start"], one["end"]) for one in told
            ]
            if self.cells and path == os.path.abspath(self._file):
                sources.update(self._in_cells(spots))
            else:
                sources.update(dict.fromkeys(_names(path), Source(text, spots)))
        return sources, tuple(map(self._in_place, found))

    def read(self, path: str) -> bytes:
        """The bytes of a file, or of a cell."""
        if path in self._shown:
            return self._shown[path]
        with open(path, "rb") as file:
            return file.read()

    def with_fix(self, suspect: Suspect) -> Suspect:
        from mllint_nan.suspects.candidates import with_fixes

        if suspect.path in self._shown:
            return suspect
        (fixed,) = with_fixes([suspect], _settings_of())
        return fixed

    @contextmanager
    def _readable(self) -> Iterator[str]:
        """The entry as a file: cells are written beside each other, where their imports lead."""
        if not self.cells:
            yield self.entry
            return
        here = os.getcwd()
        folder = here if os.access(here, os.W_OK) else None
        handle, self._file = tempfile.mkstemp(".py", "mllint_nan_cells_", folder)
        try:
            with open(handle, "w", encoding="utf-8") as file:
                file.write("".join(f"{text}\n" for _, text in self.cells))
            yield self._file
        finally:
            os.unlink(self._file)

    def _offsets(self) -> Iterator[tuple[int, int, str, str]]:
        """Yield for each cell the row before it, its number of rows, its name and its text."""
        row = 0
        for name, text in self.cells:
            count = text.count("\n") + 1
            yield row, count, name, text
            row += count

    def _in_cells(self, places: list[Any]) -> dict[str, Any]:
        from mllint_nan.probing.exchange import Source

        return {
            name: Source(
                text,
                [
                    replace(one, start=(one.start[0] - row, one.start[1]),
                            end=(one.end[0] - row, one.end[1]))
                    for one in places
                    if row < one.start[0] <= row + count
                ],
            )
            for row, count, name, text in self._offsets()
        }  # fmt: skip

    def _in_place(self, suspect: Suspect) -> Suspect:
        """The suspect, with positions in its cell if it is in one."""
        if not self.cells or suspect.path != os.path.abspath(self._file):
            return suspect
        finding = suspect.finding
        for row, count, name, text in self._offsets():
            if row < finding.start.row <= row + count:
                self._shown[name] = text.encode()
                start, end = (
                    replace(one, row=one.row - row) for one in (finding.start, finding.end)
                )
                return replace(suspect, path=name, finding=replace(finding, start=start, end=end))
        return suspect


def _program_of(frame: FrameType | None, entry: str | None) -> _Program:
    """The program that the caller is part of. Raises ValueError if its text is not known."""
    if entry is not None:
        return _Program(entry, entry)
    file = frame.f_code.co_filename if frame is not None else ""
    cells = _cells(frame) if frame is not None else ()
    if cells:
        return _Program("the notebook", "", cells)
    if os.path.isfile(file):
        return _Program(file, file)
    raise ValueError(
        f"mllint_nan.probe: the source of {file or 'the calling program'} is not available; "
        "name the training script: mllint_nan.probe('train.py')"
    )


def _cells(frame: FrameType) -> tuple[tuple[str, str], ...]:
    """The cells that IPython has run so far, each with the file name in its code."""
    if "get_ipython" not in frame.f_globals or (
        os.path.isfile(os.path.join(os.getcwd(), frame.f_code.co_filename))
        and not _is_cell(frame.f_code.co_filename)
    ):
        return ()
    known = {
        "".join(entry[2]).rstrip(): name
        for name, entry in linecache.cache.items()
        if len(entry) == 4 and _is_cell(name)
    }
    cells = []
    for text in frame.f_globals.get("In", ()):
        name = known.get(text.rstrip())
        if name is not None and _is_python(text):
            cells.append((name, text.rstrip()))
    return tuple(cells)


def _is_cell(name: str) -> bool:
    entry = linecache.cache.get(name)
    return entry is not None and len(entry) == 4 and entry[1] is None


def _is_python(text: str) -> bool:
    try:
        compile(text, "<cell>", "exec", dont_inherit=True)
    except SyntaxError:
        return False
    return True


def _names(path: str) -> list[str]:
    """The file names that the code of a file may have."""
    real = os.path.realpath(path)
    known = {path, real}
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and os.path.realpath(file) == real:
            known.add(file)
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if os.path.realpath(name) == real:
            known.add(name)
        frame = frame.f_back
    return sorted(known)


def _text(path: str) -> str:
    from mllint_nan.syntax.reading import text_of

    with open(path, "rb") as file:
        return text_of(file.read(), path)


def _settings_of() -> Any:
    from mllint_nan.config.resolve import Configurations

    configurations = Configurations({}, is_isolated=False)
    return lambda path: configurations.of_file(path).settings_of(path)
