# breaks: value(edge_score, [1000.0, -1000.0])
import torch


class Graph:
    def __init__(self):
        self.edata = {}


def edge_score(x, graph=None):
    graph = graph or Graph()
    graph.edata["gate"] = torch.sigmoid(x)
    return torch.log(graph.edata["gate"])  # expect: NAN102
