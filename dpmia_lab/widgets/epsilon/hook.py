"""The first thing a reader of lesson 2 sees: subtract two updates, and a face appears. Then add noise."""

from dpmia_lab.experiments import one_step
from dpmia_lab.experiments.one_step import CLIP, SHOWN, Step
from dpmia_lab.widgets.kit import light
from dpmia_lab.widgets.kit.controls import field, scale
from dpmia_lab.widgets.kit.opening import OnceUp
from dpmia_lab.widgets.kit.parts import button, card, column, number_html, on_change, text
from dpmia_lab.widgets.kit.pictures import figures_html
from dpmia_lab.widgets.kit.stage_run import StageRun

SIGMAS = (
    0.0, 0.003, 0.005, 0.01, 0.015, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0,
)  # fmt: skip


class OneStepPanel:
    """Opens with a step that was computed beforehand, and swaps in the page's own; noise is only scaled.

    So the pictures are there at once, and follow the slider.
    """

    def __init__(self) -> None:
        self.step = one_step.stored_step()
        self.draws = 0
        self.sigma = field(scale("σ, noise in units of the clipping norm", SIGMAS), "noise")
        self.who = field(light.IntSlider(min=1, max=SHOWN, description="whose photograph"), "who")
        self.again = button("Draw other noise", self.draw_again, "dp-small", "dp-again")
        self.pictures = text("", "dp-one-step-pictures")
        self.number = text("", "dp-one-step-number")
        for slider in (self.sigma, self.who):
            on_change(slider, lambda _: self.draw())
        controls = column(self.sigma, self.who, self.again, self.number, classes=("dp-one-step-controls",))
        words = text(
            "<h2>Two updates, one subtraction, a face.</h2>"
            "<p>A phone, a hospital or a server often shares not its photographs but an <i>update</i>: the sum of "
            "their gradients. Take the sum with one photograph in it and the sum without. What differs is the part "
            "of that photograph. Then move σ.</p>"
        )
        self.work = StageRun(one_step.one_step, self.taken, problem=self.pictures)
        self.view = card(words, self.pictures, controls, OnceUp(self.work.start).signal, name="dp-one-step")
        self.draw()

    def taken(self, step: Step) -> None:
        self.step = step
        self.draw()

    def draw_again(self) -> None:
        self.draws += 1
        self.draw()

    def draw(self) -> None:
        self.number.value = chance_html(self.sigma.value)
        self.pictures.value = pictures_html(self.step, self.who.value - 1, self.sigma.value, self.draws)


def pictures_html(step: Step, who: int, sigma: float, draw: int) -> str:
    noise = sigma * CLIP * one_step.unit_noise(step.with_them.shape[1], draw)
    sent = step.with_them[who] + noise
    own = step.with_them[who] - step.without_them[who]
    seen = one_step.observed_picture(sent - step.without_them[who], own, step.mean)
    name = step.names[who]
    return figures_html(
        [
            (step.photographs[who], f"a training photograph of {name}", "stays at home"),
            (
                one_step.sent_picture(sent, step.mean.shape),
                f"the update as sent, the part for {name}",
                f"the sum over {step.joined} photographs" + (", with noise" if sigma else ", no noise yet"),
            ),
            (
                seen,
                "the update minus everybody else's part",
                "what somebody computes who knows all the other photographs",
            ),
        ]
    )


def chance_html(sigma: float) -> str:
    chance = one_step.best_chance(sigma)
    value = f"{100 * chance:.1f} %" if chance < 0.9995 else "100 %" if chance == 1 else "over 99.9 %"
    return number_html(
        value,
        "how often the best observer tells rightly whether the photograph was in the step",
        f"Exact, Φ(1/(2σ)) at σ = {sigma:g}. 50 % is guessing; lower is safer. Your eye gives up near σ = 0.1; the "
        f"best observer is wrong one time in five only at σ = 0.6.",
        "exposed",
    )
