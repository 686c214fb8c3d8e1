"""Which fixes go together, and what the text becomes."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from mllint_nan.findings import Applicability, Confidence, Edit, Finding, Fix, Position, Span
from mllint_nan.fixing.apply import choose, splice

SAFE, UNSAFE, DISPLAY = Applicability.SAFE, Applicability.UNSAFE, Applicability.DISPLAY_ONLY
START = Position(1, 1)


def edit(start: int, end: int, content: str) -> Edit:
    return Edit(Span(start, end), content, START, START)


def finding(*edits: Edit, applicability: Applicability = SAFE, fixed: bool = True) -> Finding:
    span = Span(max((e.span.start for e in edits), default=0), 99)
    fix = Fix("", applicability, edits) if fixed else None
    return Finding(
        "NAN101", "a", "", span, START, START, Confidence.CERTAIN, None, None, None, None, fix
    )


def test_finding_without_a_fix_is_left_out() -> None:
    assert choose([finding(fixed=False), finding()], DISPLAY) == []


def test_fix_below_the_threshold_is_left_out() -> None:
    safe, unsafe = finding(edit(0, 1, "a")), finding(edit(2, 3, "b"), applicability=UNSAFE)
    shown = finding(edit(4, 5, "c"), applicability=DISPLAY)
    assert choose([safe, unsafe, shown], SAFE) == [safe]
    assert choose([safe, unsafe, shown], UNSAFE) == [safe, unsafe]


def test_fixes_are_chosen_in_the_order_of_the_text() -> None:
    first, second = finding(edit(0, 1, "a")), finding(edit(4, 5, "b"))
    assert choose([second, first], SAFE) == [first, second]


def test_fix_waits_when_it_overlaps() -> None:
    first, second = finding(edit(0, 5, "a")), finding(edit(4, 9, "b"))
    assert choose([first, second], SAFE) == [first]


def test_fix_waits_for_one_that_takes_its_place_away() -> None:
    inner = replace(finding(edit(0, 5, "a")), span=Span(10, 14))
    outer = finding(edit(0, 20, ""), edit(30, 40, "b"))
    beside = finding(edit(0, 9, ""), edit(30, 40, "b"))
    assert choose([inner, outer], SAFE) == [outer]
    assert choose([inner, beside], SAFE) == [inner]


def test_adjacent_fixes_go_together() -> None:
    first, second = finding(edit(0, 5, "a")), finding(edit(5, 9, "b"))
    assert choose([first, second], SAFE) == [first, second]


def test_second_insertion_at_one_place_waits() -> None:
    first = finding(edit(0, 0, "import a\n"), edit(4, 5, "a"))
    second = finding(edit(0, 0, "import b\n"), edit(8, 9, "b"))
    assert choose([first, second], SAFE) == [first]


def test_equal_edits_are_shared() -> None:
    shared = edit(0, 0, "import a\n")
    first, second = finding(shared, edit(4, 5, "a")), finding(shared, edit(8, 9, "b"))
    assert choose([first, second], SAFE) == [first, second]
    assert splice("    x   y", [first, second]) == "import a\n    a   b"


def test_fix_that_is_made_by_another_one_already_waits() -> None:
    first, second = finding(edit(0, 1, "a")), finding(edit(0, 1, "a"))
    assert choose([first, second], SAFE) == [first]


def test_fix_that_overlaps_by_one_edit_waits_whole() -> None:
    first = finding(edit(4, 6, "a"))
    second = finding(edit(0, 1, "b"), edit(5, 7, "b"))
    third = finding(edit(0, 1, "c"), edit(8, 9, "c"))
    assert choose([first, second, third], SAFE) == [first, third]


def test_splice_makes_every_edit_at_its_own_place() -> None:
    findings = [finding(edit(0, 1, "long"), edit(3, 4, "")), finding(edit(2, 2, "+"))]
    assert splice("abcde", findings) == "longb+ce"


def test_splice_without_edits_changes_nothing() -> None:
    assert splice("abc", [finding(fixed=False)]) == "abc"


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 3)), max_size=12))
def test_chosen_edits_overlap_no_other_and_none_waits_in_vain(
    places: list[tuple[int, int]],
) -> None:
    findings = [finding(edit(start, start + length, "a")) for start, length in places]
    chosen = choose(findings, SAFE)
    taken = {e for one in chosen if one.fix for e in one.fix.edits}
    assert not any(a.span.overlaps(b.span) for a in taken for b in taken if a != b)
    for one in findings:
        assert one.fix is not None
        assert any(e in taken or e.span.overlaps(t.span) for e in one.fix.edits for t in taken)
