"""The evaluated arguments of a call: positional ones, keywords, and those with stars."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mllint_nan.ir.term import Term


@dataclass(slots=True, eq=False, init=False)
class Arguments:
    """The arguments of a call; `others` have stars.

    If they `are_last`, they are given to no parameter that the visible ones are given to: they have
    two stars, or one behind all positional arguments, of which there are some.
    """

    positional: tuple[Term, ...]
    keywords: Mapping[str, Term]
    others: tuple[Term, ...]
    are_last: bool

    def __init__(
        self,
        positional: tuple[Term, ...],
        keywords: Mapping[str, Term],
        others: tuple[Term, ...] = (),
        are_last: bool = False,
    ) -> None:
        self.positional = positional
        self.keywords = keywords
        self.others = others
        self.are_last = are_last

    def everything(self) -> tuple[Term, ...]:
        if not self.keywords and not self.others:
            return self.positional
        return (*self.positional, *self.keywords.values(), *self.others)

    def first(self) -> Arguments:
        """The first positional argument alone."""
        return Arguments(self.positional[:1], {})

    def after(self, receiver: Term) -> Arguments:
        """These arguments with the receiver of a method in front."""
        return Arguments((receiver, *self.positional), self.keywords, self.others, self.are_last)

    def behind(self, given: Arguments) -> Arguments:
        """These arguments after those given before; a keyword that is repeated replaces those."""
        return Arguments(
            (*given.positional, *self.positional),
            {**given.keywords, **self.keywords},
            (*given.others, *self.others),
            self.are_last and not given.others,
        )
