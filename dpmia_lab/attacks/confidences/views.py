"""What an attacker makes of confidences (n, classes) before a decoder sees them."""

import numpy as np

FLOOR = 1e-9  # below it a confidence tells nothing that a network could use
VIEWS = {
    "log": "logarithms of all confidences (Yang et al. 2019)",
    "full": "all confidences",
    "top": "logarithms of the largest confidences only",
}


def seen(confidences: np.ndarray, view: str, top: int = 5) -> np.ndarray:
    """(n, classes) float32."""
    if view == "full":
        return confidences.astype(np.float32)
    return np.log(np.maximum(largest(confidences, top) if view == "top" else confidences, FLOOR)).astype(np.float32)


def largest(confidences: np.ndarray, top: int) -> np.ndarray:
    """The ``top`` largest of each row; 0 for the others, which were not told."""
    least = np.sort(confidences, axis=1)[:, -min(top, confidences.shape[1]), None]
    return np.where(confidences >= least, confidences, 0)


def label_alone(confidences: np.ndarray) -> np.ndarray:
    """(n, classes): 1 for the likeliest class. What the rest of the vector adds is a decoder's gain over this."""
    return np.eye(confidences.shape[1], dtype=np.float32)[confidences.argmax(1)]
