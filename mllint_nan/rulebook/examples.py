"""What a rule's page shows beside its file: code before and after, and code that is left alone.

It is taken from the rule's fixtures, and lies beside the rule: `rules/<family>/<rule>.json`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from mllint_nan.rulebook.rule import Rule


@dataclass(frozen=True, slots=True)
class Snippet:
    """Code with the flaw, and the same repaired; None where no fix could be applied."""

    before: str
    after: str | None


@dataclass(frozen=True, slots=True)
class Examples:
    """By framework; `near_misses` is code that is not reported."""

    snippets: Mapping[str, Snippet] = field(default_factory=dict)
    near_misses: str = ""


def examples_path(rule: Rule) -> Path:
    return Path(rule.path).with_suffix(".json")


def examples_of(rule: Rule) -> Examples:
    """What is written down; a rule of a user's own may have nothing."""
    try:
        written: dict[str, Any] = json.loads(examples_path(rule).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return Examples()
    snippets = {name: Snippet(**code) for name, code in written["snippets"].items()}
    return Examples(snippets, written["near_misses"])


def dumped(examples: Examples) -> str:
    """The content of the file."""
    return json.dumps(asdict(examples), indent=1) + "\n"
