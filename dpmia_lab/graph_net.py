"""A network for graphs of any size: graph convolutions, sort pooling, a small classifier (DGCNN, Zhang et al. 2018).

Paper C's model for collaboration networks; dropout is left out as it is there. A graph is its adjacency matrix (N, N),
symmetric, 1 on the diagonal where a node exists, 0 all along the rows of nodes that do not. Nodes have no names, so
what a node starts with are functions of its degree. Numbering the nodes otherwise changes nothing.
Every layer is a Linear or a Conv2d, and no graph meets another: so it can be trained privately.
"""

import torch
from torch import nn
from torch.nn import functional as F

from dpmia_lab.models import Conv2d, Linear, initialised

WIDTHS = (32, 32, 32, 1)  # of the graph convolutions; nodes are sorted by the last
DEGREE_FUNCTIONS = 4
FEWEST_KEPT = 10  # nodes the layers after the pooling need


def new_graph_net(nodes: int, classes: int, generator: torch.Generator) -> nn.Sequential:
    """From graphs (n, nodes, nodes) to logits (n, classes).

    The pooling keeps k nodes of each graph: a third of the largest, at least 10, so that k tells nothing about the
    private graphs beyond their common frame. (The authors take k from the sizes of the training graphs.)
    """
    kept = max(FEWEST_KEPT, nodes // 3)
    core = GraphConvolutions(generator)
    after = initialised(
        nn.Sequential(
            Linear(sum(WIDTHS), 16),  # the authors' first 1-D convolution: its stride is a node
            nn.ReLU(),
            NodesInARow(),  # (n, 16, 1, k)
            nn.MaxPool2d((1, 2)),
            Conv2d(16, 32, (1, 5)),
            nn.ReLU(),
            nn.Flatten(),
            Linear(32 * (kept // 2 - 4), 128),
            nn.ReLU(),
            Linear(128, classes),
        ),
        generator,
    )
    return nn.Sequential(core, SortPooling(kept), *after)


class GraphConvolutions(nn.Module):
    """H ← tanh(D̃⁻¹ Ã H W), one after the other, all kept side by side. Zhang et al., (1).

    Ã = x has each node as its own neighbour and D̃ its row sums, so D̃⁻¹Ã is the mean over a node and its neighbours.
    """

    def __init__(self, generator: torch.Generator) -> None:
        super().__init__()
        inputs = (DEGREE_FUNCTIONS, *WIDTHS[:-1])
        self.layers = nn.ModuleList(Linear(d, p, bias=False) for d, p in zip(inputs, WIDTHS, strict=True))
        for layer in self.layers:
            nn.init.xavier_uniform_(layer.weight, generator=generator)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """(n, N, N) → (n, N, 1 + sum of widths): first whether the node exists; rows of others are 0."""
        means = x / x.sum(2, keepdim=True).clamp(min=1)
        h, kept = degree_functions(x), [x.diagonal(dim1=1, dim2=2).unsqueeze(2)]
        for layer in self.layers:
            h = torch.tanh(layer(means @ h))
            kept.append(h)
        return torch.cat(kept, 2)


def degree_functions(x: torch.Tensor) -> torch.Tensor:
    """(n, N, 4) of each node: 1, logarithm of its degree, its degree as a share of the others, 1/degree; absent: 0."""
    there = x.diagonal(dim1=1, dim2=2)
    degree = x.sum(2) - there
    others = there.sum(1, keepdim=True) - 1
    functions = (there, degree.log1p(), degree / others.clamp(min=1), there / degree.clamp(min=1))
    return torch.stack(functions, 2)


class SortPooling(nn.Module):
    """The k nodes highest in the last channel, in that order; a graph of fewer is filled up with rows of 0.

    Nodes equal in the last channel are in practice those no numbering could tell apart, equal in every channel.
    """

    def __init__(self, kept: int) -> None:
        super().__init__()
        self.kept = kept

    def forward(self, h: torch.Tensor) -> torch.Tensor:
        """(n, N, 1 + d), the first channel saying which nodes exist → (n, k, d)."""
        there, values = h[:, :, 0], h[:, :, 1:]
        last = values[:, :, -1].detach().masked_fill(there == 0, -2.0)  # tanh lies above −1
        order = last.argsort(dim=1, descending=True, stable=True)[:, : self.kept]
        chosen = values.gather(1, order.unsqueeze(2).expand(-1, -1, values.shape[2]))
        return F.pad(chosen, (0, 0, 0, self.kept - chosen.shape[1]))


class NodesInARow(nn.Module):
    """(n, k, d) → (n, d, 1, k): a picture one pixel high, so that a 1-D convolution is a Conv2d."""

    def forward(self, h: torch.Tensor) -> torch.Tensor:
        return h.transpose(1, 2).unsqueeze(2)
