"""Charts of lesson 4: what is learned and what leaks, every attack's ROC, one record's odds, verdicts by confidence."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpmia_lab.metrics import membership as metrics
from dpmia_lab.plots.privacy import WIDE, label_ends, powers_only, two_axes
from dpmia_lab.plots.style import EXPOSED, INK, PROTECTED, REFERENCE, STYLE, Chart, new_figure

EXPOSED_WORDS = "#A84A00"  # the same colour, dark enough for words
DOTS, DASH, MIXED = (0, (1, 1.2)), (0, (4, 2)), (0, (6, 1, 1, 1))
# attack: (name in the key, colour of the line, of its words, dash); families share a colour, from Okabe–Ito
LINES = {
    "loss": ("loss", "#E69F00", "#8A5F00", "-"),
    "confidence": ("confidence", "#E69F00", "#8A5F00", DOTS),
    "white_box": ("white box", "#009E73", "#00694D", "-"),
    "black_box": ("black box", "#56B4E9", "#1F6F9F", "-"),
    "lira_offline": ("LiRA, offline", EXPOSED, EXPOSED_WORDS, DOTS),
    "rmia_offline": ("RMIA, offline", "#CC79A7", "#8E4A73", DOTS),
    "lira": ("LiRA", EXPOSED, EXPOSED_WORDS, DASH),
    "lira_fixed": ("LiRA, 1 variance", EXPOSED, EXPOSED_WORDS, "-"),
    "rmia": ("RMIA", "#CC79A7", "#8E4A73", MIXED),
}
KEY, KEY_ROW = 190, 20  # pixels: width of the key, height of a line of it
BINS = 20


# ---- while the target trains
def learning_chart(
    epochs: Sequence[float],
    train: Sequence[float],
    test: Sequence[float],
    aucs: Sequence[float],
    last: int,
    chance: float | None,
    width: int,
) -> Chart:
    """Left: accuracy on training and on other records, the gap between them tinted. Right: the plainest attack."""
    if not len(epochs):
        return Chart(two_axes(width, 236, right=84)[2], "Nothing is measured yet.")
    with rc_context(STYLE):
        first, second, figure = two_axes(width, 236, right=84)
        first.fill_between(epochs, test, train, color=EXPOSED, alpha=0.1, linewidth=0)
        for axes, values, colour, dash in (
            (first, train, INK, DASH),
            (first, test, PROTECTED, "-"),
            (second, aucs, EXPOSED, "-"),
        ):
            axes.plot(epochs, values, color=colour, linestyle=dash, linewidth=1.8)
            axes.plot(epochs[-1:], values[-1:], "o", color=colour, markersize=9, clip_on=False)
            axes.set_xlim(0, last)
            axes.set_xlabel("epochs: times each record was seen")
        first.set_ylim(0, 1.02)
        second.set_ylim(min(0.45, *aucs), 1.0)
        ends = [(f"seen {train[-1]:.0%}", train[-1], INK), (f"new {test[-1]:.0%}", test[-1], PROTECTED)]
        label_ends(first, ends + ([("by chance", chance, REFERENCE)] if chance else []), gap=0.12)
        for axes, level in ((first, chance), (second, 0.5)):
            if level:
                axes.axhline(level, color=REFERENCE, linestyle=DOTS, linewidth=1.2)
        leak = (f"AUC {aucs[-1]:.2f}", aucs[-1], EXPOSED_WORDS)
        label_ends(second, [leak, ("guessing", 0.5, REFERENCE)], gap=0.12)
        first.set_title("right on seen and on new records\nthe gap is what was memorised", loc="left")
        second.set_title("AUC of a threshold on the loss\nlower: safer", loc="left")
    alt = (
        f"After {epochs[-1]:.0f} of {last} epochs: accuracy {train[-1]:.0%} on training records, {test[-1]:.0%} on new "
        f"ones; AUC of a threshold on the loss {aucs[-1]:.2f}, where 0.5 is guessing."
    )
    return Chart(figure, alt)


# ---- members told from outsiders
@dataclass(frozen=True)
class Curve:
    """One attack's ROC."""

    attack: str
    fpr: np.ndarray
    tpr: np.ndarray
    auc: float

    def caught_at(self, rate: float) -> float:
        return float(self.tpr[self.fpr <= rate + 1e-12].max())


@dataclass(frozen=True)
class Allowed:
    """What a promise allows: at each rate of false alarms the largest share of members that may be caught."""

    fpr: np.ndarray
    tpr: np.ndarray

    def at(self, rate: float) -> float:
        return float(np.interp(rate, self.fpr, self.tpr))


def curves_of(scores: dict[str, np.ndarray], member: np.ndarray) -> list[Curve]:
    """Best at 1 % false alarms first, which is how the lines lie above each other there."""
    found = [Curve(name, *metrics.roc(s, member)[:2], metrics.auc(s, member)) for name, s in scores.items()]
    return sorted(found, key=lambda curve: (-curve.caught_at(0.01), -curve.auc))


def roc_chart(scores: dict[str, np.ndarray], member: np.ndarray, allowed: Allowed | None, width: int) -> Chart:
    """The same curves on plain and on logarithmic axes; above ``allowed`` no attack may lie."""
    curves, lowest = curves_of(scores, member), 1 / max(2, int((~member).sum()))
    with rc_context(STYLE):
        plain, logarithmic, key, figure = axes_with_key(width, len(LINES) + 2)
        draw_roc(plain, curves, allowed, 0.0)
        draw_roc(logarithmic, curves, allowed, lowest)
        plain.set_title("plain axes: the average\nhigher: members told apart better", loc="left")
        logarithmic.set_title("logarithmic: the worst case\nleft: few false alarms", loc="left")
        draw_key(key, curves, allowed)
    return Chart(figure, roc_words(curves, allowed))


def protocols_chart(
    same: dict[str, np.ndarray],
    member: np.ndarray,
    shifted: dict[str, np.ndarray],
    shifted_member: np.ndarray,
    width: int,
) -> Chart:
    """Skewed Purchases: outsiders of the training distribution (left), and of the test distribution (right)."""
    curves = [curves_of({name: same[name] for name in shifted}, member), curves_of(shifted, shifted_member)]
    with rc_context(STYLE):
        first, second, key, figure = axes_with_key(width, len(LINES) + 2)
        draw_roc(first, curves[0], None, 0.0)
        draw_roc(second, curves[1], None, 0.0)
        first.set_title("outsiders like the members\nmembership, and nothing else", loc="left")
        second.set_title("outsiders as in paper C\nalso: another distribution", loc="left")
        draw_key(key, curves[1], None)
    words = [roc_words(some, None) for some in curves]
    return Chart(figure, f"Outsiders like the members. {words[0]} Outsiders as in paper C. {words[1]}")


def axes_with_key(width: int, rows: int) -> tuple[Axes, Axes, Axes, Figure]:
    """Two axes and a key: side by side where there is room, one above the other elsewhere."""
    wide, left, top, bottom, gap = width >= WIDE, 52, 46, 50, 58
    side = (width - left - gap - KEY - 12) // 2 if wide else width - left - 14
    high = max(side, 210)
    height = top + high + bottom if wide else 2 * (top + high + bottom) + (rows + 1) * KEY_ROW
    figure = new_figure(width, height, 0, 0, 0, 0)

    def axes_at(x: float, y: float, w: float, h: float) -> Axes:
        return figure.add_axes((x / width, 1 - (y + h) / height, w / width, h / height))

    first = axes_at(left, top, side, high)
    second = axes_at(left + side + gap, top, side, high) if wide else axes_at(left, 2 * top + high + bottom, side, high)
    place = (width - KEY, top) if wide else (left, 2 * (top + high + bottom) + KEY_ROW)
    key = axes_at(*place, KEY if wide else side, rows * KEY_ROW)
    key.set_axis_off()
    key.set_xlim(0, KEY if wide else side)
    key.set_ylim(rows, 0)
    return first, second, key, figure


def draw_roc(axes: Axes, curves: list[Curve], allowed: Allowed | None, lowest: float) -> None:
    """``lowest``: where logarithmic axes begin, which is one outsider of all; 0: plain axes."""
    if lowest:
        axes.set_xscale("log")
        axes.set_yscale("log")
    axes.set_xlim(lowest, 1)
    axes.set_ylim(lowest, 1.0 if lowest else 1.01)
    if lowest:
        powers_only(axes)
        axes.axvline(0.01, color=REFERENCE, linewidth=0.8)
    axes.plot([lowest, 1], [lowest, 1], color=REFERENCE, linewidth=1.2)
    for curve in reversed(curves):
        _, colour, _, dash = LINES[curve.attack]
        x, y = np.maximum(curve.fpr, lowest), np.maximum(curve.tpr, lowest)
        style = "steps-post" if lowest else "default"  # where rates are few, nothing is interpolated
        axes.plot(x, y, color=colour, linestyle=dash, linewidth=1.8, drawstyle=style)
    if allowed is not None:
        x = np.maximum(allowed.fpr, lowest)
        axes.plot(x, allowed.tpr, color=PROTECTED, linewidth=2)
        axes.fill_between(x, allowed.tpr, 1.01, color=PROTECTED, alpha=0.12, linewidth=0)
    axes.set_xlabel("outsiders accused (false alarms)")
    axes.set_ylabel("members caught")


def draw_key(axes: Axes, curves: list[Curve], allowed: Allowed | None) -> None:
    """A line a curve, from the best at few false alarms down."""
    rows = [(f"{LINES[c.attack][0]}  {c.auc:.2f}", *LINES[c.attack][1:]) for c in curves]
    rows.append(("guessing  0.50", REFERENCE, REFERENCE, "-"))
    rows += [("the promise's limit", PROTECTED, PROTECTED, "-")] if allowed is not None else []
    axes.text(0, 0, "attack and its AUC", color=INK, va="center", fontsize=10)
    for place, (words, colour, words_colour, dash) in enumerate(rows, 1):
        axes.plot([0, 22], [place, place], color=colour, linestyle=dash, linewidth=2)
        axes.text(28, place, words, color=words_colour, va="center", fontsize=10)


def roc_words(curves: list[Curve], allowed: Allowed | None) -> str:
    if not curves:
        return "No attack has been made yet."
    found = "; ".join(f"{LINES[c.attack][0]} AUC {c.auc:.2f}, {c.caught_at(0.01):.1%} caught" for c in curves)
    limit = "" if allowed is None else f" The promise allows at most {allowed.at(0.01):.1%} to be caught there."
    return f"Members caught against outsiders accused: AUC (0.5: guessing), and at 1 % false alarms: {found}.{limit}"


# ---- one record
@dataclass(frozen=True)
class Spread:
    """What some models said of one record, and the normal curve that stands for them."""

    values: np.ndarray
    mean: float
    deviation: float


def record_chart(inside: Spread, outside: Spread, target: float, width: int) -> Chart:
    """How sure models are of one record's label, with it and without it among their training records."""
    kinds = ((outside, PROTECTED, PROTECTED, "without it"), (inside, EXPOSED, EXPOSED_WORDS, "with it"))
    ends = [spread.mean + side * spread.deviation for spread, *_ in kinds for side in (-3.2, 3.2)]
    every = np.concatenate([inside.values, outside.values, [target], ends])
    x = np.linspace(every.min(), every.max(), 300)
    with rc_context(STYLE):
        figure = new_figure(width, 300, left=20, right=20, top=46, bottom=50)
        axes = figure.add_subplot()
        highest = 0.0
        for place, (spread, colour, words_colour, words) in enumerate(kinds):
            y = np.exp(-0.5 * ((x - spread.mean) / spread.deviation) ** 2) / (spread.deviation * np.sqrt(2 * np.pi))
            bins = np.linspace(x[0], x[-1], 31)
            heights = axes.hist(spread.values, bins, density=True, color=colour, alpha=0.25 + 0.1 * place)[0]
            axes.plot(x, y, color=colour, linewidth=1.8, linestyle=("-", DASH)[place])
            highest = max(highest, y.max(), heights.max())
            side = (spread.mean - x[0]) / (x[-1] - x[0])
            axes.annotate(
                f"{len(spread.values)} models {words}", (spread.mean, max(y.max(), heights.max())), (0, 4),
                textcoords="offset points", ha="left" if side < 0.25 else "right" if side > 0.75 else "center",
                va="bottom", color=words_colour, fontsize=10,
            )  # fmt: skip
        axes.axvline(target, color=INK, linewidth=2)
        right = target < (x[0] + x[-1]) / 2
        axes.annotate(
            " the published model " if width > 420 else " published ", (target, 0.97),
            xycoords=axes.get_xaxis_transform(), ha="left" if right else "right", va="top", color=INK, fontsize=10,
        )  # fmt: skip
        axes.set_ylim(0, 1.35 * highest)
        axes.set_yticks([])
        axes.set_xlim(x[0], x[-1])
        axes.set_title("how sure a model is of this record's label\nright: surer", loc="left")
        axes.set_xlabel("ln p/(1 − p) of the true label")
    alt = (
        f"Confidence in one record's label, as ln p/(1 − p): {len(inside.values)} models trained with it "
        f"{inside.mean:.1f} ± {inside.deviation:.1f}, {len(outside.values)} without it {outside.mean:.1f} ± "
        f"{outside.deviation:.1f}; the published model {target:.1f}."
    )
    return Chart(figure, alt)


# ---- verdicts
def verdicts_chart(decisive: np.ndarray, accused: np.ndarray, width: int) -> Chart:
    """Records by the model's largest confidence, apart for those called member and outsider (paper C, Fig. 7 l–m)."""
    bins = np.linspace(0, 1, BINS + 1)
    kinds = ((accused, EXPOSED, EXPOSED_WORDS, "called member"), (~accused, PROTECTED, PROTECTED, "called outsider"))
    with rc_context(STYLE):
        figure = new_figure(width, 280, left=56, right=16, top=46, bottom=50)
        axes = figure.add_subplot()
        for place, (chosen, colour, words_colour, words) in enumerate(kinds):
            counts = np.histogram(decisive[chosen], bins)[0]
            axes.stairs(counts, bins, color=colour, fill=place == 0, alpha=0.35 if place == 0 else 1, linewidth=1.8)
            axes.text(
                0.02, 0.94 - 0.09 * place, f"{words}: {chosen.sum():,} records", color=words_colour, va="center",
                transform=axes.transAxes, fontsize=10,
            )  # fmt: skip
        axes.set_yscale("symlog", linthresh=1)
        axes.set_ylim(0, 3 * max(1, len(decisive)))
        ticks = [0, *(10**p for p in range(int(np.log10(max(10, len(decisive)))) + 1))]
        axes.yaxis.set_ticks(ticks, [f"{tick:,}" for tick in ticks])
        axes.yaxis.set_ticks([], minor=True)
        axes.set_xlim(0, 1)
        axes.set_title("number of records", loc="left")
        axes.set_xlabel("the model's largest confidence")
    means = [f"{words} {decisive[who].mean():.2f}" if who.any() else f"{words}: none" for who, *_, words in kinds]
    return Chart(figure, f"Largest confidence, mean over {len(decisive)} records by verdict: {'; '.join(means)}.")
