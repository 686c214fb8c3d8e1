"""Print the release notes of a tag: the changelog's section for that version.

    python -m release.notes v1.2.3 [--repository https://github.com/OWNER/NAME]

It refuses a tag that is not the package's version, a version without a section, with an empty
one or only an unreleased one, and a repository that is not the one that the package names.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Final

from mllint_nan.version import __version__
from release.refusal import ROOT, Refused, guarded, project

CHANGELOG: Final = ROOT / "CHANGELOG.md"
_HEAD: Final = re.compile(r"^## \[(?P<version>[^\]]+)\](?: - (?P<date>.*))?$", re.MULTILINE)


def section(text: str, version: str) -> tuple[str, str]:
    """Return a changelog's text about a version, and the day of its release as written there.

    >>> section("## [0.2.0] - 2026-01-02\\n\\n- one\\n\\n## [0.1.0]\\n\\n- two\\n", "0.2.0")
    ('- one\\n', '2026-01-02')

    Raises `Refused` if there is not exactly one such section, or nothing in it.
    """
    heads = [*_HEAD.finditer(text)]
    mine = [number for number, head in enumerate(heads) if head["version"] == version]
    if len(mine) != 1:
        found = "no section" if not mine else f"{len(mine)} sections"
        raise Refused(f"CHANGELOG.md has {found} [{version}]")
    head = heads[mine[0]]
    end = heads[mine[0] + 1].start() if mine[0] + 1 < len(heads) else len(text)
    body = text[head.end() : end].strip()
    if not any(line.startswith("- ") for line in body.splitlines()):
        raise Refused(f"CHANGELOG.md says nothing below [{version}]")
    return body + "\n", head["date"] or ""


def notes(tag: str, text: str, version: str) -> str:
    """Return the release notes for a tag, given the changelog and the package's version.

    Raises `Refused`.
    """
    if tag != f"v{version}":
        raise Refused(f"the tag {tag} is not v{version}, the version of the package")
    body, day = section(text, version)
    try:
        date.fromisoformat(day)
    except ValueError:
        said = f"says {day!r}" if day else "says nothing"
        raise Refused(
            f"CHANGELOG.md {said} where the day of the release of [{version}] belongs (YYYY-MM-DD)"
        ) from None
    return body


def check_repository(address: str) -> None:
    """Raise `Refused` if the package would point its users to another repository."""
    source = project()["urls"]["Source"]
    if address.rstrip("/").lower() != source.lower():
        raise Refused(f"the package says that its source is {source}, this is {address}")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="release.notes", description="Print the release notes of a tag."
    )
    parser.add_argument("tag")
    parser.add_argument("--repository", metavar="ADDRESS", help="where the release is made")
    parser.add_argument("--changelog", type=Path, default=CHANGELOG)
    options = parser.parse_args(arguments)

    def step() -> None:
        if options.repository is not None:
            check_repository(options.repository)
        text = options.changelog.read_text(encoding="utf-8")
        sys.stdout.write(notes(options.tag, text, __version__))

    return guarded(step)


if __name__ == "__main__":
    sys.exit(main())
