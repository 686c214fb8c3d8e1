"""The language server: findings in an editor, also for unsaved text.

A document is analysed again a moment after its last change, and when the client reports a changed
configuration. The configuration is read again each time, so editing it needs no restart. The cells
of a notebook are separate documents and one program.
"""

from mllint_nan.server.features import serve

__all__ = ["serve"]
