"""The handbook: a page for every rule, written from its file and its fixtures.

They lie in `docs/rules`, to be read beside the source, and `python -m pytest tests/test_docs.py
--bless` writes them anew. `sphinx-build -b dirhtml docs site` makes a site of `docs/`.
"""
