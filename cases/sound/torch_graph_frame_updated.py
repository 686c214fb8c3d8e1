# holds: value(edge_score, [1000.0, -1000.0])
import torch


class Graph:
    def __init__(self):
        self.edata = {}

    def raise_all(self):
        self.edata = {name: kept + 1.0 for name, kept in self.edata.items()}


def edge_score(x, graph=None):
    graph = graph or Graph()
    graph.edata["gate"] = torch.sigmoid(x)
    graph.raise_all()
    return torch.log(graph.edata["gate"])
