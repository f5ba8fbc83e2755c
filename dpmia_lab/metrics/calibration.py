"""Whether a confidence means what it says: expected calibration error (paper B, appendix; Guo et al. 2017)."""

from dataclasses import dataclass

import numpy as np

BINS = 15  # of equal width, as in Guo et al.; the paper does not say how many


@dataclass(frozen=True)
class Reliability:
    """Of each bin ((m − 1)/M, m/M] of the largest confidence; accuracy and confidence are NaN where nobody is."""

    count: np.ndarray  # (M,)
    accuracy: np.ndarray  # (M,)
    confidence: np.ndarray  # (M,): mean

    @property
    def error(self) -> float:
        """Σ |B_m|/n · |acc(B_m) − conf(B_m)|."""
        gaps = np.abs(np.nan_to_num(self.accuracy - self.confidence))
        return float((self.count * gaps).sum() / self.count.sum())


def reliability(confidences: np.ndarray, y: np.ndarray, bins: int = BINS) -> Reliability:
    """confidences: (n, classes), of which only the largest counts; y: (n,)."""
    highest, right = confidences.max(1).astype(np.float64), confidences.argmax(1) == y
    place = np.clip(np.ceil(highest * bins).astype(int) - 1, 0, bins - 1)
    count = np.bincount(place, minlength=bins).astype(np.float64)
    with np.errstate(invalid="ignore"):
        accuracy = np.bincount(place, right, bins) / count
        confidence = np.bincount(place, highest, bins) / count
    return Reliability(count, accuracy, confidence)
