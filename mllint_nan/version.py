"""The version of the package, stated once."""

from __future__ import annotations

__version__ = "0.1.0"
