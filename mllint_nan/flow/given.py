"""The evaluated arguments of a call: those in their places, by their names, and behind stars."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mllint_nan.ir.term import Term


@dataclass(slots=True, eq=False, init=False)
class Arguments:
    """The evaluated arguments of a call; `others` came with a star, or all of them with two."""

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

    def after(self, receiver: Term) -> Arguments:
        """The same with the receiver of a method in front."""
        return Arguments((receiver, *self.positional), self.keywords, self.others, self.are_named)

    def behind(self, given: Arguments) -> Arguments:
        """The same where others were given before; a keyword that comes again replaces them."""
        return Arguments(
            (*given.positional, *self.positional),
            {**given.keywords, **self.keywords},
            (*given.others, *self.others),
            self.are_named and not given.others,
        )
