"""Local differential privacy: exact probabilities, the promise itself, and what the data look like afterwards."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from dpmia_lab.checks import Mistake
from dpmia_lab.privacy import local
from dpmia_lab.seeds import numpy_generator

PAPER = (0.1, 0.5, 1.0, 2.0, 3.0)  # ε_i in paper C
ENORMOUS, TINY = 700.0, 1e-9
bad_epsilon = pytest.mark.parametrize("epsilon", [0, -1.0, math.inf, math.nan, "1", True, None])


def rng(*path):
    return numpy_generator(0, "local", *path)


# ---- probabilities
def test_two_fair_coins_give_ln_3():
    """Kept with probability ½, else a coin: flipped with probability ¼."""
    assert local.flip_probability(math.log(3)) == pytest.approx(0.25, rel=1e-15)


@given(some.floats(1e-6, 30))
def test_a_bit_is_flipped_if_it_is_not_kept_and_the_coin_says_so(epsilon):
    rho = kept(epsilon)
    assert local.flip_probability(epsilon) == pytest.approx((1 - rho) / 2, rel=1e-9, abs=1e-15)


def kept(epsilon):
    """ρ = (e^ε − 1)/(e^ε + 1)."""
    return math.tanh(epsilon / 2)


@pytest.mark.parametrize("rho", [0.1, 0.5, 0.9])
def test_epsilon_is_equation_1(rho):
    epsilon = math.log((rho + (1 - rho) * 0.5) / ((1 - rho) * 0.5))
    assert local.flip_probability(epsilon) == pytest.approx((1 - rho) / 2)


@pytest.mark.parametrize("epsilon", PAPER)
def test_the_likelihood_ratio_of_whole_records_reaches_its_bound_and_never_passes_it(epsilon):
    """All records of three bits against all others, under all answers."""
    flip = local.flip_probability(epsilon)
    records = list(itertools.product((0, 1), repeat=3))

    def chance(answer, record):
        return math.prod(flip if a != r else 1 - flip for a, r in zip(answer, record, strict=True))

    ratios = [chance(s, v) / chance(s, w) for s in records for v in records for w in records]
    promised = local.bits_guarantee(3, epsilon)
    assert max(ratios) == pytest.approx(math.exp(promised.epsilon), rel=1e-12)
    one_bit = [chance(s, (0, 0, 0)) / chance(s, (0, 1, 0)) for s in records]
    assert max(one_bit) == pytest.approx(math.exp(promised.epsilon_part), rel=1e-12)


# ---- bits
@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
@pytest.mark.parametrize("epsilon", PAPER)
def test_bits_are_flipped_as_often_as_they_should_be(epsilon, dtype):
    """Of 200,000 zeros and as many ones; five deviations of a binomial: one run in a million is wrong."""
    n = 200_000
    bits = np.repeat(np.array([[0], [1]], dtype=dtype), n, axis=1)
    out = local.randomised_response(bits, epsilon, rng(epsilon))
    flip = local.flip_probability(epsilon)
    tolerance = 5 * math.sqrt(flip * (1 - flip) / n)
    assert (out != bits).mean(1) == pytest.approx([flip, flip], abs=tolerance)
    assert out.dtype == dtype and set(np.unique(out)) == {0, 1}


def test_answers_give_an_unbiased_estimate():
    """E[(answer − (1−ρ)/2)/ρ] is the bit itself; five deviations."""
    epsilon, n = 0.5, 100_000
    bits = (rng("truth").random((n, 3)) < [0.1, 0.5, 0.8]).astype(np.float32)
    rho, flip = kept(epsilon), local.flip_probability(epsilon)
    estimate = (local.randomised_response(bits, epsilon, rng("answer")).mean(0) - flip) / rho
    assert estimate == pytest.approx(bits.mean(0), abs=5 * 0.5 / rho / math.sqrt(n))


def test_bits_are_flipped_one_by_one():
    """Neighbours in a row and in a column agree about flipping as often as chance has it (five deviations)."""
    flipped = local.randomised_response(np.zeros((400, 400)), TINY, rng()) == 1
    for a, b in ((flipped[1:], flipped[:-1]), (flipped[:, 1:], flipped[:, :-1])):
        assert (a == b).mean() == pytest.approx(0.5, abs=5 * 0.5 / math.sqrt(a.size))


@settings(max_examples=30, deadline=None)
@given(some.integers(0, 6), some.integers(1, 9), some.floats(0.01, 20), some.integers(0, 2**31))
def test_bits_stay_bits_and_the_owner_keeps_the_original(n, d, epsilon, seed):
    bits = (numpy_generator(seed, "bits").random((n, d)) < 0.5).astype(np.uint8)
    before = bits.copy()
    out = local.randomised_response(bits, epsilon, numpy_generator(seed))
    assert out.shape == bits.shape and np.isin(out, (0, 1)).all() and (bits == before).all()
    assert (out == local.randomised_response(bits, epsilon, numpy_generator(seed))).all()


def test_how_many_are_drawn_at_once_changes_nothing(monkeypatch):
    bits, graphs = np.ones((50, 7), np.float32), whole_graphs(5, 6)
    once = local.randomised_response(bits, 0.5, rng()), local.randomised_edges(graphs, 0.5, rng())
    monkeypatch.setattr(local, "AT_A_TIME", 20)
    few = local.randomised_response(bits, 0.5, rng()), local.randomised_edges(graphs, 0.5, rng())
    assert all((a == b).all() for a, b in zip(once, few, strict=True))


def test_with_an_enormous_epsilon_nothing_changes():
    bits, pictures = rng("bits").integers(0, 2, (50, 40)), rng("pictures").random((3, 1, 6, 5), dtype=np.float32)
    assert (local.randomised_response(bits, ENORMOUS, rng()) == bits).all()
    assert np.allclose(local.pixelated(pictures, 1, 1, 1e9, rng()), pictures, atol=1e-6)
    graphs = whole_graphs(4, 5)
    assert (local.randomised_edges(graphs, ENORMOUS, rng()) == graphs).all()


@bad_epsilon
def test_an_epsilon_that_promises_nothing_is_refused(epsilon):
    bits, graphs = np.zeros((2, 3)), whole_graphs(2, 3)
    for call in (
        lambda: local.flip_probability(epsilon),
        lambda: local.randomised_response(bits, epsilon, rng()),
        lambda: local.randomised_edges(graphs, epsilon, rng()),
        lambda: local.pixelated(np.zeros((1, 1, 2, 2)), 1, 1, epsilon, rng()),
        lambda: local.bits_guarantee(3, epsilon),
        lambda: local.edges_guarantee(3, epsilon),
        lambda: local.picture_guarantee((1, 2, 2), 1, epsilon),
    ):
        with pytest.raises(Mistake, match="epsilon.* must be (greater than 0|finite); it is"):
            call()


@pytest.mark.parametrize("bits", [np.full((2, 2), 2), np.full((2, 2), 0.5), np.array([[math.nan]]), np.array([["1"]])])
def test_anything_but_bits_is_refused(bits):
    with pytest.raises(Mistake, match="bits must hold the numbers 0 and 1 only"):
        local.randomised_response(bits, 1.0, rng())


# ---- pictures
def grey(height, width, n=1, channels=1):
    return np.full((n, channels, height, width), 0.5, dtype=np.float32)


def noise_of(out, epsilon):
    assert epsilon >= 50  # so little noise that [0, 1] cuts none of it worth counting
    return np.abs(out.astype(np.float64) - 0.5)


@pytest.mark.parametrize(("b", "m", "epsilon"), [(1, 1, 50.0), (1, 3, 200.0), (2, 4, 60.0), (4, 16, 50.0)])
def test_noise_has_fans_scale(b, m, epsilon):
    """The mean absolute value of Laplace noise is its scale, 255·m/(b²ε) of 255 tones, and so is its deviation."""
    out = local.pixelated(grey(64, 64, n=40), b, m, epsilon, rng(b, m))
    cells = noise_of(out, epsilon)[:, :, ::b, ::b]
    scale = m / (b * b * epsilon)
    assert cells.mean() == pytest.approx(scale, abs=5 * scale / math.sqrt(cells.size))


def test_smaller_cells_at_the_edge_have_noise_as_much_larger():
    """5 = 3 + 2 high and 4 = 3 + 1 wide: cells of 9, 3, 6 and 2 pixels."""
    epsilon, n = 100.0, 20_000
    noise = noise_of(local.pixelated(grey(5, 4, n=n), 3, 1, epsilon, rng()), epsilon)
    for place, k in {(0, 0): 9, (0, 3): 3, (3, 0): 6, (3, 3): 2}.items():
        found = noise[:, 0, *place].mean()
        assert found == pytest.approx(1 / (k * epsilon), rel=5 / math.sqrt(n))


@pytest.mark.parametrize(("height", "width", "b"), [(6, 6, 2), (6, 9, 3), (7, 5, 3), (4, 4, 9), (5, 3, 1)])
def test_a_change_of_m_values_costs_at_most_epsilon(height, width, b):
    """The promise, from the scales themselves: however m values are placed, Σ |change of mean| / scale ≤ ε."""
    epsilon, m = 1.5, 4
    high, wide = local.cell_sides(height, b), local.cell_sides(width, b)
    k = np.outer(high, wide)
    cell = np.arange(k.size).reshape(k.shape).repeat(high, 0).repeat(wide, 1).ravel()
    draws = rng("worst")
    for _ in range(50):
        changed = draws.choice(height * width, m, replace=False)
        moved = np.bincount(cell[changed], minlength=k.size) / k.ravel()
        assert (moved / (m / (k.ravel() * epsilon))).sum() == pytest.approx(epsilon)
    everything = (np.bincount(cell) / k.ravel() / (m / (k.ravel() * epsilon))).sum()
    assert everything == pytest.approx(local.picture_guarantee((1, height, width), m, epsilon).epsilon)


@settings(max_examples=30, deadline=None)
@given(*[some.integers(1, 9)] * 3, some.sampled_from([1, 3]), some.floats(0.01, 1e6))
def test_cells_are_of_one_tone_within_bounds(height, width, b, channels, epsilon):
    pictures = rng("x").random((2, channels, height, width), dtype=np.float32)
    out = local.pixelated(pictures, b, 1, epsilon, rng())
    assert out.shape == pictures.shape and out.dtype == np.float32 and (out >= 0).all() and (out <= 1).all()
    for top, left in itertools.product(range(0, height, b), range(0, width, b)):
        own = out[:, :, top : top + b, left : left + b]
        assert (own == own[:, :, :1, :1]).all()
    assert (out == local.pixelated(pictures, b, 1, epsilon, rng())).all()


def test_without_noise_a_cell_shows_its_mean():
    pictures = rng("x").random((2, 3, 5, 7))
    out = local.pixelated(pictures, 3, 1, 1e12, rng())
    assert out[:, :, 0, 0] == pytest.approx(pictures[:, :, :3, :3].mean((2, 3)), abs=1e-9)
    assert out[:, :, 4, 6] == pytest.approx(pictures[:, :, 3:, 6:].mean((2, 3)), abs=1e-9)


def test_high_privacy_leaves_random_black_and_white():
    out = local.pixelated(grey(50, 50), 1, 50, 0.01, rng())
    assert np.isin(out, (0, 1)).mean() > 0.99
    assert out.mean() == pytest.approx(0.5, abs=5 * 0.5 / 50)


@pytest.mark.parametrize("b", [0, -1, 1.5, True, "2"])
def test_a_cell_has_a_whole_side(b):
    with pytest.raises(Mistake, match="b must be a whole number from 1"):
        local.pixelated(grey(4, 4), b, 1, 1.0, rng())


@pytest.mark.parametrize("m", [0, 0.5, -3, math.nan, "1"])
def test_pictures_differ_in_a_pixel_at_least(m):
    with pytest.raises(Mistake, match="m must be from 1"):
        local.pixelated(grey(4, 4), 1, m, 1.0, rng())
    with pytest.raises(Mistake, match="m must be from 1"):
        local.picture_guarantee((1, 4, 4), m, 1.0)


@pytest.mark.parametrize("x", [np.zeros((4, 4)), np.full((1, 1, 2, 2), 255.0), np.full((1, 1, 2, 2), math.nan)])
def test_pictures_of_another_kind_are_refused(x):
    with pytest.raises(Mistake, match="pictures must be"):
        local.pixelated(x, 1, 1, 1.0, rng())


# ---- graphs
def graph(edges, nodes, frame):
    """Nodes 0 … nodes−1 of ``frame``."""
    x = np.zeros((frame, frame), np.float32)
    x[np.arange(nodes), np.arange(nodes)] = 1
    for i, j in edges:
        x[i, j] = x[j, i] = 1
    return x


def whole_graphs(n, nodes, frame=None):
    return np.stack([graph(itertools.combinations(range(nodes), 2), nodes, frame or nodes)] * n)


def random_graphs(seed, n=6, frame=7):
    """Of 0 to 7 nodes, at any places of the frame."""
    draw = numpy_generator(seed, "graphs")
    there = draw.random((n, frame)) < 0.6
    upper = np.triu(draw.random((n, frame, frame)) < 0.4, 1)
    edges = (upper | upper.transpose(0, 2, 1)) & there[:, :, None] & there[:, None, :]
    return (edges | there[:, :, None] & np.eye(frame, dtype=bool)).astype(np.float32)


@settings(max_examples=50, deadline=None)
@given(some.integers(0, 2**31), some.floats(0.001, 10))
def test_graphs_stay_graphs_and_no_node_is_left_alone(seed, epsilon):
    graphs = random_graphs(seed)
    before = graphs.copy()
    out = local.randomised_edges(graphs, epsilon, numpy_generator(seed))
    there = local.existing_nodes(graphs)
    assert (graphs == before).all() and out.dtype == graphs.dtype and np.isin(out, (0, 1)).all()
    assert (out == out.transpose(0, 2, 1)).all()
    assert (local.existing_nodes(out) == there).all()
    assert not out[~there].any()
    degrees = out.sum(2) - there
    assert (degrees[there & (there.sum(1) > 1)[:, None]] >= 1).all()
    assert (out == local.randomised_edges(graphs, epsilon, numpy_generator(seed))).all()


@pytest.mark.parametrize("epsilon", PAPER)
@pytest.mark.parametrize("edge", [0, 1])
def test_edges_are_flipped_as_often_as_they_should_be(edge, epsilon):
    """On 30 nodes hardly any is left alone, so the repair is out of the way; five deviations of a binomial."""
    nodes, n = 30, 300
    graphs = whole_graphs(n, nodes) if edge else np.stack([graph([], nodes, nodes)] * n)
    flipped = graphs.copy()
    local.flip_pairs(flipped, local.flip_probability(epsilon), rng(epsilon))
    i, j = np.triu_indices(nodes, 1)
    flip, pairs = local.flip_probability(epsilon), n * len(i)
    assert (flipped != graphs)[:, i, j].mean() == pytest.approx(flip, abs=5 * math.sqrt(flip * (1 - flip) / pairs))
    assert (flipped == flipped.transpose(0, 2, 1)).all()


def test_a_lonely_node_joins_any_other_as_often():
    """5 nodes at places 0, 2, 3, 5, 6; node 3 has no edge. Five deviations of a binomial."""
    n, there = 8000, [0, 2, 3, 5, 6]
    one = np.zeros((7, 7))
    one[np.ix_([0, 2, 5, 6], [0, 2, 5, 6])] = 1
    one[3, 3] = 1
    out = local.randomised_edges(np.stack([one] * n), ENORMOUS, rng())
    joined = out[:, 3].mean(0)
    assert (out[:, 3].sum(1) == 2).all()
    assert joined[[0, 2, 5, 6]] == pytest.approx([0.25] * 4, abs=5 * math.sqrt(0.25 * 0.75 / n))
    assert joined[[1, 4]].tolist() == [0, 0] and (out[:, there, there] == 1).all()


def test_a_single_node_stays_as_it_is():
    graphs = np.stack([graph([], 1, 4), graph([], 0, 4)])
    assert (local.randomised_edges(graphs, 0.1, rng()) == graphs).all()


def test_the_frame_a_graph_is_stored_in_changes_nothing():
    small, large = whole_graphs(3, 5), whole_graphs(3, 5, frame=9)
    out = local.randomised_edges(large, 0.5, rng())
    assert (out[:, :5, :5] == local.randomised_edges(small, 0.5, rng())).all()


@pytest.mark.parametrize(
    ("graphs", "rule"),
    [
        (np.zeros((2, 3)), "must have the shape"),
        (np.zeros((2, 3, 4)), "must have the shape"),
        (np.full((1, 2, 2), 0.5), "0 and 1 only"),
        (np.array([[[1, 1], [0, 1]]]), "must be symmetric"),
        (np.array([[[0, 1], [1, 1]]]), "must be symmetric"),
    ],
)
def test_matrices_that_are_no_graphs_are_refused(graphs, rule):
    with pytest.raises(Mistake, match=rule):
        local.randomised_edges(graphs, 1.0, rng())


# ---- what is promised
def test_the_papers_record_epsilons():
    """Table 2: 600·ε_i for shopping carts, 6382·ε_i for hospital stays."""
    assert [local.bits_guarantee(600, e).epsilon for e in (3.0, 0.1)] == pytest.approx([1800, 60])
    assert [local.bits_guarantee(6382, e).epsilon for e in (3.0, 0.1)] == pytest.approx([19146, 638.2])


def test_a_graph_costs_all_its_pairs():
    promised = local.edges_guarantee(10, 0.5)
    assert (promised.epsilon, promised.epsilon_part) == (22.5, 0.5)


def test_a_picture_costs_its_values_over_m():
    promised = local.picture_guarantee((1, 250, 250), math.sqrt(250 * 250), 2.0)
    assert promised.epsilon == pytest.approx(500)
    assert "125000 as paper C adds" in promised.words()
    assert local.picture_guarantee((3, 4, 4), 1, 2.0).epsilon == pytest.approx(96)


def test_the_words_carry_unit_relation_delta_and_accountant():
    said = local.bits_guarantee(600, 1.0).words()
    assert said == (
        "ε = 600 for a record (features only: labels are not randomised), 1 for one bit (replace one; δ = 0; local, "
        "added over 600 bits)"
    )
    said = local.edges_guarantee(10, 0.5).words()
    assert "0.5 for one edge (replace one; δ = 0; local, added over the 45 pairs" in said
    assert "2 for any 250 pixel values" in local.picture_guarantee((1, 250, 250), 250, 2.0).words()


@pytest.mark.parametrize("call", [lambda: local.bits_guarantee(0, 1.0), lambda: local.edges_guarantee(1, 1.0)])
def test_a_record_of_nothing_has_no_epsilon(call):
    with pytest.raises(Mistake, match="must be a whole number from"):
        call()
