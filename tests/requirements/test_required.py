"""What a project requires, from each of the files in which it may say so."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from mllint_nan.requirements.declared import Versions, state_of
from mllint_nan.requirements.files import read


def said(name: str, text: str) -> dict[str, str]:
    return {found.package: str(found.oldest) for found in read(name, dedent(text).encode("utf-8"))}


FILES = {
    "requirements.txt": """\
        # torch==1.1
        -r base.txt
        torch==1.4.0 \\
            --hash=sha256:0
        tensorflow>=1.15,<2
        numpy
        """,
    "requirements/train.txt": "\ufefftorch==1.4.0\r\ntensorflow>=1.15\r\nnumpy\r\n",
    "environment.yml": """\
        dependencies:
          - python=3.7
          - pytorch::pytorch=1.4.0=py3.7_0  # the last one with CUDA 9
          - numpy
          - pip:
              - "tensorflow>=1.15; python_version<'3.8'"
        """,
    "pyproject.toml": """\
        [project]
        dependencies = ["torch==1.4.0"]
        [project.optional-dependencies]
        tf = ["tensorflow>=1.15"]
        [dependency-groups]
        test = ["numpy", {include-group = "tf"}]
        """,
    "setup.cfg": """\
        [options]
        install_requires =
            torch==1.4.0
            numpy
        [options.extras_require]
        tf = tensorflow>=1.15
        """,
    "setup.py": """\
        import setuptools
        LATER = ["numpy"]
        EXTRAS = {"tf": ["tensorflow>=1.15"]}
        setuptools.setup(install_requires=["torch==1.4.0"] + LATER, extras_require=EXTRAS)
        raise SystemExit("it is not executed")
        """,
}
POETRY = """\
    [tool.poetry.dependencies]
    torch = "1.4.0"
    [tool.poetry.group.tf.dependencies]
    tensorflow = {version = "^1.15", optional = true}
    [tool.poetry.dev-dependencies]
    numpy = "*"
    """


@pytest.mark.parametrize(("name", "text"), [*FILES.items(), ("pyproject.toml", POETRY)])
def test_each_file_is_read(name: str, text: str) -> None:
    assert said(name, text) == {
        "torch": f"{name} allows 1.4.0",
        "tensorflow": f"{name} allows 1.15",
        "numpy": "None",
    }


def test_nothing_is_said_of_a_setup_file(recwarn: pytest.WarningsRecorder) -> None:
    text = r"PATTERN = '\d'; setup(install_requires=['torch==1.4.0'])"
    assert said("setup.py", text) == {"torch": "setup.py allows 1.4.0"}
    assert not recwarn.list


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("requirements.txt", "torch" + " " * 100_000 + "x"),
        ("pyproject.toml", "torch==1.4.0"),
        ("pyproject.toml", '[project]\ndependencies = "torch==1.4"\n[tool.poetry]\ngroup = 1\n'),
        ("setup.cfg", "torch==1.4.0"),
        ("setup.py", "setup(install_requires=['torch==1.4']"),
        ("setup.py", "setup(install_requires=open('requirements.txt').readlines())"),
        ("setup.py", "A = B\nB = A\nsetup(install_requires=A)"),
        ("setup.py", "install(install_requires=['torch==1.4'])"),
        ("environment.yml", "name: torch==1.4"),
    ],
)
def test_what_is_not_plain_is_left_out(name: str, text: str) -> None:
    assert said(name, text) == {}


def plant(root: Path, **files: str) -> None:
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_txt", ".txt").replace("_toml", ".toml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def oldest(folder: Path, *targets: str) -> dict[str, str]:
    declared = Versions(str(folder), targets).oldest()
    return {package: str(one) for package, one in declared.items()}


def test_the_oldest_of_several_files_holds(tmp_path: Path) -> None:
    plant(
        tmp_path,
        pyproject_toml='[project]\ndependencies = ["torch>=1.9"]\n',
        requirements_txt="torch>=1.6\nnumpy\n",
        requirements__old_txt="torch<1.8\njax>=0.3\n",
        src__model__requirements_txt="torch==2.0\njax==0.2.1\n",
    )
    assert oldest(tmp_path / "src") == {
        "torch": "requirements.txt allows 1.6",
        "jax": "requirements/old.txt allows 0.3",
    }
    assert oldest(tmp_path / "src" / "model") == {
        "torch": "requirements.txt allows 1.6",
        "jax": "src/model/requirements.txt allows 0.2.1",
    }


def test_what_is_outside_of_the_project_says_nothing(tmp_path: Path) -> None:
    plant(tmp_path, requirements_txt="torch==1.4\n", own__pyproject_toml="", other__a_txt="")
    assert oldest(tmp_path / "own") == {}
    assert oldest(tmp_path / "other") == {"torch": "requirements.txt allows 1.4"}


def test_a_bound_above_is_older_than_the_version_itself(tmp_path: Path) -> None:
    plant(tmp_path, pyproject_toml="", requirements_txt="torch==1.8\ntorch<1.8\n")
    assert oldest(tmp_path) == {"torch": "requirements.txt asks for one before 1.8"}


def test_files_alone_in_their_folder_are_called_by_it(tmp_path: Path) -> None:
    plant(tmp_path, requirements__base_txt="torch==1.4\n")
    assert oldest(tmp_path) == {"torch": "requirements/base.txt allows 1.4"}


def test_what_is_configured_overrides_files(tmp_path: Path) -> None:
    plant(tmp_path, pyproject_toml="", requirements_txt="torch==1.4\njax==0.3\n")
    assert oldest(tmp_path, "torch>=2.0") == {
        "torch": "target-versions allows 2.0",
        "jax": "requirements.txt allows 0.3",
    }
    assert oldest(tmp_path, "torch") == {"jax": "requirements.txt allows 0.3"}


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    plant(tmp_path, pyproject_toml="", requirements_txt="torch==1.4\n")
    before = state_of(Versions(str(tmp_path)).oldest())
    plant(tmp_path, requirements_txt="torch==1.10\n")
    assert state_of(Versions(str(tmp_path)).oldest()) != before
