"""Shell scripts that complete the options of the command."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Protocol

SHELLS: Final = ("bash", "zsh", "fish")

_BASH: Final = """\
_mllint_nan() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} listed=
    case ${{COMP_WORDS[COMP_CWORD-1]}} in
{cases}
    esac
    if [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W {options} -- "$word"))
    else
        COMPREPLY=($(compgen -f -- "$word"))
    fi
}}
complete -o filenames -F _mllint_nan mllint-nan
"""
_CASE: Final = '        {}) COMPREPLY=($(compgen -W {} -- "$word")); return ;;'
_LIST: Final = """\
        {}) [[ $word == *,* ]] && listed=${{word%,*}},
            COMPREPLY=($(compgen -P "$listed" -W {} -- "${{word##*,}}")); return ;;"""
_LISTS: Final = ("select", "ignore", "extend_select", "extend_ignore")
"""Options that take several rules, with commas between them."""
_ZSH: Final = "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n"


class Named(Protocol):
    """All that completion needs to know of a rule."""

    @property
    def code(self) -> str: ...

    @property
    def name(self) -> str: ...


def script(shell: str, options: argparse.ArgumentParser, rules: Sequence[Named] = ()) -> str:
    """The script for a shell, one of `SHELLS`; it knows the codes and names of the rules."""
    actions = [action for action in options._actions if action.option_strings]
    if shell == "fish":
        return "".join(f"{line}\n" for line in _fish(actions, rules))
    return (_ZSH if shell == "zsh" else "") + _bash(actions, rules)


def _words(rules: Sequence[Named]) -> list[str]:
    """All words that stand for rules: families, codes, names."""
    families = sorted({rule.code[:4] for rule in rules})
    return [*families, *(rule.code for rule in rules), *(rule.name for rule in rules)]


def _bash(actions: Sequence[argparse.Action], rules: Sequence[Named]) -> str:
    words = [word for action in actions for word in action.option_strings]
    named = shlex.quote(" ".join(_words(rules)))
    cases = [
        _CASE.format("|".join(action.option_strings), shlex.quote(" ".join(action.choices)))
        for action in actions
        if action.choices is not None and action.nargs is None
    ]
    lists = [word for action in actions if action.dest in _LISTS for word in action.option_strings]
    if rules:
        cases += [_LIST.format("|".join(lists), named), _CASE.format("--explain", named)]
    return _BASH.format(cases="\n".join(cases), options=shlex.quote(" ".join(words)))


def _fish(actions: Iterable[argparse.Action], rules: Sequence[Named]) -> Iterator[str]:
    named = shlex.quote(" ".join(_words(rules)))
    for action in actions:
        parts = ["complete -c mllint-nan"]
        for word in action.option_strings:
            parts.append(f"-l {word[2:]}" if word.startswith("--") else f"-s {word[1:]}")
        if action.choices is not None and action.nargs is None:
            parts.append(f"-x -a {shlex.quote(' '.join(action.choices))}")
        elif rules and action.dest in (*_LISTS, "explain"):
            parts.append(f"-x -a {named}")
        elif action.metavar is not None and action.nargs is None:
            parts.append("-r")
        if action.help is not None:
            parts.append(f"-d {_quoted(action.help)}")
        yield " ".join(parts)


def _quoted(text: str) -> str:
    """A text as a word of fish, whose quotes know two escapes."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
