"""Charts of lesson 2: what steps cost, what an attacker can do at best, and accuracy against ε."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes

from dpmia_lab.experiments.spending import Curve
from dpmia_lab.plots.axes import label_ends, powers_only, two_axes
from dpmia_lab.plots.points import mark, some_of
from dpmia_lab.plots.style import EXPOSED, INK, PROTECTED, REFERENCE, STYLE, Chart, new_figure
from dpmia_lab.privacy.accounting import epsilon_text

GREEN = "#009E73"  # Okabe–Ito: the instant accountant
# accountant: (name at the line, colour, dash)
LINES = {
    "tight": ("tight", PROTECTED, "-"),
    "moments": ("moments", GREEN, (0, (5, 2))),
    "paper-moments": ("A's bound", REFERENCE, (0, (6, 1, 1, 1))),
    "paper-closed-form": ("A's formula", REFERENCE, (0, (1, 1.5))),
}
LEAST_EPSILON = 1e-3  # below it a chart says nothing
RATES = np.array([0.001, 0.01, 0.02, 0.05, *np.arange(0.1, 1.0, 0.1), 0.95, 0.99])  # of false accusations, to be read


def accounting_chart(curves: dict[str, Curve], steps: int, epsilon: float, rate: float, width: int) -> Chart:
    """Left: ε over T, by accountant. Right: the trade-off of the best attacker, with one rate marked.

    The large point is (``steps``, ``epsilon``), on the line of the first accountant in ``curves``.
    """
    with rc_context(STYLE):
        first, second, figure = two_axes(width, 300, right=16)
        draw_spending(first, curves, steps, epsilon)
        best = draw_tradeoff(second, curves, rate)
    last = last_step(curves)
    ends = "; ".join(
        f"{LINES[n][0]} ε = {epsilon_text(c.epsilons[-1])}" for n, c in curves.items() if c.steps[-1] == last
    )
    alt = (
        f"Left, ε over steps: ε = {epsilon_text(epsilon)} after {steps} steps; after {last} steps {ends}. "
        f"Right, the best attacker: accusing {rate:.0%} of outsiders wrongly, they miss at least {best:.0%} of "
        f"members; with perfect privacy {1 - rate:.0%}."
    )
    return Chart(figure, alt)


def last_step(curves: dict[str, Curve]) -> int:
    """Of the longest curve; the tight one may be a single point at first."""
    return max(int(curve.steps[-1]) for curve in curves.values())


def draw_spending(axes: Axes, curves: dict[str, Curve], steps: int, epsilon: float) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    ends = []
    for name, curve in curves.items():
        words, colour, dash = LINES[name]
        shown = np.clip(curve.epsilons, LEAST_EPSILON, None)
        axes.plot(curve.steps, shown, color=colour, linestyle=dash, linewidth=1.8)
        mark_spending(axes, words, curve, shown)
        if np.isfinite(shown[-1]) and curve.steps[-1] == last_step(curves):
            ends.append((words, float(shown[-1]), colour))
    colour = LINES[next(iter(curves))][1]
    if LEAST_EPSILON <= epsilon < np.inf:
        axes.plot([steps], [epsilon], "o", color=colour, markersize=11)
        mark(axes, steps, epsilon, "your settings", f"ε = {epsilon_text(epsilon)} after {steps:,} steps; lower: safer")
    decade = 10 ** np.clip(np.floor(np.log10(max(epsilon, 1e-9))), -3, 9)  # nothing jumps while ε stays in range
    axes.set_ylim(min(0.1, decade), max(100.0, 10 * decade))
    axes.set_xlim(1, last_step(curves))
    powers_only(axes)
    label_ends(axes, ends)
    axes.set_title("ε spent\nlower: safer", loc="left")
    axes.set_xlabel("T, steps")


def mark_spending(axes: Axes, words: str, curve: Curve, shown: np.ndarray) -> None:
    some = some_of(len(shown))
    some = some[np.isfinite(shown[some])]
    said = [f"ε = {epsilon_text(curve.epsilons[i])} after {int(curve.steps[i]):,} steps; lower: safer" for i in some]
    mark(axes, np.asarray(curve.steps)[some], shown[some], f"accountant: {words}", said)


def draw_tradeoff(axes: Axes, curves: dict[str, Curve], rate: float) -> float:
    """The curves that have one; returns the best one's false negatives at the marked rate."""
    best, names = 1 - rate, [("— perfect privacy", REFERENCE)]
    axes.plot([0, 1], [1, 0], color=REFERENCE, linewidth=1.2)
    for place, (name, curve) in enumerate((n, c) for n, c in curves.items() if c.rates is not None):
        words, colour, dash = LINES[name]
        axes.plot(curve.rates, curve.misses, color=colour, linestyle=dash, linewidth=1.8)
        misses = np.interp(RATES, curve.rates, curve.misses)
        mark(axes, RATES, misses, f"best attacker, {words}", map(missed_words, RATES, misses))
        names.insert(place, (f"best attacker, {words}" if place == 0 else f"- - {words}", colour))
        if place == 0:
            best = float(np.interp(rate, curve.rates, curve.misses))
            axes.fill_between(curve.rates, 0, curve.misses, color=colour, alpha=0.08, linewidth=0)
            axes.plot([rate], [best], "o", color=EXPOSED, markersize=11, clip_on=False)
            mark(axes, rate, best, "the rate you marked", missed_words(rate, best))
    for place, (words, colour) in enumerate(names):  # above the diagonal there is always room
        axes.text(0.98, 0.95 - 0.085 * place, words, color=colour, ha="right", va="center", fontsize=10)
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    axes.set_title("members missed, at least\nhigher: safer", loc="left")
    axes.set_xlabel("outsiders wrongly accused")
    return best


def missed_words(rate: float, missed: float) -> str:
    return (
        f"accusing {rate:.1%} of outsiders wrongly, they miss at least {missed:.1%} of members; "
        f"with perfect privacy {1 - rate:.1%}"
    )


def training_chart(
    steps: Sequence[int],
    accuracies: Sequence[float],
    epsilons: Sequence[float],
    last: int,
    chance: float | None,
    width: int,
) -> Chart:
    """A run so far, of ``last`` steps at most: test accuracy, and ε by the moments accountant."""
    with rc_context(STYLE):
        first, second, figure = two_axes(width, 236, right=84)
        for axes, values, colour in ((first, accuracies, PROTECTED), (second, epsilons, EXPOSED)):
            axes.plot(steps, values, "-", color=colour, linewidth=1.8)
            axes.plot(steps[-1:], values[-1:], "o", color=colour, markersize=10, clip_on=False)
            said = "{:.0%} right on new pictures".format if axes is first else spent_words
            mark_steps(axes, steps, values, [said(value) for value in values])
            axes.set_xlim(0, last)
            axes.set_xlabel("step")
        first.set_ylim(0, 1)
        second.set_ylim(0, max(1.15 * epsilons[-1], 0.1) if len(epsilons) else 1)
        ends = [(f"{accuracies[-1]:.0%}", accuracies[-1], PROTECTED)] if len(accuracies) else []
        if chance is not None:
            first.axhline(chance, color=REFERENCE, linestyle=(0, (1, 1.5)), linewidth=1.2)
            ends.append(("by chance", chance, REFERENCE))
        label_ends(first, ends, gap=0.12)
        if len(epsilons):
            label_ends(second, [(f"ε = {epsilon_text(epsilons[-1])}", epsilons[-1], EXPOSED)])
        first.set_title("right on new pictures\nhigher: more useful", loc="left")
        second.set_title("ε spent so far (moments)\nlower: safer", loc="left")
    if not len(steps):
        return Chart(figure, "Nothing is measured yet.")
    alt = (
        f"After {steps[-1]} of {last} steps: accuracy {accuracies[-1]:.0%}, ε = {epsilon_text(epsilons[-1])} (moments)."
    )
    return Chart(figure, alt)


def spent_words(epsilon: float) -> str:
    return f"ε = {epsilon_text(epsilon)} spent"


def mark_steps(axes: Axes, steps: Sequence[int], values: Sequence[float], words: Sequence[str]) -> None:
    some = some_of(len(steps))
    x, y = (np.asarray(each)[some] if len(some) else [] for each in (steps, values))
    mark(axes, x, y, [f"step {steps[i]:,}" for i in some], [words[i] for i in some])


@dataclass(frozen=True)
class Point:
    """One finished run."""

    epsilon: float
    accuracy: float
    words: str
    key: str = ""  # what a click opens


def accuracy_chart(
    reference: dict | None, points: Sequence[Point], chance: float | None, unit: str, width: int
) -> Chart:
    """Accuracy over ε: the reader's runs, newest first, over the reference curve with its spread over seeds.

    ``chance``: the accuracy of guessing, where the number of classes is known.
    """
    narrow = width < 500
    with rc_context(STYLE):
        figure = new_figure(width, 330, left=56, right=24 if narrow else 150, top=48, bottom=48)
        axes = figure.add_subplot()
        axes.set_xscale("log")
        ends = []
        if chance is not None:
            ends.append(("by chance", chance, REFERENCE))
            axes.axhline(chance, color=REFERENCE, linestyle=(0, (1, 1.5)), linewidth=1.2)
        epsilons = [p.epsilon for p in points]
        if reference is not None:
            ends.append(draw_reference(axes, reference))
            epsilons += list(reference["epsilon_tight"])
        draw_points(axes, points)
        axes.set_xlim(min([0.3, *epsilons]) / 1.4, max([30.0, *epsilons]) * 1.4)
        axes.set_ylim(0, 1)
        axis_of_epsilon(axes)
        if not narrow:
            label_ends(axes, ends)
        axes.set_title("right on new pictures\nhigher: more useful", loc="left")
        axes.set_xlabel(f"ε for a {unit} (tight); left: safer")
    return Chart(figure, accuracy_words(reference, points))


def draw_reference(axes: Axes, reference: dict) -> tuple[str, float, str]:
    x, y, sd = (np.array(reference[name]) for name in ("epsilon_tight", "accuracy", "accuracy_sd"))
    order = np.argsort(x)
    x, y, sd = x[order], y[order], sd[order]
    axes.fill_between(x, y - sd, y + sd, color=REFERENCE, alpha=0.18, linewidth=0)
    axes.plot(x, y, color=REFERENCE, linewidth=1.6)
    points = zip(x, y, sd, strict=True)
    said = [f"{a:.0%} ± {s:.0%} right on new pictures at ε = {epsilon_text(e)}" for e, a, s in points]
    mark(axes, x, y, "the lab's reference", said)
    return "reference ± s.d.", float(y[-1]), REFERENCE


def draw_points(axes: Axes, points: Sequence[Point]) -> None:
    """The newest large and named, older ones smaller and fading."""
    for age, point in reversed(list(enumerate(points))):
        strength = max(0.25, 0.75 - 0.1 * age) if age else 1.0
        axes.plot(
            [point.epsilon], [point.accuracy], "o", color=PROTECTED, alpha=strength, markersize=7 if age else 13,
            clip_on=False,
        )  # fmt: skip
        said = f"{point.accuracy:.0%} right on new pictures at ε = {epsilon_text(point.epsilon)}"
        mark(axes, point.epsilon, point.accuracy, point.words, said, point.key)
    if points:
        newest = points[0]
        words = f"{newest.words}: {newest.accuracy:.0%} at ε = {epsilon_text(newest.epsilon)}"
        axes.annotate(
            words, (newest.epsilon, newest.accuracy),
            (0, 14 if newest.accuracy < 0.85 else -20), textcoords="offset points", color=INK, ha="center", fontsize=10,
            bbox={"facecolor": "white", "alpha": 0.8, "linewidth": 0, "pad": 1},
        )  # fmt: skip


def axis_of_epsilon(axes: Axes) -> None:
    low, high = axes.get_xlim()
    ticks = [value for value in (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 1000, 1e4) if low <= value <= high]
    axes.xaxis.set_ticks(ticks, [f"{value:g}" for value in ticks])
    axes.xaxis.set_ticks([], minor=True)


def accuracy_words(reference: dict | None, points: Sequence[Point]) -> str:
    runs = (
        "; ".join(f"{p.words}: accuracy {p.accuracy:.0%} at ε = {epsilon_text(p.epsilon)}" for p in points)
        or "no runs yet"
    )
    if reference is None:
        return f"Accuracy over ε. {runs}."
    pairs = zip(reference["epsilon_tight"], reference["accuracy"], strict=True)
    curve = ", ".join(f"{accuracy:.0%} at ε = {epsilon_text(epsilon)}" for epsilon, accuracy in sorted(pairs))
    return f"Accuracy over ε. {runs}. Reference: {curve}."


def person_chart(records: Sequence[int], epsilons: np.ndarray, chosen: int, width: int) -> Chart:
    """ε over the number of one person's records: as computed, and k times one record's, which is too little.

    ``epsilons`` may still have gaps (NaN); ``chosen``: the place of the reader's own number.
    """
    counts = np.array(records)
    known = np.isfinite(epsilons) & (epsilons > LEAST_EPSILON)
    with rc_context(STYLE):
        figure = new_figure(width, 300, left=56, right=24 if width < 500 else 150, top=48, bottom=48)
        axes = figure.add_subplot()
        axes.set_xscale("log")
        axes.set_yscale("log")
        ends = []
        if known[0]:
            times = counts * epsilons[0]
            axes.plot(counts, times, color=REFERENCE, linestyle=(0, (5, 2)), linewidth=1.6)
            said = [f"{epsilon_text(value)}, which is too little" for value in times[1:]]
            mark(axes, counts[1:], times[1:], [f"{count} times one picture's ε" for count in counts[1:]], said)
            ends.append(("k times one's", float(times[-1]), REFERENCE))
        if known.any():
            axes.plot(counts[known], epsilons[known], color=EXPOSED, linewidth=1.8)
            said = [f"ε = {epsilon_text(value)} for all of them together" for value in epsilons[known]]
            mark(axes, counts[known], epsilons[known], [f"{count} pictures" for count in counts[known]], said)
            ends.append(("computed", float(epsilons[known][-1]), EXPOSED))
        if known[chosen]:
            axes.plot([counts[chosen]], [epsilons[chosen]], "o", color=EXPOSED, markersize=11)
        lowest, highest = (epsilons[known].min(), epsilons[known].max()) if known.any() else (1.0, 1.0)
        axes.set_ylim(min(1.0, 10 ** np.floor(np.log10(lowest))), max(1e4, 10 ** np.ceil(np.log10(highest))))
        axes.set_xlim(1, counts[-1])
        powers_only(axes)
        axes.xaxis.set_ticks([1, 2, 5, 10, 20, 50], ["1", "2", "5", "10", "20", "50"])
        if width >= 500:
            label_ends(axes, ends)
        axes.set_title("ε for the whole person\nlower: safer", loc="left")
        axes.set_xlabel("k, pictures of one person")
    return Chart(figure, person_words(records, epsilons, chosen))


def person_words(records: Sequence[int], epsilons: np.ndarray, chosen: int) -> str:
    known = [(count, value) for count, value in zip(records, epsilons, strict=True) if np.isfinite(value)]
    curve = ", ".join(f"{epsilon_text(value)} for {count}" for count, value in known)
    mine = f" Yours: k = {records[chosen]}." if np.isfinite(epsilons[chosen]) else ""
    return f"ε over the number of pictures one person has: {curve or 'not computed yet'}.{mine}"
