"""Lists of names, as data: `names.toml` says why each list lowers a confidence."""

from __future__ import annotations

import os
import re
from functools import cache
from typing import Any, Final

import tomli

_FILE: Final = os.path.join(os.path.dirname(__file__), "names.toml")


def names(kind: str) -> re.Pattern[str]:
    """The names of one kind, as a regular expression to search for in a name."""
    table = tables()[kind]
    return re.compile(table["pattern"], re.IGNORECASE if table.get("ignores_case") else 0)


@cache
def tables() -> dict[str, dict[str, Any]]:
    """Every list of names, by kind."""
    with open(_FILE, "rb") as file:
        return tomli.load(file)
