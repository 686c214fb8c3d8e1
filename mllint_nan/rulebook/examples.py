"""Examples for a rule's page: code before and after a fix, and code that is not reported.

They are taken from the rule's fixtures, and lie beside the rule: `rules/<family>/<rule>.json`.
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
    """Code with the flaw, and the same code repaired; None if no fix could be applied."""

    before: str
    after: str | None


@dataclass(frozen=True, slots=True)
class Examples:
    """The snippets, by framework; `near_misses` is code that is not reported."""

    snippets: Mapping[str, Snippet] = field(default_factory=dict)
    near_misses: str = ""


def examples_path(rule: Rule) -> Path:
    return Path(rule.path).with_suffix(".json")


def examples_of(rule: Rule) -> Examples:
    """The stored examples; a user's own rule may have none."""
    try:
        written: dict[str, Any] = json.loads(examples_path(rule).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return Examples()
    snippets = {name: Snippet(**code) for name, code in written["snippets"].items()}
    return Examples(snippets, written["near_misses"])


def dumped(examples: Examples) -> str:
    """The examples as the content of their file."""
    return json.dumps(asdict(examples), indent=1) + "\n"
