"""The checks behind lesson 5's claims: each looks at a shipped sweep and says what it found, with the numbers."""

from collections.abc import Callable

import numpy as np

from dpmia_lab.experiments.mechanism_sweep import Sweep, epsilon_text
from dpmia_lab.experiments.mechanisms import MECHANISMS, PRESETS, setting_words
from dpmia_lab.widgets.kit.claims import NOT_CLAIMED, Verdict, verdict
from dpmia_lab.widgets.kit.tables import with_spread
from dpmia_lab.widgets.mechanisms.data import contest, references
from dpmia_lab.widgets.mechanisms.ranking import LAMBDAS, Entry, farthest, published_entries
from dpmia_lab.widgets.mechanisms.words import (
    ATTACK_WORDS,
    DATA_WORDS,
    PROTOCOL_WORDS,
    contest_words,
    signed,
    value_text,
)

CLEARLY = 0.005  # by so much must an AUC be higher on average
FAR_APART = 10  # times: so different must ε be at equal protection for it to be unfit for comparing
LEAST_LEAK = 0.03  # an AUC nearer to .5 leaves nothing to compare but chance
Check = Callable[[Sweep, str], Verdict]  # of a sweep under a protocol


def everywhere(check: Check, presets: tuple[str, ...] = tuple(PRESETS)) -> Callable[[], dict[str, Verdict]]:
    """The check on every one of these data sets that has been computed, under every kind of outsider."""

    def verdicts() -> dict[str, Verdict]:
        return {
            f"{DATA_WORDS[name]}{outsiders_words(sweep, protocol)}": where_it_leaks(check, sweep, protocol)
            for name, sweep in references().items()
            if name in presets
            for protocol in sweep.protocols()
        }

    return verdicts


def on_each(find: Callable[[Sweep], Verdict], presets: tuple[str, ...] = tuple(PRESETS)):
    """As ``everywhere``, for what is not asked of one kind of outsider."""
    return lambda: {DATA_WORDS[name]: find(sweep) for name, sweep in references().items() if name in presets}


def outsiders_words(sweep: Sweep, protocol: str) -> str:
    return f" ({PROTOCOL_WORDS[protocol]})" if len(sweep.protocols()) > 1 else ""


def where_it_leaks(check: Check, sweep: Sweep, protocol: str) -> Verdict:
    """The check's answer, unless there is nothing to protect."""
    if leaks(sweep, protocol):
        return check(sweep, protocol)
    auc = undefended(sweep, protocol)
    return verdict(None, f"without a defence the white box's AUC is {auc:.2f}: there is next to nothing to protect")


def undefended(sweep: Sweep, protocol: str) -> float:
    """The white box's AUC."""
    return sweep.value("auc", "none", "white_box", protocol)


def leaks(sweep: Sweep, protocol: str) -> bool:
    return undefended(sweep, protocol) >= 0.5 + LEAST_LEAK


# ---- of one sweep, under one kind of outsider
def epsilon_claim(sweep: Sweep, protocol: str) -> Verdict:
    """The weakest promise of each mechanism that takes half of the white-box attack's advantage."""
    weakest = {mechanism: halving_epsilon(sweep, mechanism, protocol) for mechanism in MECHANISMS[1:]}
    missing = [mechanism for mechanism, epsilon in weakest.items() if epsilon is None]
    if missing:
        return verdict(None, f"no strength of {' or '.join(missing)} noise takes half of the white box's advantage")
    ratio = weakest["local"] / weakest["central"]
    return verdict(
        ratio >= FAR_APART,
        f"half of the white box's advantage is gone from ε = {epsilon_text(weakest['central'])} down with central "
        f"noise, from ε = {epsilon_text(weakest['local'])} with local noise: {ratio:,.0f} times as much",
    )


def halving_epsilon(sweep: Sweep, mechanism: str, protocol: str) -> float | None:
    """The largest ε whose AUC is at most half-way from guessing to that without a defence; None if none is."""
    half = 0.5 + (undefended(sweep, protocol) - 0.5) / 2
    fits = sweep.at("epsilon", mechanism)[sweep.at("auc", mechanism, "white_box", protocol) <= half]
    return float(fits.max()) if len(fits) and half > 0.5 else None


def similar_claim(sweep: Sweep, protocol: str) -> Verdict:
    found = contest(sweep, protocol)
    return verdict(None if found.verdict == "neither" else found.verdict == "alike", contest_words(found))


def strict_claim(sweep: Sweep, protocol: str) -> Verdict:
    found = contest(sweep, protocol)
    better = found.verdict == "local" and found.strict
    return verdict(None if found.verdict == "neither" else better, contest_words(found))


def boxes_claim(sweep: Sweep, protocol: str) -> Verdict:
    white, black = (
        np.array([sweep.value("auc", defence, attack, protocol) for defence in sweep.defences])
        for attack in ("white_box", "black_box")
    )
    apart = (white - black)[np.isfinite(white - black)]
    if not len(apart):
        return verdict(None, "there is no black-box attack to compare with")
    return verdict(
        bool(apart.mean() > CLEARLY),
        f"the white box's AUC minus the black box's is {signed(apart.mean())} on average, and it is higher at "
        f"{(apart > 0).sum()} of {len(apart)} points",
    )


def interval_claim(sweep: Sweep, protocol: str) -> Verdict:
    """φ of the white box above 1 at some strengths and not at all."""
    said, some = [], []
    for mechanism in MECHANISMS[1:]:
        worth, epsilons = sweep.at("phi", mechanism, "white_box", protocol), sweep.at("epsilon", mechanism)
        good = epsilons[np.nan_to_num(worth) > 1]
        some.append(0 < len(good) < np.isfinite(worth).sum())
        span = f", ε from {epsilon_text(good.min())} to {epsilon_text(good.max())}" if len(good) else ""
        said.append(f"{mechanism}: φ above 1 at {len(good)} of {np.isfinite(worth).sum()} strengths{span}")
    return verdict(all(some), "; ".join(said))


# ---- of a whole sweep: what the tables show, and what the paper did not measure
def accuracy_claim(sweep: Sweep) -> Verdict:
    """At how many of a mechanism's strengths is half of the accuracy above chance kept?"""
    chance = 1 / sweep.config.classes
    half = chance + (sweep.value("test_accuracy", "none") - chance) / 2
    kept = {mechanism: sweep.at("test_accuracy", mechanism) >= half for mechanism in MECHANISMS[1:]}
    said = [f"at {good.sum()} of {len(good)} strengths of {mechanism} noise" for mechanism, good in kept.items()]
    best = [max(sweep.of(mechanism), key=lambda one: sweep.value("test_accuracy", one)) for mechanism in MECHANISMS]
    most = [f"{setting_words(defence)} {value_text(sweep, defence, 'test_accuracy')}" for defence in best]
    return verdict(
        bool(kept["local"].mean() > kept["central"].mean()),
        f"half of the accuracy above chance is kept {' and '.join(said)}; highest test accuracy of each: "
        f"{'; '.join(most)}",
    )


def outsiders_finding(sweep: Sweep) -> Verdict:
    """How far noise brings the white box down, under each kind of outsider."""
    said = []
    for protocol in sweep.protocols():
        found = sweep.rows.where(measure="auc", attack="white_box", protocol=protocol)
        lowest = min(found, key=lambda row: row.value).defence
        first, last = (value_text(sweep, one, "auc", "white_box", protocol) for one in ("none", lowest))
        said.append(f"{PROTOCOL_WORDS[protocol]}: {first} without a defence, {last} at the lowest")
    return Verdict(NOT_CLAIMED, f"the white box's AUC with {'; with '.join(said)}")


def ratio_finding(sweep: Sweep) -> Verdict:
    """The likelihood ratio where noise has brought both of the paper's attacks nearly down to guessing."""
    better = [
        max((sweep.row("auc", defence, attack, "alike") for attack in ATTACK_WORDS), key=lambda row: row.value)
        for mechanism in MECHANISMS[1:]
        for defence in sweep.of(mechanism)
    ]
    least = 0.5 + LEAST_LEAK
    quiet = [row for row in better if row.value <= least]
    if not quiet:
        return Verdict(NOT_CLAIMED, "no strength brings both attacks nearly down to guessing")
    most = max(quiet, key=lambda row: sweep.value("auc", row.defence, "lira_offline", "alike"))
    return Verdict(
        NOT_CLAIMED,
        f"at {len(quiet)} of {len(better)} strengths both have an AUC of at most {least:g}; there the likelihood "
        f"ratio's is at most {value_text(sweep, most.defence, 'auc', 'lira_offline', 'alike')}, where the better of "
        f"the two has {with_spread(most, '{:.3f}')} ({setting_words(most.defence)}, "
        f"ε = {epsilon_text(sweep.value('epsilon', most.defence))})",
    )


# ---- of paper D's table
def aop_claim() -> dict[str, Verdict]:
    return {f"its eight picture sets, λ = {lam}": same_order(published_entries(lam)) for lam in LAMBDAS}


def same_order(entries: list[Entry]) -> Verdict:
    """Ranking is what AOP is for, so its order must come out as printed; how near the means are is said beside it."""
    printed = sorted(entries, key=lambda entry: -entry.printed)
    moved = [f"{entry.words} ({entry.score:.3f}, printed {entry.printed:.3f})"
             for entry, other in zip(entries, printed, strict=True) if entry != other]  # fmt: skip
    order = f"another order: {'; '.join(moved)}" if moved else f"the same order, {entries[0].words} first"
    return verdict(
        not moved,
        f"recomputed from its printed accuracy and AUC, {order}; no mean is farther than {farthest(entries):.3f} from "
        f"the one it prints",
    )
