"""Layers to one value: settings for the whole run, and settings for each file.

As in ruff, only the nearest configuration counts, unless it `extend`s another one; then come
`--config KEY=VALUE` and the options. A file with no configuration above it uses that of the working
directory, or else the user's. Every directory is searched once.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from mllint_nan.config import read
from mllint_nan.config.globs import Globs
from mllint_nan.config.keys import DEFAULT_EXCLUDE, ConfigError, did_you_mean
from mllint_nan.config.read import Layer
from mllint_nan.config.selection import Words, codes, selected
from mllint_nan.findings import Confidence
from mllint_nan.rulebook.selection import Named
from mllint_nan.settings import Settings

_DEFAULT_EXCLUDE = Globs.of((name, os.curdir) for name in DEFAULT_EXCLUDE)
_SELECTORS = ("select", "ignore", "extend-select", "extend-ignore")


@dataclass(frozen=True, slots=True)
class PerFile:
    """Codes to ignore in the files that match, or with `negated` in all others."""

    files: Globs
    negated: bool
    codes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Configuration:
    """The settings for the files of a directory, unless a subdirectory has its own."""

    settings: Settings = field(default_factory=Settings)
    source: str | None = None
    """The file that it comes from."""
    root: str = field(default_factory=os.getcwd)
    """The directory of the project: that of the file, or the working directory."""
    per_file: tuple[PerFile, ...] = ()
    exclude: Globs = _DEFAULT_EXCLUDE
    force_exclude: bool = False
    respect_gitignore: bool = True
    include_markdown: bool = False
    fix: bool = False
    fix_only: bool = False
    show_fixes: bool = False
    output_format: str | None = None
    baseline: str | None = None

    def settings_of(self, path: str) -> Settings:
        """The settings of one file."""
        if not self.per_file:
            return self.settings
        absolute = os.path.abspath(path)
        ignored = {
            code
            for entry in self.per_file
            if entry.files.matches(absolute) is not entry.negated
            for code in entry.codes
        }
        ignore = tuple(sorted(ignored.union(self.settings.ignore)))
        return replace(self.settings, ignore=ignore)


@dataclass(frozen=True, slots=True)
class Scopes:
    """Which configuration applies where, as a value for other processes."""

    default: Configuration = field(default_factory=Configuration)
    roots: Mapping[str, Configuration] = field(default_factory=dict)
    """By absolute directory."""

    def of(self, path: str) -> Configuration:
        """The configuration of the nearest directory above a file that has one."""
        directory = os.path.dirname(os.path.abspath(path)) if self.roots else ""
        while directory:
            found = self.roots.get(directory)
            if found is not None:
                return found
            parent = os.path.dirname(directory)
            directory = "" if parent == directory else parent
        return self.default


class Configurations:
    """The configuration of every directory that was asked for."""

    def __init__(
        self,
        options: Mapping[str, Any],
        *,
        inline: Sequence[str] = (),
        file: str | None = None,
        layers: Sequence[Layer] = (),
        is_isolated: bool = False,
    ) -> None:
        """`options` are those of the command line, by key; raises `ConfigError`.

        `layers`, and `inline`, the texts of `--config KEY=VALUE`, are stronger than files.
        """
        self._stronger = [*layers, *(read.of_argument(text) for text in inline)]
        self._stronger.append(Layer(options, read.OPTION, os.getcwd()))
        self._known: dict[str, Configuration | None] = {}
        self._looks = not is_isolated and file is None
        here = os.getcwd()
        chosen: Layer | None = None
        if file is not None:
            chosen = replace(read.of_file(file), root=here)
        self.run = (
            self._resolved(chosen)
            if chosen is not None
            else (self._nearest(here) if self._looks else None) or self._resolved(self._users())
        )
        """The configuration of the working directory, for settings that concern no single file."""

    def of_directory(self, directory: str) -> Configuration:
        """The configuration for the files of a directory; raises `ConfigError`."""
        if not self._looks:
            return self.run
        return self._nearest(os.path.abspath(directory)) or self.run

    def of_file(self, path: str) -> Configuration:
        """The configuration for a file; raises `ConfigError`."""
        return self.of_directory(os.path.dirname(os.path.abspath(path)))

    def scopes(self) -> Scopes:
        """All configurations that were found."""
        roots = {found.root: found for found in self._known.values() if found is not None}
        return Scopes(self.run, roots)

    def _users(self) -> Layer | None:
        found = read.of_user() if self._looks else None
        return replace(found, root=os.getcwd()) if found else None

    def _nearest(self, directory: str) -> Configuration | None:
        missing = []
        while directory not in self._known:
            missing.append(directory)
            layer = read.in_directory(directory)
            parent = os.path.dirname(directory)
            if layer is not None:
                self._known[directory] = self._resolved(layer)
            elif parent == directory:
                self._known[directory] = None
            else:
                directory = parent
        found = self._known[directory]
        self._known.update(dict.fromkeys(missing, found))
        return found

    def _resolved(self, layer: Layer | None) -> Configuration:
        layers = [*(read.with_parents(layer) if layer else ()), *self._stronger]
        return _Resolution(layers).configuration(layer)


class _Resolution:
    """Layers, the strongest last, on their way to a configuration."""

    def __init__(self, layers: Sequence[Layer]) -> None:
        self.layers = layers

    def configuration(self, layer: Layer | None) -> Configuration:
        """`layer` is the file's own, without what it extends."""
        default = Configuration()
        return Configuration(
            settings=self._settings(),
            source=layer.path if layer else None,
            root=layer.root if layer else default.root,
            per_file=tuple(self._per_file()),
            exclude=self._exclude(),
            force_exclude=self._last("force-exclude", default.force_exclude),
            respect_gitignore=self._last("respect-gitignore", default.respect_gitignore),
            include_markdown=self._last("include-markdown", default.include_markdown),
            fix=self._last("fix", default.fix) or self._last("fix-only", default.fix_only),
            fix_only=self._last("fix-only", default.fix_only),
            show_fixes=self._last("show-fixes", default.show_fixes),
            output_format=self._last("output-format", default.output_format),
            baseline=self._baseline(),
        )

    def _settings(self) -> Settings:
        default = Settings()
        confidence = self._last("min-confidence", str(default.min_confidence))
        epsilon = self._last("epsilon", default.epsilon)
        return Settings(
            select=self._select(default.select),
            ignore=self._ignored(),
            min_confidence=Confidence[confidence.upper()],
            unsafe_fixes=self._last("unsafe-fixes", default.unsafe_fixes),
            safe_codes=self._codes("extend-safe-fixes"),
            unsafe_codes=self._codes("extend-unsafe-fixes"),
            epsilon=None if epsilon is None else float(epsilon),
            target_versions=self._target_versions(),
            operations=self._operations(),
            rules=self._own_rules,
            handbook=self._last("handbook", default.handbook),
        )

    def _last(self, key: str, default: Any) -> Any:
        return next(
            (layer.values[key] for layer in reversed(self.layers) if key in layer.values), default
        )

    def _last_layer(self, key: str) -> Layer | None:
        return next((layer for layer in reversed(self.layers) if key in layer.values), None)

    def _words(self, layer: Layer, key: str) -> Words:
        return Words(tuple(layer.values[key]), layer.where(key))

    @cached_property
    def _rules(self) -> Sequence[Named]:
        """All rules, which are read only if there are words to resolve."""
        from mllint_nan.rulebook.load import RuleError, load_rules
        from mllint_nan.rulebook.tool import TOOL_RULES

        try:
            return (*load_rules(self._own_rules), *TOOL_RULES)
        except RuleError as error:
            raise ConfigError(str(error)) from None

    @cached_property
    def _own_rules(self) -> tuple[str, ...]:
        layer = self._last_layer("rules")
        if layer is None:
            return ()
        found = []
        for text in layer.values["rules"]:
            path = os.path.normpath(os.path.join(layer.root, os.path.expanduser(text)))
            if not os.path.isdir(path):
                raise ConfigError(f"{layer.where('rules')}: {text!r} is not a directory")
            found.append(path)
        return tuple(found)

    def _select(self, default: tuple[str, ...]) -> tuple[str, ...]:
        layers = [
            {key: self._words(layer, key) for key in _SELECTORS if key in layer.values}
            for layer in self.layers
        ]
        if not any(layers):
            if self._own_rules:
                _ = self._rules  # a rule that cannot be read is an error now, not for every file
            return default
        return selected(layers, self._rules)

    def _ignored(self) -> tuple[str, ...]:
        """The codes that some layer ignores: no other rule reports their findings instead."""
        words = [
            self._words(layer, key)
            for layer in self.layers
            for key in ("ignore", "extend-ignore")
            if key in layer.values
        ]
        if not words:
            return ()
        named = {code for one in words for code in codes(one, self._rules)}
        return tuple(sorted(named.difference(self._select(()))))

    def _codes(self, key: str) -> tuple[str, ...]:
        found = {
            code
            for layer in self.layers
            if layer.values.get(key)
            for code in codes(self._words(layer, key), self._rules)
        }
        return tuple(sorted(found))

    def _operations(self) -> tuple[tuple[str, str], ...]:
        from mllint_nan.ir.ops import CATALOGUE

        layer = self._last_layer("operations")
        if layer is None:
            return ()
        operations: Mapping[str, str] = layer.values["operations"]
        for path, name in operations.items():
            where = f'{layer.where("operations")}."{path}"'
            if name not in CATALOGUE:
                hint = did_you_mean(name, CATALOGUE)
                raise ConfigError(f"{where}: unknown operation {name!r}; {hint}")
            if not all(part.isidentifier() for part in path.split(".")) or "." not in path:
                raise ConfigError(
                    f"{where}: is not a qualified name; write package.module.function"
                )
        return tuple(sorted(operations.items()))

    def _target_versions(self) -> tuple[str, ...]:
        layer = self._last_layer("target-versions")
        if layer is None:
            return ()
        from mllint_nan.requirements.specifiers import PACKAGES, is_clear

        for text in layer.values["target-versions"]:
            if not is_clear(text):
                raise ConfigError(
                    f"{layer.where('target-versions')}: {text!r} is not a version of a framework;"
                    f' write a name ({", ".join(PACKAGES)}) as in "torch>=1.7"'
                )
        return tuple(layer.values["target-versions"])

    def _baseline(self) -> str | None:
        layer = self._last_layer("baseline")
        if layer is None:
            return None
        return os.path.normpath(
            os.path.join(layer.root, os.path.expanduser(layer.values["baseline"]))
        )

    def _per_file(self) -> Iterator[PerFile]:
        base = self._last_layer("per-file-ignores")
        entries = [(base, "per-file-ignores")] if base else []
        key = "extend-per-file-ignores"
        entries += [(layer, key) for layer in self.layers if key in layer.values]
        for layer, key in entries:
            for pattern, listed in layer.values[key].items():
                files = Globs.of([(pattern.removeprefix("!"), layer.root)])
                words = Words(tuple(listed), f'{layer.where(key)}."{pattern}"')
                yield PerFile(files, pattern.startswith("!"), codes(words, self._rules))

    def _exclude(self) -> Globs:
        patterns = [(pattern, os.curdir) for pattern in DEFAULT_EXCLUDE]
        base = self._last_layer("exclude")
        if base is not None:
            patterns = [(pattern, base.root) for pattern in base.values["exclude"]]
        elif not any("extend-exclude" in layer.values for layer in self.layers):
            return Configuration().exclude
        patterns += [
            (pattern, layer.root)
            for layer in self.layers
            for pattern in layer.values.get("extend-exclude", ())
        ]
        return Globs.of(patterns)
