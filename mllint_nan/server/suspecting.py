"""The suspects of the program that starts at a document, for editors."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from pygls.exceptions import JsonRpcInvalidParams

from mllint_nan.reporting import suspects as told
from mllint_nan.server.program import NAME
from mllint_nan.settings import Settings
from mllint_nan.suspects.candidates import suspects_of, with_fixes
from mllint_nan.suspects.program import EntryError, entry_of, program_from

SUSPECTS: Final = f"{NAME}.suspects"


def suspects_from(entry: str, settings_of: Callable[[str], Settings]) -> dict[str, Any]:
    """The suspects of a program as saved: a page in Markdown, and a list in the JSON format.

    Raises `JsonRpcInvalidParams`.
    """
    try:
        program = program_from(entry_of(entry))
    except EntryError as error:
        raise JsonRpcInvalidParams(str(error)) from None
    found = suspects_of(program, settings_of)
    ranked = list(found.ranked) if program.differentiates else told.by_file(found)
    top = list(with_fixes(ranked[: told.SHOWN_MOST], settings_of))

    @lru_cache(64)
    def read(path: str) -> bytes:
        with open(path, "rb") as file:
            return file.read()

    notes = [*told.unread(found), *([] if program.differentiates else [told.untrained(found)])]
    page = told.markdown(found, top, read)
    return {
        "entry": told.shown_entry(found),
        "markdown": "\n\n".join((page.rstrip("\n"), *notes)) + "\n",
        "suspects": told.entries(top, read),
    }
