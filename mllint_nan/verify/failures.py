"""Why something could not be executed; cheap to import."""

from __future__ import annotations


class Unavailable(Exception):
    """A framework that is needed for an execution is not installed; the message is one line."""


class Stopped(Exception):
    """An execution exceeded a limit; the message says which."""
