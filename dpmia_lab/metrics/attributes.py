"""How well a sensitive value is guessed, from scores (S, P, V) of S splits at once."""

import numpy as np


def guess_accuracy(scores: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """(S,): share of people whose highest score is their own value; of equal scores the first value counts."""
    return (scores.argmax(-1) == truth).mean(1)


def guess_auroc(scores: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """(S,): mean over the values of the AUC of "this value" against "another"; values nobody (or all) has do not count.

    Scores are first turned into chances that sum to 1 for each person, so that they compare between people. Equal ones
    count half (midranks). Where all people have one value there is nobody to tell apart: 0.5.
    """
    chances = np.exp(scores - scores.max(-1, keepdims=True))
    chances /= chances.sum(-1, keepdims=True)
    values = scores.shape[-1]
    areas = np.stack([one_auroc(chances[..., v], truth == v) for v in range(values)], -1)
    told = np.isfinite(areas)
    return np.where(told.any(-1), np.where(told, areas, 0).sum(-1) / np.maximum(told.sum(-1), 1), 0.5)


def one_auroc(scores: np.ndarray, positive: np.ndarray) -> np.ndarray:
    """(S,): the chance that a positive scores above a negative; NaN where there are none of a kind."""
    ranks = midranks(scores)
    many = positive.sum(1)
    others = positive.shape[1] - many
    sums = np.where(positive, ranks, 0).sum(1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(many * others > 0, (sums - many * (many + 1) / 2) / (many * others), np.nan)


def midranks(scores: np.ndarray) -> np.ndarray:
    """(S, P): places from 1 on in each row; equal scores share the mean of theirs."""
    order = np.argsort(scores, axis=1, kind="stable")
    ordered = np.take_along_axis(scores, order, 1)
    fresh = np.ones(scores.shape, dtype=bool)
    fresh[:, 1:] = ordered[:, 1:] > ordered[:, :-1] + 1e-12
    group = np.cumsum(fresh.ravel()) - 1  # a row's first place is always fresh, so no group spans two rows
    places = np.tile(np.arange(1.0, scores.shape[1] + 1), len(scores))
    means = np.bincount(group, places) / np.bincount(group)
    ranks = np.empty(scores.shape)
    np.put_along_axis(ranks, order, means[group].reshape(scores.shape), 1)
    return ranks


def guess_f1(guesses: np.ndarray, truth: np.ndarray, values: int) -> np.ndarray:
    """(S,): harmonic mean of precision and recall of guesses (S, P); of two values that of the second, else the mean
    over all."""
    found = []
    for v in range(values) if values > 2 else (1,):
        right = ((guesses == v) & (truth == v)).sum(1)
        found.append(2 * right / np.maximum((guesses == v).sum(1) + (truth == v).sum(1), 1))
    return np.mean(found, 0)
