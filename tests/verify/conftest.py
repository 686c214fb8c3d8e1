"""One verifier for all tests here: to import a framework takes longer than most proofs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Final

import pytest

from mllint_nan.verify.verifier import Verifier


@pytest.fixture(scope="session")
def verifier() -> Iterator[Verifier]:
    """What it has executed once it remembers."""
    with Verifier() as running:
        yield running


_END: Final = "-- end of a program --"
_RUNNER: Final = f"""\
import sys
for line in sys.stdin:
    exec(eval(line), {{"__name__": "__main__"}})
    print({_END!r}, flush=True)
"""


@pytest.fixture(scope="session")
def printed() -> Iterator[Callable[[str], str]]:
    """What a program prints, each with names of its own, in a process that has the frameworks."""
    command = [sys.executable, "-c", _RUNNER]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as running:
        assert running.stdin is not None and running.stdout is not None
        requests, replies = running.stdin, running.stdout

        def run(text: str) -> str:
            requests.write(f"{text!r}\n")
            requests.flush()
            lines = iter(replies.readline, "")
            shown = []
            for line in lines:
                if line.rstrip("\n") == _END:
                    return "".join(shown)
                shown.append(line)
            raise AssertionError(f"it raises an exception:\n{text}")

        yield run
        requests.close()
