"""Calls that nest deeply find room for their frames, and do what they did."""

import sys

import pytest

from mllint_nan.frames import with_room

_DEPTHS = 150
"""Frames of this test, of which some chunk of 16 KiB ends with each."""
_TIMES = 200


def _leaf(number: int) -> int:
    kept = [number, number + 1]
    return sum(kept)


def _called_at(depth: int) -> int:
    if depth:
        return _called_at(depth - 1)
    return sum(_leaf(number) for number in range(_TIMES))


def _called_at_every_depth() -> int:
    return sum(map(_called_at, range(_DEPTHS)))


def _pages_asked_for(call: object) -> int:
    import resource  # POSIX alone has it

    assert callable(call)
    call()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    call()
    return int(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)


@pytest.mark.posix
def test_frames_take_no_pages_anew_at_the_end_of_a_chunk() -> None:
    """Before 3.11 frames lie in no chunks, and none are taken anew with or without room."""
    in_chunks = sys.version_info >= (3, 11)
    assert _pages_asked_for(with_room(_called_at_every_depth)) < _TIMES
    assert (_pages_asked_for(_called_at_every_depth) > _TIMES) is in_chunks


def test_a_function_with_room_is_called_and_named_as_before() -> None:
    def difference(first: int, second: int = 0) -> int:
        """What is left."""
        return first - second

    roomy = with_room(difference)
    assert roomy(5, second=2) == 3
    assert (roomy.__name__, roomy.__doc__) == ("difference", "What is left.")


def test_an_error_passes() -> None:
    with pytest.raises(ZeroDivisionError):
        with_room(lambda: 1 // 0)()
