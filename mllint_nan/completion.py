"""Scripts by which a shell completes the options of the command."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterable, Iterator
from typing import Final

SHELLS: Final = ("bash", "zsh", "fish")

_BASH: Final = """\
_mllint_nan() {{
    local word=${{COMP_WORDS[COMP_CWORD]}}
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
_ZSH: Final = "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n"


def script(shell: str, options: argparse.ArgumentParser) -> str:
    """What the shell, one of `SHELLS`, has to read."""
    actions = [action for action in options._actions if action.option_strings]
    if shell == "fish":
        return "".join(f"{line}\n" for line in _fish(actions))
    return (_ZSH if shell == "zsh" else "") + _bash(actions)


def _bash(actions: Iterable[argparse.Action]) -> str:
    words = [word for action in actions for word in action.option_strings]
    cases = [
        _CASE.format("|".join(action.option_strings), shlex.quote(" ".join(action.choices)))
        for action in actions
        if action.choices is not None and action.nargs is None
    ]
    return _BASH.format(cases="\n".join(cases), options=shlex.quote(" ".join(words)))


def _fish(actions: Iterable[argparse.Action]) -> Iterator[str]:
    for action in actions:
        parts = ["complete -c mllint-nan"]
        for word in action.option_strings:
            parts.append(f"-l {word[2:]}" if word.startswith("--") else f"-s {word[1:]}")
        if action.choices is not None and action.nargs is None:
            parts.append(f"-x -a {shlex.quote(' '.join(action.choices))}")
        elif action.metavar is not None and action.nargs is None:
            parts.append("-r")
        if action.help is not None:
            parts.append(f"-d {_quoted(action.help)}")
        yield " ".join(parts)


def _quoted(text: str) -> str:
    """A word of fish, whose quotes know two escapes."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
