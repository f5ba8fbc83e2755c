"""Charts of lesson 4: what is learned and what leaks, one record's odds, verdicts by confidence."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes

from dpmia_lab.plots.axes import LABELS, label_ends, two_axes
from dpmia_lab.plots.points import mark, some_of
from dpmia_lab.plots.roc import DASH, DOTS, EXPOSED_WORDS
from dpmia_lab.plots.style import EXPOSED, INK, PROTECTED, REFERENCE, STYLE, Chart, new_figure

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
        return Chart(two_axes(width, 200, right=LABELS)[2], "Nothing is measured yet.")
    with rc_context(STYLE):
        first, second, figure = two_axes(width, 200, right=LABELS)
        first.fill_between(epochs, test, train, color=EXPOSED, alpha=0.1, linewidth=0)
        for axes, values, colour, dash in (
            (first, train, INK, DASH),
            (first, test, PROTECTED, "-"),
            (second, aucs, EXPOSED, "-"),
        ):
            axes.plot(epochs, values, color=colour, linestyle=dash, linewidth=1.8)
            axes.plot(epochs[-1:], values[-1:], "o", color=colour, markersize=9, clip_on=False)
            mark_epochs(axes, epochs, values, "seen" if values is train else "new" if values is test else "")
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


def mark_epochs(axes: Axes, epochs: Sequence[float], values: Sequence[float], records: str) -> None:
    """``records``: those whose accuracy it is; "" for the attack."""
    some = some_of(len(epochs))
    said = [
        f"{values[i]:.0%} right on {records} records" if records else f"AUC {values[i]:.2f} of a threshold on the loss"
        for i in some
    ]
    mark(axes, np.asarray(epochs)[some], np.asarray(values)[some], [f"epoch {epochs[i]:.0f}" for i in some], said)


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
        figure = new_figure(width, 260, left=20, right=20, top=46, bottom=50)
        axes = figure.add_subplot()
        highest = 0.0
        for place, (spread, colour, words_colour, words) in enumerate(kinds):
            y = np.exp(-0.5 * ((x - spread.mean) / spread.deviation) ** 2) / (spread.deviation * np.sqrt(2 * np.pi))
            bins = np.linspace(x[0], x[-1], 31)
            heights = axes.hist(spread.values, bins, density=True, color=colour, alpha=0.25 + 0.1 * place)[0]
            axes.plot(x, y, color=colour, linewidth=1.8, linestyle=("-", DASH)[place])
            highest = max(highest, y.max(), heights.max())
            mark_models(axes, bins, spread, heights, words)
            side, near = (spread.mean - x[0]) / (x[-1] - x[0]), abs(spread.mean - target) < 0.15 * (x[-1] - x[0])
            axes.annotate(  # beside the published model's line where that is near
                f"{len(spread.values)} models {words}", (target if near else spread.mean, max(y.max(), heights.max())),
                (4 if side < 0.5 else -4, 4), textcoords="offset points", va="bottom", color=words_colour, fontsize=10,
                ha=("left" if side < 0.5 else "right") if near or not 0.25 < side < 0.75 else "center",
            )  # fmt: skip
        axes.axvline(target, color=INK, linewidth=2)
        mark(axes, target, 0.5, "the published model", f"ln p/(1 − p) = {target:.1f}", "",
             axes.get_xaxis_transform())  # fmt: skip
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


def mark_models(axes: Axes, bins: np.ndarray, spread: Spread, heights: np.ndarray, words: str) -> None:
    """A reading a bar, at its top."""
    counts, middles = np.histogram(spread.values, bins)[0], (bins[1:] + bins[:-1]) / 2
    some = np.flatnonzero(counts)
    said = [
        f"{counts[i]} of {len(spread.values)} models between {bins[i]:.1f} and {bins[i + 1]:.1f}; all of them "
        f"{spread.mean:.1f} ± {spread.deviation:.1f}"
        for i in some
    ]
    mark(axes, middles[some], heights[some], f"models {words}", said)


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
            said = [f"{n:,} records, confidence {bins[i]:.2f} to {bins[i + 1]:.2f}" for i, n in enumerate(counts)]
            some = np.flatnonzero(counts)
            mark(axes, ((bins[1:] + bins[:-1]) / 2)[some], counts[some], words, [said[i] for i in some])
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
