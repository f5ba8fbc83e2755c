"""The simplest attacks: one number of the target's own output, no other model, no training."""

import numpy as np

from dpmia_lab.attacks.membership.signals import log_odds, losses


def loss_scores(confidences: np.ndarray, y: np.ndarray) -> np.ndarray:
    """(n,) from (n, C), (n,): minus the loss (Yeom et al. 2018), since members have been fitted."""
    return -losses(confidences, y)


def confidence_scores(confidences: np.ndarray) -> np.ndarray:
    """(n,) from (n, C): the largest confidence (Salem et al. 2019), as log-odds; needs no label.

    The order is that of the confidences; log-odds go on where these have rounded to 1.
    """
    return log_odds(confidences).max(-1)
