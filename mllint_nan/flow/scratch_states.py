"""Evaluation in another state, of which nothing is recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mllint_nan.flow.state import State

if TYPE_CHECKING:
    from mllint_nan.flow.class_values import ClassEvaluator


class Apart:
    """A context manager that sets another state, records nothing, and restores all at its end."""

    __slots__ = ("_at", "_flows_on", "_inner", "_recording", "_returned", "_scope", "_state")

    def __init__(self, at: ClassEvaluator, state: State) -> None:
        self._at, self._inner = at, state
        self._state, self._scope, self._recording = at.state, at.scope, at.recording
        self._flows_on, self._returned = at.flows_on, at.returned

    def __enter__(self) -> None:
        at = self._at
        at.state, at.flows_on, at.returned, at.recording = self._inner, True, [], False

    def __exit__(self, *exception: object) -> None:
        at = self._at
        at.state, at.scope, at.recording = self._state, self._scope, self._recording
        at.flows_on, at.returned = self._flows_on, self._returned
