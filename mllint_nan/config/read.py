"""Configuration files to layers: where they are searched for, and what they contain."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from mllint_nan.config.keys import ConfigError, checked

PYPROJECT: Final = "pyproject.toml"
FILE_NAMES: Final = (".mllint-nan.toml", "mllint-nan.toml", PYPROJECT)
"""In one directory, the first of these that configures the tool counts."""

_TABLE: Final = "mllint-nan"
_MISNAMED: Final = re.compile(
    rb"^[ \t]*\[[ \t]*(tool[ \t]*\.)?[\"' \t]*mllint[-_ ]?nan", re.I | re.M
)
_MISSPELT: Final = re.compile(r"mllint[-_ ]?nan", re.I)
_AT: Final = re.compile(r"(?P<what>.*) \(at (?:line (?P<row>\d+), column (?P<column>\d+)|.*)\)")


@dataclass(frozen=True, slots=True)
class Layer:
    """The keys of one source; paths in it are relative to `root`."""

    values: Mapping[str, Any]
    source: str
    """The prefix of a key in messages: `pyproject.toml: tool.mllint-nan.`."""
    root: str
    path: str | None = None
    """The file that it was read from."""

    def where(self, key: str) -> str:
        """The location of a key, for messages."""
        return f"{self.source}{key}"


OPTION: Final = "--"
"""The source of a value that an option sets."""


def in_directory(directory: str) -> Layer | None:
    """The configuration in one directory, if one of its files configures the tool."""
    for name in FILE_NAMES:
        path = os.path.join(directory, name)
        try:
            with open(path, "rb") as file:
                data = file.read()
        except (FileNotFoundError, NotADirectoryError, PermissionError, IsADirectoryError):
            continue
        # A file that does not name the table is not worth parsing, nor complaining about.
        if name == PYPROJECT and _TABLE.encode() not in data and not _MISNAMED.search(data):
            continue
        layer = parsed(data, path)
        if layer is not None:
            return layer
    return None


def of_user() -> Layer | None:
    """The configuration of the user, for projects that have none."""
    home = os.environ.get("APPDATA" if os.name == "nt" else "XDG_CONFIG_HOME")
    return in_directory(os.path.join(home or os.path.expanduser("~/.config"), "mllint-nan"))


def of_file(path: str) -> Layer:
    """The configuration in a named file; raises `ConfigError`."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise ConfigError(f"{path}: cannot read: {error.strerror or error}") from None
    layer = parsed(data, os.path.abspath(path))
    if layer is None:
        raise ConfigError(f"{path}: has no table [tool.{_TABLE}]; add one")
    return layer


def parsed(data: bytes, path: str) -> Layer | None:
    """The layer of a file's content; `None` for a `pyproject.toml` without the table."""
    shown = os.path.relpath(path)
    table: Any = _toml(data, shown)
    is_pyproject = os.path.basename(path) == PYPROJECT
    if is_pyproject:
        _check_name(table, shown)
        tool = table.get("tool", {})
        table = tool.get(_TABLE) if isinstance(tool, dict) else None
        if table is None:
            return None
        if not isinstance(table, dict):
            raise ConfigError(f"{shown}: tool.{_TABLE}: expects a table; write [tool.{_TABLE}]")
    elif set(table) == {"tool"}:
        raise ConfigError(
            f"{shown}: unknown table [tool]; write the keys here without [tool.{_TABLE}]"
        )
    source = f"{shown}: tool.{_TABLE}." if is_pyproject else f"{shown}: "
    return Layer(checked(table, source), source, os.path.dirname(path), path)


def _check_name(table: Mapping[str, Any], shown: str) -> None:
    """Raise `ConfigError` if a table is meant for the tool but misnamed."""
    tool = table.get("tool")
    for above, tables in (("", table), ("tool.", tool if isinstance(tool, dict) else {})):
        for name in tables:
            if _MISSPELT.fullmatch(name) and f"{above}{name}" != f"tool.{_TABLE}":
                raise ConfigError(
                    f"{shown}: unknown table [{above}{name}]; did you mean [tool.{_TABLE}]?"
                )


def of_argument(text: str) -> Layer:
    """The layer of `--config KEY=VALUE`; raises `ConfigError`."""
    import tomli

    try:
        table = tomli.loads(text)
    except tomli.TOMLDecodeError:
        key, _, value = text.partition("=")
        hint = f"""--config '{key.strip()} = "{value.strip()}"'"""
        raise ConfigError(f"--config {text}: not valid TOML; for a string, write {hint}") from None
    return Layer(checked(table, "--config "), "--config ", os.getcwd())


def with_parents(layer: Layer) -> Iterator[Layer]:
    """A layer preceded by those that it extends, the weakest first; raises `ConfigError`."""
    chain = [layer]
    while "extend" in chain[-1].values:
        last = chain[-1]
        path = os.path.join(last.root, os.path.expanduser(last.values["extend"]))
        try:
            parent = of_file(path)
        except ConfigError as error:
            raise ConfigError(f"{last.where('extend')}: {error}") from None
        if any(parent.path == known.path for known in chain):
            raise ConfigError(
                f"{last.where('extend')}: circular reference to {os.path.relpath(path)}"
            )
        chain.append(parent)
    return reversed(chain)


def _toml(data: bytes, shown: str) -> dict[str, Any]:
    import tomli

    try:
        return tomli.loads(data.decode("utf-8").replace("\r\n", "\n"))
    except UnicodeDecodeError:
        raise ConfigError(f"{shown}: not valid UTF-8; save it in that encoding") from None
    except tomli.TOMLDecodeError as error:
        found = _AT.fullmatch(str(error))
        if found is None or found["row"] is None:
            what = found["what"] if found else error
            raise ConfigError(f"{shown}: not valid TOML: {what}") from None
        place = f"{found['row']}:{found['column']}"
        raise ConfigError(f"{shown}:{place}: not valid TOML: {found['what']}") from None
