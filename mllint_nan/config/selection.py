"""Which rules the layers of a configuration select, and whether their words name rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from mllint_nan.config.keys import ConfigError
from mllint_nan.rulebook.selection import Named, nearest, strength, strongest


@dataclass(frozen=True, slots=True)
class Words:
    """Codes, prefixes or names as written, and where."""

    words: tuple[str, ...]
    source: str


def codes(words: Words, rules: Sequence[Named]) -> tuple[str, ...]:
    """The codes that are named; raises `ConfigError` for a word that names none."""
    for word in words.words:
        if not any(strength(word, rule) >= 0 for rule in rules):
            raise ConfigError(unknown_rule(word, words.source, rules))
    return tuple(rule.code for rule in rules if strongest(words.words, rule) >= 0)


def selected(layers: Iterable[Mapping[str, Words]], rules: Sequence[Named]) -> tuple[str, ...]:
    """The codes that the layers select, the strongest layer last.

    A layer with `select` starts anew; without it, its words are added to and taken from what
    the layers before it selected. Within a layer the more precise word wins, and a word that
    ignores wins over one that selects.
    """
    chosen = {rule.code for rule in rules}
    for layer in layers:
        for words in layer.values():
            codes(words, rules)
        wanted = _joined(layer, "select", "extend-select")
        unwanted = _joined(layer, "ignore", "extend-ignore")
        if "select" in layer:
            chosen = set()
        for rule in rules:
            wants, avoids = strongest(wanted, rule), strongest(unwanted, rule)
            if wants > avoids:
                chosen.add(rule.code)
            elif avoids >= 0:
                chosen.discard(rule.code)
    return tuple(sorted(chosen))


def _joined(layer: Mapping[str, Words], *keys: str) -> tuple[str, ...]:
    return tuple(word for key in keys if key in layer for word in layer[key].words)


def unknown_rule(asked: str, source: str, rules: Sequence[Named]) -> str:
    """One line for a word that names no rule, with the nearest one that does."""
    meant = nearest(asked, (word for rule in rules for word in (rule.code, rule.name)))
    hint = f"did you mean {meant}?" if meant else "--list-rules shows them all"
    return f"{source}: unknown rule {asked!r}; {hint}"
