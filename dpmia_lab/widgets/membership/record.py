"""Lesson 4, one record at a time: who is most exposed, and what the attacker comes to believe of a chosen one."""

import math
from collections.abc import Callable
from html import escape

import ipywidgets as widgets
import numpy as np

from dpmia_lab.experiments.membership import scores_of, strongest
from dpmia_lab.store import Result
from dpmia_lab.widgets.kit import light
from dpmia_lab.widgets.kit.charts import Chart, ChartPlace, width_for
from dpmia_lab.widgets.kit.controls import field
from dpmia_lab.widgets.kit.parts import column, number_html, number_row, on_change, pressed, text
from dpmia_lab.widgets.kit.parts import panel as kit_panel
from dpmia_lab.widgets.kit.pictures import record_picture
from dpmia_lab.widgets.membership.panel import MembershipPanel
from dpmia_lab.widgets.membership.words import attack_words, failed_words

GALLERY = 12  # most exposed records shown at once
PRIORS = (("1 in 2", 0.5), ("1 in 10", 0.1), ("1 in 100", 0.01), ("1 in 1,000", 0.001), ("1 in 1,000,000", 1e-6))
MOST = math.log(1e6)  # odds beyond it are nothing that the fitted normal curves could tell reliably
REST = 0.15  # seconds between drawings while the slider moves
NO_ODDS = (
    "<p>Odds need shadow models on halves of the candidates, so that each record is in some models and not in others. "
    "This run trained none: take the tick at “plain attacks only” away, and run again.</p>"
)


class RecordPanel:
    """Follows what the panel shows; the chosen record and the prior follow their sliders at once."""

    def __init__(self, panel: MembershipPanel) -> None:
        self.result: Result | None = None
        self.gallery = text("", "dp-gallery-place")
        self.which_place = column()
        prior = light.SelectionSlider(options=PRIORS, description="the attacker's belief before")
        self.prior = field(prior, "prior")
        self.picture, self.odds = text("", "dp-one-record"), text("", "dp-odds")
        self.chart = ChartPlace(self.drawn, "dpmia_lab.plots.membership", "dp-record-chart", rest=REST)
        on_change(self.prior, lambda _: self.describe())
        self.view = kit_panel(
            "dp-record",
            controls=[self.which_place, self.prior, self.picture],
            picture=[self.gallery, self.odds, self.chart.view, width_for(self.chart), pressed(self.choose)],
        )
        panel.results.followers.append(self.take)
        if panel.results.result is not None:
            self.take(panel.results.result)

    # ---- a new run
    def take(self, result: Result) -> None:
        if result is self.result:
            return
        self.result = result
        arrays = result.arrays
        self.scores = strongest_scores(arrays)[1]
        self.order = np.argsort(-self.scores[arrays["shown"]], kind="stable")  # places within ``shown``
        self.can_say = "shadow_logits" in arrays
        self.which = new_slider(len(self.order), self.moved)
        self.which_place.children = [self.which]
        self.describe()
        self.chart.redraw()

    @property
    def chosen(self) -> tuple[int, int]:
        """Its place within ``shown``, and among all candidates."""
        place = int(self.order[self.which.value - 1])
        return place, int(self.result.arrays["shown"][place])

    # ---- one record
    def choose(self, number: int) -> None:
        self.which.value = number

    def moved(self) -> None:
        self.describe()
        self.chart.soon.ask()

    def describe(self) -> None:
        if self.result is None:
            return
        place, record = self.chosen
        arrays = self.result.arrays
        name = class_name(arrays, record)
        self.gallery.value = gallery_html(self.result, self.order[:GALLERY], self.which.value)
        self.picture.value = (
            f"{record_picture(arrays['shown_x'][place], f'the record, {name}')}<small>Record {record + 1} of "
            f"{len(arrays['member']):,} candidates, {escape(name)}. In truth it "
            f"<b>{'was' if arrays['member'][record] else 'was not'} in</b>.</small>"
        )
        self.odds.value = odds_html(float(self.scores[record]), self.prior.value) if self.can_say else NO_ODDS

    def drawn(self, width: int) -> Chart | str:
        if self.result is None or not self.can_say:
            return ""
        from dpmia_lab.plots.membership import Spread, record_chart

        _, record = self.chosen
        arrays = self.result.arrays
        logits, inside = arrays["shadow_logits"][:, record], arrays["shadow_inside"][:, record]
        kinds = zip((logits[inside], logits[~inside]), arrays["shadow_spread"], strict=True)
        spreads = [Spread(values, float(values.mean()), float(deviation)) for values, deviation in kinds]
        return record_chart(*spreads, float(arrays["target_logits"][record]), width)


def new_slider(records: int, moved: Callable[[], None]) -> widgets.IntSlider:
    """A new one for every run: the keys Home and End of a slider whose range was changed keep to the old one."""
    made = light.IntSlider(1, 1, records, description="record, from most to least exposed")
    on_change(made, lambda _: moved())
    return field(made, "which")


# ---- odds
def odds_words(log_ratio: float) -> str:
    """The likelihood ratio as odds; never more than fits can bear."""
    kind = "in" if log_ratio >= 0 else "not in"
    if abs(log_ratio) > MOST:
        return f"over a million to 1: {kind}"
    ratio = math.exp(abs(log_ratio))
    if ratio < 1.05:
        return f"even: {kind}"
    return f"{ratio:,.1f} to 1: {kind}" if ratio < 10 else f"{ratio:,.0f} to 1: {kind}"


def belief(prior: float, log_ratio: float) -> float:
    """Bayes: odds afterwards = odds before · likelihood ratio, the latter kept within a million."""
    kept = max(-MOST, min(MOST, log_ratio))
    return 1 / (1 + (1 - prior) / prior * math.exp(-kept))


def belief_text(share: float) -> str:
    """In per cent; where that would be 0, as one in so many."""
    if share > 0.9995:
        return "over 99.9 %"
    return f"1 in {float(f'{1 / share:.2g}'):,.0f}" if share < 0.0005 else f"{100 * share:.1f} %"


def after_text(prior: float, log_ratio: float) -> str:
    """The belief afterwards; of a ratio beyond a million only that it is more, or less, than a million would give."""
    said = belief_text(belief(prior, log_ratio))
    if abs(log_ratio) <= MOST or said.startswith("over"):
        return said
    return f"{'over' if log_ratio > 0 else 'under'} {said}"


def odds_html(log_ratio: float, prior: float) -> str:
    before = next(words for words, value in PRIORS if value == prior)
    cells = [
        number_html(
            odds_words(log_ratio),
            "what the model says (likelihood ratio)",
            "How much better “it was in” explains the model's answer than “it was not”. Higher is more exposed.",
            "exposed",
        ),
        number_html(
            after_text(prior, log_ratio),
            "sure that it was in",
            f"Starting from {before}: odds before × likelihood ratio = odds after. Nothing learned would leave it at "
            f"{before}.",
            "exposed",
        ),
    ]
    return number_row(*cells)


# ---- records as pictures
def class_name(arrays: dict[str, np.ndarray], record: int) -> str:
    return str(arrays["names"][arrays["y"][record]])


def strongest_scores(arrays: dict[str, np.ndarray]) -> tuple[str, np.ndarray]:
    """The attack that tells most about single records, and its scores."""
    scores = scores_of(arrays)
    attack = strongest(set(scores))
    return attack, scores[attack]


def gallery_html(result: Result, places: np.ndarray, chosen: int) -> str:
    """The records of which the attacker is surest that they were in, and whether they were; ``chosen`` is marked."""
    arrays = result.arrays
    attack, _ = strongest_scores(arrays)
    said = failed_words(result.rows, attack)
    warning = f" <b>On this run the attack {said}: do not believe its odds.</b>" if said else ""
    records = [int(arrays["shown"][place]) for place in places]
    figures = []
    for number, (place, record) in enumerate(zip(places, records, strict=True), 1):
        name, was_in = class_name(arrays, record), bool(arrays["member"][record])
        picture = record_picture(arrays["shown_x"][place], f"record {number} by exposure, {name}")
        truth = '<span class="dp-exposed">in ✓</span>' if was_in else "out ✗"
        here = " dp-here" if number == chosen else ""
        caption = f"<figcaption><b>{number}</b> {truth}</figcaption>"
        figures.append(f'<figure class="dp-person{here}" data-pick="{number}">{picture}{caption}</figure>')
    right = sum(bool(arrays["member"][record]) for record in records)
    return (
        f"<h3>The {len(places)} most exposed</h3><p>Of these candidates the attacker is surest that they were in "
        f"({escape(attack_words(attack))}), and is right about {right} of {len(places)}; chance would be right about "
        f"half. {kind_words(arrays['shown_x'])}{warning}</p>"
        f'<div class="dp-gallery">{"".join(figures)}</div>'
    )


def kind_words(shown: np.ndarray) -> str:
    if shown.ndim == 2:
        return f"Each is a strip of {shown.shape[1]} bits, laid out in rows; a dark pixel is a 1."
    return (
        "Each is a matrix: a dark pixel joins two people."
        if shown.ndim == 3
        else "They are shown as the model sees them."
    )
