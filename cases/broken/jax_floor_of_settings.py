"""An epsilon that is a field of settings, whose default is 0.0: nothing is added unless it is set."""

# breaks: value(lambda x: standardized(x, Settings()), [1.0, 1.0])
from dataclasses import dataclass

import jax.numpy as jnp


@dataclass(frozen=True)
class Settings:
    epsilon: float = 0.0


def standardized(x, settings: Settings):
    return (x - x.mean()) / (x.std() + settings.epsilon)  # expect: NAN304 no-fix
