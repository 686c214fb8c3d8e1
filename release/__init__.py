"""Checks of a release before anything is published; `RELEASING.md` describes the steps."""
