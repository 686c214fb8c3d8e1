"""Why something could not be executed; nothing here costs time to import."""

from __future__ import annotations


class Unavailable(Exception):
    """A framework that is to execute something is not installed; the message is one line."""


class Stopped(Exception):
    """An execution took more than it was granted; the message says of what."""
