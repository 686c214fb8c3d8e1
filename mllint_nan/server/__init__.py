"""The language server: findings in an editor, of text that need not be saved.

A document is analysed again a moment after its last change, and when the client tells of another
configuration, which is read anew each time, so that editing it needs no restart. The cells of a
notebook are documents of their own, and one program.
"""

from mllint_nan.server.features import serve

__all__ = ["serve"]
