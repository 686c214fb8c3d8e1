"""Three-valued truth: `UNKNOWN` never counts as an answer.

Kleene's strong logic: "Introduction to Metamathematics" (1952), section 64.
"""

from __future__ import annotations

from enum import Enum


class Truth(Enum):
    """The answer of a predicate: proved, not known, or excluded."""

    YES = "yes"
    UNKNOWN = "unknown"
    NO = "no"

    def and_(self, other: Truth) -> Truth:
        """min, with NO < UNKNOWN < YES"""
        if self is Truth.NO or other is Truth.NO:
            return Truth.NO
        if self is Truth.YES and other is Truth.YES:
            return Truth.YES
        return Truth.UNKNOWN

    def or_(self, other: Truth) -> Truth:
        """max, with NO < UNKNOWN < YES"""
        if self is Truth.YES or other is Truth.YES:
            return Truth.YES
        if self is Truth.NO and other is Truth.NO:
            return Truth.NO
        return Truth.UNKNOWN

    def not_(self) -> Truth:
        """YES ↔ NO; UNKNOWN stays"""
        if self is Truth.UNKNOWN:
            return self
        return Truth.NO if self is Truth.YES else Truth.YES
