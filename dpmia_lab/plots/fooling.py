"""Charts of lesson 9: two losses pulling at one model, what each attacker sees meanwhile, and the epoch AOP picks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes

from dpmia_lab.plots.axes import WIDE, label_ends
from dpmia_lab.plots.points import mark, some_of
from dpmia_lab.plots.roc import DASH, DOTS, EXPOSED_WORDS
from dpmia_lab.plots.style import EXPOSED, INK, PROTECTED, REFERENCE, STYLE, Chart, new_figure

HEIGHT, TALL = 404, 900  # pixels: two rows of two, or four under one another
LEFT, RIGHT, GAP = 44, 126, 166  # pixels, the last two for names at the ends of lines
NAMES = 166  # pixels for names of bars
GAP_WORDS = 0.15  # of an axis between two names


@dataclass(frozen=True)
class Course:
    """A target's epochs: ``curve`` by name (``fooling.CURVE``), an epoch each; looks at all models, where there are
    any; the epoch that this λ picks and the one that training kept.
    """

    curve: Mapping[str, np.ndarray]
    last: int  # epochs in all
    lam: float
    score: np.ndarray  # AOP at that λ, an epoch each
    picked: float | None = None
    kept: float | None = None
    chance: float = 0.0  # of being right
    looks: tuple[np.ndarray, np.ndarray] | None = None  # epochs, AUC of the likelihood ratio
    stopping: tuple[np.ndarray, np.ndarray] | None = None  # the same without a defence
    watched: str = "D itself"  # whose AUC the defence tells of


@dataclass(frozen=True)
class Stroke:
    """A line with its name at its end."""

    name: str
    x: np.ndarray
    y: np.ndarray
    colour: str
    dash: object = "-"
    words: str = ""  # colour of the name
    form: str = "{:.2f}"
    marker: str = ""

    @property
    def there(self) -> np.ndarray:
        return np.isfinite(self.y)


@dataclass(frozen=True)
class Place:
    """One of the four axes."""

    title: str
    strokes: Sequence[Stroke]
    level: tuple[str, float] | None = None  # a grey line, and what it is
    limits: tuple[float, float] | None = None
    told: Sequence[str] = field(default_factory=list)


def course_chart(course: Course, width: int) -> Chart:
    """Top: the losses, the attackers. Bottom: accuracies, AOP. A dashed upright line is the epoch that λ picks.

    What a defence does not tell has no axes.
    """
    every = [losses(course), attackers(course), accuracies(course), aops(course)]
    places = [place for place in every if any(one.there.any() for one in place.strokes)] or every
    wide = width >= WIDE and len(places) > 1
    with rc_context(STYLE):
        grid = (-(-len(places) // 2), 2) if wide else (len(places), 1)
        tall = TALL if len(places) > 1 and not wide else HEIGHT
        figure = new_figure(width, tall, left=LEFT, right=RIGHT, top=44, bottom=46)
        inner = (width - LEFT - RIGHT - GAP) / 2
        figure.subplots_adjust(wspace=GAP / inner if wide else 0, hspace=0.62 if wide else 0.75)
        for number, place in enumerate(places, 1):
            axes = figure.add_subplot(*grid, number)
            draw(axes, place, course)
            if number > len(places) - 2 or not wide:
                axes.set_xlabel("epochs")
    return Chart(figure, alt_words(course))


def draw(axes: Axes, place: Place, course: Course) -> None:
    ends = []
    for one in place.strokes:
        there = one.there
        if not there.any():
            continue
        x, y = one.x[there], one.y[there]
        axes.plot(x, y, color=one.colour, linestyle=one.dash, linewidth=1.8, marker=one.marker, markersize=5)
        axes.plot(x[-1:], y[-1:], "o", color=one.colour, markersize=6, clip_on=False)
        some = some_of(len(x))
        mark(axes, x[some], y[some], one.name, [f"epoch {e:.0f}: {one.form.format(v)}"
                                                for e, v in zip(x[some], y[some], strict=True)])  # fmt: skip
        ends.append((f"{one.name} {one.form.format(y[-1])}", y[-1], one.words or one.colour))
    axes.set_xlim(0, max(course.last, 1))
    axes.margins(y=0.12)
    if place.limits:
        axes.set_ylim(*place.limits)
    if place.level:
        words, level = place.level
        axes.axhline(level, color=REFERENCE, linestyle=DOTS, linewidth=1.2)
        ends.append((words, level, REFERENCE))
    if course.picked:
        axes.axvline(course.picked, color=INK, linestyle=(0, (4, 2)), linewidth=1.1, zorder=1)
    axes.set_title(place.title, loc="left", x=0)
    label_ends(axes, ends, gap=GAP_WORDS)


# ---- the four
def stroke(course: Course, column: str, name: str, colour: str, dash: object = "-", **how) -> Stroke:
    return Stroke(name, course.curve["epoch"], course.curve[column], colour, dash, **how)


def losses(course: Course) -> Place:
    strokes = [
        stroke(course, "validation_loss", "learning", PROTECTED),
        stroke(course, "fooled_loss", "fooling D", EXPOSED, DASH, words=EXPOSED_WORDS),
        stroke(course, "beta", "β", REFERENCE, DOTS),
    ]
    return Place("two losses, and β between them\nlower: better learnt, D better fooled", strokes)


def attackers(course: Course) -> Place:
    strokes = [stroke(course, "auc", course.watched, PROTECTED)]
    if np.isnan(course.curve["auc"]).all():
        strokes = [stroke(course, "auc_loss", "threshold", PROTECTED)]
    if course.looks is not None:
        ratio = Stroke("ratio", *course.looks, EXPOSED, words=EXPOSED_WORDS, marker="o")
        strokes.append(ratio)
    if course.stopping is not None:
        strokes.append(Stroke("no defence", *course.stopping, REFERENCE, DASH))
    title = "AUC of each attacker, lower: safer\nratio: likelihood ratios, models in turn"
    return Place(title, strokes, ("guessing", 0.5), (0.45, 1.03))


def accuracies(course: Course) -> Place:
    strokes = [
        stroke(course, "train_accuracy", "seen", INK, DASH, form="{:.0%}"),
        stroke(course, "test_accuracy", "new", PROTECTED, form="{:.0%}"),
    ]
    level = ("by chance", course.chance) if course.chance else None
    return Place("right on seen and on new records\nhigher: more useful", strokes, level, (0, 1.03))


def aops(course: Course) -> Place:
    score = Stroke("AOP", course.curve["epoch"], course.score, INK, form="{:.3f}")
    picks = f"picks epoch {course.picked:.0f}" if course.picked else "not measured by this defence"
    return Place(f"AOP at λ = {course.lam:g}: {picks}\nhigher: better, if D were all there is", [score])


def alt_words(course: Course) -> str:
    if not len(course.curve["epoch"]):
        if course.looks is None:
            return "Nothing is measured yet."
        return f"This defence tells of no epoch. AUC of the likelihood ratio at the end {course.looks[1][-1]:.2f}."
    now = {name: values[-1] for name, values in course.curve.items()}
    told = [f"After {now['epoch']:.0f} of {course.last} epochs: {now['test_accuracy']:.0%} right on new records"]
    if np.isfinite(now["auc"]):
        told.append(f"AUC of the discriminator itself {now['auc']:.2f}")
    told.append(f"of a threshold on the loss {now['auc_loss']:.2f}")
    if course.looks is not None:
        told.append(f"of the likelihood ratio {course.looks[1][-1]:.2f}, where 0.5 is guessing")
    if course.picked:
        told.append(f"AOP at λ = {course.lam:g} picks epoch {course.picked:.0f}")
    return "; ".join(told) + "."


# ---- who catches how many
@dataclass(frozen=True)
class Attacked:
    """A bar: one attacker."""

    name: str
    kind: str  # fooled, paper or strong
    value: float
    low: float
    high: float


COLOURS = {"fooled": PROTECTED, "paper": REFERENCE, "strong": EXPOSED}


def attacks_chart(bars: Sequence[Attacked], measure: str, guessing: float, width: int) -> Chart:
    """A bar an attacker, with its 95 % interval, from what guessing gives."""
    with rc_context(STYLE):
        figure = new_figure(width, 62 + 26 * len(bars), left=NAMES, right=56, top=30, bottom=32)
        axes = figure.add_subplot()
        places = np.arange(len(bars))[::-1]
        values = np.array([bar.value for bar in bars])
        axes.barh(places, values - guessing, left=guessing, color=[COLOURS[bar.kind] for bar in bars], height=0.6)
        for place, bar in zip(places, bars, strict=True):
            axes.plot([bar.low, bar.high], [place, place], color=INK, linewidth=1.2)
        axes.axvline(guessing, color=REFERENCE, linewidth=1.2)
        axes.set_yticks(places, [bar.name for bar in bars])
        axes.grid(axis="y", visible=False)
        axes.set_xlim(*((0.4, 1.0) if guessing == 0.5 else (0, max(0.05, 1.1 * max(bar.high for bar in bars)))))
        if width < WIDE:
            axes.set_title(f"{measure}, lower: safer", loc="right", x=1)
        else:
            axes.set_title(f"{measure} (lower: safer; grey line: guessing)", loc="left", x=0)
        form = "{:.3f}" if guessing == 0.5 else "{:.1%}"
        words = [f"{measure} {form.format(bar.value)}, 95 % between {form.format(bar.low)} and {form.format(bar.high)}"
                 for bar in bars]  # fmt: skip
        mark(axes, values, places, [bar.name for bar in bars], words)
        for place, bar in zip(places, bars, strict=True):
            axes.annotate(form.format(bar.value), (1, place), (6, 0), xycoords=("axes fraction", "data"),
                          textcoords="offset points", va="center")  # fmt: skip
    told = "; ".join(f"{bar.name} {form.format(bar.value)}" for bar in bars)
    return Chart(figure, f"{measure} by attacker, guessing {form.format(guessing)}: {told}.")
