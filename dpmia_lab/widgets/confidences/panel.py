"""The main panel of lesson 8: a network, a defence, and faces drawn from what it answers."""

from pathlib import Path

import ipywidgets as widgets

from dpmia_lab.checks import Mistake
from dpmia_lab.data import from_upload
from dpmia_lab.experiments.inversion import LEAST_SIDE
from dpmia_lab.game.picture_roles import roles_of
from dpmia_lab.store import Store
from dpmia_lab.widgets.confidences.controls import PRESET_WORDS, REASONS, STRENGTHS, new_controls
from dpmia_lab.widgets.confidences.data import READY, quick_experiment
from dpmia_lab.widgets.confidences.view import PLOTS, ConfidencesView
from dpmia_lab.widgets.confidences.words import compared_html, summary
from dpmia_lab.widgets.kit.experiment_panel import ExperimentPanel, Words
from dpmia_lab.widgets.kit.parts import text
from dpmia_lab.widgets.kit.upload import OwnFile, TakesOwnFile

# Both measured without a defence, at the default settings, seeds 0 to 2.
ABOUT_PRIORS = (
    "<small class='dp-soft'>Over three seeds the autoencoder had 69 of 120 faces recognised, the Gaussian 70 (adapted "
    "85 and 87; of 30 digits 28 and 29, adapted all). It takes about 4 seconds to learn, the Gaussian 0.2; of the "
    "presets' faces and digits it ships ready.</small>"
)
ABOUT_DISCRIMINATOR = (
    "<small class='dp-soft'>A discriminator, a second network that tells drawings from real pictures, did not help on "
    "generated faces: of 240 new faces under taken names 36 were recognised without it, 37 with a weight of 0.001, 34 "
    "with 0.01; of 240 known faces 41, 44 and 41.</small>"
)


class ConfidencesPanel(TakesOwnFile, ExperimentPanel):
    """Its data may also be a file of the visitor's own."""

    plots = PLOTS
    place = "dp-confidences"

    def __init__(self, query: str | None = None, store: Store | None = None) -> None:
        self.own = OwnFile((".npz", ".zip"), found_words, self.say)
        words = Words("Train and attack", PRESET_WORDS, summary, compared_html)
        super().__init__(
            "confidences", quick_experiment(), ConfidencesView(), new_controls, REASONS, words, query, store
        )

    def main(self) -> list[widgets.Widget]:
        ready = ", ".join(f"{lam:g}" for lam in READY)
        told = f"<small>Faces with MID are ready at λ = 0, {ready}.</small>"
        return [self.controls.group("defence", *STRENGTHS), text(told)]

    def more(self) -> list[widgets.Widget]:
        return [
            text("<h4>The people and the network</h4>"),
            self.controls.group("data"),
            self.own.view,
            self.controls.group("people", "pictures", "height", "model", "code", "draws", "clip"),
            text("<h4>Alignment</h4>"),
            self.controls.group("view", "top", "answers", "decoder_steps"),
            text("<h4>GMI</h4>"),
            self.controls.group("prior", "components", "identity", "restarts", "gmi_steps"),
            text(ABOUT_PRIORS),
            text("<h4>Update leaks</h4>"),
            self.controls.group("updates", "probes", "adversarial", "seed"),
            text(ABOUT_DISCRIMINATOR),
        ]


def found_words(path: Path) -> str:
    """What is in a visitor's own file, and how it is shared out."""
    data = from_upload(path.name, path.read_bytes(), seed=0)
    _, height, width = data.shape
    if min(height, width) < LEAST_SIDE:
        rule = f"pictures must be at least {LEAST_SIDE} x {LEAST_SIDE} pixels"
        raise Mistake(f"{rule}; those of {data.name} are {height} x {width}.")
    roles = roles_of(data, None, "", False, seed=0)
    parts = [len(roles.train), len(roles.auxiliary), len(roles.test), len(roles.judge)]
    return (
        f"{sum(parts)} pictures of {data.classes} classes, {height} × {width} pixels: {parts[0]} train the network, "
        f"{parts[1]} are the attacker's, {parts[2]} are attacked, {parts[3]} teach the judge."
    )
