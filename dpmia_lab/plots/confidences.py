"""Charts of lesson 8: who is recognised by whom, whether confidences mean what they say, the answers themselves."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib import rc_context

from dpmia_lab.plots.points import mark
from dpmia_lab.plots.style import EXPOSED, INK, LINE, PROTECTED, REFERENCE, STYLE, Chart, new_figure

NAMES = 272  # pixels for the names of bars; on a narrow page they stand above them
NARROW = 520
BAR, TALL_BAR, TOP, BOTTOM = 25, 40, 40, 44  # pixels
NULL = "#A9A498"
COLOURS = {"attack": EXPOSED, "label": "#E69F00", "null": NULL}


@dataclass(frozen=True)
class Bar:
    """An attacker and what it reaches; ``kind``: "attack", "label" (told the likeliest name only) or "null"."""

    name: str
    kind: str
    value: float
    low: float | None = None  # the ends of its interval, if there is one
    high: float | None = None


@rc_context(STYLE)
def recognised_chart(
    bars: Sequence[Bar], measure: str, width: int, share: bool, closer_is_lower: bool, chance: float | None
) -> Chart:
    """One bar an attacker with its interval; grey are pictures that owe nothing to the network."""
    beside = width >= NARROW
    height = TOP + (BAR if beside else TALL_BAR) * len(bars) + BOTTOM
    figure = new_figure(width, height, left=NAMES if beside else 8, right=56, top=TOP, bottom=BOTTOM)
    axes = figure.add_subplot()
    places, values = np.arange(len(bars))[::-1], np.array([bar.value for bar in bars])
    axes.barh(places, values, height=0.62 if beside else 0.36, color=[COLOURS[bar.kind] for bar in bars])
    for place, bar in zip(places, bars, strict=True):
        if bar.low is not None:
            axes.plot([bar.low, bar.high], [place, place], color=INK, linewidth=1)
        axes.annotate(text_of(bar.value, share), (1, place), (6, 0), xycoords=("axes fraction", "data"),
                      textcoords="offset points", va="center",
                      fontweight="bold" if bar.kind == "attack" else "normal")  # fmt: skip
        if not beside:
            axes.text(0, place + 0.22, bar.name, va="bottom", fontsize=9.5)
    if chance is not None:
        axes.axvline(chance, color=REFERENCE, linestyle=":", linewidth=1.2)
    axes.set_yticks(places, [bar.name if beside else "" for bar in bars])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(-0.6, len(bars) - (0.4 if beside else 0.2))
    axes.grid(axis="y", visible=False)
    axes.set_xlim(min(0.0, float(values.min())), 1.0 if not closer_is_lower else 1.05 * float(values.max()))
    axes.set_title(f"{measure}\n{'shorter' if closer_is_lower else 'longer'}: worse leak", loc="left", x=0)
    axes.set_xlabel("grey: without the network" + ("; dotted: by chance" if chance is not None else ""))
    mark(axes, values, places, [bar.name for bar in bars], [bar_words(bar, share) for bar in bars])
    told = "; ".join(f"{bar.name} {text_of(bar.value, share)}" for bar in bars)
    return Chart(figure, f"{measure[0].upper()}{measure[1:]}, by attacker: {told}.")


def text_of(value: float, share: bool) -> str:
    return f"{value:.0%}" if share else f"{value:.2f}" if abs(value) < 2 else f"{value:.1f}"


def bar_words(bar: Bar, share: bool) -> str:
    interval = "" if bar.low is None else f", 95 % interval {bar.low:.0%} to {bar.high:.0%}"
    return f"{text_of(bar.value, share)}{interval}"


# ---- the network
@rc_context(STYLE)
def reliability_chart(
    count: np.ndarray, accuracy: np.ndarray, confidence: np.ndarray, error: float, width: int
) -> Chart:
    """How often the network is right where it says so much; on the diagonal it means what it says. (bins,) each."""
    figure = new_figure(width, 190, left=52, right=16, top=TOP, bottom=BOTTOM)
    axes = figure.add_subplot()
    some = count > 0
    weight = count[some] / count.sum()
    axes.plot([0, 1], [0, 1], color=REFERENCE, linestyle=":", linewidth=1.2)
    for said, right in zip(confidence[some], accuracy[some], strict=True):
        axes.plot([said, said], [said, right], color=LINE, linewidth=3, zorder=1)
    sizes = 18 + 260 * weight
    axes.scatter(confidence[some], accuracy[some], s=sizes, color=PROTECTED, zorder=2, alpha=0.85, clip_on=False)
    axes.set_xlim(-0.02, 1.04)
    axes.set_ylim(-0.04, 1.1)
    axes.set_xticks([0, 0.5, 1], ["0", "50%", "100%"])
    axes.set_yticks([0, 0.5, 1], ["0", "50%", "100%"])
    axes.set_title("how often it is right\ndotted: it means what it says", loc="left", x=0)
    axes.set_xlabel("how sure it says it is")
    words = [f"right {right:.0%} of the time; {share:.0%} of pictures"
             for right, share in zip(accuracy[some], weight, strict=True)]  # fmt: skip
    mark(axes, confidence[some], accuracy[some], [f"says {said:.0%}" for said in confidence[some]], words)
    largest = int(count.argmax())
    told = f"most often it says about {confidence[largest]:.0%} and is then right {accuracy[largest]:.0%} of the time"
    return Chart(figure, f"Reliability: {told}. Expected calibration error {error:.2f}, {len(count)} bins.")


@rc_context(STYLE)
def answers_chart(answers: np.ndarray, label: int, width: int) -> Chart:
    """What the network says of one picture: its mean answer as bars, each answer as dots (paper B, Fig. 1 b).

    answers: (draws, classes); label: the true class.
    """
    figure = new_figure(width, 190, left=52, right=16, top=TOP, bottom=BOTTOM)
    axes = figure.add_subplot()
    mean, places = answers.mean(0), np.arange(1, answers.shape[1] + 1)
    colours = [EXPOSED if place == label else NULL for place in range(len(mean))]
    axes.bar(places, mean, color=colours, width=0.7)
    several = len(answers) > 1
    if several:
        axes.scatter(np.tile(places, len(answers)), answers.ravel(), s=5, color=INK, alpha=0.35, linewidths=0, zorder=3)
    axes.set_ylim(0, 1.04)
    axes.set_xlim(0.3, len(mean) + 0.7)
    axes.set_yticks([0, 0.5, 1], ["0", "50%", "100%"])
    count = f"{len(answers)} answers" if several else "the answer"
    below = "dots far apart: another answer each time" if several else "it would answer alike each time"
    axes.set_title(f"{count} about the first picture\n{below}", loc="left", x=0)
    axes.set_xlabel("name (orange: the right one)")
    words = [f"{share:.1%} on average" + (f", from {low:.0%} to {high:.0%}" if several else "")
             for share, low, high in zip(mean, answers.min(0), answers.max(0), strict=True)]  # fmt: skip
    names = [f"name {place}" + (", the right one" if place == label + 1 else "") for place in places]
    mark(axes, places, mean, names, words)
    low, high = answers[:, label].min(), answers[:, label].max()
    told = f"The right name gets {mean[label]:.0%} on average" + (f", from {low:.0%} to {high:.0%}" if several else "")
    return Chart(figure, f"{count[0].upper()}{count[1:]} about the first picture. {told}.")
