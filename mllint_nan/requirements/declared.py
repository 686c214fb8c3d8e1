"""What a project declares about the versions of its frameworks, read when a fix asks for it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Protocol

from mllint_nan.project_files import REQUIREMENTS_FOLDER, SourceFile, requirement_files, text_of

if TYPE_CHECKING:
    from mllint_nan.frameworks.versions import Declared
    from mllint_nan.requirements.specifiers import Requirement

TARGETS: Final = "target-versions"
"""The key of the configuration that overrides the files."""
_KEPT_MOST: Final = 64


class AllowedVersions(Protocol):
    """Knows which versions of its frameworks a project allows."""

    def oldest(self) -> Declared:
        """The oldest allowed version, by package, of the packages that are mentioned."""


@dataclass(frozen=True, slots=True)
class Versions:
    """The versions that apply to the files of a folder; nothing is read before `oldest`."""

    folder: str = ""
    """An absolute path; if it is empty, no files are read."""
    targets: tuple[str, ...] = ()
    """Requirements from the configuration, which override the files for the same packages."""

    def oldest(self) -> Declared:
        """The oldest versions by the configuration, and by the files for all other packages."""
        from mllint_nan.requirements.specifiers import requirement

        files = requirement_files(self.folder) if self.folder else ()
        targets = [found for text in self.targets if (found := requirement(text, TARGETS))]
        named = {target.package for target in targets}
        others = (one for one in _required(files) if one.package not in named)
        return _oldest((*targets, *others))


class NotedVersions:
    """Allowed versions that record what was answered."""

    def __init__(self, versions: AllowedVersions) -> None:
        self._versions = versions
        self.state = ""
        """The recorded answer as text; empty as long as nothing was asked."""

    def oldest(self) -> Declared:
        """The answer of the wrapped versions, which is recorded."""
        answer = self._versions.oldest()
        self.state = self.state or state_of(answer)
        return answer


def state_of(declared: Declared) -> str:
    """A text that identifies what is allowed."""
    return repr(sorted(declared.items()))


@lru_cache(_KEPT_MOST)
def _required(files: tuple[SourceFile, ...]) -> tuple[Requirement, ...]:
    """The requirements in these files, each file named relative to their common folder."""
    from mllint_nan.requirements.files import read

    if not files:
        return ()
    root = os.path.commonpath([os.path.dirname(one.file) for one in files])
    if os.path.basename(root) == REQUIREMENTS_FOLDER:
        root = os.path.dirname(root)
    names = (os.path.relpath(one.file, root).replace(os.sep, "/") for one in files)
    pairs = zip(names, files, strict=True)
    return tuple(found for name, file in pairs for found in read(name, text_of(*file)))


def _oldest(required: Iterable[Requirement]) -> Declared:
    found: dict[str, list[Requirement]] = {}
    for one in required:
        if one.oldest is not None:
            found.setdefault(one.package, []).append(one)
    return {
        package: min(one.oldest for one in some if one.oldest is not None)
        for package, some in found.items()
    }
