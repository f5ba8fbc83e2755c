"""What the curves of lesson 3 are made of: the shipped reference, the paper's points, the reader's runs and sweeps."""

from dataclasses import dataclass

import numpy as np

from dpmia_lab.experiments.hiding import PRESETS
from dpmia_lab.game.drawing import BASELINES
from dpmia_lab.privacy.accounting import ACCOUNTANTS, NEIGHBOURS, short
from dpmia_lab.reference import shipped, shipped_or_nothing
from dpmia_lab.widgets.hiding.words import published_name
from dpmia_lab.widgets.kit.runs import Run

# data: model or "k_sub" → its setting among the presets of the sweep
SWEEPS = {
    "faces": {"record": "hiding-faces-record", "unit": "hiding-faces-class"},
    "digits": {
        "record": "hiding-digits-record",
        "unit": "hiding-digits-subclass",
        "k_sub": "hiding-digits-k_sub",
    },
}
UNIT = {"faces": "class", "digits": "subclass"}
# measure: (words, pictures whose value is drawn as a line)
MEASURES = {
    "distance": ("Euclidean distance\nlower: closer to a training picture", ("blank", "other_class")),
    "ssim_distance": ("1 − SSIM\nlower: closer to a training picture", ("blank", "other_class")),
    "similarity": ("correlation\nhigher: closer to a training picture", ("noise", "other_class")),
}


@dataclass(frozen=True)
class Points:
    """A sweep's values, one a point, by name; ``ranks``: rank correlation of ε with a measure, over all seeds."""

    values: dict[str, np.ndarray]
    ranks: dict[str, float]
    config: dict

    @property
    def epsilon(self) -> np.ndarray:
        return self.values[epsilon_name(self.values)]

    @property
    def count(self) -> int:
        return len(self.values["sigma"]) * self.config["repeats"]


def epsilon_name(values: dict) -> str:
    return "epsilon_tight" if "epsilon_tight" in values else "epsilon"


def reference_points(data: str) -> dict[str, Points]:
    """By model (or k_sub), what ships with the lab."""
    kept = shipped_or_nothing("privacy_sweep")
    return {
        model: Points(
            {k: np.array(v) for k, v in kept[name]["points"].items()}, kept[name]["results"], kept[name]["config"]
        )
        for model, name in SWEEPS[data].items()
        if name in kept
    }


def baseline_values(data: str, measure: str) -> dict[str, float]:
    """Of pictures that owe nothing to any attack."""
    kept = shipped_or_nothing("hiding").get(data, {}).get("results", {})
    names = {name: f"{measure}_mean_{name}" for name in MEASURES[measure][1]}
    return {BASELINES[name]: kept[key] for name, key in names.items() if key in kept}


def published_points(data: str) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """By model: the ε the paper prints, and the accuracy that goes with it."""
    paper = shipped("published")[published_name(data)]
    return {m: (np.array(paper[m]["epsilon"]), np.array(paper[m]["accuracy"])) for m in ("record", "unit")}


def own_points(runs: list[Run], data: str, measure: str, attacker: str) -> dict[str, np.ndarray]:
    """By model: (runs, 3) of ε, accuracy and the measure, from the main panel's runs on the very data of the curves."""
    found: dict[str, list] = {"record": [], "unit": []}
    for run in runs:
        n, c = run.result.numbers, run.config
        for model, rows in found.items():
            epsilon = n.get(f"epsilon_tight_{model}", n.get(f"epsilon_{model}"))
            same = c.data == PRESETS[data].data and (model == "record" or c.unit == UNIT[data])
            if same and epsilon:
                rows.append((epsilon, n[f"accuracy_{model}"], n[f"{measure}_mean_{model}_{attacker}"]))
    return {model: np.array(rows) for model, rows in found.items() if rows}


# ---- in words
def epsilon_words(points: dict[str, Points], data: str) -> str:
    """What the ε on the axis is for, once for both curves."""
    said = []
    for model, words in (("record", "record"), ("unit", UNIT[data])):
        if model in points:
            p = points[model]
            how = NEIGHBOURS[p.config["neighbours"]], short(float(f"{p.values['delta'][0]:.6g}"))
            said.append(f"for a {words}: {how[0]}; δ = {how[1]}")
    accountant = ACCOUNTANTS["tight"].words
    return f"ε {', '.join(said)}; {accountant}. " if said else ""


def signed(value: float) -> str:
    """+0.98 or −0.98, with a minus sign and not a hyphen."""
    return f"{value:+.2f}".replace("-", "−")


def ranks_html(points: dict[str, Points], data: str, attacker_words: dict[str, str]) -> str:
    """Rank correlation of ε with accuracy and with every measure: does a smaller ε go with a safer picture?"""
    shown = {model: words for model, words in (("record", "record-level"), ("unit", f"{UNIT[data]}-level"))}
    shown = {model: words for model, words in shown.items() if model in points}
    if not shown:
        return "<p class='dp-soft'>This reference has not been computed yet (<code>make reference</code>).</p>"
    lines = {"accuracy": "test accuracy (higher: more useful)"}
    for attacker, words in attacker_words.items():
        for measure in ("distance", "similarity"):
            title = MEASURES[measure][0].replace("\n", "; ")
            lines[f"{measure}_{attacker}"] = f"{title}; attacker {words}"
    body = "".join(
        f"<tr><td>{words}</td>"
        + "".join(f"<td>{signed(points[m].ranks.get(f'rank_correlation_{name}', np.nan))}</td>" for m in shown)
        + "</tr>"
        for name, words in lines.items()
    )
    count = min(points[model].count for model in shown)
    head = "".join(f"<th>ε for a {words.removesuffix('-level')}</th>" for words in shown.values())
    return (
        f'<div class="dp-scroll"><table><caption>Rank correlation of ε with what stands at the left: +1 if '
        f"the larger ε always has the larger value, 0 if they have nothing to do with each other. An ε that tells the "
        f"leak has −1 with a distance and +1 with a correlation. Over {count} models each, less than about "
        f"±{1.96 / np.sqrt(count - 1):.2f} may be chance.</caption>"
        f"<thead><tr><th></th>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )
