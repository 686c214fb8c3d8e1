"""The handbook: a page for every rule, written from its file and its fixtures.

`mkdocs build` makes the site from `docs/` and the pages that this package adds to it.
"""
