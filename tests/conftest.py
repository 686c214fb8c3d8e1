"""Options and fixtures that all tests share."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any, Final, Literal

import pytest
from hypothesis import HealthCheck, settings

# How fast examples are made says how busy the machine is, not whether a law holds.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")

Device = Literal["cpu", "cuda", "auto"]

ROOT: Final = Path(__file__).resolve().parent.parent
_WHOLLY_SLOW: Final = b"\npytestmark = pytest.mark.slow\n"

collect_ignore = ["fixing/before_and_after.py"]
collect_ignore += [f"verifier/on_{each}.py" for each in ("torch", "tensorflow", "keras", "jax")]
"""Without doctests, which alone would be collected of them; each imports a framework."""


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


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Of `-n auto`, unless another way to distribute tests is asked for."""
    if config.getvalue("dist") != "load":
        return None
    from tests.distribution import Scheduling

    config.option.loadscopereorder = False
    return Scheduling(config, log)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A file of slow tests alone, which may import frameworks, where these are not asked for."""
    if config.option.markexpr != "not slow" or collection_path.suffix != ".py":
        return None
    return True if _WHOLLY_SLOW in collection_path.read_bytes() else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    wanted = config.getoption("--shard")
    if not wanted and not hasattr(config, "workerinput"):
        return
    from tests.distribution import in_part, longest_first, scope_of

    longest_first(items)
    if wanted:
        scopes = {item: scope_of(item.nodeid) for item in items}
        mine = in_part(scopes.values(), wanted)
        config.hook.pytest_deselected(items=[item for item in items if scopes[item] not in mine])
        items[:] = [item for item in items if scopes[item] in mine]


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
