"""Where non-finite numbers originate, and which of these origins leave their expression.

The engine that the recorders of JAX and TensorFlow share. They report each operation with its
operands and results; it follows non-finite arrays from one operation to the next, by identity, so
that each counts once, at its origin.

An **origin** is an operation whose result is not finite although its operands are; or whose result
is NaN although they have no NaN, and only infinities that the program wrote down itself (a mask of
-inf). An origin *counts* once another expression computes with its result, or the result leaves its
own expression without being replaced. So these do not count:

- - what a function of a library makes and replaces within itself (`xlogy` computes `log(0)`);
- - what `where`, `clip`, `maximum` or an index replaces before anything else is computed with it.

Neither is a flaw of the value. Gradients are examined separately: an operation of the backward
pass with finite incoming cotangents and non-finite outgoing ones is an origin of its own.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .events import Event, Position, Sink
from .sites import Site
from .witness import Effect

Numbers = NDArray[Any]


class Phase(Enum):
    """The purpose for which an operation is executed."""

    VALUE = "value"
    """The program itself."""
    RECORDED_VALUE = "recorded value"
    """The program itself, while a gradient's intermediate results are kept alive."""
    COEFFICIENT = "coefficient"
    """A factor of gradients, computed ahead of them by a differentiation rule."""
    GRADIENT = "gradient"
    """The backward pass."""


class Role(Enum):
    """What an operation does with a non-finite operand."""

    COMPUTES = "computes"
    MOVES = "moves"
    """Reshapes, copies or compares: the result is nothing new."""
    REPLACES = "replaces"
    """Selects, clips or indexes: the result may be free of it."""


def role_of(name: str, *, replaces: Collection[str], moves: Collection[str]) -> Role:
    """Return the role of an operation, given the names of those that replace and that move."""
    if name in replaces:
        return Role.REPLACES
    return Role.MOVES if name in moves else Role.COMPUTES


@dataclass(slots=True, eq=False)
class _Origin:
    event: Event
    site: Site | None
    counted: bool = False


@dataclass(slots=True, eq=False)
class _Carrier:
    """An array that is not finite because of `origins`."""

    array: weakref.ref[Any]
    origins: tuple[_Origin, ...]
    phase: Phase
    is_replaced: bool = False


@dataclass(slots=True)
class Origins:
    """Follows non-finite numbers; `sink` gets the event of each origin that counts, once."""

    sink: Sink
    numbers: Callable[[Any], Numbers | None]
    """The floating-point numbers of an array of the framework; `None` for anything else."""
    identity: Callable[[Any], int] = id
    _carriers: dict[int, _Carrier] = field(default_factory=dict)
    _told: set[Event] = field(default_factory=set)

    def operation(
        self,
        name: str,
        operands: Sequence[Any],
        results: Sequence[Any],
        site: Callable[[], Site | None],
        phase: Phase,
        role: Role = Role.COMPUTES,
        *,
        elementwise: bool = False,
        spelling: Callable[[Site, str], str] = lambda site, name: site.spelled or name,
    ) -> None:
        """Record an executed operation."""
        carried = (
            [c for c in map(self._carrier, operands) if c is not None] if self._carriers else []
        )
        spoiled = [
            (result, numbers)
            for result in results
            if (numbers := self.numbers(result)) is not None and not np.isfinite(numbers).all()
        ]
        if not spoiled and not carried:
            return
        here = site()
        name = spelling(here, name) if here is not None else name
        if phase is Phase.GRADIENT:
            self._gradient(name, operands, spoiled, carried, here, elementwise)
            return
        if role is Role.REPLACES:
            for carrier in carried:
                carrier.is_replaced = True
        if role is Role.COMPUTES:
            self._count_left(carried, here)
        origins = {id(o): o for carrier in carried for o in carrier.origins}
        if spoiled and operands and role is not Role.REPLACES and here is not None:
            held = [self.numbers(operand) for operand in operands]
            written = role is Role.COMPUTES and not carried
            if any(_begins(numbers, held, elementwise, written) for _, numbers in spoiled):
                origin = _Origin(_event(here, name, Effect.VALUE), here)
                origins[id(origin)] = origin
        for result, _ in spoiled:
            if origins:
                self._carry(result, tuple(origins.values()), phase)

    def as_values(self, results: Iterable[Any], phase: Phase) -> None:
        """Mark results of a differentiation rule as the program's own values."""
        for result in results:
            carrier = self._carrier(result)
            if carrier is not None:
                carrier.phase = phase

    def gradient(self, site: Site | None, name: str) -> None:
        """Record an origin in the backward pass that the recorder found itself."""
        if site is not None:
            self._tell(_event(site, name, Effect.GRADIENT))

    def are_gradients(self, arrays: Iterable[Any]) -> None:
        """Record the results of a backward pass that the recorder executed itself."""
        for array in arrays:
            numbers = self.numbers(array)
            if numbers is not None and not np.isfinite(numbers).all():
                self._carry(array, (), Phase.GRADIENT)

    def begins_at(self, array: Any, site: Site) -> bool:
        """Whether the non-finite numbers in `array` originate at that place."""
        carrier = self._carrier(array)
        return carrier is not None and any(
            _place(origin.event) == _place_of(site.position) for origin in carrier.origins
        )

    def returned(self, results: Iterable[Any]) -> None:
        """Count the origins in what the examined program returns."""
        for result in results:
            carrier = self._carrier(result)
            if carrier is not None and carrier.phase in (Phase.VALUE, Phase.RECORDED_VALUE):
                self._count(carrier)

    def close(self) -> None:
        """Count what is still alive: it has left its expression."""
        for carrier in list(self._carriers.values()):
            self._leave(carrier)
        self._carriers.clear()

    def _gradient(
        self,
        name: str,
        operands: Sequence[Any],
        spoiled: list[tuple[Any, Numbers]],
        carried: list[_Carrier],
        here: Site | None,
        elementwise: bool,
    ) -> None:
        if not spoiled:
            return
        arrives = any(carrier.phase is Phase.GRADIENT for carrier in carried)
        held = [self.numbers(operand) for operand in operands]
        if not arrives and here is not None and self._is_own(here.position, carried, held):
            self._tell(_event(here, name, Effect.GRADIENT))
        for result, _ in spoiled:
            self._carry(result, (), Phase.GRADIENT)

    def _is_own(
        self, here: Position, carried: list[_Carrier], held: Sequence[Numbers | None]
    ) -> bool:
        """Whether the operation spoils finite cotangents, rather than an earlier value."""
        if all(numbers is None or np.isfinite(numbers).all() for numbers in held):
            return True
        return any(
            carrier.phase is Phase.COEFFICIENT
            or any(_place(origin.event) == _place_of(here) for origin in carrier.origins)
            for carrier in carried
        )

    def _carrier(self, array: Any) -> _Carrier | None:
        carrier = self._carriers.get(self.identity(array))
        if carrier is None or carrier.array() is None:
            return None
        return carrier

    def _carry(self, array: Any, origins: tuple[_Origin, ...], phase: Phase) -> None:
        key = self.identity(array)
        known = self._carriers.get(key)
        if known is not None and known.array() is array:
            return  # an operation that returns its operand
        try:
            reference = weakref.ref(array, lambda _: self._died(key))
        except TypeError:
            return
        self._carriers[key] = _Carrier(reference, origins, phase)

    def _died(self, key: int) -> None:
        carrier = self._carriers.pop(key, None)
        if carrier is not None:
            self._leave(carrier)

    def _leave(self, carrier: _Carrier) -> None:
        if carrier.phase is not Phase.VALUE or carrier.is_replaced:
            return
        for origin in carrier.origins:
            if origin.site is None or not origin.site.is_running:
                self._count_origin(origin)

    def _count_left(self, carried: Iterable[_Carrier], here: Site | None) -> None:
        """Count the origins with whose results another expression computes."""
        for carrier in carried:
            if carrier.phase in (Phase.VALUE, Phase.RECORDED_VALUE):
                for origin in carrier.origins:
                    if not _is_same(origin.site, here):
                        self._count_origin(origin)

    def _count(self, carrier: _Carrier) -> None:
        for origin in carrier.origins:
            self._count_origin(origin)

    def _count_origin(self, origin: _Origin) -> None:
        if not origin.counted:
            origin.counted = True
            self._tell(origin.event)

    def _tell(self, event: Event) -> None:
        if event not in self._told:
            self._told.add(event)
            self.sink(event)


def _begins(
    result: Numbers, operands: Sequence[Numbers | None], elementwise: bool, written: bool
) -> bool:
    """Whether something non-finite originates in `result`.

    `written` says that the infinities among the operands are the program's own constants.
    """
    held = [numbers for numbers in operands if numbers is not None]
    spoiled = ~np.isfinite(result)
    if elementwise and all(numbers.shape in (result.shape, ()) for numbers in held):
        finite = np.ones(result.shape, dtype=bool)
        for numbers in held:
            finite &= np.isfinite(numbers)
        if bool(np.any(spoiled & finite)):
            return True
    elif all(np.isfinite(numbers).all() for numbers in held):
        return True
    if not written or not bool(np.isnan(result).any()):
        return False
    return not any(np.isnan(numbers).any() for numbers in held)


def _event(site: Site, name: str, effect: Effect) -> Event:
    position = site.position
    return Event(position.file, position.line, position.column, position.function, name, effect)


def _place(event: Event) -> tuple[str, int, int]:
    return event.file, event.line, event.column


def _place_of(position: Position) -> tuple[str, int, int]:
    return position.file, position.line, position.column


def _is_same(one: Site | None, other: Site | None) -> bool:
    if one is None or other is None:
        return one is other
    return one.frame == other.frame and one.instruction == other.instruction
