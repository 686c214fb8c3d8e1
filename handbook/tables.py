"""Tables of the tool's own data, inserted where a page says `<!-- table: name -->`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from mllint_nan.config.keys import KEYS
from mllint_nan.rulebook.descriptions import questions

_TABLE: Final = re.compile(r"^<!-- table: ([\w-]+) -->\n.*?^<!-- end of table -->$", re.M | re.S)


def with_tables(markdown: str) -> str:
    """Return the page with up-to-date tables; raises `KeyError` for an unknown one."""
    return _TABLE.sub(lambda mark: _marked(mark[1]), markdown)


def configuration_keys() -> str:
    """Return a table of every key, with its help and an example."""
    rows = [f"| `{key.name}` | {key.help} | `{key.name} = {key.example}` |" for key in KEYS]
    return "\n".join(["| Key | Meaning | Example |", "| --- | --- | --- |", *rows])


def conditions() -> str:
    """Return a table of every condition that a rule can state, and when it holds."""
    rows = [
        f"| `{text}` | {says} | {'yes' if is_proof else ''} |"
        for text, says, is_proof in questions()
    ]  # fmt: skip
    head = ["| Condition | It holds where | Proof |", "| --- | --- | --- |"]
    return "\n".join([*head, *rows])


def _marked(name: str) -> str:
    return f"<!-- table: {name} -->\n\n{TABLES[name]()}\n\n<!-- end of table -->"


TABLES: Final[Mapping[str, Callable[[], str]]] = {
    "configuration-keys": configuration_keys,
    "conditions": conditions,
}
