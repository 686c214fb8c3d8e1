"""Both parsers' nodes become the same program."""

from __future__ import annotations

import ast
import dataclasses
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import libcst
import pytest

from mllint_nan.ir import program as ir
from mllint_nan.syntax import lower, lower_ast
from mllint_nan.syntax.decoding import SourceError, UnsupportedError, decode, tree_of
from mllint_nan.syntax.lowering import AST, EXPRESSIONS, LIBCST, SIGNS, STATEMENTS
from mllint_nan.syntax.source import Source

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDERS = ("fixtures", "cases", "tests", "mllint_nan", "benchmarks", "handbook")

GRAMMAR = r"""
a; _b; __debug__; None; True; False; ...
0; 10; 1_000; 0x1F; 0b1_0; 0o17; 1.; .5; 1e3; 1_0.0_1e-1_0; 3j; 1e400; 2.5J
10000000000000000000000000000000000000000000000000000000000000000000000000000

'a'; "b"; '\n'; r'\n'; u'c'; '''d'''; b'g'; Rb'\x'; '\N{BULLET}'; '\q'; ''; 'ä'
'''e
f'''; 'a\
b'
'a' "b"; 'a' 'b' '\t' r'\t'; b'a' b"b" b'\0'; 'a' 'b' % c
('a'
 'b')
f''; f'a'; f'{a}'; f'{a!r:>{b}.{c}} {d=}'; f'{f"{a}"}'; f'{{}}'; rf'\{a}'
'a' f'{b}'; f'{a}' 'b' f'{c}' f'd'; f'{a:x{b}y{c}}'; f'' ''; f'a' 'b'
f'{lambda_: >3}{x[1:2]}{(lambda: 1)()}{ {1: 2}[1] }{a,}'

f'{'a' + f"{b}"}'

a.b.c; a().b; (a).b; 'x'.join; 1 .real; a . b
f(); f(a); f(a,); f(a, *b, c=d, **e); f(*a, b, *c); f(k=a, *b); f(**a, k=b); f(k=a, *b, **c)
f(k=a, *b, *c, m=d); f(a for a in b); f((a)); f(x := 1); f(*a or b); f(**{'a': 1})
a + b - c * d / e // f % g ** h @ i; a & b | c ^ d << e >> f
(a + b) + c; a + (b + c); a ** b ** c; -a ** -b; - - a; +a; ~a; not a; not not a
a and b; a or b; a and b and c; a or b or c or d; (a and b) and c; a and (b and c)
a and b or c and d; (a or b) and c or d; (a or b) or (c or d); not a and b
a < b; a <= b > c >= d; a == b != c; a is b; a is not b; a in b; a not in b; not a in b
(a < b) < c; a < (b < c); a if b else c; a if b else c if d else e; (a if b else c) if d else e
a[b]; a[b, c]; a[(b, c)]; a[b,]; a[()]; a[(b,)]; a[[b, c]]; a[(b), (c)]; a[(b, c), d]; a[(b, c),]
a[:]; a[b:]; a[:b]; a[::b]; a[b:c:d]; a[b:c, ::d, ...]; a[b:c][d]; a[None, :, 1]; a[lambda: b]
a[(b, *c)]; a[b := c]; a[(b := c, d)]
(); (a,); a, b; (a, b); (a, *b); *a, b; [*a]; []; [a, b]; {a}; {a, b}; {*a, b}; ((a, b), c)
{}; {a: b}; {a: b, c: d}; {**a}; {a: b, **c, d: e}
[a for b in c]; [a for b in c if d if e for f in g]; {a for b in c}; (a for b in c)
{a: b for c in d if e}; [a for a, (b, *c) in d]; [a for b.c in d]; [a for b[c] in d]
[[a for a in b] for b in c]; [a for b in c if (d := e)]; [(a, b) for c, in d]
lambda: a; lambda a, /, b=c, *d, e, f=g, **h: i; lambda *, a: b; lambda *a: a; lambda **k: k
(a := b); ((a := b), c)

a[*b]; a[*b, c]
def f(*args: *Ts): return a, b

a = b; a = b = c; a, b = c; (a, b) = c; [a, *b] = c; *a, b = c; a.b = c; a[b] = c; a, (b, c) = d
(a) = b; a = b,; a = *b, c; (a, b), c = d, e = f; a[b, c] = d
a: b; a: b = c; a.b: c = d; a[b]: c; a: 'b' = c; a: b[c] = d, e
a += b; a -= b; a *= b; a /= b; a //= b; a %= b; a **= b; a @= b; a &= b; a |= b; a ^= b
a <<= b; a >>= b; a.b += c; a[b] += c, d
del a; del a, b; del (a, b); del [a, b]; del a.b, c[d]; del (a), (b, (c, d)); del (a, b),; del a,
assert a; assert a, b; raise; raise a; raise a from b; raise a(b) from None
import a; import a.b.c; import a.b as c; import a, b.c, d as e
from a import b; from a.b import c, d as e; from a import *; from . import a; from .. import (a, b)
from ..a.b import c as d; from ... import a as b; from .... import a
global a, b
pass; a = b;
t = (a
     + b) \
    - c  # with a comment

if a: b
if a: b; c = d
if (a
    and b): x = 1
if a:
    b
elif c:
    d
elif e: f
else:
    g
if a:
    b
else:
    if c:
        d
while a:
    break
else:
    b
while a: continue
for a in b: c
for a, *b in c, d:
    e
else:
    f
for a.b in *c, d: pass
for (a, b), [c, d] in e: pass
with a: b
with a as b, c as (d, e), f: g
with (a as b, c): d
with (a, b): c
with (a): b
with (a, b) as c: d
with (a), (b): d
with a as b.c, d as e[f]: g
try:
    a
except b:
    c
except (d, e) as f:
    g
except:
    h
else:
    i
finally:
    j
try:
    a
finally:
    b

try:
    a
except* b as c:
    d

def f(): pass
def f(a, b=c, /, d: e = g, *h: i, j, k: l = m, **n: o) -> p: return
def f(*, a): return a
def f(a, /): return *a, b
def f():
    'doc'
    a = 1
    def g():
        nonlocal a
        return (yield)
def f():
    yield
    a = yield b
    yield from c
    yield a, b
    return
@a
@b.c(d)
@e[f]
def g(): ...
async def f():
    await a
    async with b as c, d: e
    async for g in h: i
    else: j
async def f():
    return [a async for b in c if await d], {a: b async for c in d}
class A: pass
class A(B, C[d], metaclass=M, **k):
    a: int
    b: int = 1
    c.d: int
    if e: f: int = 1
class A(*b, c): a: int; b: int = 1
@a
@b()
class C(): 'doc'

match a:
    case 1: b
    case -1 | 2j | 1 + 2j: c
    case 'd' 'e': f
    case None | True: g
    case True: h
match a:
    case b.c: d
    case [e, *f, _] if g: h
    case {'i': j, **k}: l
    case _: m
match a, b:
    case (c, d) | [c, d]: e
    case F(g, h=i, j=[k]): l
    case {**n}: o
match a:
    case (b as c): d
    case {'e': {'f': g}, h.i: j as k} as l: m
    case [*_]: n
match a:
    case b, *c: d
    case b: c
match *a, b:
    case (c): d
    case (None): e
    case A(): f

type X = int
type X[T: (a, b), *Ts, **P] = f(T)
def f[T: int](a: T) -> T: return a
class A[T](B[T]): a: T
"""


@cache
def _fields_of(kind: type) -> tuple[str, ...] | None:
    """Of a class of values that have fields; one of them is a matter of places."""
    if not dataclasses.is_dataclass(kind):
        return None
    return tuple(each.name for each in dataclasses.fields(kind) if each.name != "alone")


class _Shape:
    """A program as nested tuples, in which sites are numbered in the order of their first use."""

    def __init__(self, *, has_sites: bool = True) -> None:
        self._has_sites = has_sites
        self._numbers: dict[int, int] = {}

    def of(self, value: object) -> object:
        if isinstance(value, tuple):
            return tuple(map(self.of, value))
        names = _fields_of(type(value))
        if names is None:
            return type(value), repr(value)
        return type(value), *[self._field(name, getattr(value, name)) for name in names]

    def _field(self, name: str, value: object) -> object:
        if name != "site":
            return self.of(value)
        if not self._has_sites:
            return None
        return None if value is None else self._numbers.setdefault(id(value), len(self._numbers))


def by_libcst(text: str) -> ir.Block:
    return lower.lower_module(Source(text).module)


def by_ast(text: str) -> ir.Block:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(text)
    return lower_ast.lower_module(tree)


def assert_equal(text: str) -> None:
    assert_same(by_libcst(text), by_ast(text))


def assert_same(one: ir.Block, other: ir.Block) -> None:
    assert len(one) == len(other)
    shape, other_shape = _Shape(), _Shape()
    for statement, expected in zip(other, one, strict=True):
        assert other_shape.of(statement) == shape.of(expected)


@pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("text", GRAMMAR.strip("\n").split("\n\n"))
def test_grammar_becomes_the_same_program(text: str) -> None:
    try:
        by_ast(text)
    except SyntaxError:
        assert "type X" in text or "except*" in text or "*Ts" in text or "f'{'a'" in text
    else:
        assert_equal(f"{text}\n")


@pytest.mark.slow
@pytest.mark.parametrize("folder", FOLDERS)
def test_sources_become_the_same_programs(folder: str, subtests: pytest.Subtests) -> None:
    for path, text in sources(folder):
        try:
            programs = by_libcst(text), by_ast(text)
        except (SourceError, UnsupportedError, SyntaxError):
            continue
        with subtests.test(str(path.relative_to(ROOT))):
            assert_same(*programs)


@pytest.mark.slow
def test_every_construct_of_the_sources_becomes_the_same_program() -> None:
    """Of what stands directly in what, the shortest statement of all files that has it."""
    known: set[object] = set()
    compared = 0
    for text, node in sorted(statements(), key=lambda found: len(found[0])):
        constructs = constructs_in(node)
        if constructs <= known:
            continue
        try:
            assert_equal(text)
        except (SourceError, UnsupportedError, SyntaxError):
            continue  # it shares its rows with another
        known |= constructs
        compared += 1
    assert compared > 200 and len(known) > 800


def sources(folder: str) -> Iterator[tuple[Path, str]]:
    for path in sorted((ROOT / folder).rglob("*.py")):
        if not path.name.endswith(".fixed.py"):
            yield path, decode(path.read_bytes()).text


def statements() -> Iterator[tuple[str, ast.stmt]]:
    """The statements of the modules of all folders, with their text."""
    for folder in FOLDERS:
        for _, text in sources(folder):
            tree = tree_of(text)
            rows = text.splitlines(keepends=True)
            for node in tree.body if tree is not None else ():
                above = [each.lineno for each in getattr(node, "decorator_list", ())]
                first = min(node.lineno, *above) if above else node.lineno
                yield "".join(rows[first - 1 : node.end_lineno]), node


def constructs_in(statement: ast.stmt) -> set[object]:
    """What kinds of nodes a statement has, and in which place of which other kind."""
    found: set[object] = set()
    pending: list[ast.AST] = [statement]
    while pending:
        node = pending.pop()
        kind = type(node)
        for name in kind._fields:
            value = getattr(node, name, None)
            if isinstance(value, list):
                found.update((kind, name, type(child)) for child in value[:1])
                found.update((kind, name, type(child), "later") for child in value[1:])
                pending += (child for child in value if isinstance(child, ast.AST))
            elif type(value) is not str or kind is ast.Constant:
                found.add((kind, name, type(value)))
                if isinstance(value, ast.AST) and value._fields:
                    pending.append(value)
    return found


def test_every_operation_has_a_site_of_its_own() -> None:
    (statement,) = by_ast("a and b and c")
    assert isinstance(statement, ir.Evaluate)
    outer = statement.value
    assert isinstance(outer, ir.Boolean) and isinstance(outer.left, ir.Boolean)
    parts = (statement, outer, outer.left, outer.right, outer.left.left, outer.left.right)
    sites = [part.site for part in parts]
    assert None not in sites
    assert len(set(map(id, sites))) == len(sites)


def test_long_chain_of_operators_takes_no_depth() -> None:
    links = 800
    (statement,) = by_ast("a" + " + a" * links)
    assert isinstance(statement, ir.Evaluate)
    value = statement.value
    for _ in range(links):
        assert isinstance(value, ir.Binary)
        value = value.left
    assert isinstance(value, ir.Name)


def test_statement_of_another_text_has_no_sites() -> None:
    node = ast.parse(
        "@d\ndef f(a=1, *b):\n    return [x for x in (*a, b and c and d)], a + b + c"
    ).body[0]
    (expected,) = lower_ast.lower_module(ast.Module([node], []))
    (statement,) = lower_ast.lower_statement(node)
    assert _Shape(has_sites=False).of(statement) == _Shape(has_sites=False).of(expected)
    assert "site" not in repr(statement).replace("site=None", "")


@pytest.mark.parametrize("row", (*EXPRESSIONS, *STATEMENTS, *SIGNS), ids=lambda row: row[LIBCST])
def test_row_of_the_table_names_nodes_of_both_parsers(row: tuple[str, str, object]) -> None:
    recent = {"TryStar", "TypeAlias"}
    assert all(hasattr(ast, name) for name in row[AST].split() if name not in recent)
    assert all(hasattr(libcst, name) for name in row[LIBCST].split())


@pytest.mark.parametrize(
    ("base", "rows", "apart"),
    [
        # What only stands inside a formatted string is lowered with it.
        (
            ast.expr,
            EXPRESSIONS,
            {"Name", "Constant", "JoinedStr", "Dict", "TemplateStr", "FormattedValue"}
            | {"Interpolation"},
        ),
        (ast.stmt, STATEMENTS, set[str]()),
    ],
    ids=["expressions", "statements"],
)
def test_no_node_of_python_is_left_out(
    base: type[ast.AST], rows: tuple[tuple[str, str, object], ...], apart: set[str]
) -> None:
    lowered = {name for row in rows for name in row[AST].split()}
    # Other libraries derive nodes of their own.
    own = [node for node in base.__subclasses__() if vars(ast).get(node.__name__) is node]
    known = {node.__name__ for node in own}
    assert known and known <= lowered | apart
