"""Local differential privacy: every record is changed by its owner, before anybody sees it (paper C, 2.2, 4.3, 4.4).

Bits and the edges of graphs by randomised response (Warner 1965), pictures by pixelation with Laplace noise (Fan 2018).
All of it is pure ε, so δ = 0. One bit, edge or few pixels are hidden with a small ε; a record is many of them, and its
ε is their sum: ``LocalGuarantee`` always carries both. None of it touches a record's label.
"""

import math
from dataclasses import dataclass

import numpy as np

from dpmia_lab.checks import Mistake, between, positive, whole
from dpmia_lab.privacy.accounting import NEIGHBOURS, epsilon_text

MOST = 1_000_000  # bits, nodes, pixels: beyond what anybody means
FEATURES_ONLY = "features only: labels are not randomised"  # to be said beside every local ε
AT_A_TIME = 4_000_000  # numbers drawn at once; the stream, and so the result, does not depend on it


# ---- what is promised
@dataclass(frozen=True)
class LocalGuarantee:
    """What a record's owner is promised, whatever others do: ``epsilon`` for all of it, ``epsilon_part`` for a part."""

    epsilon: float
    epsilon_part: float
    part: str  # such as "one bit"
    accountant: str  # how the one follows from the other
    unit: str = "record"
    neighbours: str = "replace-one"
    delta: float = 0.0

    def words(self) -> str:
        """Such as "ε = 600 for a record (features only: …), 1 for one bit (replace one; δ = 0; local, added …)"."""
        whole_record = f"ε = {epsilon_text(self.epsilon)} for a {self.unit} ({FEATURES_ONLY})"
        one_part = f"{epsilon_text(self.epsilon_part)} for {self.part}"
        return f"{whole_record}, {one_part} ({NEIGHBOURS[self.neighbours]}; δ = {self.delta:g}; {self.accountant})"


def bits_guarantee(features: int, epsilon_bit: float) -> LocalGuarantee:
    """Records of so many bits, each answered with ε_i: features·ε_i (C, Definition 5)."""
    positive(epsilon_bit=epsilon_bit)
    whole(1, MOST, features=features)
    return LocalGuarantee(features * epsilon_bit, epsilon_bit, "one bit", f"local, added over {features:,} bits")


def edges_guarantee(nodes: int, epsilon_edge: float) -> LocalGuarantee:
    """Graphs of up to so many nodes: ε_i for an edge, pairs·ε_i for a graph, the worst record being the largest.

    Two records have the same nodes: how many nodes a graph has is not hidden. Paper C's Table 2 counts
    2,000·ε_i, one for each edge that a node of COLLAB may have, which is a promise about one node's edges.
    """
    positive(epsilon_edge=epsilon_edge)
    whole(2, MOST, nodes=nodes)
    pairs = nodes * (nodes - 1) // 2
    how = f"local, added over the {pairs:,} pairs of the largest graph, whose nodes are not hidden"
    return LocalGuarantee(pairs * epsilon_edge, epsilon_edge, "one edge", how)


def picture_guarantee(shape: tuple[int, int, int], m: float, epsilon: float) -> LocalGuarantee:
    """Pictures (channels, height, width): ε for a change of up to m pixel values (Fan's theorem), values·ε/m for all.

    A colour pixel is three values. Fan's bound grows evenly with how many values change (see ``pixelated``), so that
    a whole picture costs values/m times ε. Paper C calls ε that of a pixel and adds it over all pixels
    (Table 2): valid too, but m times as large.
    """
    positive(epsilon=epsilon)
    values = math.prod(shape)
    between(1, MOST, m=m)
    paper = epsilon_text(values * epsilon)
    how = f"local, Laplace noise, in proportion over {values:,} values; {paper} as paper C adds"
    return LocalGuarantee(values / m * epsilon, epsilon, f"any {m:,.4g} pixel values", how)


# ---- bits
def flip_probability(epsilon_bit: float) -> float:
    """(1−ρ)/2 = 1/(e^ε + 1), right to the last digit also where ρ is nearly 1.

    A bit is kept with probability ρ = (e^ε − 1)/(e^ε + 1), else it is a fair coin: the inverse of
    ε_i = ln((ρ + (1−ρ)/2) / ((1−ρ)/2))  (C, (1)), which is ln 3 for two fair coins, ρ = ½.
    """
    positive(epsilon_bit=epsilon_bit)
    return math.exp(-epsilon_bit) / (1 + math.exp(-epsilon_bit))


def randomised_response(bits: np.ndarray, epsilon_bit: float, rng: np.random.Generator) -> np.ndarray:
    """bits (n, d) of 0 and 1, of any type of number → the same, each bit kept with probability ρ, else a fair coin.

    One draw a bit does both: kept or coin, it comes out flipped with probability (1−ρ)/2.
    """
    flip, out = flip_probability(epsilon_bit), np.array(bits)
    refuse_other_than_bits(out, "bits")
    rows = max(1, AT_A_TIME // max(1, math.prod(out.shape[1:])))
    for start in range(0, len(out), rows):
        some = out[start : start + rows]
        np.subtract(1, some, out=some, where=rng.random(some.shape) < flip)
    return out


def refuse_other_than_bits(x: np.ndarray, name: str) -> None:
    if x.dtype.kind not in "uif" or not ((x == 0) | (x == 1)).all():
        raise Mistake(f"{name} must hold the numbers 0 and 1 only; other values were found.")


# ---- pictures
def pixelated(pictures: np.ndarray, b: int, m: float, epsilon: float, rng: np.random.Generator) -> np.ndarray:
    """pictures (n, channels, height, width) in [0, 1] → cells of b × b pixels in one tone: the mean, and Laplace noise.

    Hides any change of up to m pixel values of a picture with ε (Fan 2018). Changing one value by all its 255 tones
    moves the mean of its cell by 255/k, k = b² the pixels of the cell, so noise of scale 255·m/(k·ε) there costs at
    most ε/m, and m of them ε together. At the right and lower edge, where b does not divide a side, cells have
    fewer pixels, and their noise is as much larger. Cutting to [0, 1] afterwards costs nothing.
    Paper C uses b = 1 and m = sqrt(250·250).
    """
    if pictures.ndim != 4 or 0 in pictures.shape or not ((pictures >= 0) & (pictures <= 1)).all():
        raise Mistake(f"pictures must be (n, channels, height, width) from 0 to 1; their shape is {pictures.shape}.")
    whole(1, MOST, b=b)
    between(1, MOST, m=m)
    positive(epsilon=epsilon)
    high, wide = (cell_sides(side, b) for side in pictures.shape[2:])
    k = np.outer(high, wide)
    sums = np.add.reduceat(pictures.astype(np.float64), np.cumsum(high) - high, axis=2)
    means = np.add.reduceat(sums, np.cumsum(wide) - wide, axis=3) / k
    noisy = means + rng.laplace(scale=m / (k * epsilon), size=means.shape)  # tones of 0 to 1, so without the 255
    shown = noisy.clip(0, 1).astype(pictures.dtype)
    return shown.repeat(high, axis=2).repeat(wide, axis=3)


def cell_sides(length: int, b: int) -> np.ndarray:
    """b, b, …, and what is left."""
    starts = np.arange(0, length, b)
    return np.minimum(b, length - starts)


# ---- graphs
def randomised_edges(graphs: np.ndarray, epsilon_edge: float, rng: np.random.Generator) -> np.ndarray:
    """graphs (n, N, N), symmetric, 1 on the diagonal where a node exists → with randomised response on each pair.

    Nodes stay as they are. Then every node without an edge gets one to another node drawn at random (paper C's repair,
    "every node has at least one symmetric edge"): it looks at the randomised graph only, so it costs no privacy.
    A graph of a single node stays. Draws are made for pairs of existing nodes only, so padding changes nothing.
    """
    flip, out = flip_probability(epsilon_edge), np.array(graphs)
    check_graphs(out)
    few = max(1, AT_A_TIME // max(1, out.shape[-1] ** 2))
    for start in range(0, len(out), few):
        flip_pairs(out[start : start + few], flip, rng)
    join_lonely(out, rng)
    return out


def check_graphs(graphs: np.ndarray) -> None:
    if graphs.ndim != 3 or graphs.shape[1] != graphs.shape[2]:
        raise Mistake(f"graphs must have the shape (n, nodes, nodes); it is {graphs.shape}.")
    refuse_other_than_bits(graphs, "graphs")
    if not (graphs == graphs.mT).all() or graphs[~existing_nodes(graphs)].any():
        raise Mistake("graphs must be symmetric, with 1 on the diagonal for every node that has an edge; one is not.")


def existing_nodes(graphs: np.ndarray) -> np.ndarray:
    """(n, N): whether there is such a node."""
    return np.diagonal(graphs, axis1=1, axis2=2) == 1


def flip_pairs(graphs: np.ndarray, flip: float, rng: np.random.Generator) -> None:
    """In place: each pair i < j of existing nodes, with that probability, in both directions."""
    there = existing_nodes(graphs)
    g, i, j = np.nonzero(np.triu(there[:, :, None] & there[:, None, :], 1))
    chosen = rng.random(len(g)) < flip
    g, i, j = g[chosen], i[chosen], j[chosen]
    graphs[g, i, j] = graphs[g, j, i] = 1 - graphs[g, i, j]


def join_lonely(graphs: np.ndarray, rng: np.random.Generator) -> None:
    """In place: an edge for every node that has none, to one of the other nodes of its graph, each as likely."""
    there = existing_nodes(graphs)
    count = there.sum(1)
    g, i = np.nonzero(there & (graphs.sum(2) == 1) & (count > 1)[:, None])
    own = (there.cumsum(1) - 1)[g, i]  # the place of the node among those of its graph
    other = rng.integers(0, count[g] - 1)
    other += other >= own
    j = np.argsort(~there, axis=1, kind="stable")[g, other]
    graphs[g, i, j] = graphs[g, j, i] = 1
