"""The oldest version that one requirement allows, as pip, Poetry and conda write it."""

from __future__ import annotations

import pytest

from mllint_nan.requirements.specifiers import Requirement, is_clear, requirement

ALLOWED = [
    ("torch==1.4.0", "torch", "a.txt allows 1.4.0"),
    ("torch == 1.4.*", "torch", "a.txt allows 1.4"),
    ("torch===1.4.0+cu100", "torch", "a.txt allows 1.4.0"),
    ("torch~=1.4", "torch", "a.txt allows 1.4"),
    ("torch>=1.4,<2", "torch", "a.txt allows 1.4"),
    ("torch<2,>=1.4", "torch", "a.txt allows 1.4"),
    ("torch>=1.4,>=1.6", "torch", "a.txt allows 1.6"),
    ("torch (>=1.4)", "torch", "a.txt allows 1.4"),
    ("torch>1.4", "torch", "a.txt allows 1.4"),
    ("torch<1.8", "torch", "a.txt asks for one before 1.8"),
    ("torch<=1.7", "torch", "a.txt asks for one up to 1.7"),
    ("torch<1.8,!=1.7.1", "torch", "a.txt asks for one before 1.8"),
    ("torch>=1.9.0rc1", "torch", "a.txt allows 1.9.0"),
    ("Torch[extra] >= 1.4 ; python_version < '3.7'", "torch", "a.txt allows 1.4"),
    ("torch==1.4  # the cluster has no newer one", "torch", "a.txt allows 1.4"),
    ("torch==1.4 --hash=sha256:0", "torch", "a.txt allows 1.4"),
    ("pytorch=1.4.0=py3.7_cuda10.1", "torch", "a.txt allows 1.4.0"),
    ("pytorch::pytorch>=1.4", "torch", "a.txt allows 1.4"),
    ("pytorch 1.4.*", "torch", "a.txt allows 1.4"),
    ("pytorch >=1.4 <2", "torch", "a.txt allows 1.4"),
    ("tensorflow_gpu==1.15", "tensorflow", "a.txt allows 1.15"),
    ("tensorflow==1.15 || ==2.1", "tensorflow", "a.txt allows 1.15"),
    ("jax[cuda]>=0.4.1", "jax", "a.txt allows 0.4.1"),
]


@pytest.mark.parametrize(("text", "package", "said"), ALLOWED)
def test_oldest_version(text: str, package: str, said: str) -> None:
    found = requirement(text, "a.txt")
    assert found is not None
    assert (found.package, str(found.oldest)) == (package, said)


@pytest.mark.parametrize(
    "text", ["torch", "torch  # any", "torch!=1.7", "torch==*", "torch; python_version<'3.7'"]
)
def test_no_version_is_known(text: str) -> None:
    assert requirement(text, "a.txt") == Requirement("torch", None)


@pytest.mark.parametrize(
    "text",
    [
        *("", "# torch==1.4", "-r torch.txt", "-e .", "--find-links torch==1.4", "- torch==1.4"),
        *("torchvision==0.5", "pytorch-lightning==1.4", "jaxlib==0.1", "numpydoc<2"),
        *("torch @ https://example.org/torch-1.4.0.whl", "git+https://example.org/torch@1.4"),
    ],
)
def test_what_is_no_requirement_on_a_framework(text: str) -> None:
    assert requirement(text, "a.txt") is None


def test_what_is_clear() -> None:
    clear = ["torch", "torch>=1.4,<2", "torch==1.4.*", "keras~=2.3", "jax==0.4.1+cuda"]
    assert [text for text in clear if not is_clear(text)] == []
    unclear = ["", "torchvision>=1", "torch>=", "torch>=new", "torch=>1.4", "1.4", "torch 1 4"]
    assert [text for text in unclear if is_clear(text)] == []
