"""Options and fixtures that all tests share."""

from __future__ import annotations

import gc
import getpass
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Literal

import pytest
from _pytest.pathlib import LOCK_TIMEOUT, cleanup_numbered_dir
from hypothesis import HealthCheck, settings

# How fast examples are made says how busy the machine is, not whether a law holds.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")

Device = Literal["cpu", "cuda", "auto"]

ROOT: Final = Path(__file__).resolve().parent.parent
_WHOLLY: Final = b"\npytestmark = pytest.mark.%s\n"
"""A file of tests of which all have a mark."""


def keep_byte_code(folder: Path) -> None:
    """Away from the sources, if none is to be beside them: workers and the hundreds of processes
    that tests start import the same modules, and compile them each time where nothing is kept."""
    if sys.dont_write_bytecode:
        sys.dont_write_bytecode = False
        sys.pycache_prefix = os.environ["PYTHONPYCACHEPREFIX"] = str(folder)
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


BYTE_CODE: Final = ROOT / ".pytest_cache" / "bytecode"
keep_byte_code(BYTE_CODE)


def keep_compiled(folder: Path) -> None:
    """What XLA compiles for JAX, in later runs too, as PyTorch keeps what its compiler makes: most
    of the time in JAX goes there. By processor, whose machine code it is; JAX knows its own version
    and the program."""
    if "JAX_COMPILATION_CACHE_DIR" not in os.environ:
        os.environ["JAX_COMPILATION_CACHE_DIR"] = str(folder / f"xla-{_processor()}")
        os.environ["JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"] = "0"
        os.environ["JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES"] = "-1"


def _processor() -> str:
    """What tells one that executes other instructions apart."""
    told = Path("/proc/cpuinfo")
    lines = told.read_text(encoding="utf-8").splitlines() if told.is_file() else []
    instructions = (line for line in lines if line.startswith(("flags", "Features")))
    known = f"{platform.machine()} {next(instructions, None) or platform.processor()}"
    return hashlib.sha256(known.encode()).hexdigest()[:12]


CACHES: Final = Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"))
keep_compiled(CACHES / "mllint-nan-tests")

# Threads that wait for one another take more of two cores from the workers than they give back.
os.environ.setdefault("OMP_NUM_THREADS", "1")

_GRAMMARS: Final = "rfc3987_syntax"
sys.modules[_GRAMMARS] = None  # type: ignore[assignment]
"""Of addresses in Unicode, the format "iri": each process that imports jsonschema would build them,
in a second, and no schema here has it."""

collect_ignore = ["fixing/before_and_after.py"]
collect_ignore += [f"verifier/on_{each}.py" for each in ("torch", "tensorflow", "keras", "jax")]
"""Without doctests, which alone would be collected of them; each imports a framework."""


if os.name == "nt":

    def _write_text(
        path: Path, text: str, encoding: str = "utf-8", errors: str | None = None
    ) -> int:
        """Tests mean the bytes that they write, ends of lines included."""
        return path.write_bytes(text.encode(encoding, errors or "strict"))

    Path.write_text = _write_text


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("mllint-nan")
    group.addoption(
        "--bless", action="store_true", help="rewrite fixtures/*/*.fixed.py, to be reviewed"
    )
    group.addoption(
        "--device",
        choices=("cpu", "cuda", "auto"),
        default="auto",
        help="where fixtures are executed (auto: where each framework sees a GPU)",
    )
    group.addoption(
        "--shard",
        type=part,
        metavar="N/M",
        help="only the tests of one part of several",
    )


def part(text: str) -> str:
    """A part of several as an option names it, `1/2`; raises ValueError."""
    number, parts = map(int, text.split("/"))
    if not 1 <= number <= parts:
        raise ValueError(text)
    return text


def pytest_configure(config: pytest.Config) -> None:
    from tests.collecting import OnlyWhereSomeAre

    if hasattr(config, "workerinput") or not config.getoption("numprocesses", None):
        os.environ.pop("PYTEST_ADDOPTS", None)  # is for these tests, not for those that they start
    config.pluginmanager.register(OnlyWhereSomeAre())


def pytest_sessionstart(session: pytest.Session) -> None:
    is_worker = hasattr(session.config, "workerinput")
    if session.config.getoption("numprocesses", None) and not is_worker:
        threading.Thread(target=_delete_earlier_folders, daemon=True).start()


def _delete_earlier_folders() -> None:
    """Beside the workers: pytest deletes what earlier runs left only after the last test, and some
    disks take two minutes for the forty thousand files of all tests."""
    root = Path(os.environ.get("PYTEST_DEBUG_TEMPROOT") or tempfile.gettempdir())
    runs = root / f"pytest-of-{getpass.getuser()}"
    cleanup_numbered_dir(runs, "pytest-", 2, time.time() - LOCK_TIMEOUT)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Of `-n auto`, unless another way to distribute tests is asked for."""
    if config.getvalue("dist") != "load":
        return None
    from tests.distribution import Scheduling

    config.option.loadscopereorder = False
    return Scheduling(config, log)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A file of which no test is asked for: it may import what is not there."""
    left_out = ["slow"] if "not slow" in config.option.markexpr else []
    left_out += ["posix"] if os.name == "nt" else []
    if not left_out or collection_path.suffix != ".py":
        return None
    text = collection_path.read_bytes()
    return True if any(_WHOLLY % mark.encode() in text for mark in left_out) else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if os.name == "nt":
        elsewhere = [item for item in items if item.get_closest_marker("posix")]
        config.hook.pytest_deselected(items=elsewhere)
        items[:] = [item for item in items if item not in elsewhere]
    wanted = config.getoption("--shard")
    if not wanted and not hasattr(config, "workerinput"):
        return
    from tests.distribution import (
        costs_by_scope,
        in_part,
        longest_outside,
        measured_costs,
        scope_of,
    )

    costs = costs_by_scope(items, measured_costs())
    longest_outside(items, costs)
    if wanted:
        scopes = {item: scope_of(item.nodeid) for item in items}
        mine = in_part(costs, wanted)
        config.hook.pytest_deselected(items=[item for item in items if scopes[item] not in mine])
        items[:] = [item for item in items if scopes[item] in mine]


gc.set_threshold(1_000_000, 20, 100)
"""Objects, and searches: what is new is mostly kept, where Python would look at it after 700."""
FRAMEWORKS: Final = {"jax", "keras", "tensorflow", "torch"}
_left_out: set[str] = set()
"""The frameworks that searches for cycles leave out already."""


def pytest_collection_finish() -> None:
    _leave_out_of_searches()


def pytest_runtest_teardown() -> None:
    if not FRAMEWORKS & sys.modules.keys() <= _left_out:
        from tests.preloaded import lower_in_one_context

        _leave_out_of_searches()
        lower_in_one_context()


def _leave_out_of_searches() -> None:
    """Searches for cycles of objects would go through all that is there: tests and frameworks."""
    _left_out.update(FRAMEWORKS & sys.modules.keys())
    gc.collect()
    gc.freeze()


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # folders of tests, which have other names next time
        passing = Path(tempfile.gettempdir()).resolve()
        shutil.rmtree(BYTE_CODE / passing.relative_to(passing.anchor), ignore_errors=True)
    preloaded = sys.modules.get("tests.preloaded")
    if preloaded is not None:
        preloaded.close()


class FailingSubtests:
    """Subtests of which those are told that fail: to tell of one takes longer than most of them."""

    def __init__(self, told: pytest.Subtests) -> None:
        self._told = told

    @contextmanager
    def test(self, message: str, **described: object) -> Iterator[None]:
        try:
            yield
        except BaseException:
            with self._told.test(message, **described):
                raise


@pytest.fixture
def subtests(subtests: pytest.Subtests) -> FailingSubtests:
    """What pytest offers, but for the reports of what passes."""
    return FailingSubtests(subtests)


@pytest.fixture(scope="session")
def is_blessing(pytestconfig: pytest.Config) -> bool:
    """Whether `.fixed.py` files are rewritten instead of compared."""
    return bool(pytestconfig.getoption("--bless"))


@pytest.fixture(scope="session")
def device(pytestconfig: pytest.Config) -> Device:
    """Where fixtures are executed; for `auto` each framework says what it sees."""
    from tests.verifier.frameworks import has_gpu, selected  # it sets Keras' backend

    wanted: Device = pytestconfig.getoption("--device")
    if wanted == "cuda" and not any(map(has_gpu, selected())):
        raise pytest.UsageError("no framework here sees a GPU")
    return wanted


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as it is published."""
    directory = tmp_path_factory.mktemp("wheel")
    run_python("-m", "build", "--wheel", "--no-isolation", "--outdir", str(directory), str(ROOT))
    (path,) = directory.glob("*.whl")
    return path


@pytest.fixture(scope="session")
def installation(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the package as it is installed: what others find by its entry points."""
    target = tmp_path_factory.mktemp("site")
    run_python("-m", "pip", "install", "--quiet", "--no-deps", "--no-index",
               "--target", str(target), str(wheel))  # fmt: skip
    return target


@pytest.fixture(scope="session")
def offline(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which pip builds and installs this package without a network.

    What it requires is seen from here. That comes last on the path, so that the package itself is
    the one that was installed.
    """
    directory = tmp_path_factory.mktemp("offline")
    place = sysconfig.get_path("purelib")
    (directory / "sitecustomize.py").write_text(f"import sys\nsys.path.append({place!r})\n")
    return dict(os.environ) | {
        "PIP_NO_BUILD_ISOLATION": "false",  # pip reads: no isolation
        "PIP_NO_DEPS": "1",
        "PIP_NO_INDEX": "1",
        "PYTHONPATH": str(directory),
    }


@pytest.fixture(scope="session")
def no_grammars(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory for the path of a program that starts many processes which import jsonschema."""
    directory = tmp_path_factory.mktemp("no-grammars")
    (directory / f"{_GRAMMARS}.py").write_text("raise ImportError\n")
    return directory


_MADE: Final = frozenset(("__pycache__", ".pytest_cache"))


def tracked() -> list[str]:
    """The paths of all files that are part of the project: all that git does not ignore.

    An unpacked source distribution has nothing else.
    """
    if (ROOT / ".git").exists():
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
        names = set(done.stdout.split("\0"))
    else:
        kept = (path for path in ROOT.rglob("*") if _MADE.isdisjoint(path.parts))
        names = {path.relative_to(ROOT).as_posix() for path in kept} - {"PKG-INFO"}
    return sorted(name for name in names if (ROOT / name).is_file())


def copy_tracked(place: Path) -> None:
    """Make a directory hold what a clean clone holds."""
    for name in tracked():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, place / name)


def run_python(*arguments: str, cwd: Path = ROOT, path: Path | None = None) -> str:
    """What `python` prints, with only `path` on its path; it must succeed."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    if path is not None:
        environment["PYTHONPATH"] = str(path)
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
