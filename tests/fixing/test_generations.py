"""Fixes for TensorFlow before 1.0 write what it had."""

from __future__ import annotations

from mllint_nan.linter import fix_text
from mllint_nan.settings import Settings

SELECTED = """\
import tensorflow as tf


def f(x, y):
    d = tf.sub(x, y)
    return tf.reduce_sum(tf.select(d > 0, tf.log(d), tf.zeros_like(d)))
"""
ENTROPY = """\
import tensorflow as tf


def f(x, y):
    p = tf.mul(x, y)
    return -tf.reduce_sum(p * tf.log(p))
"""


def fixed(text: str) -> str:
    return fix_text(text, "a.py", Settings(unsafe_fixes=True)).text


def test_select_is_written_where_there_is_no_where() -> None:
    assert "tf.log(tf.select(d > 0, d, tf.ones_like(d)))" in fixed(SELECTED)


def test_where_is_written_for_later_versions() -> None:
    later = SELECTED.replace("tf.select", "tf.where").replace("tf.sub(x, y)", "x - y")
    assert "tf.log(tf.where(d > 0, d, tf.ones_like(d)))" in fixed(later)


def test_what_came_later_is_not_written() -> None:
    assert fixed(ENTROPY) == ENTROPY
    assert "xlogy" in fixed(ENTROPY.replace("tf.mul(x, y)", "x * y"))
