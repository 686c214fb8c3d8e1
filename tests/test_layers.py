"""The architecture, as a table of what each part may import; changing it means changing this file.

Upper parts stand first. A part may also import itself and the standard library.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path

from tests.of_each import of_each

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "mllint_nan"

MAY_IMPORT: Mapping[str, tuple[str, ...]] = {
    "__main__": ("cli",),
    "flake8_plugin": (
        "project",
        "linter",
        "results",
        "baseline",
        "config",
        "screening",
        "syntax.suppressions",
        "findings",
        "version",
    ),
    "callbacks": ("within",),
    "codemod": ("project", "files", "linter", "results", "config", "screening"),
    "isolation": ("linter", "settings", "findings"),
    "__init__": (
        "within",
        "project",
        "files",
        "linter",
        "results",
        "config",
        "settings",
        "findings",
        "version",
    ),
    "within": ("reporting", "suspects", "config", "syntax.reading", "probing"),
    "cli": (
        "suspects_command",
        "explain_command",
        "options",
        "arguments",
        "garbage_collection",
        "completion",
        "server",
        "project",
        "cache",
        "files",
        "reporting",
        "results",
        "config",
        "baseline",
        "settings",
        "suspects.program",
        "verify.verifier",
    ),
    "explain_command": (
        "options",
        "project",
        "reporting",
        "tracing",
        "config",
        "syntax.notebooks",
        "syntax.decoding",
        "findings",
    ),
    "options": ("config", "rulebook"),
    "suspects_command": ("reporting", "suspects", "settings"),
    "arguments": ("completion", "config", "version"),
    "completion": (),
    "server": (
        "suspects",
        "reporting",
        "project",
        "files",
        "linter",
        "results",
        "screening",
        "config",
        "fixing.apply",
        "rulebook",
        "syntax.notebooks",
        "syntax.suppressions",
        "baseline",
        "settings",
        "findings",
        "version",
    ),
    "jupyter": ("config",),
    "reporting": (
        "suspects",
        "project",
        "tracing",
        "verdict_reasons",
        "results",
        "rulebook",
        "syntax.notebooks",
        "syntax.reading",
        "syntax.decoding",
        "fingerprints",
        "findings",
        "version",
    ),
    "suspects": (
        "probing",
        "project",
        "module_resolver",
        "tracing",
        "linter",
        "results",
        "screening",
        "rulebook",
        "syntax",
        "flow",
        "frameworks.registry",
        "ir",
        "settings",
        "training",
        "findings",
        "packages",
        "project_files",
    ),
    "probing": (),
    "project": (
        "frames",
        "cache",
        "requirements.declared",
        "workers",
        "writing",
        "words",
        "module_resolver",
        "project_files",
        "linter",
        "results",
        "files",
        "config",
        "baseline",
        "syntax.reading",
        "syntax.suppressions",
        "syntax.notebooks",
        "syntax.markdown",
        "verify",
        "settings",
        "fingerprints",
        "findings",
    ),
    "files": ("config", "syntax.markdown"),
    "cache": (
        "asked",
        "requirements.declared",
        "installed",
        "result_json",
        "module_resolver",
        "packages",
        "project_files",
        "results",
        "flow.modules",
        "ir.program",
        "settings",
        "training",
    ),
    "asked": ("training",),
    "result_json": ("results", "findings"),
    "module_resolver": (
        "attribute_names",
        "graph",
        "importers",
        "ir.stores",
        "packages",
        "project_files",
        "screening",
        "surroundings",
        "syntax",
        "training",
    ),
    "graph": (
        "graph_arguments",
        "graph_classes",
        "graph_edges",
        "graph_names",
        "mentions",
        "programs",
        "packages",
        "project_files",
        "surroundings",
        "syntax",
        "training",
    ),
    "graph_arguments": (
        "graph_leaves",
        "graph_places",
        "packages",
        "project_files",
        "surroundings",
        "syntax",
    ),
    "graph_leaves": (
        "frameworks.data",
        "graph_calls",
        "graph_object_calls",
        "graph_objects",
        "graph_places",
        "programs",
        "packages",
        "project_files",
        "surroundings",
        "syntax",
        "training",
    ),
    "graph_calls": (
        "graph_object_calls",
        "graph_objects",
        "graph_places",
        "packages",
        "project_files",
        "surroundings",
        "syntax",
    ),
    "graph_object_calls": ("graph_places", "packages", "project_files", "surroundings", "syntax"),
    "graph_places": (
        "graph_objects",
        "programs",
        "packages",
        "project_files",
        "surroundings",
        "syntax",
    ),
    "graph_objects": (
        "graph_edges",
        "graph_names",
        "graph_runs",
        "mentions",
        "programs",
        "packages",
        "project_files",
        "syntax",
    ),
    "graph_runs": (
        "graph_edges",
        "graph_names",
        "programs",
        "packages",
        "project_files",
        "surroundings",
        "syntax",
        "training",
        "words",
    ),
    "surroundings": ("packages", "project_files", "syntax.symbol_table"),
    "graph_edges": (
        "graph_classes",
        "graph_names",
        "mentions",
        "packages",
        "project_files",
        "syntax",
        "frameworks.members",
    ),
    "graph_classes": ("graph_names", "mentions", "packages", "project_files", "syntax", "training"),
    "graph_names": ("mentions", "packages", "project_files", "syntax"),
    "programs": ("mentions", "packages", "project_files", "syntax"),
    "mentions": ("attribute_names", "importers", "words", "project_files", "syntax.symbol_table"),
    "attribute_names": ("words", "project_files", "syntax.symbol_table"),
    "importers": ("words", "project_files", "syntax.symbol_table"),
    "words": ("project_files",),
    "packages": ("project_files",),
    "tracing": (
        "verdict_reasons",
        "linter",
        "rulebook",
        "syntax",
        "flow",
        "domains",
        "ir",
        "settings",
        "training",
        "findings",
        "project_files",
    ),
    "verdict_reasons": ("linter", "rulebook", "syntax", "settings", "findings"),
    "workers": ("linter",),
    "linter": (
        "garbage_collection",
        "results",
        "screening",
        "fixing",
        "rulebook",
        "syntax",
        "flow",
        "frameworks",
        "ir",
        "verify.failures",
        "settings",
        "requirements.declared",
        "fingerprints",
        "findings",
        "project_files",
    ),
    "writing": (),
    "installed": (),
    "screening": (
        "frameworks.origins",
        "syntax.decoding",
        "syntax.suppressions",
        "flow.modules",
    ),
    "results": ("findings",),
    "config": ("requirements.specifiers", "rulebook", "ir", "settings", "findings"),
    "settings": (
        "requirements.declared",
        "verify.verifier",
        "fingerprints",
        "flow.modules",
        "findings",
    ),
    "requirements": ("frameworks.versions", "project_files"),
    "verify": ("fixing", "rulebook", "syntax", "flow", "frameworks", "domains", "ir", "findings"),
    "fixing": ("rulebook", "syntax", "flow", "frameworks", "domains", "ir", "findings"),
    "rulebook": (
        "flow",
        "frameworks",
        "domains",
        "ir",
        "naming",
        "project_files",
        "training",
        "findings",
    ),
    "syntax": ("flow.state", "frameworks", "ir", "training", "findings"),
    "flow": ("frameworks", "domains", "ir", "naming", "training"),
    "frameworks": ("ir",),
    "domains": ("ir",),
    "ir": (),
    "baseline": ("fingerprints",),
    "frames": (),
    "garbage_collection": (),
    "naming": (),
    "fingerprints": ("findings",),
    "project_files": (),
    "training": (),
    "findings": (),
    "version": (),
}
MAY_IMPORT_FROM_OTHERS: Mapping[str, tuple[str, ...]] = {
    "server": ("lsprotocol", "pygls"),
    "codemod": ("libcst",),
    "fixing": ("libcst",),
    "syntax": ("libcst", "parso"),
    "rulebook": ("tomli",),
    "naming": ("tomli",),
    "suspects": ("tomli",),
    "config": ("tomli",),
    "requirements": ("tomli",),
    "files": ("pathspec",),
}
NEVER_IMPORTED = ("torch", "tensorflow", "keras", "jax", "numpy", "scipy")

CONTRIBUTING = ROOT / "CONTRIBUTING.md"
PICTURED = (
    *("cli", "server", "reporting", "suspects", "probing", "project", "cache", "module_resolver"),
    *("graph", "mentions", "words", "tracing", "linter", "verify", "fixing", "rulebook"),
    *("syntax", "flow", "frameworks", "domains", "ir"),
)
"""The parts of the picture in CONTRIBUTING.md; the others would only hide these."""
NODES = {"graph": 'value_graph["graph"]'}
"""`graph` is a keyword of Mermaid."""

MODULES = sorted((ROOT / PACKAGE).rglob("*.py"))

each_module = of_each(MODULES, lambda path: path.relative_to(ROOT / PACKAGE).as_posix())


@each_module
def test_module_imports_only_what_its_layer_may(path: Path) -> None:
    part = _part(path)
    allowed = tuple(f"{PACKAGE}.{other}" for other in (part, *MAY_IMPORT[part]))
    own = (module for module in _imports(path) if _is_within(module, PACKAGE))
    assert not [module for module in own if not any(_is_within(module, a) for a in allowed)]


@each_module
def test_libraries_are_imported_only_where_they_may(path: Path) -> None:
    allowed = {PACKAGE, *sys.stdlib_module_names, *MAY_IMPORT_FROM_OTHERS.get(_part(path), ())}
    assert not [module for module in _imports(path) if module.partition(".")[0] not in allowed]


def test_every_module_is_imported_without_error() -> None:
    for folder in (PACKAGE, "handbook", "release"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))


def test_every_part_has_its_row() -> None:
    parts = {_part(path) for path in MODULES}
    assert parts == set(MAY_IMPORT)


def test_parts_import_only_what_stands_below_them() -> None:
    order = list(MAY_IMPORT)
    for part, others in MAY_IMPORT.items():
        below = order[order.index(part) + 1 :]
        assert {other.partition(".")[0] for other in others} <= set(below), part


def test_picture_shows_the_layers(is_blessing: bool) -> None:
    text = CONTRIBUTING.read_text(encoding="utf-8")
    before, _, rest = text.partition("```mermaid\n")
    _, _, after = rest.partition("```")
    current = f"{before}```mermaid\n{_picture()}```{after}"
    if is_blessing:
        CONTRIBUTING.write_text(current, encoding="utf-8")
    assert CONTRIBUTING.read_text(encoding="utf-8") == current, "--bless draws it anew"


def test_analysis_imports_no_framework() -> None:
    code = f"""if True:
        import sys
        from mllint_nan.linter import Linted, Settings, fix_bytes
        data = b"import torch, numpy\\ny = torch.log(torch.softmax(x, dim=0))\\n"
        assert fix_bytes(data, "a.py", Settings()).applied
        print([name for name in {NEVER_IMPORTED} if name in sys.modules])
    """
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_file_without_findings_is_read_without_libcst(tmp_path: Path) -> None:
    (tmp_path / "helpers.py").write_text("import torch\n\n\ndef half(x):\n    return x / 2\n")
    (tmp_path / "model.py").write_text(
        "import torch\nfrom helpers import half\ny = torch.log_softmax(half(x), 0)\n"
    )
    code = f"""if True:
        import sys
        from mllint_nan.cli import main
        status = main([{str(tmp_path)!r}, "--isolated", "--no-cache", "--jobs=1", "--quiet"])
        print(status, [name for name in ("libcst", *{NEVER_IMPORTED}) if name in sys.modules])
    """
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("0 []\n", "")


def _picture() -> str:
    """An arrow to what is imported, unless longer ways lead there."""
    below: dict[str, set[str]] = {}
    for part in reversed(MAY_IMPORT):
        direct = {other.partition(".")[0] for other in MAY_IMPORT[part]}
        below[part] = direct.union(*(below[other] for other in direct))
    lines = ["flowchart TD"]
    for part in PICTURED:
        under = [other for other in PICTURED if other in below[part]]
        nearest = [each for each in under if not any(each in below[other] for other in under)]
        if nearest:
            above, *under = (NODES.get(each, each) for each in (part, *nearest))
            lines.append(f"  {above} --> {' & '.join(under)}")
    return "".join(f"{line}\n" for line in lines)


def _part(path: Path) -> str:
    """`flow` of `mllint_nan/flow/state.py`, `cli` of `mllint_nan/cli.py`."""
    return path.relative_to(ROOT / PACKAGE).parts[0].removesuffix(".py")


@cache
def _imports(path: Path) -> tuple[str, ...]:
    """The dotted names that a module imports, wherever it does; `a.b` of `from a import b`."""
    return tuple(_imported(path))


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_bytes())):
        match node:
            case ast.Import(names):
                yield from (name.name for name in names)
            case ast.ImportFrom(module, names, level):
                assert level == 0, f"{path}: relative import"
                yield from (f"{module}.{name.name}" for name in names)


def _is_within(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")
