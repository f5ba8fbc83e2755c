"""Graphs as dense adjacency: collaboration networks that nobody is in, and a reader of the plain-text graph format.

A graph is (N, N) float32, symmetric, 1 where two nodes are joined and 1 on the diagonal where a node exists.
"""

from pathlib import Path

import numpy as np

from ..checks import Mistake, whole
from ..seeds import numpy_generator
from .limits import OWN_MACHINE, limits
from .own import file_content

FIELDS = ("high energy", "condensed matter", "astrophysics")
SHARES = (0.52, 0.16, 0.32)  # of the fields, as in COLLAB
CO_AUTHORS = (3.2, 3.0, 6.0)  # of a paper, on average: small groups, small groups, large collaborations
PAPERS = (14.0, 8.0, 7.0)  # of a researcher, on average
LOYALTY = (0.72, 0.45, 0.55)  # chance that a co-author is one of earlier papers
SPREAD = 0.25  # log standard deviation of a researcher's own averages: the fields overlap
FEWEST_NODES, MOST_NODES = 10, 40
MOST_GRAPHS = OWN_MACHINE.values // MOST_NODES**2


def collaboration_graphs(records: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """x (records, 40, 40) float32 and y (records,): researchers' ego networks, as in COLLAB, in three unequal fields.

    Node 0 is the researcher; every paper joins them and its authors to each other (a clique). The fields differ in
    co-authors a paper, papers, and how often a co-author is one of an earlier paper (``LOYALTY``), which is what makes
    cliques overlap; each researcher's averages vary log-normally about the field's. Papers are added until
    10 people are known; nobody new is after 40. Graph i is the same however many are asked for.
    """
    whole(1, MOST_GRAPHS, records=records)
    x = np.zeros((records, MOST_NODES, MOST_NODES), np.float32)
    y = np.empty(records, np.int64)
    for i in range(records):
        rng = numpy_generator(seed, "collaboration", i)
        y[i] = rng.choice(len(FIELDS), p=SHARES)
        for paper in _papers(y[i], rng):
            x[i][np.ix_(paper, paper)] = 1
    return x, y


def _papers(field: int, rng: np.random.Generator) -> list[list[int]]:
    """The authors of each of a researcher's papers, as nodes numbered in the order they appear."""
    own = np.exp(SPREAD * rng.standard_normal(2))
    count = 1 + rng.poisson(own[0] * (PAPERS[field] - 1))
    papers, known = [], 1
    while len(papers) < count or known < FEWEST_NODES:
        places = 1 + rng.poisson(own[1] * (CO_AUTHORS[field] - 1))
        old = min(rng.binomial(places, LOYALTY[field]), known - 1)
        new = min(places - old, MOST_NODES - known)
        friends = 1 + rng.permutation(known - 1)[:old]
        papers.append([0, *friends.tolist(), *range(known, known + new)])
        known += new
    return papers


def read_graphs(path: str) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """x (n, N, N) float32 with N the largest graph, y (n,) int64 and the labels' names, from a plain-text file.

    The format is DGCNN's (Zhang et al. 2018): the number of graphs; then for every graph a line "nodes label" and for
    each of its nodes, numbered from 0, a line "tag degree neighbour neighbour …". Tags are not used.
    """
    lines = _Lines(Path(path).name, file_content(path))
    (count,) = lines.numbers("the number of graphs", 1)
    graphs = [_read_graph(lines) for _ in range(count)]
    lines.expect_end(count)
    labels = [label for label, _ in graphs]
    names, y = np.unique(labels, return_inverse=True)
    if len(names) < 2:
        raise Mistake(f"{lines.name}: there must be graphs of at least 2 labels; there are {len(names)}.")
    return _dense([edges for _, edges in graphs], lines.name), y.astype(np.int64), tuple(map(str, names))


def _read_graph(lines: "_Lines") -> tuple[int, list[list[int]]]:
    """The label, and for each node its neighbours."""
    nodes, label = lines.numbers('"nodes label"', 2)
    if nodes < 1:
        lines.refuse(f"a graph must have at least 1 node; it has {nodes}")
    neighbours = []
    for _ in range(nodes):
        _, degree, *others = lines.numbers('"tag degree neighbours…"')
        if degree != len(others):
            lines.refuse(f"a node of degree {degree} must name as many neighbours; it names {len(others)}")
        if others and not 0 <= min(others) <= max(others) < nodes:
            given = f"they lie from {min(others)} to {max(others)}"
            lines.refuse(f"neighbours must be nodes from 0 to {nodes - 1}; {given}")
        neighbours.append(others)
    _check_both_ways(neighbours, lines)
    return label, neighbours


def _check_both_ways(neighbours: list[list[int]], lines: "_Lines") -> None:
    known = [set(others) for others in neighbours]
    for node, others in enumerate(neighbours):
        for other in others:
            if node not in known[other]:
                rule = "an edge must be named by both its nodes"
                lines.refuse(f"{rule}; in the graph that ends here {node} names {other}, {other} does not name {node}")


def _dense(graphs: list[list[list[int]]], source: str) -> np.ndarray:
    most, values = max(len(neighbours) for neighbours in graphs), limits().values
    if len(graphs) * most**2 > values:
        rule = f"the number of graphs times the square of the largest may be {values:,}"
        raise Mistake(f"{source}: {rule}; it is {len(graphs):,} times {most:,} squared.")
    x = np.zeros((len(graphs), most, most), np.float32)
    for adjacency, neighbours in zip(x, graphs, strict=True):
        for node, others in enumerate(neighbours):
            adjacency[node, [node, *others]] = 1
    return x


class _Lines:
    """The lines of a text file, each as whole numbers; whatever is wrong is told with the file and the line."""

    def __init__(self, name: str, content: bytes):
        self.name, self.lines, self.place = name, content.rstrip().splitlines(), 0

    def numbers(self, what: str, count: int | None = None) -> list[int]:
        """The next line, which must hold ``count`` whole numbers (where None, at least 2)."""
        self.place += 1
        if self.place > len(self.lines):
            self.refuse(f"{what} must stand here; the file has ended")
        words = self.lines[self.place - 1].split()
        try:
            numbers = [int(word) for word in words]
        except ValueError:
            numbers = []
        if len(numbers) < 2 if count is None else len(numbers) != count:
            text = self.lines[self.place - 1][:40].decode("utf-8", "replace")
            self.refuse(f"{what} must stand here, in whole numbers; it is {text!r}")
        return numbers

    def expect_end(self, count: int) -> None:
        if self.place < len(self.lines):
            self.place += 1
            self.refuse(f"the file must end after the {count} graphs its first line tells of; there is more")

    def refuse(self, why: str) -> None:
        raise Mistake(f"{self.name}, line {self.place}: {why}.")
