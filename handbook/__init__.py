"""The handbook: a page for every rule, written from its file and its fixtures.

The pages are in `docs/rules`, to be read beside the source; `python -m pytest tests/test_docs.py
--bless` rewrites them. `sphinx-build -b dirhtml docs site` builds a site from `docs/`.
"""
