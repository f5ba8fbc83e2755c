"""Every attack on membership, every model the target in its turn; ordinary people, canaries, and those most at risk."""

from collections.abc import Callable, Mapping

import numpy as np

from dpmia_lab.attacks.membership import rmia, signals
from dpmia_lab.experiments.comparing_case import Case
from dpmia_lab.experiments.comparing_config import Config
from dpmia_lab.experiments.comparing_models import Said
from dpmia_lab.game.canaries import KINDS
from dpmia_lab.metrics.membership import auc_interval, tpr_at_fpr
from dpmia_lab.rows import Row
from dpmia_lab.seeds import numpy_generator, torch_generator
from dpmia_lab.stages import Progress, Stage, part

ATTACKS = {
    "loss": "threshold on the loss",
    "confidence": "threshold on the largest confidence",
    "label_only": "labels of varied copies alone",
    "black_box": "black box (Shokri): classifiers learn from shadow models",
    "white_box": "white box (Nasr): outputs, loss, gradients",
    "lira_unadapted": "likelihood ratio, undefended shadow models",
    "lira_fixed": "likelihood ratio (LiRA), shadow models with the defence",
    "lira_levelled": "likelihood ratio, every model's confidence levelled",
    "lira_labels": "likelihood ratio of labels of varied copies",
    "rmia": "RMIA, online, shadow models with the defence",
    "lira_averaged": "likelihood ratio of averaged answers",
    "lira_mean": "likelihood ratio through the mean code",
    "lira_weights": "likelihood ratio of what the weights say, past the mask",
}
UNADAPTED = ("lira_unadapted",)  # the attack that does not know of the defence
PROTOCOLS = {
    "turns": "ordinary records",
    "alike": "ordinary records of some models",
    "mislabelled": "mislabelled canaries",
    "atypical": "atypical canaries",
    "worst": "the 5 % most at risk",
}
AT_RISK = 0.05
RAREST = 1000  # outsiders whom a rate of .1 % takes
Scores = dict[str, np.ndarray]  # (M, k) by attack; NaN: not to be judged


def membership_scores(config: Config, case: Case, said: Said, plain: Said | None) -> Stage[Scores]:
    """Of every attack that fits; ``plain``: models without the defence, of an attacker who does not know of it."""
    scores: Scores = {"loss": said.signals["one"]}
    if said.confidences is not None:
        scores["confidence"] = said.confidences.max(2)
        scores["black_box"] = yield from part(black_box(config, case, said), 0.0, 0.4, "attacking: black box")
    if said.labels is not None:
        scores["label_only"] = said.labels
        scores["lira_labels"] = said.family().scores_in_turn(0, "labels")
    if said.models and said.confidences is not None:
        scores["white_box"] = yield from part(white_box(config, case, said), 0.4, 0.8, "attacking: white box")
    yield Progress(0.8, 1, "attacking: likelihood ratios")
    scores["lira_fixed"] = said.family().scores_in_turn(0, "plain")
    scores["lira_levelled"] = said.family().scores_in_turn(0, "levelled")
    if said.confidences is not None:
        scores["rmia"] = rmia_in_turn(said)
    if plain is not None:
        scores["lira_unadapted"] = unadapted_in_turn(said, plain)
    for way in said.signals:
        if way != "one":
            scores[f"lira_{way}"] = said.family(way).scores_in_turn(0, "plain")
    yield Progress(1, 1, "attacking: likelihood ratios")
    return {name: scores[name] for name in ATTACKS if name in scores}


# ---- attacks, every model in its turn
def others_of(model: int, count: int) -> np.ndarray:
    """(count,) bool: all but the model and its partner, which has the other half of the candidates."""
    pair = np.arange(count) // 2
    return pair != pair[model]


def in_turn(count: int, scores: Callable[[int, np.ndarray], np.ndarray]) -> np.ndarray:
    """(M, k) from what a model and its others give."""
    return np.stack([scores(model, others_of(model, count)) for model in range(count)])


def rmia_in_turn(said: Said) -> np.ndarray:
    logits, inside = said.signals["one"], said.inside

    def scores(one: int, others: np.ndarray) -> np.ndarray:
        return rmia.online_rmia_scores(logits[one], logits[others], inside[others])

    return in_turn(len(inside), scores)


def unadapted_in_turn(said: Said, plain: Said) -> np.ndarray:
    target, theirs = said.family(), plain.family()
    return in_turn(len(said.inside), lambda one, others: theirs.ratio(target, one, others, 0, "plain"))


def black_box(config: Config, case: Case, said: Said) -> Stage[np.ndarray]:
    """(M, k): half of the pairs teach classifiers that judge the other half, and the other way round."""
    from dpmia_lab.attacks.membership.shadow import Known, shadow_scores

    found, half = np.empty(said.inside.shape), np.arange(len(said.inside)) // 2 % 2 == 0
    people, y = said.inside.shape[1], case.people.y
    for place, taught in enumerate((half, ~half)):
        known = Known(flat(said.confidences[taught]), np.tile(y, taught.sum()), said.inside[taught].ravel())
        asked, labels = flat(said.confidences[~taught]), np.tile(y, (~taught).sum())
        stage = shadow_scores(known, asked, labels, torch_generator(config.seed, "black box", place))
        found[~taught] = (yield from part(stage, place / 2, (place + 1) / 2)).reshape(-1, people)
    return found


def flat(confidences: np.ndarray) -> np.ndarray:
    return confidences.reshape(-1, confidences.shape[-1])


def white_box(config: Config, case: Case, said: Said) -> Stage[np.ndarray]:
    """(M, k): of some models; he has the weights, so no mask on answers and no noise in a code is in his way."""
    import torch

    from dpmia_lab.attacks.membership.white_box import Features, known_half, white_box_scores
    from dpmia_lab.devices import best_device
    from dpmia_lab.game.outputs import last_layer_inputs, outputs_of
    from dpmia_lab.training.bottleneck import through_mean

    found, people = np.full(said.inside.shape, np.nan), case.people
    x = torch.from_numpy(people.x).to(best_device())
    for place in range(config.targets):
        number = 2 * place % len(said.models) + 2 * place // len(said.models)  # of different pairs, as far as there are
        model = through_mean(said.models[number])
        out = outputs_of(model, x, people.y)
        errors = out.confidences - np.eye(out.confidences.shape[1])[out.y]
        losses = signals.losses(out.confidences, out.y)
        features = Features(out.confidences, losses, last_layer_inputs(model, x), errors, out.y)
        known = known_half(len(people), numpy_generator(config.seed, "white box", number))
        stage = white_box_scores(features, said.inside[number], known, torch_generator(config.seed, "white", number))
        found[number] = yield from part(stage, place / config.targets, (place + 1) / config.targets)
    return found


# ---- how well they do
def membership_rows(case: Case, said: Said, scores: Mapping[str, np.ndarray]) -> Stage[list[Row]]:
    rows: list[Row] = []
    for place, (attack, own) in enumerate(scores.items()):
        rows += rows_of(case, said, attack, own)
        yield Progress(place + 1, len(scores), "measuring")
    return rows


def rows_of(case: Case, said: Said, attack: str, scores: np.ndarray) -> list[Row]:
    inside, ordinary = said.inside, case.ordinary
    if np.isnan(scores).any():  # some models only, and half of the people
        return pooled_rows(scores[:, ordinary], inside[:, ordinary], attack, "alike")
    counted = {"turns": ordinary} | {kind: case.places(kind) for kind in KINDS[1:]}
    rows = []
    for protocol, who in counted.items():
        if who.sum() >= 4:
            rows += pooled_rows(scores[:, who], inside[:, who], attack, protocol)
    worst = most_at_risk(scores[:, ordinary], inside[:, ordinary], signal_of(said, attack)[:, ordinary])
    return rows + pooled_rows(*worst, attack, "worst")


def signal_of(said: Said, attack: str) -> np.ndarray:
    """(M, k): what the attack is made of."""
    if attack in ("label_only", "lira_labels"):
        return said.labels
    way = attack.removeprefix("lira_")
    return said.signals[way if way in said.signals else "one"]


def pooled_rows(scores: np.ndarray, inside: np.ndarray, attack: str, protocol: str) -> list[Row]:
    """Of all models' scores together; intervals as if these were independent, which they nearly are."""
    flat, member = scores.ravel(), inside.ravel()
    found = {"auc": auc_interval(flat, member), "tpr1": tpr_at_fpr(flat, member, 0.01)}
    if (~member[np.isfinite(flat)]).sum() >= RAREST:
        found["tpr01"] = tpr_at_fpr(flat, member, 0.001)
    return [
        Row(measure, float(one.value), "", attack, protocol, float(one.low), float(one.high))
        for measure, one in found.items()
    ]


# ---- those most at risk
def risks(signals: np.ndarray, inside: np.ndarray) -> np.ndarray:
    """(k,): how much further up a record stands, in a model's order of its signals (M, k), where it was trained on."""
    place = signals.argsort(1).argsort(1) / signals.shape[1]
    with_it, without = np.maximum(inside.sum(0), 1), np.maximum((~inside).sum(0), 1)
    return np.where(inside, place, 0).sum(0) / with_it - np.where(inside, 0, place).sum(0) / without


def most_at_risk(scores: np.ndarray, inside: np.ndarray, risk_of: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Scores and truth (M, chosen): records chosen by half of the pairs and judged in the other half, both ways round.

    ``risk_of``: the signals (M, k) by which they are chosen, no model's depending on another's. Whoever chose and
    judged by the same models would find risk in pure noise; so would who chose by scores that others had a part in.
    """
    half = np.arange(len(inside)) // 2 % 2 == 0
    few = max(1, round(AT_RISK * scores.shape[1]))
    parts = []
    for chosen_by in (half, ~half):
        worst = np.argsort(-risks(risk_of[chosen_by], inside[chosen_by]), kind="stable")[:few]
        parts.append((scores[~chosen_by][:, worst], inside[~chosen_by][:, worst]))
    return tuple(np.concatenate(both) for both in zip(*parts, strict=True))
