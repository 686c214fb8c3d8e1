"""Names of classes and functions through which, as a rule, nothing is trained.

Everything that such a name decides is here. A base class is what a class is used as, and is taken
for evidence. The name of something itself is a habit: it lowers a finding to `possible`, unless the
function takes gradients itself or the project trains through it, and `--explain-at` says which name
it was.
"""

from __future__ import annotations

from typing import Final

from mllint_nan.naming import names

UNTRAINED_BASES: Final = names("untrained_base")
UNTRAINED_CLASSES: Final = names("untrained_class")
UNTRAINED_FUNCTIONS: Final = names("untrained_function")
FIRST_VALUES: Final = names("first_value")
MAKES_TARGETS: Final = names("makes_targets")
