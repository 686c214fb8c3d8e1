"""Patterns for paths, as ruff reads them.

A pattern is matched against the whole path, from the directory of the file that holds the
pattern, and against the last part of the path. `*` crosses folders.

>>> found = Globs.of([("*_gen.py", "/p"), ("src/{a,b}/", "/p"), ("build", "/p")])
>>> [found.matches(path) for path in ("/p/x/y_gen.py", "/p/src/a/c.py", "/q/build", "/p/src/c")]
[True, True, True, False]
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

_SPECIAL = re.compile(r"[*?\[{]")
_PART = re.compile(r"(/?)\*\*(?:/|$)|(\*)|(\?)|\[([!^]?)([^\]]+)\]|\{([^{}]*)\}|(.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Globs:
    """Any of several patterns; `names` are those that are plain names of files or folders."""

    patterns: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()
    name_pattern: str = ""
    path_pattern: str = ""

    @classmethod
    def of(cls, patterns: Iterable[tuple[str, str]]) -> Globs:
        """Patterns, each with the directory that it is relative to."""
        listed = tuple(patterns)
        names, name_patterns, path_patterns = set(), [], []
        for pattern, root in listed:
            pattern = pattern.replace(os.sep, "/")
            if pattern.endswith("/"):
                pattern += "**"
            if "/" not in pattern:
                if _SPECIAL.search(pattern):
                    name_patterns.append(_translated(pattern))
                else:
                    names.add(pattern)
                continue
            whole = os.path.join(_literal(root), os.path.expanduser(pattern))
            whole = whole.replace(os.sep, "/").replace("/./", "/")
            path_patterns.append(_translated(whole))
        return cls(
            tuple(pattern for pattern, _ in listed),
            frozenset(names),
            "|".join(name_patterns),
            "|".join(path_patterns),
        )

    def matches(self, path: str) -> bool:
        """Whether an absolute path matches."""
        name = os.path.basename(path)
        if name in self.names or (self.name_pattern and _compiled(self.name_pattern)(name)):
            return True
        if not self.path_pattern:
            return False
        return _compiled(self.path_pattern)(path.replace(os.sep, "/")) is not None

    def matches_within(self, path: str) -> bool:
        """Whether an absolute path, or a folder that contains it, matches."""
        while not self.matches(path):
            parent = os.path.dirname(path)
            if parent == path:
                return False
            path = parent
        return True


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> Callable[[str], re.Match[str] | None]:
    return re.compile(pattern).fullmatch


def _literal(directory: str) -> str:
    return re.sub(r"([*?\[{])", r"[\1]", directory)


def _translated(pattern: str) -> str:
    """The regular expression of one pattern."""

    def part(found: re.Match[str]) -> str:
        slash, star, mark, negation, characters, choices, other = found.groups()
        if star:
            return ".*"
        if mark:
            return "[^/]"
        if characters is not None:
            inside = characters.replace("\\", r"\\").replace("^", r"\^").replace("[", r"\[")
            return f"[{'^' if negation else ''}{inside}]"
        if choices is not None:
            return f"(?:{'|'.join(map(_translated, choices.split(',')))})"
        if other is not None:
            return re.escape(other)
        if found.group().endswith("/"):
            return f"{slash}(?:.*/)?"
        return f"{slash}.*"

    return _PART.sub(part, pattern)
