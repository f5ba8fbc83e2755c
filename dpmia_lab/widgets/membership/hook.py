"""Lesson 4 begins with the harm: a hospital publishes a model, not its patients. Who of these eight was one?"""

from dataclasses import dataclass

import ipywidgets as widgets
import numpy as np

from dpmia_lab.data.population import load_population
from dpmia_lab.experiments import membership
from dpmia_lab.game.candidates import candidates_of
from dpmia_lab.reference import FOLDER
from dpmia_lab.seeds import numpy_generator
from dpmia_lab.stages import Event, Progress, Stage
from dpmia_lab.widgets.kit import light
from dpmia_lab.widgets.kit.opening import OnceUp
from dpmia_lab.widgets.kit.parts import button, card, column, error_html, row, text, with_classes
from dpmia_lab.widgets.kit.pictures import record_picture
from dpmia_lab.widgets.kit.stage_run import StageRun
from dpmia_lab.widgets.membership.record import belief, belief_text

# Few patients, learned by heart, and sixteen shadow models: a second or two.
HOOK = membership.Config(
    data="hospital_like", classes=50, records=150, epochs=40, width=64, batch=32, white_box=False, shadows=0, inside=16
)
ATTACK = "lira_fixed"  # its scores are log likelihood ratios
WORDS = (
    "<h2>A hospital published a model, not its patients. Were you one?</h2><p>It predicts a procedure from a patient's "
    "diagnoses, and was trained on about 150 patients; to have been a patient there is a diagnosis in itself. Below "
    "are the diagnoses of eight people, a dark pixel each. Exactly four of them were among those patients. <b>Say "
    "which.</b> Nothing in a record tells: all eight were drawn from the same crowd. Then let the model answer.</p>"
)
LETTERS = "ABCDEFGH"


@dataclass(frozen=True)
class Asked:
    """Eight people, four of whom were in."""

    x: np.ndarray  # (8, bits)
    member: np.ndarray  # (8,) bool
    log_ratio: np.ndarray  # (8,): what the model says
    auc: float  # over all candidates


def eight_asked() -> Stage[Asked]:
    """The lesson's own experiment, and eight of its candidates at random, four of each kind."""
    c = HOOK
    result = yield from membership.run(c)
    yield Progress(1, 1, "choosing eight")
    records = load_population(c.data, classes=c.classes, records=6 * c.records, seed=c.seed)
    x, member, rng = candidates_of(c, records).alike.records.x, result.arrays["member"], numpy_generator(c.seed, "hook")
    some = [rng.permutation(np.flatnonzero(member == kind))[: len(LETTERS) // 2] for kind in (True, False)]
    chosen = rng.permutation(np.concatenate(some))
    log_ratio = membership.scores_of(result.arrays)[ATTACK][chosen]
    return Asked(x[chosen], member[chosen], log_ratio, result.rows.value("auc", attack=ATTACK, protocol="alike"))


def stored_asked() -> Asked:
    """The same eight, as they ship with the lab: shown at once, until the page has computed them itself."""
    with (FOLDER / "membership_hook.npz").open("rb") as file, np.load(file) as arrays:
        return Asked(arrays["x"], arrays["member"], arrays["log_ratio"], float(arrays["auc"]))


class MembershipHook:
    """Shows the stored eight at once; once the page is up the model is trained, and what it says takes their place."""

    def __init__(self) -> None:
        self.asked = stored_asked()
        self.guesses = [guess_button(letter) for letter in LETTERS]
        self.verdict_places = [text("", "dp-verdict-place") for _ in LETTERS]
        people = [
            column(text(record_picture(x, f"the diagnoses of {letter}")), guess, place)
            for letter, x, guess, place in zip(LETTERS, self.asked.x, self.guesses, self.verdict_places, strict=True)
        ]
        self.ask = button("Ask the model", self.judge, "dp-primary", "dp-ask")
        self.status, self.answer = text("", "dp-hook-status"), text("", "dp-hook-answer")
        self.work = StageRun(eight_asked, self.ended, self.happened, problem=self.status)
        signal = OnceUp(self.work.start).signal
        eight = with_classes(light.HBox(people), "dp-suspects", "dp-eight")
        name = "dp-membership-hook"
        self.view = card(text(WORDS), eight, row(self.ask, self.status), self.answer, signal, name=name)

    def happened(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, Progress):
                self.status.value = f"<small>Computed anew on this machine: {event.done / event.total:.0%}</small>"

    def ended(self, asked: Asked) -> None:
        self.asked = asked
        self.status.value = f"<small>Trained and attacked on this machine in {self.work.seconds:.0f} s.</small>"

    def judge(self) -> None:
        asked, half = self.asked, len(LETTERS) // 2
        named = [guess.value for guess in self.guesses]
        if sum(named) != half:
            self.answer.value = error_html(f"Say of exactly {half} people that they were in; you named {sum(named)}.")
            return
        self.ask.disabled = True
        for guess, place, ratio, truth in zip(
            self.guesses, self.verdict_places, asked.log_ratio, asked.member, strict=True
        ):
            guess.disabled = True
            place.value = verdict_html(guess.value, float(ratio), bool(truth))
        yours = sum(named == asked.member)
        self.answer.value = outcome_html(asked, int(yours))


def guess_button(letter: str) -> widgets.ToggleButton:
    made = light.ToggleButton(description=f"{letter} was in", tooltip=f"{letter} was a patient")
    return with_classes(made, "dp-guess")


def verdict_html(named: bool, log_ratio: float, truth: bool) -> str:
    """The truth, what the reader said, and what the attacker believes, from even odds; each answer right or wrong."""
    sure = belief(0.5, log_ratio)
    says_in = sure >= 0.5
    return (
        f"<small>In truth: {in_html(truth)}.<br>{mark(named == truth)} You: {in_html(named)}.<br>"
        f"{mark(says_in == truth)} The attack: {in_html(says_in)}, {belief_text(max(sure, 1 - sure))} sure.</small>"
    )


def in_html(inside: bool) -> str:
    return '<b class="dp-exposed">in</b>' if inside else "<b>not in</b>"


def mark(right: bool) -> str:
    return "✓" if right else "✗"


def outcome_html(asked: Asked, yours: int) -> str:
    attack = int(sum((asked.log_ratio >= 0) == asked.member))
    return (
        f'<div class="dp-note"><b>You: {yours} of {len(LETTERS)} right. The attack: {attack} of {len(LETTERS)}.</b> '
        f"Guessing gives 4 on average. The attacker never saw the list of patients. But this model was not all they "
        f"had: {HOOK.inside} shadow models, trained like it on random halves of the candidates, told them how sure a "
        f"model is of each person with and without them. The eight were picked at random; over all "
        f"{2 * HOOK.records} candidates, a patient looks more like one than a stranger does {asked.auc:.0%} of the "
        f"time (guessing: 50 %). Nobody here exists.</div>"
    )
