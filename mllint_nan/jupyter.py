"""JupyterLab's language servers: what jupyter-lsp calls to learn how to start this one."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import Any, Final

from mllint_nan.config.keys import schema

NAME: Final = "mllint-nan"


def specification(manager: object) -> dict[str, dict[str, Any]]:
    """The server by its name, in version 2 of jupyter-lsp's schema; without pygls there is none.

    JupyterLab offers the keys of a configuration among its settings.
    """
    if find_spec("pygls") is None:
        return {}
    keys = schema()["properties"]
    return {
        NAME: {
            "version": 2,
            "display_name": NAME,
            "argv": [sys.executable, "-m", "mllint_nan", "--server"],
            "languages": ["python"],
            "mime_types": ["text/x-python", "text/x-ipython"],
            "install": {"pip": f"pip install '{NAME}[lsp]'"},
            "config_schema": {
                "$schema": "http://json-schema.org/draft-07/schema#",
                "title": NAME,
                "type": "object",
                "properties": {f"{NAME}.{key}": described for key, described in keys.items()},
            },
        }
    }
