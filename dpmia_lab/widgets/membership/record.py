"""Lesson 4, one record at a time: who is most exposed, and what the attacker comes to believe of a chosen one."""

import math
from collections.abc import Callable
from html import escape

import ipywidgets as widgets
import numpy as np

from dpmia_lab.attacks.membership.lira import fitted
from dpmia_lab.experiments.membership import scores_of, strongest
from dpmia_lab.store import Result
from dpmia_lab.widgets.kit.charts import Chart, ChartPlace, width_for
from dpmia_lab.widgets.kit.controls import field
from dpmia_lab.widgets.kit.parts import card, column, number_html, number_row, on_change, text
from dpmia_lab.widgets.kit.pictures import picture_html
from dpmia_lab.widgets.kit.runs import Run
from dpmia_lab.widgets.membership.panel import MembershipPanel
from dpmia_lab.widgets.membership.words import attack_words

GALLERY = 12  # most exposed records shown at once
PRIORS = (("1 in 2", 0.5), ("1 in 10", 0.1), ("1 in 100", 0.01), ("1 in 1,000", 0.001), ("1 in 1,000,000", 1e-6))
MOST = math.log(1e6)  # odds beyond it are nothing that the fitted normal curves could tell reliably
REST = 0.15  # seconds between drawings while the slider moves
WAITING = "<p>Train and attack a model above; its most exposed records appear here.</p>"
NO_ODDS = (
    "<p>Odds need shadow models on halves of the candidates, so that each record is in some models and not in others. "
    "This run trained none: set that number to 4 or more, and run again.</p>"
)


class RecordPanel:
    """Follows the panel's runs; the chosen record and the prior follow their sliders at once."""

    def __init__(self, panel: MembershipPanel) -> None:
        self.result: Result | None = None
        self.order = np.array([], dtype=int)  # places within ``shown``, most exposed first
        self.gallery = text(WAITING, "dp-gallery-place")
        prior = widgets.SelectionSlider(options=PRIORS, description="what the attacker believed before")
        self.prior = field(prior, "prior")
        self.picture, self.odds = text("", "dp-one-record"), text("", "dp-odds")
        self.chart = ChartPlace(
            self.drawn, "dpmia_lab.plots.membership", "dp-record-chart", rest=REST, width_of=chart_width
        )
        on_change(self.prior, lambda _: self.describe())
        self.left = column(classes=("dp-record-controls",))
        right = column(self.odds, self.chart.view, classes=("dp-record-results",))
        self.one = column(self.left, right, classes=("dp-section", "dp-record-columns"))
        self.one.layout.display = "none"
        self.view = card(self.gallery, self.one, width_for(self.chart), name="dp-record")
        panel.listeners.append(self.take)

    # ---- a new run
    def take(self, run: Run) -> None:
        if run.result is self.result:
            return
        self.result = run.result
        arrays = run.result.arrays
        self.scores = strongest_scores(arrays)[1]
        self.order = np.argsort(-self.scores[arrays["shown"]], kind="stable")
        self.gallery.value = gallery_html(arrays, self.order[:GALLERY])
        self.can_say = "shadow_logits" in arrays
        self.one.layout.display = ""
        if self.can_say:
            logits, inside = arrays["shadow_logits"], arrays["shadow_inside"]
            self.fits = {kind: fitted(logits, inside == kind, True) for kind in (True, False)}
        self.which = new_slider(len(self.order), self.moved)
        self.left.children = [self.which, self.prior, self.picture]
        self.describe()
        self.chart.redraw()

    @property
    def chosen(self) -> tuple[int, int]:
        """Its place within ``shown``, and among all candidates."""
        place = int(self.order[self.which.value - 1])
        return place, int(self.result.arrays["shown"][place])

    # ---- one record
    def moved(self) -> None:
        self.describe()
        self.chart.soon.ask()

    def describe(self) -> None:
        if self.result is None:
            return
        place, record = self.chosen
        arrays = self.result.arrays
        name = class_name(arrays, record)
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
        spreads = []
        for kind in (True, False):
            mean, variance = self.fits[kind]
            spreads.append(Spread(logits[inside == kind], float(mean[record]), float(np.sqrt(variance[record]))))
        return record_chart(*spreads, float(arrays["target_logits"][record]), width)


def chart_width(page: int) -> int:
    """Pixels beside the narrower column of this card, as the stylesheet lays it out."""
    return min(page - 48, 1120) - 50 - 352 if page > 800 else max(page - 60, 280)


def new_slider(records: int, moved: Callable[[], None]) -> widgets.IntSlider:
    """A new one for every run: the keys Home and End of a slider whose range was changed keep to the old one."""
    made = widgets.IntSlider(1, 1, records, description="record, from most to least exposed")
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
    if share > 0.9995:
        return "over 99.9 %"
    return "under 0.1 %" if share < 0.0005 else f"{100 * share:.1f} %"


def odds_html(log_ratio: float, prior: float) -> str:
    after = belief(prior, log_ratio)
    before = next(words for words, value in PRIORS if value == prior)
    cells = [
        number_html(
            odds_words(log_ratio),
            "what the model says (likelihood ratio)",
            "How much better “it was in” explains the model's answer than “it was not”. Higher is more exposed.",
            "exposed",
        ),
        number_html(
            belief_text(after),
            "sure that it was in",
            f"Starting from {before}: odds before × likelihood ratio = odds after. Nothing learned would leave it at "
            f"{before}.",
            "exposed",
        ),
    ]
    return number_row(*cells)


# ---- records as pictures
def record_picture(x: np.ndarray, alt: str) -> str:
    """x (uint8): pictures (channels, height, width) of 0…255; graphs (N, N) and bits (d,) of 0 and 1, 1 dark."""
    if x.ndim == 3:
        return picture_html(x, alt, "dp-record-picture")
    return picture_html(
        (255 * (1 - (x if x.ndim == 2 else bit_grid(x))))[None].astype(np.uint8), alt, "dp-record-picture"
    )


def bit_grid(bits: np.ndarray) -> np.ndarray:
    """(d,) as rows of a grid about two to three, the last row filled up with 0."""
    columns = max(1, round(np.sqrt(1.5 * len(bits))))
    rows = -(-len(bits) // columns)
    return np.pad(bits, (0, rows * columns - len(bits))).reshape(rows, columns)


def class_name(arrays: dict[str, np.ndarray], record: int) -> str:
    return str(arrays["names"][arrays["y"][record]])


def strongest_scores(arrays: dict[str, np.ndarray]) -> tuple[str, np.ndarray]:
    """The attack that tells most about single records, and its scores."""
    scores = scores_of(arrays)
    attack = strongest(set(scores))
    return attack, scores[attack]


def gallery_html(arrays: dict[str, np.ndarray], places: np.ndarray) -> str:
    """The records of which the attacker is surest that they were in, and whether they were."""
    attack, scores = strongest_scores(arrays)
    figures, right = [], 0
    for number, place in enumerate(places, 1):
        record = int(arrays["shown"][place])
        was_in, name = arrays["member"][record], class_name(arrays, record)
        right += bool(was_in)
        odds = f"{odds_words(float(scores[record]))}<br>" if "shadow_logits" in arrays else ""
        truth = '<span class="dp-exposed">was in</span>' if was_in else "was not in: a false alarm"
        picture = record_picture(arrays["shown_x"][place], f"record {number} by exposure, {name}")
        figures.append(f'<figure class="dp-person">{picture}<figcaption><b>{number}</b> {escape(name)}<br>{odds}{truth}'
                       "</figcaption></figure>")  # fmt: skip
    return (
        f"<h3>The {len(places)} most exposed</h3><p>Of these candidates the attacker is surest that they were in "
        f"({escape(attack_words(attack))}), and is right about {right} of {len(places)}. "
        f"{kind_words(arrays['shown_x'])}</p>"
        f'<div class="dp-gallery">{"".join(figures)}</div>'
    )


def kind_words(shown: np.ndarray) -> str:
    if shown.ndim == 2:
        return f"Each is a strip of {shown.shape[1]} bits, laid out in rows; a dark pixel is a 1."
    return (
        "Each is a matrix: a dark pixel joins two people."
        if shown.ndim == 3
        else "They are shown as they were trained on."
    )
