"""Origins in planted programs of TensorFlow and Keras: each on its line, and none in its twin."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.witnesses.events import Event
from tests.on_demand import installed, module
from tests.witnesses.planted import marked, planted, told

tf = installed("tensorflow")
record_tensorflow = module("benchmarks.witnesses.record_tensorflow")

pytestmark = pytest.mark.slow

HEAD = "import keras\nimport tensorflow as tf\n\n"

PROGRAMS = {
    "norm": """\
def program(x):
    return tf.norm(x)  # gradient
""",
    "where with log": """\
def program(x):
    return tf.reduce_sum(tf.where(x > 0, tf.math.log(x), 0.0))  # gradient
""",
    "where around the operand": """\
def program(x):
    return tf.reduce_sum(tf.where(x > 0, tf.math.log(tf.where(x > 0, x, 1.0)), 0.0))
""",
    "softmax by hand": """\
def program(x):
    e = tf.exp(x * 1000 + 1000)  # value
    return tf.reduce_sum(e / tf.reduce_sum(e))
""",
    "softmax": """\
def program(x):
    return tf.reduce_sum(tf.nn.softmax(x * 1000 + 1000))
""",
    "division by a count": """\
def program(x):
    mask = tf.cast(x > 5, tf.float32)
    return tf.reduce_sum(mask * x) / tf.reduce_sum(mask)  # value, gradient
""",
    "division that gives 0": """\
def program(x):
    mask = tf.cast(x > 5, tf.float32)
    return tf.math.divide_no_nan(tf.reduce_sum(mask * x), tf.reduce_sum(mask))
""",
    "root of relu": """\
def program(x):
    return tf.reduce_sum(tf.sqrt(tf.nn.relu(x)))  # gradient
""",
    "handed on": """\
def program(x):
    y = tf.math.log(x)  # value, gradient
    z = y + 1
    return tf.reduce_sum(z * 2)
""",
    "xlogy": """\
def program(x):
    return tf.reduce_sum(tf.math.xlogy(x, x))
""",
    "function": """\
@tf.function
def program(x):
    total = tf.constant(0.0)
    for row in x:
        total += 1 / row  # value, gradient
    return total
""",
    "loop": """\
def program(x):
    def body(step, total):
        return step + 1, total + tf.reduce_sum(tf.math.log(x))  # value, gradient
    return tf.while_loop(lambda step, total: step < 2, body, [0, 0.0])[1]
""",
    "gradient of its own": """\
@tf.custom_gradient
def program(x):
    def backward(upstream):
        return upstream / x  # gradient
    return tf.reduce_sum(x), backward
""",
    "gather": """\
def program(x):
    return tf.reduce_sum(tf.sqrt(tf.gather(x, [0, 0])))  # gradient
""",
    "layer of Keras": """\
class Root(keras.layers.Layer):
    def call(self, x):
        return keras.ops.sum(keras.ops.sqrt(x))  # gradient

def program(x):
    return Root()(x)
""",
    "dense layer of Keras": """\
def program(x):
    x = tf.reshape(x, (1, 3))
    return tf.reduce_sum(keras.layers.Dense(2, activation="softmax")(x))
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_origin_is_told_at_its_line(name: str, tmp_path: Path) -> None:
    source = HEAD + PROGRAMS[name]
    program = planted(tmp_path, source).program
    x = tf.zeros(3)
    found: list[Event] = []
    with record_tensorflow.Recorder([tmp_path], found.append):
        program(x)
    assert told(found) == marked(source, ["value"])
    with record_tensorflow.Recorder([tmp_path], found.append), tf.GradientTape() as tape:
        tape.watch(x)
        result = program(x)
        tape.gradient(result, x)
    assert told(found) == marked(source)


def test_a_gradient_asked_for_after_the_tape_is_closed_is_seen(tmp_path: Path) -> None:
    source = HEAD + PROGRAMS["root of relu"]
    program = planted(tmp_path, source).program
    found: list[Event] = []
    with record_tensorflow.Recorder([tmp_path], found.append):
        variable = tf.Variable([0.0, 1.0])
        with tf.GradientTape() as tape:
            result = program(variable)
        tape.gradient(result, variable)
    assert told(found) == marked(source)
    assert [(event.column, event.operation) for event in found] == [(26, "sqrt")]


def test_the_gradient_of_a_call_is_taken_anew(tmp_path: Path) -> None:
    source = HEAD + "def program(x):\n    import sys\n    note(sys._getframe())\n"
    source += "    return tf.norm(x)  # gradient\n"
    module = planted(tmp_path, source)
    found: list[Event] = []
    with record_tensorflow.Recorder([tmp_path], found.append) as recorder:
        module.note = recorder.enter_call  # type: ignore[attr-defined]
        recorder.take_gradients(module.program(tf.zeros(3)))
    assert told(found) == marked(source)


def test_everything_is_as_before_afterwards(tmp_path: Path) -> None:
    with record_tensorflow.Recorder([tmp_path], lambda event: None):
        assert tf.config.functions_run_eagerly()
    assert not tf.config.functions_run_eagerly()
