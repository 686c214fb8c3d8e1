"""The picture of a rule: the measured errors of code that it finds, before and after the fix."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from mllint_nan.rulebook.rule import Rule

_SVG: Final = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True, slots=True)
class Picture:
    path: Path
    svg: str
    title: str
    told: str
    """What it shows, in words."""


def picture_of(rule: Rule) -> Picture | None:
    """The picture of a rule, if it has one."""
    path = _directory() / f"{rule.name}.svg"
    if not path.is_file():
        return None
    svg = path.read_text(encoding="utf-8").strip()
    root = ElementTree.fromstring(svg)
    title, told = (root.findtext(f"{_SVG}{name}", "") for name in ("title", "desc"))
    return Picture(path, svg, title, told)


def _directory() -> Path:
    """The pictures of this installation: inside a wheel's package, with the pages in a checkout."""
    package = Path(__file__).resolve().parent.parent
    inside = package / "pictures"
    return inside if inside.is_dir() else package.parent / "docs" / "pictures"
