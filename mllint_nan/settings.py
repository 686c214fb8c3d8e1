"""The settings for the analysis of one file: a plain value that can be compared and pickled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mllint_nan.findings import Applicability, Confidence
from mllint_nan.fingerprints import Fingerprint

if TYPE_CHECKING:
    from mllint_nan.flow.modules import Project
    from mllint_nan.requirements.declared import AllowedVersions
    from mllint_nan.verify.verifier import Verifier


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user asked for; `select` and `ignore` hold codes, prefixes or rule names.

    `project` finds the other files that it imports; none of them is executed.
    """

    select: tuple[str, ...] = ("NAN",)
    ignore: tuple[str, ...] = ()
    min_confidence: Confidence = Confidence.LIKELY
    unsafe_fixes: bool = False
    project: Project | None = None
    safe_codes: tuple[str, ...] = ()
    """Codes whose unsafe fixes count as safe."""
    unsafe_codes: tuple[str, ...] = ()
    """Codes whose safe fixes count as unsafe."""
    epsilon: float | None = None
    """What fixes insert to keep an operand away from 0; None leaves it to each rule."""
    operations: tuple[tuple[str, str], ...] = ()
    """Qualified names of user functions, and the canonical operations that they compute."""
    rules: tuple[str, ...] = ()
    """Directories of user rules."""
    handbook: str = ""
    """The address at which the team serves the handbook; findings link to its pages."""
    known: tuple[Fingerprint, ...] = ()
    """The findings of the file in the baseline, which are neither reported nor fixed."""
    line_length: int | None = None
    """The columns that a line may have before it is broken, if a fix made it longer. 0 stands for
    the usual length, or what several lines of the file need; None leaves every line whole."""
    target_versions: tuple[str, ...] = ()
    """Requirements on frameworks, which override those in the files of the project."""
    versions: AllowedVersions | None = None
    """Finds the versions that the project allows; without it, only `target_versions` count."""
    verifier: Verifier | None = None
    """Executes every fix before it is offered; its processes are children of this one."""

    @property
    def applicability(self) -> Applicability:
        """The weakest applicability that may be applied."""
        return Applicability.UNSAFE if self.unsafe_fixes else Applicability.SAFE
