"""Programs whose attributes, properties, calls and classes lead back to themselves."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Final

HEAD: Final = "import functools\nimport torch\nimport torch.nn as nn\n\n"
FLAWED: Final = "\n\ndef flawed(v):\n    return torch.log(torch.softmax(v, dim=0))\n"
"""What has to be found beside the circle: NAN101."""

BY_HAND: Final[Mapping[str, str]] = {
    "attribute that is narrowed": """
class Buffer(nn.Module):
    def __init__(self, n):
        self._n = n

    def forward(self, x):
        self._n = self._n.narrow(0, 0, 1)
        return torch.sqrt(x - self._n)
""",
    "two attributes made of each other": """
class Pair(nn.Module):
    def step(self, x):
        self.a = self.b.f(x)
        self.b = self.a.g(x)
        return torch.sqrt(self.a) / self.b
""",
    "attribute made by a method of itself": """
class Chain(nn.Module):
    def step(self, x):
        self.a = self.a(self.a.f(self.a))
        return torch.log(self.a).sum() + torch.sqrt(self.a)
""",
    "property that reads itself": """
class Lazy(nn.Module):
    @property
    def scale(self):
        return torch.sqrt(self.scale + self.shift)

    @property
    def shift(self):
        return self.scale.exp()

    def forward(self, x):
        return x / self.scale
""",
    "functions that call each other": """
def _even(x, n=2):
    return _odd(torch.sqrt(x), n) if n else x


def _odd(x, n=1):
    return _even(torch.log(x), n)


def start(x):
    return torch.sqrt(_even(x)) / _odd(x)
""",
    "lambda that calls itself": """
again = lambda x: torch.sqrt(again(x))


def start(x):
    return 1 / again(x)
""",
    "class that is its own base": """
class Loop(Loop):
    def forward(self, x):
        return torch.sqrt(self.a) + super().forward(x)


class Left(Right):
    def forward(self, x):
        self.a = super().forward(self.a)
        return torch.sqrt(self.a)


class Right(Left):
    def forward(self, x):
        self.a = super().forward(self.a)
        return torch.log(self.a)
""",
    "decorator that is what it decorates": """
class Odd(nn.Module):
    @f
    def f(self, x):
        return torch.sqrt(self.f(x))


@wrapped
def wrapped(x):
    return wrapped(torch.sqrt(x))
""",
    "loops that narrow": """
def shrink(x, n):
    while n > 0:
        x = x.narrow(0, 0, n)
        for part in x:
            x, n = part.narrow(0, 0, 1), x.norm()
            n = torch.sqrt(n) / x
    return torch.sqrt(x)
""",
    "generators that draw from each other": """
def _first(x):
    for y in _second(x):
        yield torch.sqrt(y)


def _second(x):
    yield from _first(torch.log(x))


def total(x):
    return torch.sqrt(sum(y for y in _first(x)))
""",
    "definition on one of two paths": """
if torch.cuda.is_available():
    def scale(x):
        return torch.sqrt(scale(x))
else:
    scale = functools.partial(scale, 1)


def start(x):
    return torch.sqrt(scale(x)) / scale(scale)
""",
    "object that holds itself": """
class Node:
    def __init__(self, parent):
        self.parent = Node(self)
        self.value = self.parent.parent.value

    def depth(self, x):
        self.parent.value = self.value.narrow(0, 0, 1)
        return torch.sqrt(self.parent.depth(x)) / self.value
""",
}

_ATTRIBUTES: Final = ("a", "b", "n")
_METHODS: Final = ("f", "g", "narrow", "p")
_OPERATIONS: Final = ("sqrt", "log", "exp", "norm", "softmax", "sigmoid", "acos")


class Generated:
    """A program that a number decides: classes and functions that name each other at random."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.text = HEAD + "\n".join(self._rows()) + FLAWED

    def _rows(self) -> Iterator[str]:
        for number in range(2):
            yield f"def _f{number}(x, flag=False, y=0, me=None):"
            yield from self._block("    ", "me")
            yield f"    return {self._value('me')}"
        for number in range(self._random.randint(1, 3)):
            bases = self._random.sample(["nn.Module", "K0", "K1", "K2"], self._random.randint(0, 2))
            yield f"class K{number}({', '.join(bases)}):"
            yield "    def __init__(self, x, y=1, flag=False):"
            yield from self._block("        ", "self")
            for name in self._random.sample(_METHODS, self._random.randint(1, 3)):
                yield from self._method(name)

    def _method(self, name: str) -> Iterator[str]:
        decorators = ("", "", "", "@property", f"@{name}", "@_f0", "@functools.cached_property")
        decorator = self._random.choice(decorators)
        if decorator:
            yield f"    {decorator}"
        yield f"    def {name}(self, x=0, y=0, flag=False):"
        yield from self._block("        ", "self")
        gives = "yield" if self._random.random() < 0.1 else "return"
        yield f"        {gives} {self._value('self')}"

    def _block(self, indent: str, me: str, most: int = 3) -> Iterator[str]:
        for _ in range(self._random.randint(1, most)):
            place = self._random.choice(
                ("x", "y", f"{me}.a", f"{me}.{self._random.choice(_ATTRIBUTES)}", f"{me}.a.b")
            )
            match self._random.randrange(8):
                case 0:
                    yield f"{indent}for y in {self._value(me, 1)}:"
                    yield from self._block(indent + "    ", me, 2)
                case 1:
                    yield f"{indent}while {self._value(me, 2)} > 0:"
                    yield from self._block(indent + "    ", me, 2)
                case 2:
                    yield f"{indent}if {self._value(me, 2)}:"
                    yield from self._block(indent + "    ", me, 2)
                case 3:
                    yield f"{indent}{place} {self._random.choice('+*/')}= {self._value(me)}"
                case _:
                    yield f"{indent}{place} = {self._value(me)}"

    def _value(self, me: str, depth: int = 0) -> str:
        def part() -> str:
            return self._value(me, depth + 1)

        name, method = self._random.choice(_ATTRIBUTES), self._random.choice(_METHODS)
        match self._random.randrange(15 if depth < 3 else 4):
            case 0:
                return "x"
            case 1:
                return f"{me}.{name}"
            case 2:
                return f"{me}.{method}"
            case 3:
                return f"{me}.{name}.{self._random.choice(_ATTRIBUTES)}"
            case 4:
                return f"{me}.{method}({part()})"
            case 5 | 6:
                return f"{me}.{name}.{method}({part()})"
            case 7 | 8:
                return f"torch.{self._random.choice(_OPERATIONS)}({part()})"
            case 9:
                return f"(({part()}) {self._random.choice('+-*/')} ({part()}))"
            case 10:
                return f"_f{self._random.randrange(2)}({part()})"
            case 11:
                return f"(({part()}) if flag else ({part()}))"
            case 12:
                return f"K{self._random.randrange(3)}({part()})"
            case 13:
                return f"super().{method}({part()})"
            case _:
                return f"(lambda x: {part()})({part()})"
