"""Tables of the tool's own data, written where a page says `<!-- table: name -->`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from mllint_nan.config.keys import KEYS
from mllint_nan.rulebook.descriptions import questions

_TABLE: Final = re.compile(r"^<!-- table: ([\w-]+) -->\n.*?^<!-- end of table -->$", re.M | re.S)


def with_tables(markdown: str) -> str:
    """The page with each table as it is now; raises `KeyError` for an unknown one."""
    return _TABLE.sub(lambda mark: _marked(mark[1]), markdown)


def configuration_keys() -> str:
    """Every key, with its help and an example."""
    rows = [f"| `{key.name}` | {key.help} | `{key.name} = {key.example}` |" for key in KEYS]
    return "\n".join(["| Key | Meaning | Example |", "| --- | --- | --- |", *rows])


def conditions() -> str:
    """Every question that a rule can ask, as it is written, with the sentence that it answers."""
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
