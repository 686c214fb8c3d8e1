"""Find code whose values or gradients become NaN or infinite, from another program.

>>> found = check_source("import torch\\ny = torch.log(torch.softmax(x, dim=0))")
>>> [(finding.code, finding.start.row) for finding in found]
[('NAN101', 2)]
"""

from __future__ import annotations

TYPE_CHECKING = False  # importing it from `typing` takes longer than all else here
if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator

    from mllint_nan.findings import Finding
    from mllint_nan.linter import FixedSource
    from mllint_nan.project import Checked
    from mllint_nan.settings import Settings
    from mllint_nan.version import __version__
    from mllint_nan.within import Probe

__all__ = ["__version__", "check_paths", "check_source", "fix_source", "probe"]


def __getattr__(name: str) -> object:
    """Load `__version__` when it is asked for, like all else here."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from mllint_nan.version import __version__

    return __version__


def check_source(
    text: str, filename: str = "<string>", settings: Settings | None = None
) -> list[Finding]:
    """The findings in the text of a Python file, in order; no file is read or written.

    A text that is not Python has one finding, NAN901. Only the folders and the stem of `filename`
    count, as hints of purpose. Without `settings` everything is at its default, whatever
    configuration files say. This function and what it returns can be pickled.

    Raises `mllint_nan.linter.AnalysisError` if the text is Python but cannot be analysed.
    """
    from mllint_nan.linter import check_text
    from mllint_nan.settings import Settings

    return list(check_text(text, filename, settings or Settings()))


def fix_source(
    text: str, filename: str = "<string>", settings: Settings | None = None
) -> FixedSource:
    """The text after the fixes that `--fix` applies, with those fixes and what is left.

    Otherwise as `check_source`. `Settings(unsafe_fixes=True)` applies the unsafe fixes too.

    >>> fix_source("import torch\\ny = torch.log(torch.softmax(1 * x, dim=0))").text
    'import torch\\ny = torch.log_softmax(1 * x, dim=0)'
    """
    from mllint_nan.linter import repair_text
    from mllint_nan.settings import Settings

    return repair_text(text, filename, settings or Settings())


def check_paths(
    paths: Iterable[str | os.PathLike[str]],
    settings: Settings | None = None,
    *,
    jobs: int = 1,
) -> Iterator[Checked]:
    """Yield each file that the paths cover, in order, with its findings; nothing is written.

    As for the command, directories are searched, and the project's configuration files apply,
    unless `settings` are given. What cannot be checked is an `outcome`, not an error.

    Raises `mllint_nan.config.keys.ConfigError` or `mllint_nan.baseline.BaselineError`.
    """
    import os

    from mllint_nan import project
    from mllint_nan.config.resolve import Configurations
    from mllint_nan.files import discover
    from mllint_nan.results import Failed

    configurations = Configurations({}, is_isolated=settings is not None)
    discovery = discover([os.fspath(path) for path in paths], configurations)
    for path in discovery.files:
        configurations.of_file(path)
    run = configurations.run
    scopes = configurations.scopes() if settings is None else None
    request = project.Request(settings or run.settings, scopes=scopes, baseline=run.baseline)
    for path, reason in discovery.failures:
        yield project.Checked(path, Failed(reason))
    yield from project.check_paths(discovery.files, request, jobs)


def probe(
    entry: str | None = None, *, most: int = 20, stops: bool = True, every_line: bool = False
) -> Probe:
    """Watch what can be the origin of a NaN in the calling program: `with mllint_nan.probe():`.

    The program is read when the probe is entered, from `entry` on: by default the calling file or
    notebook; else a file, or a function as `file.py::function`. The first `most` of its suspects
    are watched, in all functions that are called within, also under `jax.jit`, `tf.function` and
    `torch.compile`, whose functions run uncompiled meanwhile or are traced anew. As a decorator, it
    watches the function itself too, in all frameworks.

    At the first number that one of them makes not finite out of finite ones, in its value or its
    gradient, `mllint_nan.probing.watching.NonFiniteError` is raised, a `FloatingPointError`;
    without `stops` the same is printed, and the program goes on. With `every_line` each line of the
    project is watched, which takes longer and misses nothing in it.

    `mllint_nan.callbacks` has the same for Keras and Lightning.

    Raises ValueError if there is nothing to read.
    """
    from mllint_nan.within import Probe

    return Probe(entry, most=most, stops=stops, every_line=every_line)
