"""Layers in containers, and objects of classes in sight: what calling them computes."""

from __future__ import annotations

import pytest

from tests.flow.analysed import logged

NETWORK = """
class Net(torch.nn.Module):
    def __init__(self, act=None, eps=1e-6):
        super().__init__()
        self.act = act
        self.eps = eps

    def forward(self, x):
        return self.act(x)

    def floored(self, x):
        return x + self.eps
"""


@pytest.mark.parametrize(
    ("layers", "result"),
    [
        ("torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Sigmoid())", "sigmoid(relu(x))"),
        ("torch.nn.Sequential(*[torch.nn.ReLU(), torch.nn.Sigmoid()])", "sigmoid(relu(x))"),
        (
            "torch.nn.Sequential(collections.OrderedDict([('a', torch.nn.ReLU()),"
            " ('b', torch.nn.Sigmoid())]))",
            "sigmoid(relu(x))",
        ),
        ("torch.nn.ModuleList([torch.nn.ReLU(), torch.nn.Sigmoid()])[1]", "sigmoid(x)"),
        ("torch.nn.ModuleDict({'a': torch.nn.ReLU(), 'b': g})['a']", "relu(x)"),
        ("torch.nn.Sequential(*layers)", "opaque"),
        ("torch.nn.ModuleList([torch.nn.ReLU(), torch.nn.Sigmoid()])[i]", "opaque"),
        ("torch.nn.ModuleDict({'a': torch.nn.ReLU(), **others})['a']", "opaque"),
        ("torch.nn.ModuleDict({'a': torch.nn.ReLU()})['b']", "opaque"),
    ],
)
def test_container_of_layers(layers: str, result: str) -> None:
    assert logged(f"import collections\nmodel = {layers}\ntorch.log(model(x))") == result


@pytest.mark.parametrize(
    ("grown", "result"),
    [
        ("model.append(torch.nn.Sigmoid())", "sigmoid(relu(x))"),
        ("model.add_module('b', torch.nn.Sigmoid())", "sigmoid(relu(x))"),
        ("for _ in y: model.append(torch.nn.Sigmoid())", "opaque"),
        ("for _ in y: model.append(g)\nmodel.append(torch.nn.Sigmoid())", "sigmoid(opaque)"),
        ("model = model.to(device)\nmodel.append(torch.nn.Sigmoid())", "sigmoid(relu(x))"),
    ],
)
def test_container_that_grows(grown: str, result: str) -> None:
    start = "model = torch.nn.Sequential()\nmodel.append(torch.nn.ReLU())"
    assert logged(f"{start}\n{grown}\ntorch.log(model(x))") == result


@pytest.mark.parametrize(
    ("loop", "result"),
    [
        ("for f in layers:\n    y = f(y)", "sigmoid(relu(x))"),
        ("for f in layers:\n    y = y + f(y)", "add(add(x, relu(x)), sigmoid(add(x, relu(x))))"),
        ("for f in others:\n    y = f(y)", "choice(x, opaque)"),
        (
            "for f in layers:\n    if y.any(): break\n    y = f(y)",
            "choice(x, choice(relu(choice(x)), sigmoid(choice(x))))",
        ),
    ],
)
def test_layers_called_in_turn(loop: str, result: str) -> None:
    layers = "layers = [torch.nn.ReLU(), torch.nn.Sigmoid()]\ny = x"
    assert logged(f"{layers}\n{loop}\ntorch.log(y)") == result


@pytest.mark.parametrize(
    ("made", "called", "result"),
    [
        ("Net(torch.nn.ReLU())", "net(x)", "relu(x)"),
        ("Net(act=torch.nn.Sigmoid())", "net(x)", "sigmoid(x)"),
        ("Net(eps=0.5)", "net.floored(x)", "add(x, 0.5)"),
        ("Net()", "net.floored(x)", "add(x, 1e-06)"),
        ("Net()", "net(x)", "opaque"),
        ("Net(*layers)", "net(x)", "opaque"),
        ("Unknown(torch.nn.ReLU())", "net(x)", "opaque"),
        ("Net(torch.nn.ReLU())\nnet.act = g", "net(x)", "opaque"),
    ],
)
def test_object_of_a_class_in_sight(made: str, called: str, result: str) -> None:
    assert logged(f"{NETWORK}\nnet = {made}\ntorch.log({called})") == result


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("net = torch.nn.Sequential(torch.nn.Sigmoid()).cuda().eval()", "sigmoid(x)"),
        ("net = torch.compile(torch.nn.Sequential(torch.nn.Sigmoid()))", "sigmoid(x)"),
        ("net = torch.nn.DataParallel(torch.nn.Sigmoid())", "sigmoid(x)"),
        ("net = Net(torch.nn.Sigmoid()).to(device)", "sigmoid(x)"),
        ("net = torch.nn.Sequential(torch.nn.Sigmoid()).half()", "sigmoid(x)"),
        ("net = torch.compile(g)", "opaque"),
    ],
)
def test_module_that_is_moved_or_wrapped(text: str, result: str) -> None:
    assert logged(f"{NETWORK}\n{text}\ntorch.log(net(x))") == result


BASE = """
class Base(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)

    @property
    def rate(self):
        return torch.relu(self.raw)

    @rate.setter
    def rate(self, value):
        self.raw = value

    @property
    def share(self):
        return torch.sigmoid(self.raw)

class Net(Base):
    def __init__(self):
        super().__init__()
        self._make()

    def _make(self):
        self.act = torch.nn.Sigmoid()

"""


@pytest.mark.parametrize(
    ("operand", "result"),
    [
        ("super().forward(x)", "relu(x)"),
        ("super(Net, self).forward(x)", "relu(x)"),
        ("super().other(x)", "opaque"),
        ("self.share", "sigmoid(attribute)"),
        ("self.rate", "attribute"),
        ("self.act(x)", "sigmoid(x)"),
    ],
)
def test_what_a_class_has_from_bases_properties_and_other_methods(
    operand: str, result: str
) -> None:
    assert logged(f"{BASE}    def forward(self, x):\n        torch.log({operand})") == result


@pytest.mark.parametrize(
    ("written", "result"),
    [
        ("self.raw.clamp_(1)", "clip(attribute, min=1)"),
        ("self.raw.data.clamp_(1)", "opaque"),
        ("self.other.data.clamp_(1)", "attribute"),
    ],
)
def test_what_is_written_into_an_attribute_leaves_the_others(written: str, result: str) -> None:
    text = f"{BASE}    def forward(self, x):\n        {written}\n"
    assert logged(f"{text}        torch.log(self.raw)") == result
    assert logged(f"{text}        torch.log(self.act(x))") == "sigmoid(x)"
