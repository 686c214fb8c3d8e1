"""The baseline: findings of a project that are known, and not reported again.

Findings are recognised by their content, so lines may move; paths are relative to the file.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, Final

from mllint_nan.fingerprints import Fingerprint

_VERSION: Final = 1


class BaselineError(Exception):
    """A baseline cannot be read; the message is one line."""


@cache
def load(path: str) -> Mapping[str, tuple[Fingerprint, ...]]:
    """The findings of a baseline, by relative path; raises `BaselineError`."""
    hint = "--write-baseline writes one"
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        return {
            name: tuple(
                Fingerprint(str(entry["code"]), str(entry["content"]), str(entry["context"]))
                for entry in entries
            )
            for name, entries in _findings(document).items()
        }
    except OSError as error:
        reason = error.strerror or error
        raise BaselineError(f"{path}: cannot read: {reason}; {hint}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise BaselineError(f"{path}: not a baseline of this version; {hint}") from None


def _findings(document: Any) -> Mapping[str, Any]:
    if document["version"] != _VERSION:
        raise ValueError("another version")
    findings: Mapping[str, Any] = document["findings"]
    return findings


def of_file(baseline: str, path: str) -> tuple[Fingerprint, ...]:
    """The findings of one file in a baseline; raises `BaselineError`."""
    return load(baseline).get(_key(baseline, path), ())


def write(baseline: str, found: Iterable[tuple[str, Iterable[tuple[Fingerprint, str]]]]) -> int:
    """Write all findings by file, each with a text for people; return the number written."""
    findings = {
        _key(baseline, path): [
            {
                "code": one.code,
                "content": one.content,
                "context": one.context,
                "text": text,
            }
            for one, text in entries
        ]
        for path, entries in found
    }
    document = {
        "version": _VERSION,
        "findings": {name: entries for name, entries in sorted(findings.items()) if entries},
    }
    data = json.dumps(document, indent=1) + "\n"
    with open(baseline, "wb") as file:
        file.write(data.encode())
    load.cache_clear()
    return sum(map(len, findings.values()))


def _key(baseline: str, path: str) -> str:
    directory = os.path.dirname(os.path.abspath(baseline))
    try:
        return os.path.relpath(path, directory).replace(os.sep, "/")
    except ValueError:  # on another drive
        return os.path.abspath(path).replace(os.sep, "/")
