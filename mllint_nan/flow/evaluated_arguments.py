"""The evaluated arguments of a call: positional ones, keywords, and those with stars."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mllint_nan.ir.term import Term


@dataclass(slots=True, eq=False, init=False)
class Arguments:
    """The arguments of a call; `others` have stars, and if `are_named`, all of these have two."""

    positional: tuple[Term, ...]
    keywords: Mapping[str, Term]
    others: tuple[Term, ...]
    are_named: bool

    def __init__(
        self,
        positional: tuple[Term, ...],
        keywords: Mapping[str, Term],
        others: tuple[Term, ...] = (),
        are_named: bool = False,
    ) -> None:
        self.positional = positional
        self.keywords = keywords
        self.others = others
        self.are_named = are_named

    def everything(self) -> tuple[Term, ...]:
        if not self.keywords and not self.others:
            return self.positional
        return (*self.positional, *self.keywords.values(), *self.others)

    def first(self) -> Arguments:
        """The first positional argument alone."""
        return Arguments(self.positional[:1], {})

    def after(self, receiver: Term) -> Arguments:
        """These arguments with the receiver of a method in front."""
        return Arguments((receiver, *self.positional), self.keywords, self.others, self.are_named)

    def behind(self, given: Arguments) -> Arguments:
        """These arguments after those given before; a keyword that is repeated replaces those."""
        return Arguments(
            (*given.positional, *self.positional),
            {**given.keywords, **self.keywords},
            (*given.others, *self.others),
            self.are_named and not given.others,
        )
