"""Label smoothing: a share α of every label is spread over all classes (Szegedy et al. 2016).

With a negative α the network is told to be surer than sure, and away from all other classes (Struppek et al. 2024).
"""

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from dpmia_lab.checks import between
from dpmia_lab.defences.networks.base import NetworkDefence
from dpmia_lab.options import option

if TYPE_CHECKING:
    from dpmia_lab.training.plain import Objective


@dataclass(frozen=True)
class LabelSmoothing(NetworkDefence):
    title: ClassVar[str] = "label smoothing, positive or negative"

    smoothing: float = option(-0.05, "label_smoothing: α, share of a label spread over all classes; may be negative")

    def __post_init__(self) -> None:
        between(-0.5, 0.95, smoothing=self.smoothing)

    def words(self) -> str:
        return f"label smoothing, α = {self.smoothing:+g}"

    def objective(self) -> "Objective":
        from dpmia_lab.training.plain import smoothed_cross_entropy

        return partial(smoothed_cross_entropy, smoothing=self.smoothing)
