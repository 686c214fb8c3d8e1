"""Programs with planted origins: `# value`, `# gradient` or both on the line of each."""

from __future__ import annotations

import importlib.util
import itertools
import re
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

from benchmarks.witnesses.events import Event

_names = (f"planted{number}" for number in itertools.count())


def planted(folder: Path, source: str) -> ModuleType:
    """The source, imported as a module of its own."""
    path = folder / f"{next(_names)}.py"
    path.write_text(source)
    specification = importlib.util.spec_from_file_location(path.stem, path)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def marked(source: str, effects: Iterable[str] = ("value", "gradient")) -> set[tuple[int, str]]:
    """The lines with a mark, and their effects."""
    return {
        (number, effect)
        for number, line in enumerate(source.splitlines(), 1)
        if (mark := re.search(r"# ([a-z, ]+)$", line))
        for effect in mark[1].split(", ")
        if effect in effects
    }


def told(events: Iterable[Event]) -> set[tuple[int, str]]:
    """Lines and effects of what a recorder saw."""
    return {(event.line, event.effect.value) for event in events}
