"""The checks behind lesson 5's claims: each looks at a shipped sweep and says what it found, with the numbers."""

from collections.abc import Callable

import numpy as np

from dpmia_lab.experiments.equal_leak import NARROW, AucOverEpsilon, Crossing, contest, middle_level
from dpmia_lab.experiments.mechanism_sweep import Sweep
from dpmia_lab.experiments.mechanisms import LEAST_LEAK, MECHANISMS, PRESETS, setting_words
from dpmia_lab.privacy.accounting import epsilon_text, rounded_up
from dpmia_lab.widgets.kit.claims import NOT_CLAIMED, Verdict, clearly_higher, verdict
from dpmia_lab.widgets.kit.tables import with_spread
from dpmia_lab.widgets.mechanisms.data import references
from dpmia_lab.widgets.mechanisms.ranking import LAMBDAS, Entry, farthest, published_entries
from dpmia_lab.widgets.mechanisms.words import (
    DATA_WORDS,
    PAPERS_ATTACKS,
    PROTOCOL_WORDS,
    contest_words,
    interval_text,
    signed,
    value_text,
)

FAR_APART = 10  # times: so different must ε be at equal protection for it to be unfit for comparing
LEVEL = 0.5 + LEAST_LEAK  # an AUC nearer to guessing is chance
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
    """The check's answer, unless the white box is too near guessing to compare anything."""
    return check(sweep, protocol) if sweep.leaks("white_box", protocol) else verdict(None, unseen(sweep, protocol))


def unseen(sweep: Sweep, protocol: str) -> str:
    """That the white box finds nobody beyond doubt; and whether another attack does."""
    said = (
        f"without a defence the white box's AUC is {interval_text(sweep, 'none', 'white_box', protocol)}, too near "
        f"guessing (below {LEVEL:g} at its lower end) to compare anything by it"
    )
    if sweep.row("auc", "none", "lira_offline", protocol) is None:
        return said
    found = sweep.leaks("lira_offline", protocol)
    ends = "members can be found, the white box misses them" if found else "too near guessing as well"
    ratio = interval_text(sweep, "none", "lira_offline", protocol)
    return f"{said}; on the same models the offline likelihood ratio has {ratio}: {ends}"


# ---- of one sweep, under one kind of outsider
def epsilon_claim(sweep: Sweep, protocol: str) -> Verdict:
    """The ε of both mechanisms at an AUC in the middle of what both reach; then, where half of the advantage goes."""
    curves = {name: AucOverEpsilon(sweep, name, "white_box", protocol) for name in MECHANISMS[1:]}
    level, halved = middle_level(list(curves.values()), LEVEL), halving_words(sweep, curves, protocol)
    if level is None:
        return verdict(None, f"both reach no range of AUC above {LEVEL:g} that is wider than {NARROW:g}; {halved}")
    central, local = (curves[name].crossing(level) for name in ("central", "local"))
    ratio = Crossing(local.epsilon / central.epsilon, local.low / central.high, local.high / central.low)
    return verdict(
        None if ratio.low < FAR_APART <= ratio.high else ratio.low >= FAR_APART,
        f"at AUC {level:.3f}, in the middle of what both reach, central noise has ε = {crossing_text(central)}, local "
        f"noise ε = {crossing_text(local)}: {local.epsilon / central.epsilon:,.0f} times as much ({ratio.low:,.0f} to "
        f"{ratio.high:,.0f}); {halved}",
    )


def halving_words(sweep: Sweep, curves: dict[str, AucOverEpsilon], protocol: str) -> str:
    """Between the strengths that were tried, not at the nearest of them."""
    plain, error = (found("auc", "none", "white_box", protocol) for found in (sweep.value, sweep.error))
    half = 0.5 + (plain - 0.5) / 2
    said = [f"with {name} noise at {halving_text(curve, half, error / 2)}" for name, curve in curves.items()]
    return f"half of the white box's advantage (AUC {half:.3f}) is gone {', '.join(said)}"


def halving_text(curve: AucOverEpsilon, half: float, error: float) -> str:
    found, ends = curve.crossing(half, error), np.exp(curve.logs)
    if found.epsilon == 0:
        return f"no ε that was tried, down to {epsilon_text(ends[0])}"
    if np.isinf(found.epsilon):
        return f"every ε that was tried, up to {epsilon_text(ends[-1])}"
    return f"ε = {crossing_text(found)}"


def crossing_text(found: Crossing) -> str:
    """Such as "16 (13 to beyond what was tried)": two standard errors of the AUC either way."""
    low = "below what was tried" if found.low == 0 else two_digits(found.low)
    high = "beyond what was tried" if np.isinf(found.high) else two_digits(found.high)
    return f"{two_digits(found.epsilon)} ({low} to {high})"


def two_digits(epsilon: float) -> str:
    """An interpolated ε is known no better."""
    return rounded_up(epsilon, 2)


def similar_claim(sweep: Sweep, protocol: str) -> Verdict:
    found = contest(sweep, protocol)
    agrees = {"alike": True, "local": False, "central": False, "either": False}.get(found.verdict)
    return verdict(agrees, contest_words(found))


def strict_claim(sweep: Sweep, protocol: str) -> Verdict:
    found = contest(sweep, protocol)
    return verdict(None if found.verdict in ("neither", "unclear") else found.verdict == "local", contest_words(found))


def boxes_claim(sweep: Sweep, protocol: str) -> Verdict:
    """Point by point, and how often the difference is beyond chance."""
    white, black = ([sweep.row("auc", one, box, protocol) for one in sweep.defences] for box in PAPERS_ATTACKS)
    pairs = [pair for pair in zip(white, black, strict=True) if None not in pair]
    if not pairs:
        return verdict(None, "there is no black-box attack to compare with")
    apart = np.array([one.value - other.value for one, other in pairs])
    sure = [clearly_higher(*pair, sweep.config.repeats) for pair in pairs]
    better, worse = sure.count(True), sure.count(False)
    return verdict(
        None if not better and not worse else better > 0 and not worse and bool(apart.mean() > 0),
        f"the white box's AUC minus the black box's is {signed(apart.mean(), 3)} on average; it is higher at "
        f"{(apart > 0).sum()} of {len(apart)} points and lower at {(apart < 0).sum()}, beyond chance higher at "
        f"{better} and lower at {worse}",
    )


def interval_claim(sweep: Sweep, protocol: str) -> Verdict:
    """φ of the white box above 1 at some strengths, beyond chance, and not at all."""
    said, some = [], []
    for mechanism in MECHANISMS[1:]:
        worth, spreads = (
            np.array([found("phi", one, "white_box", protocol) for one in sweep.of(mechanism)])
            for found in (sweep.value, sweep.spread)
        )
        sure = np.nan_to_num(worth - 2 * spreads / np.sqrt(sweep.config.repeats)) > 1
        above, tried = np.nan_to_num(worth) > 1, np.isfinite(worth)
        some.append(bool(sure.any() and not above[tried].all()))
        said.append(
            f"{mechanism}: φ above 1 at {above.sum()} of {tried.sum()} strengths, beyond chance at {sure.sum()}"
            f"{span_text(sweep.at('epsilon', mechanism)[sure])}"
        )
    return verdict(all(some), "; ".join(said))


def span_text(epsilons: np.ndarray) -> str:
    return f", ε from {epsilon_text(epsilons.min())} to {epsilon_text(epsilons.max())}" if len(epsilons) else ""


# ---- of a whole sweep: what the tables show, and what the paper did not measure
def accuracy_claim(sweep: Sweep) -> Verdict:
    """At how many of a mechanism's strengths is half of the accuracy above chance kept?"""
    half = sweep.chance + (sweep.value("test_accuracy", "none") - sweep.chance) / 2
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
        max((sweep.row("auc", defence, attack, "alike") for attack in PAPERS_ATTACKS), key=lambda row: row.value)
        for mechanism in MECHANISMS[1:]
        for defence in sweep.of(mechanism)
    ]
    quiet = [row for row in better if row.value <= LEVEL]
    if not quiet:
        return Verdict(NOT_CLAIMED, "no strength brings both attacks nearly down to guessing")
    most = max(quiet, key=lambda row: sweep.value("auc", row.defence, "lira_offline", "alike"))
    return Verdict(
        NOT_CLAIMED,
        f"at {len(quiet)} of {len(better)} strengths both have an AUC of at most {LEVEL:g}; there the likelihood "
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
