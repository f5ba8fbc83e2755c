"""The playground's two charts: who was in the training set (ROC), and what a defence costs for what it hides."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dpmia_lab.plots.drawn import Axis, Drawing, Drawn

LEAST = 1e-3  # where both axes of the ROC begin; less cannot be told with so few records
FALSE_ALARMS = 0.01
PERCENT = ((0.001, "0.1%"), (0.01, "1%"), (0.1, "10%"), (1.0, "100%"))
FAINTEST = 0.12
MOST_READ = 24  # points of a line that can be pointed at

Ends = tuple[float, float]  # of an interval


# ---- ROC


@dataclass(frozen=True)
class Caught:
    """What an attack does: its ROC, and the share of members caught at 1 % false alarms."""

    fpr: np.ndarray
    tpr: np.ndarray
    tpr1: float
    tpr1_ends: Ends | None = None


def roc_chart(now: Caught, undefended: Caught | None, width: int, height: int) -> Drawn:
    """Both axes logarithmic, so that few false alarms have room; ``undefended`` is the grey line."""
    x = Axis(LEAST, 1, PERCENT, "false alarms: outsiders called members →", log=True)
    y = Axis(LEAST, 1, PERCENT, "members caught ↑ (lower is safer)", log=True)
    drawing = Drawing(width, height, x, y, margins=(44, 20, 26, 40))
    drawing.axes()
    drawing.line([LEAST, 1], [LEAST, 1], "reference", 1.2, dash="2 3")
    drawing.words(0.1, 0.1, "guessing", "reference", by=(12, 12))
    drawing.line([FALSE_ALARMS] * 2, [LEAST, 1], "ink", 1, dash="5 4")
    if undefended is not None:
        drawing.line(*steps(undefended), "reference", 1.5)
        drawing.words(FALSE_ALARMS, max(undefended.tpr1, 3 * LEAST), "no defence", "reference", "end", by=(-8, -4))
    fpr, tpr = steps(now)
    drawing.line(fpr, tpr, "exposed", 2.5)
    some = np.unique(np.linspace(0, len(fpr) - 1, MOST_READ).round().astype(int))
    said = [f"{tpr[i]:.1%} of members caught at {fpr[i]:.1%} false alarms" for i in some]
    drawing.mark(fpr[some], tpr[some], "here", said)
    if now.tpr1_ends is not None:
        drawing.interval((FALSE_ALARMS, FALSE_ALARMS), now.tpr1_ends, "exposed")
    drawing.dot(FALSE_ALARMS, now.tpr1, "exposed", 6)
    drawing.mark(FALSE_ALARMS, now.tpr1, "at 1% false alarms", [f"{now.tpr1:.1%} of members caught; guessing: 1%"])
    return drawing.finished(roc_words(now, undefended))


def roc_words(now: Caught, undefended: Caught | None) -> str:
    before = "" if undefended is None else f" Without a defence it catches {undefended.tpr1:.1%} there."
    return (
        "ROC on logarithmic axes, from 0.1% to 100%: members caught over false alarms. At 1% false alarms the attack "
        f"catches {now.tpr1:.1%} of the members; guessing catches 1%.{before}"
    )


def steps(curve: Caught) -> tuple[np.ndarray, np.ndarray]:
    """The ROC as stairs that stay within the axes, and as few corners as show."""
    fpr, tpr = np.maximum(curve.fpr, LEAST), np.maximum(curve.tpr, LEAST)
    places = np.unique(np.column_stack([np.log(fpr), np.log(tpr)]).round(2), axis=0)
    return np.exp(places[:, 0]), np.exp(places[:, 1])


# ---- trade-off

HALVES, SHARES = tuple((i / 10, f"{i / 10:g}") for i in range(5, 11)), tuple((i / 5, f"{20 * i}%") for i in range(6))
LOG_SHARES = ((0.01, "1%"), (0.03, "3%"), (0.1, "10%"), (0.3, "30%"), (1.0, "100%"))
MEASURES = {  # of a leak: the axis
    "auc": Axis(0.5, 1.0, HALVES, "AUC of likelihood ratios → (0.5: guessing)"),
    "tpr1": Axis(0.005, 1.0, LOG_SHARES, "members caught at 1% false alarms → (1%: guessing)", log=True),
    "recognised": Axis(0.0, 1.0, SHARES, "recognised by the matched filter →"),
    "recognised_plain": Axis(0.0, 1.0, SHARES, "recognised by similarity →"),
    "recognised_blur": Axis(0.0, 1.0, SHARES, "recognised by similarity after a blur →"),
}


@dataclass(frozen=True)
class Dot:
    """A position: what it leaks, by measure, and what it gets right; ``key`` opens it again."""

    leaks: Mapping[str, float]
    accuracy: float
    words: str
    key: str
    promised: bool
    leak_ends: Mapping[str, Ends] | None = None
    accuracy_ends: Ends | None = None


@dataclass(frozen=True)
class Curve:
    """A defence over its strengths, as it ships."""

    name: str
    title: str
    leaks: Mapping[str, tuple[float, ...]]
    accuracy: tuple[float, ...]
    words: tuple[str, ...]


def tradeoff_chart(
    dots: Sequence[Dot], curves: Sequence[Curve], here: str, measure: str, lam: float, width: int, height: int
) -> Drawn:
    """``dots``: the newest last. ``here``: the defence that is set, whose grey curve is the darkest.

    Where the leak is an AUC, a thin line joins all that is as good a bargain as the newest dot by AOP(λ).
    """
    drawing = empty_tradeoff(measure, width, height)
    curves = [curve for curve in curves if measure in curve.leaks]
    drawing.parts.append(background(tuple(map(curve_key, curves)), here, measure, width, height))
    for curve in curves:
        drawing.mark(curve.leaks[measure], curve.accuracy, curve.title, curve.words)
    if dots and measure == "auc":
        bargain_line(drawing, dots[-1], lam)
    for age, dot in list(enumerate(reversed(dots)))[::-1]:
        draw_dot(drawing, dot, measure, age)
    words = [f"{dot.words}: {dot.accuracy:.1%} right, {leak_words(measure, dot.leaks[measure])}" for dot in dots]
    if dots:
        places = [dot.leaks[measure] for dot in dots], [dot.accuracy for dot in dots]
        drawing.mark(*places, "you were here", words, [dot.key for dot in dots])
    return drawing.finished(tradeoff_words(dots, curves, measure))


def empty_tradeoff(measure: str, width: int, height: int) -> Drawing:
    accuracy = Axis(0, 1, tuple((i / 4, f"{25 * i}%") for i in range(5)), "named right ↑ (higher is better)")
    return Drawing(width, height, MEASURES[measure], accuracy, margins=(44, 20, 26, 40))


def curve_key(curve: Curve) -> tuple:
    """All that its line needs, so that it can be kept drawn."""
    return curve.name, curve.title, tuple(sorted((name, tuple(xs)) for name, xs in curve.leaks.items())), curve.accuracy


@lru_cache(maxsize=64)
def background(curves: tuple[tuple, ...], here: str, measure: str, width: int, height: int) -> str:
    """What does not move: the axes and the grey curves. This defence's is named; others tell when pointed at."""
    drawing = empty_tradeoff(measure, width, height)
    drawing.axes()
    left, right, top, _ = drawing.margins
    drawing.words_at(left + 8, top + 16, "↖ safe and right", "protected")
    for name, _, leaks, accuracy in sorted(curves, key=lambda curve: curve[0] == here):
        now = name == here
        drawing.line(dict(leaks)[measure], accuracy, "ink" if now else "reference", 2 if now else 1.2,
                     opacity=0.9 if now else 0.45)  # fmt: skip
    for name, title, leaks, accuracy in curves:
        if name == here:
            x, y = drawing.places(dict(leaks)[measure], accuracy)[-1]
            drawing.words_at(max(x, left) + 12, min(y, drawing.height - 50) + 4, title)
    if curves:
        drawing.words_at(drawing.width - right - 4, drawing.height - 48, "grey: other defences", "reference", "end")
    return "".join(drawing.parts)


def bargain_line(drawing: Drawing, dot: Dot, lam: float) -> None:
    """Accuracy = AOP · (2·AUC)^λ with the dot's own AOP."""
    auc = np.linspace(0.5, 1, 26)
    accuracy = dot.accuracy * (2 * auc / (2 * max(dot.leaks["auc"], 0.5))) ** lam
    shown = accuracy <= 1
    if shown.sum() > 1:
        drawing.line(auc[shown], accuracy[shown], "exposed", 1.2, dash="6 4", opacity=0.8)
        place, anchor, by = label_place(dot.leaks["auc"], auc[shown][-1])
        there = accuracy[shown][place]
        drawing.words(auc[shown][place], there, f"as good at λ = {lam:g}", "exposed-text", anchor, by)


def label_place(leak: float, end: float) -> tuple[int, str, tuple[int, int]]:
    """At which end of a bargain's line its name stands, and how, so that it does not cover the dot."""
    if end < 0.86:
        return -1, "start", (14, 8)  # there is room behind it
    return (-1, "end", (0, 16)) if leak < 0.7 else (0, "start", (8, 16))


def draw_dot(drawing: Drawing, dot: Dot, measure: str, age: int) -> None:
    x, shape = dot.leaks[measure], "circle" if dot.promised else "diamond"
    if age == 0:
        if dot.leak_ends is not None and measure in dot.leak_ends:
            drawing.interval(dot.leak_ends[measure], (dot.accuracy,) * 2, "exposed")
        if dot.accuracy_ends is not None:
            drawing.interval((x, x), dot.accuracy_ends, "exposed")
        drawing.dot(x, dot.accuracy, "exposed", 7.5, shape=shape)
    else:
        drawing.dot(x, dot.accuracy, "exposed", 4, max(FAINTEST, 0.75 * 0.88 ** (age - 1)), shape)


def leak_words(measure: str, value: float) -> str:
    if measure == "auc":
        return f"AUC {value:.2f}"
    return f"{value:.1%} of members caught" if measure == "tpr1" else f"{value:.0%} recognised"


def tradeoff_words(dots: Sequence[Dot], curves: Sequence[Curve], measure: str) -> str:
    what = f"Trade-off: share named right over {MEASURES[measure].title.replace(' →', '')}."
    behind = f" Grey: {len(curves)} defences as computed beforehand." if curves else ""
    if not dots:
        return what + behind
    now = dots[-1]
    here = f"{now.accuracy:.1%} right, {leak_words(measure, now.leaks[measure])}"
    return f"{what} Now {now.words}: {here}. {len(dots)} positions so far.{behind}"
