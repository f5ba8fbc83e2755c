"""The independent judge of drawings: names them, and tells how far they are, by its features, from a person's pictures.

The judge shares no picture with the network, with the attacker or with what is attacked.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dpmia_lab.game.picture_roles import Roles
from dpmia_lab.game.records import Records
from dpmia_lab.metrics import reconstruction
from dpmia_lab.metrics.intervals import share_estimate
from dpmia_lab.rows import Row
from dpmia_lab.stages import Progress, Stage

if TYPE_CHECKING:
    from torch import nn

MOST_COMPARED, MOST_HELD = 40, 240  # drawings compared with so many of the judge's pictures one by one (SSIM)
AT_ONCE = 10


@dataclass(frozen=True)
class Drawings:
    """Drawings x (n, …) of people y (n,), and the pictures they are to be like."""

    x: np.ndarray
    y: np.ndarray
    truth: np.ndarray


class Judge:
    def __init__(self, model: "nn.Sequential", roles: Roles) -> None:
        self.model, self.roles = model, roles
        self.average = roles.public.mean(0)
        self.held = roles.first_of_all("judge", MOST_HELD)
        few = min(np.bincount(part.y).min() for part in (roles.train, roles.test))
        self.centroids = [self.class_features(part, few) for part in (roles.test, roles.train)]

    def features(self, x: np.ndarray) -> np.ndarray:
        """(n, d): what enters the judge's last layer."""
        import torch

        with torch.no_grad():
            return self.model[:-1](torch.from_numpy(x).to(next(self.model.parameters()).device)).cpu().numpy()

    def names(self, features: np.ndarray) -> np.ndarray:
        """(n,): whom the judge takes pictures of such features for."""
        last = self.model[-1]
        return (features @ last.weight.detach().cpu().numpy().T + last.bias.detach().cpu().numpy()).argmax(1)

    def class_features(self, pictures: Records, few: int) -> np.ndarray:
        """(classes, d): mean features of ``few`` pictures of each person, so that no set is favoured by its size."""
        chosen = [np.flatnonzero(pictures.y == label)[:few] for label in range(self.roles.classes)]
        return np.stack([self.features(pictures.x[places]).mean(0) for places in chosen])

    def measures(self, drawings: Drawings) -> Stage[dict[str, np.ndarray]]:
        """(n,) each; of SSIM fewer."""
        x, y = drawings.x, drawings.y
        features = self.features(x)
        to_test, to_train = (np.linalg.norm(features - own[y], axis=1) for own in self.centroids)
        yield Progress(0.1, 1, "measuring")
        alike = reconstruction.correlations(x - self.average, drawings.truth - self.average).diagonal()
        found = {
            "recognised": self.names(features) == y,
            "correlation": alike,
            "feature_distance": to_test,
            "feature_distance_training": to_train,
        }
        lookalike = []
        compared = x[:MOST_COMPARED]
        for start in range(0, len(compared), AT_ONCE):
            values = reconstruction.ssim_values(compared[start : start + AT_ONCE], self.held.x)
            lookalike.append(self.held.y[values.argmax(1)])
            yield Progress(0.1 + 0.9 * (start + AT_ONCE) / (len(compared) + AT_ONCE), 1, "measuring")
        return found | {"recognised_ssim": np.concatenate(lookalike) == y[:MOST_COMPARED]}


def measured_rows(found: dict[str, np.ndarray], **of: str) -> list[Row]:
    """Shares with their exact intervals, means of numbers."""
    rows = []
    for measure, values in found.items():
        if values.dtype == bool:
            share = share_estimate(int(values.sum()), len(values))
            rows.append(Row(measure, share.value, **of, low=share.low, high=share.high))
        else:
            rows.append(Row(measure, float(values.mean()), **of))
    return rows
