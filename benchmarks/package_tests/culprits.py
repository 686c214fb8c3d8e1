"""Which of many changes make a test fail, found by applying parts of them.

>>> minimal(range(16), lambda part: {3, 9} <= set(part))
(3, 9)
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TypeVar

Change = TypeVar("Change")


def minimal(
    changes: Sequence[Change], fails: Callable[[Sequence[Change]], bool]
) -> tuple[Change, ...]:
    """Return a part of the changes that still fails, and from which no change can be left out.

    `fails(changes)` must hold. The first change, as the most likely one, is tried alone.
    Otherwise this is delta debugging (Zeller and Hildebrandt, 2002): parts are tried first, then
    complements of parts, then finer parts; one culprit among n changes is found in about 2
    log2(n) trials.
    """
    left = list(changes)
    if len(left) > 1 and fails(left[:1]):
        return (left[0],)
    parts = 2
    while len(left) > 1:
        size = -(-len(left) // parts)
        pieces = [left[start : start + size] for start in range(0, len(left), size)]
        smaller = next((piece for piece in pieces if fails(piece)), None)
        if smaller is not None:
            left, parts = smaller, 2
            continue
        rest = _first_rest(pieces, fails) if len(pieces) > 2 else None
        if rest is not None:
            left, parts = rest, max(parts - 1, 2)
        elif size == 1:
            break
        else:
            parts = min(2 * parts, len(left))
    return tuple(left)


def _first_rest(
    pieces: Sequence[list[Change]], fails: Callable[[Sequence[Change]], bool]
) -> list[Change] | None:
    for left_out in range(len(pieces)):
        rest = [one for index, piece in enumerate(pieces) if index != left_out for one in piece]
        if fails(rest):
            return rest
    return None


Run = Callable[[Sequence[Change], Collection[str]], Collection[str]]
"""Returns those of the tests that fail with these changes."""


def culprits(
    tests: Sequence[str], changes: Callable[[str], Sequence[Change]], run: Run[Change]
) -> Iterator[tuple[tuple[Change, ...], tuple[str, ...]]]:
    """Yield each minimal part of the changes that makes tests fail, with all tests that it fails.

    `changes(test)` are the changes that the test may reach. A test that passes with all of them
    is yielded without changes.
    """
    open_tests = list(tests)
    while open_tests:
        test = open_tests[0]

        def fails(part: Sequence[Change], test: str = test) -> bool:
            return test in run(part, (test,))

        suspects = changes(test)
        if not suspects or not fails(suspects):
            yield (), (test,)
            open_tests.remove(test)
            continue
        part = minimal(suspects, fails)
        failed = {test, *(run(part, open_tests[1:]) if open_tests[1:] else ())}
        yield part, tuple(one for one in open_tests if one in failed)
        open_tests = [one for one in open_tests if one not in failed]
