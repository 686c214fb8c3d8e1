"""A new import goes where the file's own order puts it, and the file still runs."""

from __future__ import annotations

import subprocess
import sys
from textwrap import dedent

import pytest

from mllint_nan.flow.state import Analysis
from mllint_nan.syntax.imports import import_edit
from mllint_nan.syntax.source import Source

MATH = "import math"
NUMPY = "import numpy as np"
FUNCTIONAL = "import torch.nn.functional as F"
MEMBER = "from torch.nn import NLLLoss"


def added(text: str, statement: str) -> str:
    """A module that begins with `text`, after the edit."""
    edit = import_edit(Source(text), Analysis(), statement)
    return text[: edit.span.start] + edit.content + text[edit.span.end :]


@pytest.mark.parametrize(
    ("before", "statement", "after"),
    [
        ("import os\nimport sys", MATH, "import math\nimport os\nimport sys"),
        ("import abc\nimport sys", MATH, "import abc\nimport math\nimport sys"),
        ("import abc\nfrom os import path", MATH, "import abc\nimport math\nfrom os import path"),
        ("import torch", MATH, "import math\n\nimport torch"),
        ("import os\n\nimport torch", MATH, "import math\nimport os\n\nimport torch"),
        (
            "import torch\nfrom torch import nn",
            FUNCTIONAL,
            "import torch\nimport torch.nn.functional as F\nfrom torch import nn",
        ),
        (
            "import torch\nimport yaml\nfrom torch import nn",
            FUNCTIONAL,
            "import torch\nimport torch.nn.functional as F\nimport yaml\nfrom torch import nn",
        ),
        (
            "import einops\nfrom torch import nn\nimport yaml",
            FUNCTIONAL,
            "import einops\nfrom torch import nn\nimport torch.nn.functional as F\nimport yaml",
        ),
        (
            "import torch\nimport numpy as np\nimport os",
            FUNCTIONAL,
            "import torch\nimport torch.nn.functional as F\nimport numpy as np\nimport os",
        ),
        (
            "import os\n\nimport torch\n\nfrom . import layers",
            NUMPY,
            "import os\n\nimport numpy as np\nimport torch\n\nfrom . import layers",
        ),
        (
            "import os\n\nfrom . import layers",
            NUMPY,
            "import os\n\nimport numpy as np\n\nfrom . import layers",
        ),
        ("from . import layers", NUMPY, "import numpy as np\n\nfrom . import layers"),
        (
            "from __future__ import annotations\n\nfrom . import layers",
            MATH,
            "from __future__ import annotations\n\nimport math\n\nfrom . import layers",
        ),
        (
            "import torch\n\nimport mine\nfrom mine import model",
            FUNCTIONAL,
            "import torch\nimport torch.nn.functional as F\n\nimport mine\nfrom mine import model",
        ),
        (
            "import torch\nfrom torch import nn, optim\nfrom torch.utils import data",
            MEMBER,
            "import torch\nfrom torch import nn, optim\nfrom torch.nn import NLLLoss\n"
            "from torch.utils import data",
        ),
        (
            '"""Doc."""\n# ours\nimport torch',
            NUMPY,
            '"""Doc."""\n# ours\nimport numpy as np\nimport torch',
        ),
        (
            "import torch  # the framework\nimport yaml",
            FUNCTIONAL,
            "import torch  # the framework\nimport torch.nn.functional as F\nimport yaml",
        ),
    ],
)
def test_import_goes_to_its_like(before: str, statement: str, after: str) -> None:
    rest = "\n\n\nx = 1\n"
    assert added(before + rest, statement) == after + rest


def test_imports_of_a_branch_are_left_alone() -> None:
    text = dedent(
        """\
        from typing import TYPE_CHECKING

        import torch

        try:
            import yaml
        except ImportError:
            yaml = None
        if TYPE_CHECKING:
            import numpy as np

        x = 1
        """
    )
    after = added(text, FUNCTIONAL)
    assert after == text.replace("import torch\n", f"import torch\n{FUNCTIONAL}\n")
    assert added(text, NUMPY) == text.replace("import torch\n", f"{NUMPY}\nimport torch\n")


def test_imports_below_a_choice_of_imports_count() -> None:
    text = (
        "import os\n\ntry:\n    import yaml\nexcept ImportError:\n    yaml = None\nimport torch\n"
    )
    assert added(text, FUNCTIONAL) == f"{text}{FUNCTIONAL}\n"


def test_imports_below_other_code_do_not_count() -> None:
    text = "import os\n\nos.environ['A'] = 'b'\nimport torch\n"
    assert added(text, NUMPY) == f"import os\n\n{NUMPY}\n\nos.environ['A'] = 'b'\nimport torch\n"


@pytest.mark.parametrize("statement", [MATH, NUMPY, FUNCTIONAL, MEMBER])
@pytest.mark.parametrize(
    "before",
    [
        "import torch",
        "import os\nimport sys\n\nimport torch",
        "import os\nfrom abc import ABC\n\nimport torch\nimport yaml\nfrom torch import nn",
        "from __future__ import annotations\n\nimport abc\n\nimport einops\nimport torch",
        "import os\n\nimport torch\n\nfrom . import layers",
        "from __future__ import annotations\n\nfrom . import layers",
        "import os\n\nimport jax\nimport torch\nfrom torch import nn\nfrom yaml import load",
    ],
)
def test_sorted_imports_stay_sorted(before: str, statement: str) -> None:
    def is_sorted(text: str) -> bool:
        command = [
            sys.executable,
            "-m",
            "ruff",
            "check",
            "--isolated",
            "--select=I",
            "--quiet",
            "-",
        ]
        return not subprocess.run(command, input=text, capture_output=True, text=True).returncode

    text = f"{before}\n\n\ndef f():\n    return 1\n"
    assert is_sorted(text)
    assert is_sorted(added(text, statement))
