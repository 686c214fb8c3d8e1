"""Which rules the layers of a configuration select; words that name no rule are errors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from mllint_nan.config.keys import ConfigError
from mllint_nan.rulebook.selection import (
    Named,
    most_selective,
    nearest,
    selects,
    strength,
    strongest,
)


@dataclass(frozen=True, slots=True)
class Words:
    """Codes, prefixes, names or families as written, and where they are written."""

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

    A layer with `select` starts afresh; without it, its words add to and remove from what the
    earlier layers selected. Within a layer the more precise word wins, and a word that ignores
    wins over one that selects. No prefix selects a rule that is off by default; raises
    `ConfigError` for a prefix that would select only such rules.
    """
    chosen = {rule.code for rule in rules if not rule.off_by_default}
    for layer in layers:
        for key, words in layer.items():
            codes(words, rules)
            if key in ("select", "extend-select"):
                _check_selects(words, rules)
        wanted = _joined(layer, "select", "extend-select")
        unwanted = _joined(layer, "ignore", "extend-ignore")
        if "select" in layer:
            chosen = set()
        for rule in rules:
            wants, avoids = most_selective(wanted, rule), strongest(unwanted, rule)
            if wants > avoids:
                chosen.add(rule.code)
            elif avoids >= 0:
                chosen.discard(rule.code)
    return tuple(sorted(chosen))


def _check_selects(words: Words, rules: Sequence[Named]) -> None:
    for word in words.words:
        named = [rule for rule in rules if strength(word, rule) >= 0]
        if not any(selects(word, rule) for rule in named):
            listed = ", ".join(rule.code for rule in named)
            raise ConfigError(
                f"{words.source}: {word!r} selects only rules that are off by default ({listed}); "
                f"write {named[0].code} or {named[0].family}"
            )


def _joined(layer: Mapping[str, Words], *keys: str) -> tuple[str, ...]:
    return tuple(word for key in keys if key in layer for word in layer[key].words)


def unknown_rule(asked: str, source: str, rules: Sequence[Named]) -> str:
    """One line about a word that names no rule, with the nearest word that does."""
    known = (word for rule in rules for word in (rule.code, rule.name, rule.family))
    meant = nearest(asked, known)
    hint = f"did you mean {meant}?" if meant else "--list-rules shows them all"
    return f"{source}: unknown rule {asked!r}; {hint}"
