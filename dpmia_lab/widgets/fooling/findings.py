"""What paper D claims, and what the shipped results say: computed, not written."""

from collections.abc import Callable

import ipywidgets as widgets
import numpy as np

from dpmia_lab.experiments.fooling_table import COLUMNS, beats_stopping
from dpmia_lab.metrics.tradeoffs import aop
from dpmia_lab.reference import shipped
from dpmia_lab.reference.shipped_runs import shipped_run
from dpmia_lab.rows import Row, Rows
from dpmia_lab.store import Result
from dpmia_lab.widgets.fooling.data import presets
from dpmia_lab.widgets.fooling.ranking import DATA, SEEDS, table_rows
from dpmia_lab.widgets.fooling.words import accuracy_of, paper_of, percent, ratio_of
from dpmia_lab.widgets.kit.claims import NOT_CLAIMED, Claim, Verdict, claim_html, verdict
from dpmia_lab.widgets.kit.parts import card, text

NOT_MEASURED = "does not measure this"
RUNS = {"carts": "shopping carts, one run", "digits": "MNIST digits, one run"}
NOISY = ("dp_0.5", "dp_1", "dp_2", "dp_4")
Check = Callable[[Rows, str, int], Verdict | None]  # rows, the name of DAP among them, seeds


def everywhere(check: Check) -> Callable[[], dict[str, Verdict]]:
    """On every table that has been computed; where there is none, on the run that ships."""

    def checked() -> dict[str, Verdict]:
        found = {}
        for name in DATA:
            if (rows := table_rows(name)) is not None:
                found[f"{DATA[name]}, {SEEDS} seeds"] = check(rows, "dap_t", SEEDS)
            elif (run := shipped_run("fooling", presets()[name])) is not None:
                found[RUNS[name]] = check(run_rows(*run), "dap", 1)
        return {name: one for name, one in found.items() if one is not None}

    return checked


def run_rows(result: Result, _: dict) -> Rows:
    """A run's rows, with what it says of early stopping among them."""
    gain = result.numbers.get("matched_gain")
    return result.rows if gain is None else result.rows + Rows((Row("matched_gain", gain, "dap"),), result.rows.names)


# ---- checks
def lowers_auc(rows: Rows, dap: str, seeds: int) -> Verdict | None:
    """Paper D: its attackers do far worse against DAP than against the baseline."""
    if not rows.where(measure="auc", defence="none", protocol="alike").rows:
        return None
    with_dap, without = paper_of(rows, dap), paper_of(rows, "none")
    said = (
        f"the best of its attackers has AUC {with_dap.value:.2f} with DAP_t and {without.value:.2f} without a defence, "
        f"at {percent(accuracy_of(rows, dap))} and {percent(accuracy_of(rows, 'none'))} right"
    )
    return verdict(with_dap.value < without.value - 0.02, said)


def best_by_paper(rows: Rows, dap: str, seeds: int) -> Verdict | None:
    """Paper D: at λ = 10 DAP has the highest AOP of baseline, regularised, DP-SGD and DAP."""
    names = [name for name in ("none", "reg", *NOISY, "dap_t", "dap_v") if rows.has("accuracy", defence=name)]
    if len(names) < 4:
        return None
    scores = {name: float(aop(accuracy_of(rows, name), paper_of(rows, name).value, 10)) for name in names}
    first = max(scores, key=scores.get)
    told = "; ".join(f"{COLUMNS[name].words} {score:.3f}" for name, score in scores.items())
    return verdict(first.startswith("dap"), f"AOP(10) by its own attackers: {told}")


def against_stopping(rows: Rows, dap: str, seeds: int) -> Verdict | None:
    found = beats_stopping(rows, dap, seeds)
    if found is None:
        return None
    gain, error = found
    spread = f" ± {2 * error:.3f}" if np.isfinite(error) else ""
    how = "lower" if gain > 0 else "higher"
    return Verdict(NOT_CLAIMED, (
        f"by likelihood ratios with shadow models of its own defence DAP_t's AUC is {abs(gain):.3f}{spread} {how} than "
        "that of an undefended model stopped when it was as accurate"
    ))  # fmt: skip


def what_d_misses(rows: Rows, dap: str, seeds: int) -> Verdict | None:
    own = rows.where(measure="auc", defence=dap, attack="own_d", protocol="alike").rows
    ratio, caught = ratio_of(rows, dap), ratio_of(rows, dap, measure="tpr1")
    if not own or ratio is None:
        return None
    return Verdict(NOT_CLAIMED, (
        f"D itself has AUC {own[0].value:.2f}, the best of its attackers {paper_of(rows, dap).value:.2f}, likelihood "
        f"ratios {ratio.value:.2f}, with {percent(caught.value)} caught at 1 % false alarms"
    ))  # fmt: skip


def worst_cases(rows: Rows, dap: str, seeds: int) -> Verdict | None:
    found = [ratio_of(rows, dap, kind, "tpr1") for kind in ("turns", "mislabelled", "atypical")]
    if None in found:
        return None
    everybody, wrong, odd = (percent(row.value) for row in found)
    return Verdict(NOT_CLAIMED, (
        f"likelihood ratios catch {everybody} of everybody, {wrong} of mislabelled and {odd} of atypical canaries at "
        "1 % false alarms"
    ))  # fmt: skip


def printed_table() -> dict[str, Verdict]:
    """Its AOP from its own printed means."""
    paper = shipped("published")["dap"]
    accuracy, auc = (np.array(list(paper[name].values())) for name in ("accuracy", "auc"))
    apart = max(
        float(np.abs(aop(accuracy, auc, int(lam)).mean(0) - np.array(row)).max()) for lam, row in paper["aop"].items()
    )
    said = f"from its printed accuracies and AUCs we get its printed AOP to {apart:.3f} at most, over all λ"
    return {"its eight picture sets": verdict(apart < 0.03, said)}


CLAIMS = [
    Claim("DAP makes membership inference fail", "D",
          "the AUC falls from .61 to .51 on average over eight picture sets, accuracy from .68 to .54",
          everywhere(lowers_auc)),
    Claim("By AOP, DAP is the best of eight", "D",
          "at λ = 10 DAP_v (.456) and DAP_t (.451) lead; DP-SGD has .20 to .32, the baseline .15",
          everywhere(best_by_paper)),
    Claim("Its table follows from its own columns", "D", "AOP is accuracy over (2·AUC) to the power λ",
          printed_table),
    Claim("Does DAP beat early stopping at equal accuracy?", "D", NOT_MEASURED, everywhere(against_stopping)),
    Claim("Who sees more than D?", "D", NOT_MEASURED, everywhere(what_d_misses)),
    Claim("From everybody to the worst case", "D", NOT_MEASURED, everywhere(worst_cases)),
]  # fmt: skip


def findings() -> widgets.VBox:
    told = "".join(claim_html(claim) for claim in CLAIMS)
    return card(text(f"<h3>Claim by claim</h3>{told}"), name="dp-claims")
