"""Sentences of lesson 9: each number with its attacker, its chance level and what it means."""

from dataclasses import dataclass
from html import escape
from pathlib import Path

import numpy as np

from dpmia_lab.experiments.fooling import ATTACKS, PAPER, Config
from dpmia_lab.game.settings import defence_of
from dpmia_lab.metrics.tradeoffs import aop
from dpmia_lab.privacy.accounting import Guarantee
from dpmia_lab.rows import Row, Rows
from dpmia_lab.store import Result
from dpmia_lab.widgets.fooling.data import SETS
from dpmia_lab.widgets.kit.parts import number_html, number_row
from dpmia_lab.widgets.kit.runs import Run
from dpmia_lab.widgets.kit.tables import Html, table_html, with_small

GUESSING = 0.5
KINDS = ("turns", "mislabelled", "atypical")  # everybody, then the worst cases
WHO = {
    "loss": "accuses those of whom the model is surest; needs one answer each",
    "own_d": "the discriminator that DAP learns to fool, asked about the finished model",
    "regression": "paper D's: learns from half of the candidates, whose coins it knows",
    "forest": "paper D's: the same with a random forest",
    "label_only": "sees labels alone, of many slightly changed copies",
    "lira_fixed": "shadow models of the same defence say how sure a model is of you with you and without you",
    "lira_levelled": "the same, after what all records of a model have in common is taken away",
    "lira_stopped": "the same, each shadow model stopped when it was as sure as the target",
    "lira_labels": "the same from labels of changed copies alone",
    "rmia": "compares you with others, by the same shadow models",
    "lira_unadapted": "the same with shadow models that have no defence: an attacker who does not adapt",
}
SHORT = {  # names at the bars
    "loss": "threshold on the loss",
    "own_d": "D itself",
    "regression": "regression (paper D)",
    "forest": "forest (paper D)",
    "label_only": "labels alone",
    "lira_fixed": "likelihood ratio",
    "lira_levelled": "ratio, levelled",
    "rmia": "RMIA",
    "lira_unadapted": "ratio, does not adapt",
}
ADAPTED = ("lira_fixed", "lira_levelled", "rmia")  # who train shadow models with the same defence
CLEAR = 0.005  # AUC: a smaller difference is not called one


def percent(share: float) -> str:
    return f"{share:.0%}"


def defence_words(config: Config) -> str:
    return "no defence" if config.defence == "none" else defence_of(config).words()


def data_words(config: Config) -> str:
    return SETS.get(config.data) or escape(Path(config.data).name)


def attack_words(name: str) -> str:
    return ATTACKS.get(name, name)


# ---- what a result says
def accuracy_of(rows: Rows, defence: str) -> float:
    return rows.value("accuracy", defence=defence, protocol="turns")


def ratio_of(rows: Rows, defence: str, protocol: str = "turns", measure: str = "auc") -> Row | None:
    """The best of the likelihood ratios with shadow models of the same defence, every model in its turn."""
    there = rows.where(measure=measure, defence=defence, protocol=protocol)
    found = [row for row in there if row.attack.startswith("lira") and row.attack != "lira_offline"]
    return max(found, key=lambda row: row.value, default=None)


def fooled_of(rows: Rows, defence: str) -> Row | None:
    """The discriminator's own AUC on the finished model; a plain threshold's where there is none."""
    for attack in ("own_d", "loss"):
        if rows.has("auc", defence=defence, attack=attack, protocol="alike"):
            return rows.row("auc", defence=defence, attack=attack, protocol="alike")
    return None


def adapted_of(rows: Rows, defence: str) -> Row:
    """The best of those with shadow models of the same defence, on the one target."""
    there = rows.where(measure="auc", defence=defence, protocol="alike")
    return max((row for row in there if row.attack in ADAPTED), key=lambda row: row.value)


def paper_of(rows: Rows, defence: str) -> Row:
    """The best of paper D's attackers."""
    found = [row for row in rows.where(measure="auc", defence=defence, protocol="alike") if row.attack in PAPER]
    return max(found, key=lambda row: row.value)


@dataclass(frozen=True)
class Summary:
    """What a run comes to, each number as its page tells it."""

    accuracy: float
    undefended: float  # accuracy without a defence
    fooled: Row
    paper: Row
    ratio: Row
    alone: Row  # the best attacker with shadow models, on the one model that D is asked about
    caught: Row  # at 1 % false alarms
    matched: float | None  # AUC of early stopping at the same accuracy

    @property
    def gain(self) -> float | None:
        """How much lower the defence's AUC is than early stopping's."""
        return None if self.matched is None else self.matched - self.ratio.value


def summed(config: Config, result: Result) -> Summary:
    rows, defence = result.rows, config.defence
    return Summary(
        accuracy_of(rows, defence),
        accuracy_of(rows, "none"),
        fooled_of(rows, defence),
        paper_of(rows, defence),
        ratio_of(rows, defence),
        adapted_of(rows, defence),
        ratio_of(rows, defence, measure="tpr1"),
        result.numbers.get("matched_auc"),
    )


# ---- beside the chart
def headline_html(config: Config, result: Result) -> str:
    s = summed(config, result)
    chance = result.numbers["chance"]
    right = number_html(
        percent(s.accuracy), "right on new records",
        f"By chance {percent(chance)}, without a defence {percent(s.undefended)}. Higher is more useful.", "protected",
    )  # fmt: skip
    return number_row(right, fooled_html(s.fooled), ratio_html(config, s), stopping_html(config, s))


def fooled_html(row: Row) -> str:
    who = "of D, which it learns to fool" if row.attack == "own_d" else f"of a {attack_words(row.attack)}"
    if row.attack == "own_d" and row.defence != "dap":
        who = "of a discriminator (D)"
    return number_html(f"AUC {row.value:.2f}", who, "On one model. Guessing: 0.50. Low looks safe.", "protected")


def ratio_html(config: Config, s: Summary) -> str:
    return number_html(
        f"AUC {s.ratio.value:.2f}", "of likelihood ratios",
        f"They adapt. On {config.inside + 1} models in turn; on D's one {s.alone.value:.2f}. Guessing: 0.50. At 1 % "
        f"false alarms {percent(s.caught.value)} are caught. Lower is safer.", "exposed",
    )  # fmt: skip


def stopping_html(config: Config, s: Summary) -> str:
    if config.defence == "none":
        return number_html("–", "early stopping, as accurate", "This is the model that early stopping cuts short.")
    if s.matched is None:
        return number_html("–", "early stopping, as accurate", "Without a defence no epoch is as accurate.")
    return number_html(
        f"AUC {s.matched:.2f}",
        "early stopping, as accurate",
        f"By the same ratios. Guessing: 0.50. {gain_words(s.gain)}",
    )


def gain_words(gain: float) -> str:
    if abs(gain) < CLEAR:
        return "The defence is worth no more than that."
    return f"The defence is {abs(gain):.2f} {'safer' if gain > 0 else 'worse'}."


def running_html(accuracy: float | None, fooled: float | None, ratio: float | None) -> str:
    """The same while it runs."""

    def shown(value: float | None, form: str = "AUC {:.2f}") -> str:
        return "…" if value is None else form.format(value)

    return number_row(
        number_html(shown(accuracy, "{:.0%}"), "right on new records", "so far: one model, at this epoch", "protected"),
        number_html(shown(fooled), "of D, on this model", "Guessing: 0.50. Low looks safe.", "protected"),
        number_html(
            shown(ratio), "of likelihood ratios", "when shadow models of the same defence are there", "exposed"
        ),
        number_html("…", "early stopping, as accurate", "when undefended shadow models are there"),
    )


# ---- the epoch that λ picks
def scores_at(curve: dict[str, np.ndarray], lam: float) -> np.ndarray:
    """AOP of each epoch, by what the defence itself measures on validation records."""
    return aop(curve["accuracy"], curve["auc"], lam)


def picked_epoch(curve: dict[str, np.ndarray], lam: float) -> float | None:
    score = scores_at(curve, lam)
    return float(curve["epoch"][np.nanargmax(score)]) if np.isfinite(score).any() else None


def picked_words(config: Config, result: Result, lam: float, curve: dict[str, np.ndarray]) -> str:
    """What λ picks, and what the stronger attacker makes of that epoch; nothing is computed anew."""
    picked = picked_epoch(curve, lam)
    if picked is None:
        return "This defence does not watch itself while it trains: there is no AOP of an epoch to choose by."
    place = int(np.flatnonzero(curve["epoch"] == picked)[0])
    who = "D" if config.defence == "dap" else "its own check"
    said = (
        f"<b>λ = {lam:g} picks epoch {picked:.0f}</b>, where {who} has AUC {curve['auc'][place]:.2f} on validation "
        f"records and {percent(curve['test_accuracy'][place])} of new records are right."
    )
    epochs, ratios = result.arrays["look_epoch"], result.arrays["look_auc"]
    near = int(np.abs(epochs - picked).argmin())
    said += f" Likelihood ratios, looked at after epoch {epochs[near]}: {ratios[near]:.2f}."
    kept, models = result.numbers["kept_epoch"], config.inside + 1
    which = f"the target kept epoch {kept:.0f}" if kept != picked else "the target kept this one"
    return f"{said} The numbers below are of {models} models, each at the epoch it kept itself; {which}."


# ---- below
def canary_table(config: Config, result: Result) -> Html:
    """Everybody, then the worst cases: caught at 1 % false alarms, with the defence and without."""
    rows, shown = result.rows, []
    for defence in dict.fromkeys((config.defence, "none")):
        for attack in ("loss", "ratio"):
            found = [one_attack(rows, defence, attack, kind) for kind in KINDS]
            if found[0] is None:
                continue
            name = "no defence" if defence == "none" else defence_words(config)
            who = "likelihood ratios" if attack == "ratio" else attack_words(attack)
            shown.append((with_small(name, who), *(caught_cell(row) for row in found)))
    caption = (
        "Members caught at 1 % false alarms among their own kind, every model attacked in its turn; guessing catches "
        "1 %. Below each its 95 % interval. Lower is safer."
    )
    heads = ("defence, attacker", "everybody", *(with_small(kind, "canaries") for kind in KINDS[1:]))
    return table_html(heads, shown, caption, "dp-canaries")


def one_attack(rows: Rows, defence: str, attack: str, kind: str) -> Row | None:
    if attack == "ratio":
        return ratio_of(rows, defence, kind, "tpr1")
    there = rows.where(measure="tpr1", defence=defence, attack=attack, protocol=kind).rows
    return there[0] if there else None


def caught_cell(row: Row | None) -> Html | str:
    return "–" if row is None else with_small(percent(row.value), f"{percent(row.low)}–{percent(row.high)}")


def canary_words(config: Config, result: Result) -> str:
    everybody, *worst = (ratio_of(result.rows, config.defence, kind, "tpr1") for kind in KINDS)
    there = [row for row in worst if row is not None]
    if not there:
        return "<p>This run planted no canaries (More settings).</p>"
    hardest = max(there, key=lambda row: row.value)
    return (
        "<p>An average says little about those who are unlike all others. So this run plants <b>canaries</b>, each in "
        "or out by a fair coin: records under a wrong label, and records of pure noise. Likelihood ratios catch "
        f"{percent(everybody.value)} of everybody, and {percent(hardest.value)} of the "
        f"{hardest.protocol} canaries.</p>"
    )


def attacks_table(config: Config, result: Result) -> Html:
    """Every attacker on the one target, then with every model in its turn."""
    rows = []
    for row in result.rows.where(measure="auc"):
        if row.protocol in ("alike", "turns") and row.defence == config.defence:
            same = {"defence": row.defence, "attack": row.attack, "protocol": row.protocol}
            caught = (result.rows.row(name, **same) for name in ("tpr1", "tpr01"))
            models = "one target" if row.protocol == "alike" else "all models in turn"
            cells = (f"{one.value:.1%}" for one in caught)
            head = with_small(attack_words(row.attack), WHO.get(row.attack, ""))
            rows.append((head, models, with_small(f"{row.value:.3f}", f"{row.low:.3f}–{row.high:.3f}"), *cells))
    heads = ("attacker", "on", with_small("AUC", "guessing 0.5"), "caught at 1 %", "caught at 0.1 %")
    return table_html(heads, rows, "Higher is a worse leak. 95 % intervals below the AUC.", "dp-attackers")


def about_html(config: Config, result: Result) -> str:
    n, rows = result.numbers, result.rows
    said = f"{n['members']:.0f} members; {percent(n['train_accuracy'])} of them right. "
    held = rows.where(measure="auc", attack="lira_offline", protocol="held").rows
    if held:
        said += (
            f"People held aside for the defence can be told from outsiders with AUC {held[0].value:.2f} (guessing "
            "0.50): where that is high, the defence has made members of them too. "
        )
    promise = promise_words(result)
    return f"<p>{said}{f'Promised: {promise}.' if promise else 'Nothing is promised: only attacks were tried.'}</p>"


def promise_words(result: Result) -> str:
    """Empty where nothing is promised."""
    n = result.numbers
    if "epsilon_tight" not in n:
        return ""
    return Guarantee(n["epsilon_tight"], "record", "add-remove", n["delta"], "tight").words()


# ---- runs
def summary(run: Run) -> str:
    """What was done and what came out, in a line that tells two runs apart."""
    c, s = run.config, summed(run.config, run.result)
    stopping = "" if s.matched is None else f", early stopping as accurate {s.matched:.2f}"
    how = f"{data_words(c)}, n = {c.records:,}, {c.epochs} epochs, {escape(defence_words(c))}, λ = {c.lam:g}"
    leaks = (
        f"AUC {s.fooled.value:.2f} ({attack_words(s.fooled.attack)}), {s.ratio.value:.2f} (likelihood ratios; "
        f"{percent(s.caught.value)} caught at 1 %){stopping}"
    )
    return (
        f"{how}, {c.inside} + {c.unadapted} shadow models, seed {c.seed}: <span class='dp-protected'>"
        f"{percent(s.accuracy)} right</span>, <span class='dp-exposed'>{leaks}</span>"
    )


def compared_html(runs: list[Run]) -> str:
    """A line of numbers a run."""
    if not runs:
        return ""
    rows = []
    for run in runs:
        s = summed(run.config, run.result)
        cells = (f"{s.fooled.value:.2f}", f"{s.paper.value:.2f}", f"{s.ratio.value:.2f}", percent(s.caught.value))
        matched = "–" if s.matched is None else f"{s.matched:.2f}"
        rows.append((f"run {run.number}: {defence_words(run.config)}", percent(s.accuracy), *cells, matched))
    heads = ("run", "right", "AUC of D", "AUC, paper D's best", "AUC, likelihood ratios", "caught at 1 %",
             "AUC, early stopping as accurate")  # fmt: skip
    return table_html(heads, rows)
