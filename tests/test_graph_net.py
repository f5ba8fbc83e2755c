"""The graph network: indifferent to how nodes are numbered, trainable privately, able to learn."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import dpmia_lab.devices  # noqa: F401 (one thread, as everywhere in the lab)
from dpmia_lab import graph_net
from dpmia_lab.privacy.clipping import Clipper
from dpmia_lab.privacy.dp_sgd import DpSgd
from dpmia_lab.privacy.groups import Groups
from dpmia_lab.privacy.units import units_from
from dpmia_lab.seeds import torch_generator
from dpmia_lab.stages import drain
from dpmia_lab.training import plain, private

FRAME, CLASSES = 16, 3


def random_graphs(n, frame=FRAME, seed=0, density=0.4, fewest=2):
    """(n, frame, frame): of ``fewest`` to ``frame`` nodes, the first of the frame."""
    generator = torch_generator(seed, "graphs")
    sizes = torch.randint(fewest, frame + 1, (n,), generator=generator)
    there = (torch.arange(frame) < sizes[:, None]).double()
    upper = (torch.rand(n, frame, frame, generator=generator) < density).double().triu(1)
    edges = (upper + upper.mT) * there[:, :, None] * there[:, None, :]
    return (edges + torch.diag_embed(there)).to(torch.get_default_dtype())


def new_net(frame=FRAME, seed=0):
    return graph_net.new_graph_net(frame, CLASSES, torch_generator(seed, "net"))


@pytest.fixture
def double():
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize("frame", [2, 9, 16, 60])
def test_graphs_of_any_size_become_logits(frame):
    x = random_graphs(5, frame)
    assert new_net(frame)(x).shape == (5, CLASSES)


def test_numbering_the_nodes_otherwise_changes_nothing(double):
    x, net = random_graphs(20), new_net()
    order = torch.stack([torch.randperm(FRAME, generator=torch_generator(i)) for i in range(20)])
    numbered = torch.stack([g[o][:, o] for g, o in zip(x, order, strict=True)])
    assert torch.allclose(net(x), net(numbered), rtol=0, atol=1e-12)


def test_the_frame_a_graph_is_stored_in_changes_nothing(double):
    """As long as the frame keeps as many nodes: 16 and 20 both keep 10."""
    x, net = random_graphs(8), new_net()
    assert torch.allclose(net(x), net(F.pad(x, (0, 4, 0, 4))), rtol=0, atol=1e-12)


def test_other_graphs_do_not_matter(double):
    x, net = random_graphs(6), new_net()
    alone = torch.cat([net(g[None]) for g in x])
    assert torch.allclose(net(x), alone, rtol=0, atol=1e-12)


def test_degree_functions_of_a_path_and_of_nobody():
    path = torch.tensor([[1.0, 1, 0, 0], [1, 1, 1, 0], [0, 1, 1, 0], [0, 0, 0, 0]])
    found = graph_net.degree_functions(path[None])[0]
    two, three = torch.tensor([2.0, 3.0]).log()
    expected = torch.tensor([[1, two, 0.5, 1], [1, three, 1, 0.5], [1, two, 0.5, 1], [0, 0, 0, 0]])
    assert torch.allclose(found, expected)


def test_convolutions_equal_the_formula_node_by_node(double):
    """H ← tanh(D̃⁻¹ Ã H W): each node's mean over itself and its neighbours, then W."""
    core, (x,) = graph_net.GraphConvolutions(torch_generator(0)), random_graphs(1, 6, seed=3)
    found = core(x[None])[0]
    h, start = graph_net.degree_functions(x[None])[0], 1
    for layer in core.layers:
        rows = []
        for node in range(6):
            near = x[node].nonzero().squeeze(1)
            mean = h[near].mean(0) if len(near) else torch.zeros(h.shape[1])
            rows.append(torch.tanh(layer.weight @ mean))
        h = torch.stack(rows)
        assert torch.allclose(found[:, start : start + h.shape[1]], h)
        start += h.shape[1]
    assert torch.equal(found[:, 0], x.diagonal())


def test_nodes_are_sorted_by_the_last_channel_and_absent_ones_come_last():
    """Channels: exists, a, b. A node that exists comes before an absent one even where its b is below 0."""
    h = torch.tensor([[1, 10, -0.9], [0, 0, 0], [1, 20, 0.3], [1, 30, -0.1]])[None]
    pooled = graph_net.SortPooling(5)(h)[0]
    assert torch.equal(pooled, torch.tensor([[20, 0.3], [30, -0.1], [10, -0.9], [0, 0], [0, 0]]))
    assert torch.equal(graph_net.SortPooling(2)(h)[0], pooled[:2])


def test_the_layers_are_the_papers():
    net = new_net(60)
    convolutions, _, first, *_ = net
    assert [tuple(layer.weight.shape) for layer in convolutions.layers] == [(32, 4), (32, 32), (32, 32), (1, 32)]
    assert (first.in_features, first.out_features) == (97, 16)
    assert not any(isinstance(layer, nn.Dropout) for layer in net.modules())


def test_weights_come_from_the_passed_generator_alone(monkeypatch):
    before, empty = torch.random.get_rng_state(), torch.empty
    monkeypatch.setattr(torch, "empty", lambda *size, **how: empty(*size, **how).fill_(torch.nan))
    one, same, other = new_net(), new_net(), new_net(seed=1)
    monkeypatch.undo()
    assert torch.equal(before, torch.random.get_rng_state())
    for a, b, c in zip(one.parameters(), same.parameters(), other.parameters(), strict=True):
        assert torch.isfinite(a).all() and torch.equal(a, b) and not torch.equal(a, c)


# ---- privacy
def slow_clipped_sum(net, x, y, clip):
    """The definition: one graph after the other, its gradient by autograd."""
    total, norms = [torch.zeros_like(p) for p in net.parameters()], []
    for i in range(len(x)):
        own = torch.autograd.grad(F.cross_entropy(net(x[i : i + 1]), y[i : i + 1]), list(net.parameters()))
        norms.append(torch.cat([g.flatten() for g in own]).norm())
        for sum_, g in zip(total, own, strict=True):
            sum_ += g * min(1.0, clip / float(norms[-1]))
    return total, torch.stack(norms)


@pytest.mark.parametrize("share", [0.5, 1.0, 2.0])
def test_the_clipped_sum_equals_the_slow_one(double, share):
    """Every graph clipped, some, or none; 1e-10 as in the tests of clipping."""
    x, net = random_graphs(12), new_net()
    y = torch.arange(12) % CLASSES
    norms = slow_clipped_sum(net, x, y, 1.0)[1]
    clip = float({0.5: norms.min() / 2, 1.0: norms.median(), 2.0: norms.max() * 2}[share])
    gradients, norms = slow_clipped_sum(net, x, y, clip)
    found = Clipper(net).clipped_sum(x, y, Groups(torch.ones(12, dtype=torch.long)), clip)
    assert torch.allclose(found.norms, norms, rtol=1e-10, atol=1e-10)
    for mine, slow in zip(found.gradients, gradients, strict=True):
        assert torch.allclose(mine, slow, rtol=1e-10, atol=1e-10)


# ---- learning
def two_kinds(n, seed):
    """Sparse graphs and dense ones, of the same sizes; y says which."""
    half = n // 2
    sparse, dense = (random_graphs(half, seed=seed, density=d, fewest=6) for d in (0.2, 0.6))
    return torch.cat([sparse, dense]), torch.arange(2).repeat_interleave(half)


def accuracy(net, x, y):
    return float((plain.confidences(net, x).argmax(1) == y).float().mean())


def test_it_learns_to_tell_sparse_graphs_from_dense_ones():
    (x, y), net = two_kinds(200, 1), new_net()
    drain(plain.train(net, x, y, epochs=6, rate=0.003, adam=True, generator=torch_generator(0), batch=20))
    assert accuracy(net, *two_kinds(200, 2)) >= 0.95


def test_it_learns_privately():
    """Half of 200 graphs join each step: with a quarter and as much noise, 60 steps often learn nothing."""
    (x, y), net = two_kinds(200, 1), new_net()
    dp = DpSgd(sigma=1.0, q=0.5, clip=1.0, steps=80)
    drain(private.train(net, x, y, units_from(range(200)), dp, rate=0.5, generator=torch_generator(0)))
    assert accuracy(net, *two_kinds(200, 2)) >= 0.85
