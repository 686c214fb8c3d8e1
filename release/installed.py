"""Install what is about to be published as a user would, and try the README's own example.

    python -m release.installed dist

There are three clean environments, none of which sees the checkout. They get what pip, that of this
interpreter, selects from the directory (a compiled wheel, if one fits), the pure wheel, and the
source distribution.
Requirements come from the configured index.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from mllint_nan.version import __version__
from release.refusal import ROOT, Refused, guarded

_FENCE: Final = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ASK: Final = (
    "import mllint_nan as package, mllint_nan.domains.interval as part;"
    "print(package.__version__, part.__file__, sep='\\n')"
)


def example(readme: str) -> dict[str, str]:
    """Return the README's first block of each language.

    >>> example("```python\\nx = 1\\n```\\n\\n```text\\nfine\\n```\\n\\n```text\\nmore\\n```\\n")
    {'python': 'x = 1\\n', 'text': 'fine\\n'}
    """
    found: dict[str, str] = {}
    for language, code in _FENCE.findall(readme):
        found.setdefault(language, code)
    return found


def ways(directory: Path) -> dict[str, tuple[str, ...]]:
    """Return pip's requirements for each way to install, by a name for it."""
    choice = ("--find-links", str(directory), "--only-binary", "mllint-nan")
    return {
        "wheel": (*choice, f"mllint-nan=={__version__}"),
        "pure wheel": (_only(directory, "*-none-any.whl"),),
        "source": (_only(directory, "*.tar.gz"),),
    }


def _only(directory: Path, pattern: str) -> str:
    found = [*directory.glob(pattern)]
    if len(found) != 1:
        raise Refused(f"{directory} holds {len(found)} files {pattern}")
    return str(found[0])


def attempt(way: str, wanted: Sequence[str], place: Path) -> str:
    """Install it, run the README's commands, and return which build it is: `pure` or `compiled`.

    Raises `Refused`.
    """
    venv.create(place / "environment")
    scripts = place / "environment" / ("Scripts" if os.name == "nt" else "bin")
    python = str(scripts / "python")
    pip = (sys.executable, "-m", "pip", "--python", python)
    _run(way, place, *pip, "install", "--quiet", "--ignore-installed", *wanted)
    version, file = _run(way, place, python, "-c", _ASK).splitlines()
    if version != __version__ or not Path(file).is_relative_to(place / "environment"):
        raise Refused(f"{way}: version {version} is found at {file}, not what was installed")
    blocks = example((ROOT / "README.md").read_text(encoding="utf-8"))
    (place / "train.py").write_bytes(blocks["python"].encode())
    command = str(scripts / "mllint-nan")
    for options, language in ((["--output-format", "full"], "text"), (["--diff"], "diff")):
        said = _run(way, place, command, *options, "train.py", status=1)
        if said != blocks[language]:
            raise Refused(f"{way}: mllint-nan {' '.join(options)} prints other than the README")
    _run(way, place, command, "--fix", "train.py")
    return "pure" if file.endswith(".py") else "compiled"


def _run(way: str, place: Path, *command: str, status: int = 0) -> str:
    done = subprocess.run(
        command,
        cwd=place, env={**os.environ, "PYTHONUTF8": "1"},
        capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    if done.returncode != status:
        last = (done.stderr or done.stdout).strip().rpartition("\n")[2]
        raise Refused(f"{way}: {Path(command[0]).name} ends with {done.returncode}: {last}")
    return done.stdout


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="release.installed", description="Install what is to be published, and try it."
    )
    parser.add_argument("directory", type=lambda text: Path(text).resolve())
    parser.add_argument("--compiled", action="store_true", help="pip must take a compiled wheel")
    options = parser.parse_args(arguments)

    def step() -> None:
        for way, wanted in ways(options.directory).items():
            with tempfile.TemporaryDirectory() as place:
                kind = attempt(way, wanted, Path(place))
            if way == "pure wheel" and kind != "pure":
                raise Refused("the pure wheel is compiled")
            if way == "wheel" and options.compiled and kind != "compiled":
                raise Refused("pip takes the pure wheel where a compiled one should fit")
            print(f"{way}: {kind}, prints what the README shows")

    return guarded(step)


if __name__ == "__main__":
    sys.exit(main())
