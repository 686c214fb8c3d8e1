"""Origins in planted programs of NumPy: each on its line, and none in its sound twin."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.witnesses.events import Event
from benchmarks.witnesses.record_numpy import Recorder
from tests.witnesses.planted import marked, planted, told

HEAD = "import numpy as np\n\n"

PROGRAMS = {
    "log": """\
def program(x):
    y = np.log(x)  # value
    return y - y
""",
    "replaced": """\
def program(x):
    return np.where(x > 0, np.log(x), 0.0)
""",
    "silenced": """\
def program(x):
    with np.errstate(divide="ignore"):
        return np.log(x)
""",
    "softmax by hand": """\
def program(x):
    e = np.exp(1000 * x + 1000)  # value
    return e / e.sum()
""",
    "division": """\
def program(x):
    total = x.sum()
    x /= total  # value
    return x
""",
    "mean of nothing": """\
def program(x):
    return x[x > 5].mean()  # value
""",
    "sound": """\
def program(x):
    return np.log(np.maximum(x, 1e-6)) / max(np.count_nonzero(x), 1)
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.filterwarnings("ignore")
def test_each_origin_is_told_at_its_line(name: str, tmp_path: Path) -> None:
    source = HEAD + PROGRAMS[name]
    program = planted(tmp_path, source).program
    found: list[Event] = []
    with Recorder([tmp_path], found.append):
        program(np.zeros(3))
    assert told(found) == marked(source)


def test_a_call_whose_result_is_finite_has_no_origin(tmp_path: Path) -> None:
    source = HEAD + "def program(x):\n    y = 1 / x\n    y[x == 0] = 0\n    return y\n"
    program = planted(tmp_path, source).program
    found: list[Event] = []
    with Recorder([tmp_path], found.append) as recorder:
        recorder.take_gradients(program(np.zeros(3)))
    assert not found
