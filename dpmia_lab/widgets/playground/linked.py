"""Two sliders for one thing: the noise σ, and the ε that it promises. Whichever is moved, the other follows."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import ipywidgets as widgets

from dpmia_lab.experiments.playground import Config, Prepared, promise_of
from dpmia_lab.widgets.kit import light
from dpmia_lab.widgets.kit.controls import field
from dpmia_lab.widgets.kit.parts import on_change

NOISY = ("central", "units")  # defences that have both
SIGMAS = (0.1, 0.14, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0, 1.2, 1.4, 1.7, 2.0, 2.4, 2.8, 3.4, 4.0, 4.8, 5.6, 6.8, 8.0, 12.0,
          16.0)  # fmt: skip
EPSILONS = (10_000.0, 5000.0, 2000.0, 1000.0, 500.0, 300.0, 200.0, 150.0, 100.0, 70.0, 50.0, 30.0, 20.0, 15.0, 10.0,
            8.0, 6.0, 5.0, 4.0, 3.0, 2.5, 2.0, 1.5, 1.0, 0.7, 0.5)  # fmt: skip


@dataclass(frozen=True)
class Sizes:
    """All that a promise for noise on gradients needs to know of people: known before they are drawn."""

    members: int  # records that a model is trained on
    classes: int


class Linked:
    """``epsilon`` is the slider that follows ``sigma``, and that ``sigma`` follows; right is stricter on both.

    It stands at the first of its values that is not below what is promised, so that what it says is true.
    ``setting()`` is the configuration now, and its people.
    """

    def __init__(self, sigma: widgets.SelectionSlider, setting: Callable[[], tuple[Config, Sizes | Prepared]]) -> None:
        self.sigma, self.setting = sigma, setting
        options = [(f"≤ {value:g}", value) for value in EPSILONS]
        slider = light.SelectionSlider(options=options, description="or its ε (smaller is stricter)")
        self.epsilon = field(slider, "epsilon")
        self.busy = False  # one of the two is being moved by the other
        on_change(self.epsilon, self.epsilon_moved)

    def epsilon_moved(self, epsilon: float) -> None:
        if not self.busy:
            self._move(self.sigma, sigma_of(epsilon, *self.setting()))

    def follow(self, promised: float) -> None:
        """Some other control moved: ε is now this."""
        if not self.busy:
            self._move(self.epsilon, min((value for value in EPSILONS if value >= promised), default=EPSILONS[0]))

    def _move(self, slider: widgets.SelectionSlider, value: float) -> None:
        self.busy = True
        try:
            slider.value = value
        finally:
            self.busy = False


def sigma_of(epsilon: float, config: Config, people: Sizes | Prepared) -> float:
    """The least of the slider's that keeps within ε, by the moments accountant, which keeps up with a slider."""
    return next((s for s in SIGMAS if promise_of(replace(config, sigma=s), people).epsilon <= epsilon), SIGMAS[-1])
