"""Tables of the tool's own data, put where a page says `<!-- table: name -->`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from mllint_nan.config.keys import KEYS

_MARK: Final = re.compile(r"^<!-- table: ([\w-]+) -->$", re.MULTILINE)


def with_tables(markdown: str) -> str:
    """The page with each mark replaced by its table; raises `KeyError` for an unknown one."""
    return _MARK.sub(lambda mark: TABLES[mark[1]](), markdown)


def configuration_keys() -> str:
    """Every key, with its help and an example."""
    rows = [f"| `{key.name}` | {key.help} | `{key.name} = {key.example}` |" for key in KEYS]
    return "\n".join(["| Key | Meaning | Example |", "| --- | --- | --- |", *rows])


TABLES: Final[Mapping[str, Callable[[], str]]] = {"configuration-keys": configuration_keys}
