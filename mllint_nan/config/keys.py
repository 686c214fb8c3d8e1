"""The keys of a configuration: one table for reading them, and for the JSON schema."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

EPSILONS: Final = (1e-18, 1e-2)
"""The smallest and the largest; the square of the smallest is a normal number in float32."""
DEFAULT_EXCLUDE: Final = (
    ".bzr", ".direnv", ".eggs", ".git", ".git-rewrite", ".hg", ".ipynb_checkpoints",
    ".mllint_nan_cache", ".mypy_cache", ".nox", ".pants.d", ".pyenv", ".pytest_cache",
    ".pytype", ".ruff_cache", ".svn", ".tox", ".venv", ".vscode", "__pycache__",
    "__pypackages__", "_build", "buck-out", "build", "dist", "node_modules",
    "site-packages", "venv",
)  # fmt: skip
"""Not checked unless named: the defaults of ruff, and build directories."""
CONFIDENCES: Final = ("certain", "likely", "possible")
FORMATS: Final = (
    "full", "concise", "json", "json-lines", "sarif",
    "github", "gitlab", "junit", "rdjson",
)  # fmt: skip


class ConfigError(Exception):
    """A configuration is invalid; the message is one line."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A type of value: its JSON schema, and its name and an example for error messages."""

    schema: Mapping[str, Any]
    name: str
    accepts: Callable[[Any], bool]


@dataclass(frozen=True, slots=True)
class Key:
    """One key; `choices` are the values allowed for a word."""

    name: str
    kind: Kind
    help: str
    example: str
    choices: tuple[str, ...] = ()


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_address(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(_ADDRESS, value) is not None


_ADDRESS: Final = r"(https?://|file:///)[^\s/]\S*"
_STRING: Final[Mapping[str, Any]] = {"type": "string"}
_STRINGS: Final[Mapping[str, Any]] = {"type": "array", "items": _STRING}

FLAG: Final = Kind({"type": "boolean"}, "true or false", lambda value: isinstance(value, bool))
TEXT: Final = Kind(_STRING, "a string", lambda value: isinstance(value, str))
ADDRESS: Final = Kind({**_STRING, "pattern": f"^{_ADDRESS}$"}, "an address", _is_address)
TEXTS: Final = Kind(_STRINGS, "a list of strings", _is_texts)
NUMBER: Final = Kind(
    {"type": "number", "minimum": EPSILONS[0], "maximum": EPSILONS[1]},
    "a number",
    lambda value: isinstance(value, int | float) and not isinstance(value, bool),
)
NAMES: Final = Kind(
    {"type": "object", "additionalProperties": _STRING},
    "a table of strings",
    lambda value: isinstance(value, dict) and all(isinstance(v, str) for v in value.values()),
)
PER_FILE: Final = Kind(
    {"type": "object", "additionalProperties": _STRINGS},
    "a table of lists of strings",
    lambda value: isinstance(value, dict) and all(map(_is_texts, value.values())),
)

KEYS: Final[tuple[Key, ...]] = (
    Key("extend", TEXT, "another configuration file, whose keys this one overrides",
        '"../pyproject.toml"'),
    Key("select", TEXTS, "report only these rules: codes, prefixes, names or families", '["NAN1"]'),
    Key("ignore", TEXTS, "report all but these rules", '["NAN203"]'),
    Key("extend-select", TEXTS, "report these rules too", '["accuracy"]'),
    Key("extend-ignore", TEXTS, "leave out these rules too", '["sqrt-at-zero"]'),
    Key("per-file-ignores", PER_FILE, "rules to leave out in files that match a pattern",
        '{ "tests/*" = ["NAN2"] }'),
    Key("extend-per-file-ignores", PER_FILE,
        "more rules to leave out in files that match a pattern", '{ "tests/*" = ["NAN2"] }'),
    Key("min-confidence", TEXT, "report findings of at least this confidence", '"likely"',
        CONFIDENCES),
    Key("extend-safe-fixes", TEXTS, "rules whose unsafe fixes count as safe", '["NAN201"]'),
    Key("extend-unsafe-fixes", TEXTS, "rules whose safe fixes count as unsafe", '["NAN203"]'),
    Key("fix", FLAG, "apply fixes", "true"),
    Key("fix-only", FLAG, "apply fixes, and do not report what is left", "true"),
    Key("show-fixes", FLAG, "list the fixes that were applied", "true"),
    Key("unsafe-fixes", FLAG, "apply the unsafe fixes too", "true"),
    Key("epsilon", NUMBER, "what fixes insert to keep an operand away from 0", "1e-6"),
    Key("target-versions", TEXTS,
        "framework versions that fixes must support, whatever the project's files require",
        '["torch>=1.7"]'),
    Key("operations", NAMES, "your own functions, and the canonical operations they compute",
        '{ "mylib.softmax" = "softmax" }'),
    Key("rules", TEXTS, "directories of your own rules", '["my-rules/"]'),
    Key("handbook", ADDRESS, "where the handbook is served: findings link to its pages",
        '"https://docs.example.org/mllint-nan/"'),
    Key("exclude", TEXTS, "files and directories to leave out, instead of the default ones",
        '["vendor"]'),
    Key("extend-exclude", TEXTS, "files and directories to leave out too", '["vendor"]'),
    Key("force-exclude", FLAG, "leave excluded files out even if they are named", "true"),
    Key("respect-gitignore", FLAG, "leave out what git ignores", "false"),
    Key("include-markdown", FLAG, "check fenced Python in Markdown too", "true"),
    Key("baseline", TEXT, "a file of accepted findings", '"mllint-nan-baseline.json"'),
    Key("output-format", TEXT, "the format in which findings are printed", '"concise"', FORMATS),
)  # fmt: skip

_BY_NAME: Final = {key.name: key for key in KEYS}


def checked(table: Mapping[str, Any], source: str) -> Mapping[str, Any]:
    """The table, if every key is known and has a value of its kind; raises `ConfigError`."""
    for name, value in table.items():
        key = _BY_NAME.get(name)
        if key is None:
            raise ConfigError(f"{source}{name}: unknown key; {did_you_mean(name, _BY_NAME)}")
        if not key.kind.accepts(value):
            hint = f"write {name} = {key.example}"
            raise ConfigError(f"{source}{name}: expects {key.kind.name}; {hint}")
        if key.choices and value not in key.choices:
            hint = did_you_mean(value, key.choices)
            raise ConfigError(f"{source}{name}: unknown value {value!r}; {hint}")
        if key.kind is NUMBER and not EPSILONS[0] <= value <= EPSILONS[1]:
            raise ConfigError(
                f"{source}{name}: {value:g} is not between {EPSILONS[0]:g} and {EPSILONS[1]:g}"
            )
    return table


def did_you_mean(asked: str, known: Iterable[str]) -> str:
    """A hint at the nearest known word, or at all of them."""
    known = list(known)
    close = difflib.get_close_matches(asked.lower(), known, 1, cutoff=0.7)
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(known)}"


def schema() -> dict[str, Any]:
    """The JSON schema of `mllint-nan.toml` and of the table `tool.mllint-nan`."""
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "mllint-nan",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            key.name: {
                "description": key.help,
                **key.kind.schema,
                **({"enum": list(key.choices)} if key.choices else {}),
            }
            for key in KEYS
        },
    }
