"""How answers are spread (paper B, Fig. 1): over pictures, and over the answers about one picture."""

import numpy as np


def spread_over_inputs(answers: np.ndarray) -> float:
    """answers (draws, n, classes): root mean square distance of a picture's mean answer from the mean of all.

    Low where outputs concentrate.
    """
    means = answers.mean(0)
    return float(np.sqrt(((means - means.mean(0)) ** 2).sum(1).mean()))


def spread_over_draws(answers: np.ndarray) -> float:
    """answers (draws, n, classes): root mean square distance of one answer from the mean answer about its picture."""
    return float(np.sqrt(((answers - answers.mean(0)) ** 2).sum(2).mean()))
