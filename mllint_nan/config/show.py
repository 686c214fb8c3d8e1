"""The settings of one path, as an equivalent configuration."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

from mllint_nan.config.resolve import Configuration


def listing(configuration: Configuration, path: str) -> str:
    """One `key = value` per line, for a file or a directory."""
    source = configuration.source or "defaults and options"
    lines = [f"# settings of {path}", f"# from {source}"]
    lines += [f"{key} = {json.dumps(value)}" for key, value in _values(configuration, path)]
    return "\n".join(lines) + "\n"


def _values(configuration: Configuration, path: str) -> Iterator[tuple[str, object]]:
    directory = os.path.isdir(path)
    settings = configuration.settings if directory else configuration.settings_of(path)
    yield "select", list(settings.select)
    yield "ignore", list(settings.ignore)
    yield "min-confidence", str(settings.min_confidence)
    yield "extend-safe-fixes", list(settings.safe_codes)
    yield "extend-unsafe-fixes", list(settings.unsafe_codes)
    yield "fix", configuration.fix
    yield "fix-only", configuration.fix_only
    yield "show-fixes", configuration.show_fixes
    yield "unsafe-fixes", settings.unsafe_fixes
    if settings.epsilon is not None:
        yield "epsilon", settings.epsilon
    if settings.target_versions:
        yield "target-versions", list(settings.target_versions)
    for name, operation in settings.operations:
        yield f'operations."{name}"', operation
    yield "rules", list(settings.rules)
    if settings.handbook:
        yield "handbook", settings.handbook
    yield "exclude", list(configuration.exclude.patterns)
    yield "force-exclude", configuration.force_exclude
    yield "respect-gitignore", configuration.respect_gitignore
    yield "include-markdown", configuration.include_markdown
    if configuration.baseline is not None:
        yield "baseline", configuration.baseline
    if configuration.output_format is not None:
        yield "output-format", configuration.output_format
