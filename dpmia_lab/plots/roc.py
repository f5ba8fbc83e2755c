"""Charts of lesson 4, members told from outsiders: every attack's ROC, plain and logarithmic, and two protocols."""

from dataclasses import dataclass, replace

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpmia_lab.game.attacks import MEMBERSHIP
from dpmia_lab.metrics import membership as metrics
from dpmia_lab.plots.axes import FALSE_ALARMS, WIDE, powers_only
from dpmia_lab.plots.points import mark
from dpmia_lab.plots.style import EXPOSED, INK, PROTECTED, REFERENCE, STYLE, Chart, new_figure

EXPOSED_WORDS = "#A84A00"  # the same colour, dark enough for words
DOTS, DASH, MIXED = (0, (1, 1.2)), (0, (4, 2)), (0, (6, 1, 1, 1))


@dataclass(frozen=True)
class Line:
    """How a curve is drawn, and what the key calls it."""

    words: str
    colour: str
    words_colour: str  # the same, dark enough for words
    dash: str | tuple = "-"


# Families share a colour, from Okabe–Ito
LINES = {
    "loss": Line("loss", "#E69F00", "#8A5F00"),
    "confidence": Line("confidence", "#E69F00", "#8A5F00", DOTS),
    "white_box": Line("white box", "#009E73", "#00694D"),
    "black_box": Line("black box", "#56B4E9", "#1F6F9F"),
    "lira_offline": Line("LiRA, offline", EXPOSED, EXPOSED_WORDS, DOTS),
    "rmia_offline": Line("RMIA, offline", "#CC79A7", "#8E4A73", DOTS),
    "lira": Line("LiRA", EXPOSED, EXPOSED_WORDS, DASH),
    "lira_fixed": Line("LiRA, 1 variance", EXPOSED, EXPOSED_WORDS),
    "rmia": Line("RMIA", "#CC79A7", "#8E4A73", MIXED),
}
NEW_DASHES = ("-", DASH, DOTS, MIXED)
FAILED = {"tied": "failed: ties", "guessing": "failed"}  # what the key says of an attack that failed
KEY, KEY_ROW = 216, 20  # pixels: width of the key, height of a line of it


def line_of(attack: str) -> Line:
    """An attack that has no line above is called as in the table of attacks, drawn in ink, each with its own dash."""
    if attack in LINES:
        return LINES[attack]
    new = [name for name in MEMBERSHIP if name not in LINES]
    return Line(attack.replace("_", " "), INK, INK, NEW_DASHES[new.index(attack) % len(NEW_DASHES)])


# ---- what is drawn
@dataclass(frozen=True)
class Curve:
    """One attack's ROC."""

    attack: str
    fpr: np.ndarray
    tpr: np.ndarray
    auc: float
    failed: str = ""  # how, as ``metrics.failure`` calls it
    tied: float = 0.0  # share of the records that have the commonest score

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
    """Best at 1 % false alarms first, which is how the lines lie above each other there; what failed comes last."""
    found = [curve_of(name, own, member) for name, own in scores.items()]
    return sorted(found, key=lambda curve: (bool(curve.failed), -curve.caught_at(0.01), -curve.auc))


def curve_of(attack: str, scores: np.ndarray, member: np.ndarray) -> Curve:
    area, tied = metrics.auc_interval(scores, member), metrics.tied_share(scores)
    failed = metrics.failure(tied, area.low, metrics.tpr_at_fpr(scores, member, 0.01).low)
    return Curve(attack, *metrics.roc(scores, member)[:2], area.value, failed, tied)


def roc_chart(scores: dict[str, np.ndarray], member: np.ndarray, allowed: Allowed | None, width: int) -> Chart:
    """The same curves on plain and on logarithmic axes; above ``allowed`` no attack may lie."""
    curves, lowest = curves_of(scores, member), 1 / max(2, int((~member).sum()))
    with rc_context(STYLE):
        plain, logarithmic, key, figure = axes_with_key(width, len(MEMBERSHIP) + 2)
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
        first, second, key, figure = axes_with_key(width, len(MEMBERSHIP) + 2)
        draw_roc(first, curves[0], None, 0.0)
        draw_roc(second, curves[1], None, 0.0)
        first.set_title("outsiders like the members\nmembership, and nothing else", loc="left")
        second.set_title("outsiders as in paper C\nalso: another distribution", loc="left")
        draw_key(key, curves[1], None)
    words = [roc_words(some, None) for some in curves]
    return Chart(figure, f"Outsiders like the members. {words[0]} Outsiders as in paper C. {words[1]}")


def axes_with_key(width: int, rows: int) -> tuple[Axes, Axes, Axes, Figure]:
    """Two axes and a key: side by side where there is room, one above the other elsewhere."""
    wide, left, top, bottom, gap = width >= WIDE, 52, 46, 50, 68
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
        if curve.failed == "tied":
            continue  # it orders nobody, so there is no curve
        line = drawn_line(curve)
        x, y = np.maximum(curve.fpr, lowest), np.maximum(curve.tpr, lowest)
        style = "steps-post" if lowest else "default"  # where rates are few, nothing is interpolated
        wide = 1.0 if curve.failed else 1.8
        axes.plot(x, y, color=line.colour, linestyle=line.dash, linewidth=wide, drawstyle=style)
    if allowed is not None:
        x = np.maximum(allowed.fpr, lowest)
        axes.plot(x, allowed.tpr, color=PROTECTED, linewidth=2)
        axes.fill_between(x, allowed.tpr, 1.01, color=PROTECTED, alpha=0.12, linewidth=0)
        most = [allowed.at(rate) for rate in FALSE_ALARMS]
        said = [f"at {x:.1%} false alarms at most {y:.1%} caught" for x, y in zip(FALSE_ALARMS, most, strict=True)]
        mark(axes, FALSE_ALARMS, most, "the promise's limit", said)
    for curve in curves:
        if curve.failed != "tied":
            mark_roc(axes, curve)
    axes.set_xlabel("outsiders accused (false alarms)")
    axes.set_ylabel("members caught")


def drawn_line(curve: Curve) -> Line:
    """Its line with what the key says; an attack that failed is grey, and keeps its dash."""
    line = line_of(curve.attack)
    said = [line.words] if curve.failed == "tied" else [line.words, f"{curve.auc:.2f}"]
    if not curve.failed:
        return replace(line, words="  ".join(said))
    return Line("  ".join([*said, FAILED[curve.failed]]), REFERENCE, REFERENCE, line.dash)


def mark_roc(axes: Axes, curve: Curve) -> None:
    """Where fewer outsiders than one would be accused, nothing can be read."""
    rates = FALSE_ALARMS[FALSE_ALARMS >= axes.get_xlim()[0]]
    caught = [curve.caught_at(rate) for rate in rates]
    said = [
        f"{share:.1%} of members caught at {rate:.1%} false alarms (guessing: {rate:.1%}); AUC {curve.auc:.2f}"
        for rate, share in zip(rates, caught, strict=True)
    ]
    mark(axes, rates, caught, line_of(curve.attack).words, said)


def draw_key(axes: Axes, curves: list[Curve], allowed: Allowed | None) -> None:
    """A line a curve, from the best at few false alarms down; grey and in words, what failed."""
    lines = [drawn_line(curve) for curve in curves]
    lines.append(Line("guessing  0.50", REFERENCE, REFERENCE))
    lines += [Line("the promise's limit", PROTECTED, PROTECTED)] if allowed is not None else []
    axes.text(0, 0, "attack and its AUC", color=INK, va="center", fontsize=10)
    for place, line in enumerate(lines, 1):
        axes.plot([0, 22], [place, place], color=line.colour, linestyle=line.dash, linewidth=2)
        axes.text(28, place, line.words, color=line.words_colour, va="center", fontsize=10)


def roc_words(curves: list[Curve], allowed: Allowed | None) -> str:
    if not curves:
        return "No attack has been made yet."
    found = "; ".join(curve_words(curve) for curve in curves)
    limit = "" if allowed is None else f" The promise allows at most {allowed.at(0.01):.1%} to be caught there."
    return f"Members caught against outsiders accused: AUC (0.5: guessing), and at 1 % false alarms: {found}.{limit}"


def curve_words(curve: Curve) -> str:
    words = line_of(curve.attack).words
    if curve.failed == "tied":
        return f"{words} failed, {curve.tied:.0%} of the records having the same score"
    found = f"{words} AUC {curve.auc:.2f}, {curve.caught_at(0.01):.1%} caught"
    return f"{found} (failed: no better than guessing)" if curve.failed else found
