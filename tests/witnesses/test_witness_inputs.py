"""What a test makes comes out as the kind of input, and what others make stays as it is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.witnesses.kinds import kind_named
from benchmarks.witnesses.places import Places

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent


def test_arrays_that_a_test_makes_with_jax(tmp_path: Path) -> None:
    jax = pytest.importorskip("jax")
    from benchmarks.witnesses.inputs_jax import Inputs

    jnp = jax.numpy
    key = jax.random.PRNGKey(0)
    places = Places([tmp_path], HERE)
    with Inputs(kind_named("zeros"), places, np.random.default_rng(0)):
        assert not jax.random.normal(key, (3,)).any()
        assert not jnp.array([-1.0, 2.0]).any()
        assert not np.array([-1.0, 2.0]).any()
        assert np.array([0.5, 2.0]).all(), "written down and positive"
        assert list(np.array([1, 2])) == [1, 2], "an index"
        assert jax.nn.initializers.ones(key, (3,)).all(), "made by a library"
    assert jnp.ones(3).all()


def test_tensors_that_a_test_makes_with_tensorflow(tmp_path: Path) -> None:
    tf = pytest.importorskip("tensorflow")
    from benchmarks.witnesses.inputs_tensorflow import Inputs

    places = Places([tmp_path], HERE)
    with Inputs(kind_named("zeros"), places, np.random.default_rng(0)):
        assert not tf.random.normal((3,)).numpy().any()
        assert not tf.constant([-1.0, 2.0]).numpy().any()
        assert tf.keras.initializers.Ones()((3,)).numpy().all(), "made by a library"
    assert tf.ones(3).numpy().all()
