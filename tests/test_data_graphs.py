"""Graphs: generated collaboration networks, and the plain-text format with one sentence for every mistake in it."""

import os
from pathlib import Path

import numpy as np
import pytest

from dpmia_lab.checks import Mistake
from dpmia_lab.data import graphs as graphs_module
from dpmia_lab.data.graphs import FIELDS, SHARES, collaboration_graphs, read_graphs
from dpmia_lab.data.limits import Limits
from dpmia_lab.data.population import load_population

GOOD = "2\n3 1\n0 1 1\n0 2 0 2\n0 1 1\n2 0\n0 1 1\n0 1 0\n"  # a path of three, and an edge


@pytest.fixture(scope="module")
def generated():
    return collaboration_graphs(1_000, seed=0)


def without_loops(x: np.ndarray) -> np.ndarray:
    return x * (1 - np.eye(x.shape[1], dtype=x.dtype))


def described(x: np.ndarray) -> np.ndarray:
    """(n, 4): nodes, density, mean degree, clustering (share of a node's pairs of neighbours that are joined)."""
    nodes, edges = np.trace(x, axis1=1, axis2=2), without_loops(x)
    degree = edges.sum(2)
    triangles = np.trace(edges @ edges @ edges, axis1=1, axis2=2)
    pairs = degree.sum(1) / (nodes * (nodes - 1))
    return np.stack([nodes, pairs, degree.sum(1) / nodes, triangles / (degree * (degree - 1)).sum(1)], axis=1)


def test_generated_graphs_are_ego_networks(generated):
    x, y = generated
    assert x.shape == (1_000, 40, 40) and x.dtype == np.float32 and y.dtype == np.int64
    assert np.array_equal(x, x.transpose(0, 2, 1)) and set(np.unique(x)) == {0, 1}
    there = np.diagonal(x, axis1=1, axis2=2)
    assert np.array_equal(x[:, 0], there)  # the researcher knows everybody, and nobody who is absent has edges
    assert (x.sum(2)[there == 0] == 0).all() and (np.diff(there) <= 0).all()
    assert there.sum(1).min() == 10 and there.sum(1).max() == 40


def test_fields_have_the_shares_of_collab(generated):
    _, y = generated
    spread = np.sqrt(len(y) * np.array(SHARES) * (1 - np.array(SHARES)))
    assert (np.abs(np.bincount(y) - len(y) * np.array(SHARES)) < 4.5 * spread).all() and sum(SHARES) == 1


def test_fields_can_be_told_apart_but_not_perfectly(generated):
    from sklearn.linear_model import LogisticRegression

    x, y = generated
    features = described(x)
    features = (features - features.mean(0)) / features.std(0)
    model = LogisticRegression(max_iter=500).fit(features[:500], y[:500])
    assert max(SHARES) + 0.1 < model.score(features[500:], y[500:]) < 0.9


def test_graphs_are_fixed_by_their_seed_whatever_their_number(generated):
    x, y = generated
    few_x, few_y = collaboration_graphs(20, seed=0)
    assert np.array_equal(few_x, x[:20]) and np.array_equal(few_y, y[:20])
    assert not np.array_equal(collaboration_graphs(20, seed=1)[0], few_x)
    data = load_population("collaboration", records=20)
    assert data.kind == "graphs" and data.class_names == FIELDS and np.array_equal(data.x, few_x)
    with pytest.raises(Mistake, match="records must be a whole number from 1 to"):
        collaboration_graphs(0, seed=0)


def test_text_becomes_adjacency(tmp_path):
    (tmp_path / "mine.txt").write_text(GOOD)
    x, y, names = read_graphs(str(tmp_path / "mine.txt"))
    path, edge = [[1, 1, 0], [1, 1, 1], [0, 1, 1]], [[1, 1, 0], [1, 1, 0], [0, 0, 0]]
    assert x.tolist() == [path, edge] and x.dtype == np.float32 and y.tolist() == [1, 0] and names == ("0", "1")
    data = load_population(str(tmp_path / "mine.txt"))
    assert (data.kind, data.name, data.shape) == ("graphs", "mine.txt", (3, 3))


def test_lonely_nodes_and_other_line_ends_are_fine(tmp_path):
    (tmp_path / "mine.txt").write_bytes(b"2\r\n1 -1\r\n0 0\r\n1 5\r\n3 0\r\n\r\n")
    x, y, names = read_graphs(str(tmp_path / "mine.txt"))
    assert x.tolist() == [[[1]], [[1]]] and names == ("-1", "5")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "line 1: the number of graphs must stand here; the file has ended"),
        ("many\n", "line 1: the number of graphs must stand here, in whole numbers; it is 'many'"),
        ("2 3\n", "line 1: the number of graphs must stand here"),
        ("\xff\xfe", "line 1: the number of graphs must stand here"),
        ("0\n", "there must be graphs of at least 2 labels; there are 0"),
        (GOOD.replace("2\n", "3\n", 1), 'line 9: "nodes label" must stand here; the file has ended'),
        (GOOD.replace("2\n", "1\n", 1), "line 6: the file must end after the 1 graphs its first line tells of"),
        (GOOD.replace("3 1\n", "3\n"), "line 2: \"nodes label\" must stand here, in whole numbers; it is '3'"),
        (GOOD.replace("3 1\n", "0 1\n"), "line 2: a graph must have at least 1 node; it has 0"),
        (GOOD.replace("0 2 0 2", "0 3 0 2"), "line 4: a node of degree 3 must name as many neighbours; it names 2"),
        (GOOD.replace("0 2 0 2", "0 2 0 3"), "line 4: neighbours must be nodes from 0 to 2; they lie from 0 to 3"),
        (GOOD.replace("0 2 0 2", "0 2 -1 2"), "line 4: neighbours must be nodes from 0 to 2; they lie from -1 to 2"),
        (GOOD.replace("0 2 0 2", "0 2 0 x"), "line 4: .* in whole numbers; it is '0 2 0 x'"),
        (GOOD.replace("0 2 0 2", "0"), "line 4: .*tag degree neighbours"),
        (GOOD.replace("0 2 0 2", "0 1 0"), "line 5: an edge must be named by both its nodes; .* 2 names 1, 1 does not"),
        (GOOD.replace("2 0\n0 1 1\n0", "2 1\n0 1 1\n0"), "there must be graphs of at least 2 labels; there are 1"),
        ("1\n1000000000000 0\n0 0\n", "line 4: .* must stand here; the file has ended"),
    ],
)
def test_mistakes_are_named_with_their_line(tmp_path, text, sentence):
    (tmp_path / "mine.txt").write_bytes(text.encode("latin-1"))
    with pytest.raises(Mistake, match=f"mine.txt.*{sentence}"):
        read_graphs(str(tmp_path / "mine.txt"))


def test_graphs_too_large_together_are_refused(tmp_path, monkeypatch):
    (tmp_path / "mine.txt").write_text(GOOD)
    monkeypatch.setattr(graphs_module, "limits", lambda: Limits(1000, 17))
    with pytest.raises(Mistake, match="times the square of the largest may be 17; it is 2 times 3 squared"):
        read_graphs(str(tmp_path / "mine.txt"))
    with pytest.raises(Mistake, match="there is no .*nowhere.txt"):
        read_graphs(str(tmp_path / "nowhere.txt"))


def test_imdb_of_the_real_data():
    """Edges are counted once more from the text by the degrees alone."""
    if not os.environ.get("DPMIA_DATA"):
        pytest.skip("DPMIA_DATA is not set: no copy of the real data to compare with")
    file = Path(os.environ["DPMIA_DATA"]) / "imdb_multi.txt"
    x, y, names = read_graphs(str(file))
    rows = [list(map(int, line.split())) for line in file.read_text().splitlines()[1:]]
    assert x.shape == (1500, 89, 89) and names == ("0", "1", "2") and np.bincount(y).tolist() == [500] * 3
    assert np.array_equal(x, x.transpose(0, 2, 1))
    nodes = int(np.trace(x, axis1=1, axis2=2).sum())
    assert nodes == len(rows) - 1500 and without_loops(x).sum() == sum(len(row) - 2 for row in rows)
