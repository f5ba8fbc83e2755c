"""An attack's scores as rows, each with its interval, and the least ε that they prove."""

import numpy as np

from dpmia_lab.metrics import audit, membership
from dpmia_lab.rows import PlainNames, Row
from dpmia_lab.stages import Progress, Stage

CONFIDENCE = 0.95
DELTA = 1e-5  # at which ε is audited: below one over any usual number of candidates
MEASURES = ("auc", "tpr1", "tpr01", "balanced", "tied", "epsilon_bound", "epsilon_bound_rates")
NAMES = PlainNames(("measure", "end", "attack", "protocol"), frozenset({"alike"}))


def judged_scores(
    scores: np.ndarray, member: np.ndarray, rng: np.random.Generator, tried: int = 1, **of: str
) -> Stage[list[Row]]:
    """``of``: which defence, attack and protocol the rows are of; NaN scores were not to be judged.

    tpr1 and tpr01: members found at 1 % and .1 % false alarms. tied: the share of records with the commonest score.
    The least ε proved is left out under a protocol where it is not coins that tell members from outsiders: no ε is at
    stake there. ``tried``: how many attacks are made, the best of which will be believed.
    """
    yield Progress(0, 1, "measuring")
    scores, member = membership.evaluated(scores, member)
    estimates = {
        "auc": membership.auc_interval(scores, member, CONFIDENCE),
        "tpr1": membership.tpr_at_fpr(scores, member, 0.01, CONFIDENCE),
        "tpr01": membership.tpr_at_fpr(scores, member, 0.001, CONFIDENCE),
        "balanced": membership.balanced_accuracy(scores, member, rng, CONFIDENCE),
    }
    rows = [
        Row(measure, float(found.value), **of, low=float(found.low), high=float(found.high))
        for measure, found in estimates.items()
    ]
    rows.append(Row("tied", membership.tied_share(scores), **of))
    return rows + (audit_rows(scores, member, rng, tried, **of) if of.get("protocol", "alike") == "alike" else [])


def audit_rows(
    scores: np.ndarray, member: np.ndarray, rng: np.random.Generator, tried: int, **of: str
) -> list[Row]:
    """The least ε that the scores prove at ``DELTA``; all attacks tried are right together, with ``CONFIDENCE``.

    epsilon_bound: the one-run audit, valid where each record's membership was a fair coin;  epsilon_bound_rates: from
    the two error rates, as if records were independent trials.
    """
    confidence = audit.each_of(tried, CONFIDENCE)
    one_run = audit.one_run_lower_bound(scores, member, DELTA, rng, confidence)
    from_rates = audit.epsilon_lower_bound(scores, member, DELTA, rng, confidence)
    return [Row("epsilon_bound", float(one_run), **of), Row("epsilon_bound_rates", float(from_rates), **of)]


def audit_limit(candidates: int, tried: int) -> float:
    """The ε that the one-run audit would prove if every guess about so many candidates were right."""
    return audit.one_run_limit(candidates, DELTA, audit.each_of(tried, CONFIDENCE))
