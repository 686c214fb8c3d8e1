"""Values that nobody changes, of which a file makes many thousands.

`frozen=True` has each assignment of a constructor go through a check, which makes it take twice as
long: here mypy alone forbids to set a field.
"""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform

    _T = TypeVar("_T")

    @dataclass_transform(
        eq_default=False, frozen_default=True, field_specifiers=(dataclasses.field,)
    )
    def value(cls: type[_T]) -> type[_T]:
        """A dataclass with slots; two of one content are two."""
        raise NotImplementedError

else:
    value: Any = partial(dataclasses.dataclass, slots=True, eq=False)
