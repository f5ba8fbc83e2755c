"""Paper D's attackers: logistic regression and a random forest on a record's outputs and losses.

As in the paper they learn from the target itself: the attacker knows of half of the records whether they are members,
and is judged on the other half only. They see what D sees: softmax vector, cross-entropy, focal and hinge loss, label.
"""

import numpy as np

from dpmia_lab.attacks.membership.signals import losses
from dpmia_lab.checks import Mistake, one_of
from dpmia_lab.stages import Progress, Stage

KINDS = ("regression", "forest")
TREES, AT_A_TIME, LEAST_LEAF = 120, 20, 5
FOCUS = 2.0


def features(confidences: np.ndarray, y: np.ndarray) -> np.ndarray:
    """(n, 2C + 3): the discriminator's inputs, from probabilities (n, C)."""
    p, own = np.asarray(confidences, dtype=np.float64), np.eye(confidences.shape[1])[y]
    p_y, loss = (p * own).sum(1), losses(confidences, y)
    focal = np.maximum(1 - p_y, 0) ** FOCUS * loss
    hinge = np.maximum(1 + (p - 2 * own).max(1) - p_y, 0)
    return np.concatenate([p, np.stack([loss, focal, hinge], 1), own], 1)


def classifier_scores(
    kind: str, confidences: np.ndarray, y: np.ndarray, member: np.ndarray, known: np.ndarray, seed: int
) -> Stage[np.ndarray]:
    """(n,): log-odds or share of trees for "member"; NaN for the known half. ``member`` is read where ``known``."""
    one_of(KINDS, kind=kind)
    known, truth = np.asarray(known, dtype=bool), np.asarray(member, dtype=bool)[known]
    if not 0 < truth.sum() < len(truth):
        raise Mistake("known must hold members and outsiders; one kind is missing.")
    x = features(confidences, y)
    yield Progress(0, 1, "attack classifier")
    scores = np.full(len(known), np.nan)
    if kind == "regression":
        scores[~known] = regression(x[known], truth, x[~known])
    else:
        scores[~known] = yield from forest(x[known], truth, x[~known], seed)
    return scores


def regression(x: np.ndarray, truth: np.ndarray, asked: np.ndarray) -> np.ndarray:
    """By mean and deviation of the known half."""
    from sklearn.linear_model import LogisticRegression

    mean, spread = x.mean(0), x.std(0) + 1e-6
    model = LogisticRegression(C=0.1, max_iter=5000).fit((x - mean) / spread, truth)
    return model.decision_function((asked - mean) / spread)


def forest(x: np.ndarray, truth: np.ndarray, asked: np.ndarray, seed: int) -> Stage[np.ndarray]:
    """Some trees at a time, so that it can be stopped."""
    from sklearn.ensemble import RandomForestClassifier

    total = np.zeros(len(asked))
    for start in range(0, TREES, AT_A_TIME):
        model = RandomForestClassifier(AT_A_TIME, min_samples_leaf=LEAST_LEAF, random_state=(seed + start) % 2**31)
        total += model.fit(x, truth).predict_proba(asked)[:, 1]
        yield Progress(start + AT_A_TIME, TREES, "attack classifier")
    return total * AT_A_TIME / TREES
