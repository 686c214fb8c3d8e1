"""The language server: findings in an editor, also in text that is not saved.

A document is analysed again a moment after its last change, and when the client reports a changed
configuration. That is read again each time, so editing it needs no restart. The cells of a notebook
are documents of their own, and one program.
"""

from mllint_nan.server.features import serve

__all__ = ["serve"]
