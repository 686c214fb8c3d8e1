"""Projects of PyTorch."""

from __future__ import annotations

from tests.called import Called

PROJECTS = (
    Called(
        "root of a buffer that starts at zero",
        "torch",
        """
        def magnitude(energy):
            return energy.sqrt()  # expect: NAN203
        """,
        """
        from lib import magnitude

        def result():
            e = torch.zeros(4, requires_grad=True)  # sound: e = torch.ones(4, requires_grad=True)
            magnitude(e).sum().backward()
            return [e.grad]
        """,
    ),
    Called(
        "cosine of padded rows",
        "torch",
        """
        def cosine(dots, lengths):
            return dots / lengths  # expect: NAN309
        """,
        """
        from lib import cosine

        def result():
            padding = torch.zeros(1, 3)  # sound: padding = torch.ones(1, 3)
            rows = torch.cat([torch.ones(2, 3), padding])
            return [cosine((rows * rows).sum(-1), rows.amax(-1))]
        """,
    ),
    Called(
        "weights by class",
        "torch",
        """
        def balanced(found):
            return 1 / found  # expect: NAN306
        """,
        """
        from lib import balanced

        def result():
            seen = torch.tensor([0, 2])
            found = torch.bincount(seen, minlength=3).float()
            return [balanced(found)]  # sound: return [balanced(1 + found)]
        """,
    ),
    Called(
        "mean over what a condition selects",
        "torch",
        """
        def average(values, weight):
            return (values * weight).sum() / weight.sum()  # expect: NAN302
        """,
        """
        from lib import average

        def result():
            values, labels = torch.randn(3), torch.zeros(3)
            chosen = (labels > 0).float()  # sound: chosen = torch.exp(labels)
            return [average(values, chosen)]
        """,
    ),
    Called(
        "fractional power of a rectified contrast",
        "torch",
        """
        def combined(contrast, weights):
            return torch.prod(contrast ** weights)  # expect: NAN206
        """,
        """
        from lib import combined

        def result():
            raw = torch.tensor([0.0, 0.2, 0.3], requires_grad=True)
            train(raw)
            return [raw.grad]

        def train(raw):
            weights = torch.tensor([0.0448, 0.2856, 0.3001])
            contrast = torch.clamp(raw, min=0)  # sound: contrast = torch.clamp(raw, min=0.1)
            combined(contrast, weights).backward()
        """,
    ),
    Called(
        "angle between equal directions",
        "torch",
        """
        def angle(cosine):
            return torch.acos(cosine)  # expect: NAN208
        """,
        """
        from lib import angle

        def result():
            x = torch.tensor([[1.0, 0.0, 0.0]], requires_grad=True)
            cosine = F.cosine_similarity(x, torch.eye(3)[:1])  # sound: cosine = 0.9 * torch.tanh(x)
            angle(cosine).sum().backward()
            return [x.grad]
        """,
    ),
    Called(
        "constructor is given no epsilon",
        "torch",
        """
        class Charbonnier(nn.Module):
            def __init__(self, smoothness):
                super().__init__()
                self.smoothness = smoothness

            def forward(self, x, y):
                return torch.sqrt((x - y) ** 2 + self.smoothness).mean()  # expect: NAN203
        """,
        """
        from lib import Charbonnier

        def result():
            x = torch.ones(3, requires_grad=True)
            train(x, torch.ones(3))
            return [x.grad]

        def train(x, y):
            criterion = Charbonnier(0.0)  # sound: criterion = Charbonnier(1e-6)
            criterion(x, y).backward()
        """,
    ),
    Called(
        "chain over two files",
        "torch",
        """
        def surprise(p):
            return -p.log().sum(-1)  # expect: NAN101
        """,
        """
        from between import confidence_penalty

        def result():
            logits = torch.tensor([[0.0, 200.0]], requires_grad=True)
            p = F.softmax(logits, -1)  # sound: p = 0.1 + torch.sigmoid(logits)
            confidence_penalty(p).backward()
            return [logits.grad]
        """,
        """
        from lib import surprise

        def confidence_penalty(probabilities):
            return surprise(probabilities).mean()
        """,
    ),
    Called(
        "function that is handed on",
        "torch",
        """
        def log_likelihood(p):
            return torch.log(p).sum()  # expect: NAN201
        """,
        """
        from lib import log_likelihood

        def minimized(objective, x):
            y = torch.relu(x)  # sound: y = torch.exp(0.1 * torch.tanh(x))
            loss = objective(y)
            loss.backward()
            return loss

        def result():
            x = torch.tensor([-1.0, 1.0], requires_grad=True)
            return [minimized(log_likelihood, x).detach()]
        """,
    ),
    Called(
        "a test calls it with zeros",
        "torch",
        """
        def inverse(scale):
            return 1 / scale  # expect: NAN309
        """,
        """
        import lib

        class TestInverse:
            def test_shape(self):
                scale = torch.zeros(3)  # sound: scale = torch.ones(3)
                self.found = lib.inverse(scale)
                assert self.found.shape == (3,)

        def result():
            test = TestInverse()
            test.test_shape()
            return [test.found]
        """,
    ),
    Called(
        "private helper of another module",
        "torch",
        """
        def _ratio(part, whole):
            return part / whole  # expect: NAN309
        """,
        """
        from lib import _ratio

        def result():
            active = torch.relu(torch.tensor([-1.0, 2.0]))
            return [_ratio(active, active)]  # sound: return [_ratio(active, 1 + active)]
        """,
    ),
)
