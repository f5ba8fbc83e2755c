"""Linear regression of many splits at once: normal equations, (S, d, d) of them."""

from dataclasses import dataclass

import numpy as np

JITTER = 1e-9  # of the mean squared column: a label that a split does not have must not stop it


@dataclass(frozen=True, eq=False)
class Problem:
    """S regressions. Rows of x begin with 1; numbers in it and in y are within bounds that are public."""

    x: np.ndarray  # (S, n, d)
    y: np.ndarray  # (S, n)
    norm: float  # no row of x is longer, whatever the data
    low: float  # of y, whatever the data
    high: float

    @property
    def gram(self) -> np.ndarray:
        """(S, d, d): XᵀX."""
        return self.x.mT @ self.x

    @property
    def moments(self) -> np.ndarray:
        """(S, d): Xᵀy."""
        return (self.x.mT @ self.y[..., None])[..., 0]


def least_squares(problem: Problem, ridge: float = 0.0) -> np.ndarray:
    """(S, d): coefficients with the smallest mean squared error + ridge·‖A‖², in which the constant does not count."""
    gram, n, d = problem.gram, problem.x.shape[1], problem.x.shape[2]
    penalty = np.full(d, n * ridge + JITTER * np.einsum("sii->s", gram).mean() / d)
    penalty[0] -= n * ridge
    return solved(gram + np.diag(penalty), problem.moments)


def solved(gram: np.ndarray, moments: np.ndarray) -> np.ndarray:
    return np.linalg.solve(gram, moments[..., None])[..., 0]


def predictions(x: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
    """(S, n): of rows (S, n, d)."""
    return (x @ coefficients[..., None])[..., 0]
