"""The likelihood ratio attack, LiRA (Carlini et al. 2022): is this output likelier with the record or without it?

Signals are logit-confidences (``signals.py``): near Gaussian, so two fitted normals per record are enough. A record is
compared with itself in other models, which takes out how easy it is; that is what a global threshold cannot do.
"""

import numpy as np

from dpmia_lab.checks import Mistake

FLOOR = 1e-6  # a record's own variance counts as at least this share of the global one


def lira_scores(target: np.ndarray, shadows: np.ndarray, inside: np.ndarray, *, fixed_variance: bool) -> np.ndarray:
    """(n,): log N(target; μ_in, s²_in) − log N(target; μ_out, s²_out), the online attack.

    target (n,); shadows (M, n) the same records' signals in M other models; inside (M, n): trained on that record?
    ``fixed_variance``: one s_in and one s_out for all records, better with few models. A record with fewer than two
    models of a kind takes the global variance there; with none, the other kind's mean and the average difference.
    """
    inside = np.asarray(inside, dtype=bool)
    mean_in, variance_in = fitted(shadows, inside, fixed_variance)
    mean_out, variance_out = fitted(shadows, ~inside, fixed_variance)
    difference = mean_in - mean_out
    if np.isnan(difference).all():
        raise Mistake("inside must have a record that some models were trained on and others were not; there is none.")
    typical = np.nanmean(difference)
    mean_in = np.where(np.isnan(mean_in), mean_out + typical, mean_in)
    mean_out = np.where(np.isnan(mean_out), mean_in - typical, mean_out)
    return log_normal(target, mean_in, variance_in) - log_normal(target, mean_out, variance_out)


def offline_lira_scores(target: np.ndarray, shadows_out: np.ndarray, *, fixed_variance: bool) -> np.ndarray:
    """(n,): (target − μ_out) / s_out, from (n,) and models (M, n) none of which was trained on the record.

    The paper's score is Pr[N(μ_out, s²_out) ≤ target] = Φ of it, near 1 where the target is surer than any model
    without the record would be. The order is the same, and deviations go on where Φ has rounded to 1.
    """
    mean, variance = fitted(shadows_out, np.ones(np.shape(shadows_out), dtype=bool), fixed_variance)
    return (target - mean) / np.sqrt(variance)


def levelled(signals: np.ndarray) -> np.ndarray:
    """(M, n): each model's signals less their median, over the distance of their quartiles.

    Where models stop at epochs of their own, some are surer of everybody than others are. That says nothing about a
    record, and as it stands would count as its variance.
    """
    low, middle, high = np.quantile(signals, (0.25, 0.5, 0.75), axis=-1, keepdims=True)
    return (signals - middle) / (high - low + 1e-12)


def fitted(shadows: np.ndarray, chosen: np.ndarray, fixed_variance: bool) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance (n,) of each record over the chosen models; the mean is NaN where there is none.

    The global variance is that *within* records, pooled: Σ (x − own mean)² / Σ (models − 1).
    """
    x = np.asarray(shadows, dtype=np.float64)
    count = chosen.sum(0)
    if (count < 2).all():
        raise Mistake("shadows must hold two models of each kind for at least one record; they do not.")
    total = np.where(chosen, x, 0).sum(0)
    mean = np.divide(total, count, out=np.full(len(count), np.nan), where=count > 0)
    squares = np.where(chosen, x - mean, 0)
    squares = (squares * squares).sum(0)
    pooled = max(squares.sum() / np.maximum(count - 1, 0).sum(), 1e-12)
    own = np.divide(squares, count - 1, out=np.full(len(count), pooled), where=count > 1)
    return mean, np.full(len(count), pooled) if fixed_variance else np.maximum(own, FLOOR * pooled)


def log_normal(x: np.ndarray, mean: np.ndarray, variance: np.ndarray) -> np.ndarray:
    return -0.5 * (np.log(2 * np.pi * variance) + (x - mean) ** 2 / variance)
