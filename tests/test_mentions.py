"""Which files of a project are parsed for a name, by their words; the index of these words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mllint_nan.mentions import Mentions, may_derive, may_name
from mllint_nan.project_files import SourceFile, status_of
from mllint_nan.words import WordIndex, keep_in


def source(place: Path, text: str) -> SourceFile:
    place.write_text(text)
    found = status_of(str(place))
    assert found is not None
    return found


MEANT = {
    "imported": "from pkg.losses import dice\n",
    "imported by another name": "from pkg.losses import dice as score\n",
    "imported over several rows": "from pkg.losses import (\n    other,  # (why)\n    dice,\n)\n",
    "imported behind a backslash": "from pkg.losses import other, \\\n    dice\n",
    "imported in a function": "def f():\n    from pkg.losses import dice\n",
    "imported in the same row": "if 1: from pkg.losses import dice\n",
    "imported relatively": "from .losses import dice\n",
    "of an imported module": "import pkg.losses\ndef f(x):\n    return pkg.losses.dice(x)\n",
    "of a module by another name": "import pkg.losses as l\nl.dice(1)\n",
    "of a module of a package": "from pkg import losses\nlosses.dice(1)\n",
    "of a module that is not at the dot": "from pkg import losses\nlosses . dice(1)\n",
    "of a module in brackets": "from pkg import losses\n(losses).dice(1)\n",
    "of an element": "from pkg import losses\nlosses[0].dice(1)\n",
    "in the next row": "from pkg import losses\n(losses\n .dice(1))\n",
}
NOT_MEANT = {
    "of another module": "from other.losses import dice\n",
    "of another module's attribute": "import torch\ntorch.dice(1)\n",
    "of a call": "from pkg import losses\nlosses.make(1).dice(2)\n",
    "of a variable": "def f(x):\n    return x.dice\n",
    "in a comment": "# the Dice score: dice\n",
    "part of a longer name": "from pkg import losses\nlosses.dices\n",
}


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in MEANT.items()])
def test_a_file_is_parsed_that_may_mean_a_definition(text: str, tmp_path: Path) -> None:
    file = source(tmp_path / "train.py", text)
    assert may_name(file, "dice", "pkg", {"pkg.losses.dice"}.__contains__)


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in NOT_MEANT.items()])
def test_a_file_that_means_something_else_is_not(text: str, tmp_path: Path) -> None:
    file = source(tmp_path / "train.py", text)
    assert not may_name(file, "dice", "pkg", {"pkg.losses.dice"}.__contains__)


DERIVED = {
    "from it": "class Dice(Loss):\n    pass\n",
    "from one of its module": "class Dice(losses.Loss, Other):\n    pass\n",
    "from several": "class Dice(\n    Other,\n    Loss,  # the base\n):\n    pass\n",
    "from it as another name": "from losses import Loss as Base\nclass Dice(Base):\n    pass\n",
}
NOT_DERIVED = {
    "it is used": "class Dice(Other):\n    def __init__(self):\n        self.loss = Loss(1)\n",
    "it is only imported": "from losses import Loss\nclass Dice(Other):\n    loss = Loss\n",
    "from one of a longer name": "class Dice(MyLoss, LossOf):\n    pass\n",
}


@pytest.mark.parametrize("text", DERIVED.values(), ids=DERIVED)
def test_a_file_is_parsed_that_may_derive_a_class(text: str, tmp_path: Path) -> None:
    assert may_derive(source(tmp_path / "dice.py", text), "Loss")


@pytest.mark.parametrize("text", NOT_DERIVED.values(), ids=NOT_DERIVED)
def test_a_file_that_derives_nothing_from_a_class_is_not(text: str, tmp_path: Path) -> None:
    assert not may_derive(source(tmp_path / "dice.py", text), "Loss")


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Path]:
    directory = tmp_path / "cache"
    directory.mkdir()
    keep_in(str(directory))
    yield directory
    keep_in(None)


@pytest.fixture
def project(tmp_path: Path) -> tuple[SourceFile, ...]:
    (tmp_path / "project").mkdir()
    texts = {"a": "alpha = beta\n", "b": "alpha_2 = 1\n", "c": "gamma(alpha)\n"}
    return tuple(source(tmp_path / "project" / f"{name}.py", text) for name, text in texts.items())


def test_an_index_answers_as_a_search_does(kept: Path, project: tuple[SourceFile, ...]) -> None:
    made = WordIndex.made(project)
    again = WordIndex.kept(project)
    assert again is not None
    for word in ("alpha", "alpha_2", "beta", "gamma", "alp", "absent"):
        keep_in(None)
        searched = Mentions(project).of(word)
        keep_in(str(kept))
        assert made.files(word.encode()) == again.files(word.encode()) == searched


def test_every_word_of_an_index_is_found_and_no_other(tmp_path: Path) -> None:
    words = [f"w{number:03}" for number in range(0, 200, 2)]
    file = source(tmp_path / "many.py", " + ".join((*words, "w", "é")))
    index = WordIndex.made((file,))
    assert all(index.files(word.encode()) == [file] for word in (*words, "w", "é"))
    absent = ("a", "w0", "w001", "w199", "w1980", "zz", "")
    assert not any(index.files(word.encode()) for word in absent)


def test_names_are_found_alike_once_all_words_are_known(project: tuple[SourceFile, ...]) -> None:
    searched, indexed = Mentions(project), Mentions(project)
    indexed.index()
    for word in ("alpha", "alpha_2", "beta", "alp", "absent"):
        assert indexed.of(word) == searched.of(word)


def test_setters_and_heirs_are_found_alike_once_all_files_are_known(tmp_path: Path) -> None:
    texts = {
        "base": "class Base:\n    eps = 1e-5\n",
        "heir": "class Heir(Base):\n    def __init__(self):\n        self.eps = 0.0\n",
        "setter": "def f(model):\n    model.eps = 1e-8\n",
        "naming": "def f(model, name):\n    setattr(model, name, Base)\n",
        "neither": "def f(model, bases):\n    return model.eps\n",
    }
    files = tuple(source(tmp_path / f"{name}.py", text) for name, text in texts.items())
    base, heir, setter, naming, _ = files
    one_by_one, known = Mentions(files), Mentions(files)
    one_by_one.index()
    known.index_all()
    for mentions in (one_by_one, known):
        assert mentions.heirs("Base", base.file) == {"Base", "Heir"}
        assert mentions.heirs("Heir", heir.file) == {"Heir"}
        setting = mentions.setting("eps", ("Base",), only_numbers=False)
        assert setting == {heir, setter, naming}
        assert [one for one in files if mentions.names_any(one, ("Base",))] == [base, heir, naming]
        assert not any(mentions.names_any(one, ("Bas",)) for one in files)


def test_what_has_changed_since_is_read_anew(kept: Path, project: tuple[SourceFile, ...]) -> None:
    WordIndex.made(project)
    first, second, third = project
    changed = source(Path(second.file), "delta = alpha + beta\n")
    added = source(Path(second.file).with_name("d.py"), "alpha\n")
    index = WordIndex.kept((first, changed, added))
    assert index is not None
    assert index.files(b"alpha") == [first, changed, added]
    assert index.files(b"beta") == [first, changed]
    assert index.files(b"alpha_2") == index.files(b"gamma") == []
    assert third not in index.files(b"alpha")


def test_a_damaged_index_is_none(kept: Path, project: tuple[SourceFile, ...]) -> None:
    WordIndex.made(project)
    (place,) = (kept / "words").iterdir()
    place.write_bytes(place.read_bytes().replace(b"alpha 0 2", b"alpha 0 1"))
    assert WordIndex.kept(project) is None


def test_without_a_cache_nothing_is_kept(tmp_path: Path, project: tuple[SourceFile, ...]) -> None:
    keep_in(None)
    assert WordIndex.made(project).files(b"gamma") == [project[2]]
    assert WordIndex.kept(project) is None
