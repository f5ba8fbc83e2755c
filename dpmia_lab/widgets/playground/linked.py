"""Two sliders for one thing: the noise σ, and the ε that it promises. Whichever is moved, the other follows."""

from collections.abc import Callable
from math import log10

import ipywidgets as widgets

from dpmia_lab.checks import Mistake
from dpmia_lab.experiments.playground import Config, defence_of, recipe_of
from dpmia_lab.privacy.accounting import Guarantee, sigma_for
from dpmia_lab.privacy.dp_sgd import DpSgd
from dpmia_lab.widgets.kit.controls import field
from dpmia_lab.widgets.kit.parts import on_change

NOISY = ("central", "units")  # defences that have both
SIGMAS, EPSILONS = (0.1, 16.0), (0.1, 10_000.0)  # ends of the sliders
STEP = 0.05  # powers of ten


def log_slider(words: str, ends: tuple[float, float]) -> widgets.FloatLogSlider:
    """Any value in between, so that one of two can follow the other."""
    low, high = map(log10, ends)
    return widgets.FloatLogSlider(
        ends[0], base=10, min=low, max=high, step=STEP, description=words, readout_format=".3r"
    )


class Linked:
    """``epsilon`` is the slider that follows ``sigma``, and that ``sigma`` follows.

    ``setting()`` is the configuration now, with how many records a model learns and how many classes there are.
    """

    def __init__(self, sigma: widgets.FloatLogSlider, setting: Callable[[], tuple[Config, int, int]]) -> None:
        self.sigma, self.setting = sigma, setting
        self.epsilon = field(log_slider("or its ε (smaller is stricter)", EPSILONS), "epsilon")
        self.busy = False  # one of the two is being moved by the other
        on_change(self.epsilon, self.epsilon_moved)

    def epsilon_moved(self, epsilon: float) -> None:
        if not self.busy:
            self._move(self.sigma, sigma_of(epsilon, *self.setting()))

    def follow(self, promised: float) -> None:
        """Some other control moved: ε is now this."""
        if not self.busy:
            self._move(self.epsilon, between(promised, EPSILONS))

    def _move(self, slider: widgets.FloatLogSlider, value: float) -> None:
        self.busy = True
        try:
            slider.value = value
        finally:
            self.busy = False


def between(value: float, ends: tuple[float, float]) -> float:
    return min(max(value, ends[0]), ends[1])


def three_digits(value: float) -> float:
    return float(f"{value:.3g}")


def dp_sgd(config: Config, members: int, classes: int) -> DpSgd:
    """What is trained with, of which the promise follows."""
    units = classes * (1 if config.unit == "class" else config.k_sub) if config.defence == "units" else members
    return defence_of(config, members).dp_sgd(recipe_of(config), units)


def instant_promise(config: Config, members: int, classes: int) -> Guarantee:
    """By the moments accountant, which keeps up with a slider."""
    return dp_sgd(config, members, classes).guarantee(defence_of(config, members).hidden(), "moments")


def sigma_of(epsilon: float, config: Config, members: int, classes: int) -> float:
    """The noise for that ε, by the same accountant, as far as the slider goes."""
    dp = dp_sgd(config, members, classes)
    try:
        found = sigma_for("moments", epsilon, dp.q, dp.steps, dp.delta, dp.neighbours)
    except Mistake:
        found = SIGMAS[1]
    return three_digits(between(found, SIGMAS))
