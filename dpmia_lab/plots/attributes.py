"""Charts of lesson 7: who guesses the secret how often, what became of the answers, a tree."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes

from dpmia_lab.plots.points import mark
from dpmia_lab.plots.style import EXPOSED, INK, LINE, PROTECTED, REFERENCE, STYLE, Chart, new_figure

NAMES = 190  # pixels for the names of bars; on a narrow page they stand above them
NARROW = 520
BAR, TALL_BAR, TOP, BOTTOM = 25, 40, 40, 44  # pixels


@dataclass(frozen=True)
class Guess:
    """How often an attacker is right: mean and standard deviation over splits, and the same without the defence."""

    name: str
    asks: bool  # whether it uses the model
    value: float
    spread: float
    before: float


@rc_context(STYLE)
def guesses_chart(guesses: Sequence[Guess], measure: str, chance: float, width: int) -> Chart:
    """One bar an attacker; grey are those who need no model. A tick shows where the bar was without the defence."""
    beside = width >= NARROW
    height = TOP + (BAR if beside else TALL_BAR) * len(guesses) + BOTTOM + (0 if beside else 18)
    figure = new_figure(
        width, height, left=NAMES if beside else 8, right=56, top=TOP, bottom=BOTTOM + (0 if beside else 18)
    )
    axes = figure.add_subplot()
    places = np.arange(len(guesses))[::-1]
    thick = 0.62 if beside else 0.36
    colours = [EXPOSED if guess.asks else "#A9A498" for guess in guesses]
    values = np.array([guess.value for guess in guesses])
    axes.barh(places, values, height=thick, color=colours)
    axes.errorbar(values, places, xerr=[guess.spread for guess in guesses], fmt="none", ecolor=INK, elinewidth=1)
    for place, guess in zip(places, guesses, strict=True):
        axes.annotate(f"{guess.value:.0%}" if measure != "attack_auc" else f"{guess.value:.2f}", (1, place), (6, 0),
                      xycoords=("axes fraction", "data"), textcoords="offset points", va="center",
                      fontweight="bold" if guess.asks else "normal")  # fmt: skip
        if guess.asks:
            axes.plot([guess.before] * 2, [place - 0.4, place + 0.4], color=INK, linewidth=2)
    axes.axvline(chance, color=REFERENCE, linestyle=":", linewidth=1.2)
    axes.set_yticks(places, [guess.name if beside else "" for guess in guesses])
    axes.tick_params(axis="y", length=0)
    if not beside:
        for place, guess in zip(places, guesses, strict=True):
            axes.text(0, place + 0.22, guess.name, va="bottom", fontsize=9.5)
        axes.set_ylim(-0.6, len(guesses) - 0.2)
    axes.grid(axis="y", visible=False)
    axes.set_xlim(0, 1)
    axes.set_title(f"{MEASURE_WORDS[measure]}\nlonger: worse leak", loc="left", x=0)
    between = "; " if beside else "\n"
    axes.set_xlabel(f"dotted: knowing nothing of the person{between}black tick: without the defence")
    words = [f"{one.value:.3f} ± {one.spread:.3f} over splits; without the defence {one.before:.3f}" for one in guesses]
    mark(axes, values, places, [guess.name for guess in guesses], words)
    told = "; ".join(f"{one.name} {one.value:.2f}" for one in guesses)
    return Chart(figure, f"{MEASURE_WORDS[measure]}, by attacker: {told}. Knowing nothing: {chance:.2f}.")


MEASURE_WORDS = {
    "attack_accuracy": "secrets guessed right",
    "attack_auc": "AUROC of the guess (0.5: nothing)",
    "attack_f1": "F1 of the guess, mean over values",
}


# ---- what became of the answers
@rc_context(STYLE)
def answers_chart(plain: np.ndarray, answer: np.ndarray, outcome: np.ndarray, unit: str, width: int) -> Chart:
    """Histograms of what the model says, without and with the defence (paper B, Fig. 1)."""
    figure = new_figure(width, 186, left=56, right=20, top=TOP, bottom=BOTTOM)
    axes = figure.add_subplot()
    low, high = np.quantile(outcome, [0.002, 0.998])
    bins = np.linspace(min(low, plain.min(), answer.min()), max(high, plain.max(), answer.max()), 45)
    axes.hist(outcome, bins, color=LINE, label="truth")
    axes.hist(plain, bins, histtype="step", color=REFERENCE, linewidth=1.6, label="model without defence")
    counts = axes.hist(answer, bins, color=PROTECTED, alpha=0.55, label="model as released")[0]
    axes.set_title("what the model says of new people\nnarrow: answers tell little apart", loc="left", x=0)
    axes.set_ylim(0, axes.get_ylim()[1] * (2.2 if width < NARROW else 1.0))  # on a narrow page room for the legend
    axes.set_xlabel(unit)
    axes.set_ylabel("people")
    axes.legend(frameon=False, fontsize=9, loc="upper right")
    middles, some = (bins[1:] + bins[:-1]) / 2, counts > 0
    said = [f"{int(count)} of {len(answer)} people" for count in counts[some]]
    mark(axes, middles[some], counts[some], [f"about {middle:.0f} {unit}" for middle in middles[some]], said)
    spread = f"spread {answer.std():.1f} {unit}; without the defence {plain.std():.1f}; of the truth"
    return Chart(figure, f"Answers of the model for {len(answer)} new people: {spread} {outcome.std():.1f}.")


@rc_context(STYLE)
def shares_chart(
    plain: np.ndarray, answer: np.ndarray, outcome: np.ndarray, labels: Sequence[str], width: int
) -> Chart:
    """The same for classes: how many people get each answer. plain, answer: (P, K) confidences; outcome: (P,)."""
    figure = new_figure(width, 186, left=56, right=20, top=TOP, bottom=BOTTOM)
    axes = figure.add_subplot()
    classes = np.arange(len(labels))
    series = {"truth": outcome, "model without defence": plain.argmax(1), "model as released": answer.argmax(1)}
    for place, (name, codes) in enumerate(series.items()):
        shares = np.bincount(codes, minlength=len(labels)) / len(codes)
        x = classes + 0.27 * (place - 1)
        axes.bar(x, shares, width=0.25, color=(LINE, "#A9A498", PROTECTED)[place], label=name)
        mark(axes, x, shares, list(labels), [f"{share:.0%} of people ({name})" for share in shares])
    axes.set_xticks(classes, [label[:14] for label in labels])
    axes.set_title("what the model says of new people\none bar only: answers tell nothing apart", loc="left", x=0)
    axes.set_ylabel("share")
    axes.legend(frameon=False, fontsize=9)
    told = np.bincount(series["model as released"], minlength=len(labels)) / len(outcome)
    words = ", ".join(f"{label} {share:.0%}" for label, share in zip(labels, told, strict=True))
    return Chart(figure, f"Share of new people who get each answer: {words}.")


# ---- a tree
@dataclass(frozen=True)
class Branch:
    """A node as it is drawn: its children are those that are shown."""

    title: str  # the question, or what a leaf says
    answer: str  # that leads here
    sensitive: bool
    people: float
    words: str
    children: tuple["Branch", ...] = ()


@rc_context(STYLE)
def tree_chart(root: Branch, width: int, alt: str) -> Chart:
    """The tree from its root downwards; where the sensitive question is asked, the node and its branches are orange."""
    levels = depth_of(root)
    figure = new_figure(width, 40 + 58 * levels, left=8, right=8, top=16, bottom=22)
    axes = figure.add_subplot()
    axes.axis("off")
    draw_branch(axes, root, 0.0, 1.0, 0, width, None, largest=max(root.people, 1.0))
    axes.set_xlim(-0.01, 1.01)
    axes.set_ylim(-levels + 0.35, 0.35)
    return Chart(figure, alt)


def depth_of(branch: Branch) -> int:
    return 1 + max((depth_of(child) for child in branch.children), default=0)


def leaves_of(branch: Branch) -> int:
    return sum(leaves_of(child) for child in branch.children) or 1


def draw_branch(
    axes: Axes, branch: Branch, left: float, right: float, depth: int, width: int,
    above: tuple[float, float, bool] | None, largest: float,
) -> None:  # fmt: skip
    x, y = (left + right) / 2, -float(depth)
    if above is not None:
        colour = EXPOSED if above[2] else REFERENCE
        thick = 1 + 5 * branch.people / largest
        axes.plot([above[0], x], [above[1] - 0.16, y + 0.2], color=colour, linewidth=thick, alpha=0.45, zorder=1)
    colour = EXPOSED if branch.sensitive else INK
    room = right - left
    if room * width > 46:  # pixels
        letters = max(4, int(room * width / 8))
        axes.text(x, y, short(branch.title, letters), ha="center", va="center", fontsize=9.5, color=colour, zorder=3,
                  fontweight="bold" if branch.children else "normal",
                  bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5})  # fmt: skip
        if branch.answer:
            axes.text(x, y + 0.24, short(branch.answer, letters), ha="center", va="bottom", fontsize=8, color=REFERENCE,
                      bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5}, zorder=2)  # fmt: skip
    else:
        axes.plot(x, y, "s" if branch.children else "o", color=colour, markersize=4, zorder=3)
    mark(axes, x, y, branch.title, branch.words)
    start, leaves = left, leaves_of(branch)
    for child in branch.children:
        end = start + room * leaves_of(child) / leaves
        draw_branch(axes, child, start, end, depth + 1, width, (x, y, branch.sensitive), largest)
        start = end


def short(words: str, letters: int) -> str:
    return words if len(words) <= letters else words[: letters - 1] + "…"
