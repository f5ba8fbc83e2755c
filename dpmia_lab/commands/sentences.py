"""What a run did and what came out, in a few sentences; one function an experiment."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from dpmia_lab.commands.measures import epsilon, number, share, with_ends
from dpmia_lab.defences.tables.base import MODELS as TABLE_MODELS
from dpmia_lab.experiments import (
    as_published,
    attributes,
    confidences,
    fooling,
    fooling_table,
    hiding,
    inversion_comparison,
    mechanisms,
    playground,
)
from dpmia_lab.experiments.comparing_attributes import BASELINES as NO_MODEL
from dpmia_lab.game.attacks import ATTACKS
from dpmia_lab.game.drawing import BASELINES, PRIOR_NULLS
from dpmia_lab.privacy.accounting import Guarantee
from dpmia_lab.privacy.local import FEATURES_ONLY
from dpmia_lab.rows import Rows
from dpmia_lab.store import Result

DRAWN = {name: attack.words for name, attack in ATTACKS.items()} | BASELINES | PRIOR_NULLS
BOTH = ("paper", "stronger")
MODELS = {
    "softmax": "softmax regression",
    "mlp": "a network with one hidden layer",
    "cnn": "a convolutional network",
    "transfer": "last layers on a public face network",
    "graph": "a graph convolution",
}


def sentences(name: str, config: Any, result: Result) -> list[str]:
    return SENTENCES[name](config, result)


def model_words(model: str) -> str:
    return MODELS.get(model, f"your own model {model}")


def capitalised(words: str) -> str:
    return words[:1].upper() + words[1:]


def data_words(config: Any) -> str:
    people = f", {config.people} people" if config.data.split(":")[0] in ("faces", "att_faces") else ""
    if not hasattr(config, "model"):
        return config.data
    return f"{model_words(config.model)} on {Path(config.data).name}{people}"


def learnt_words(numbers: dict[str, float]) -> str:
    return f"is right on {share(numbers['test_accuracy'])} of new records (guessing: {share(numbers['chance'])})"


def promised(config: Any, numbers: dict[str, float], unit: str) -> str:
    neighbours = getattr(config, "neighbours", "add-remove")
    if "epsilon_tight" not in numbers:
        return "no ε"
    return Guarantee(numbers["epsilon_tight"], unit, neighbours, numbers["delta"], "tight").words()


def of_inversion(config: Any, result: Result) -> list[str]:
    rows = result.rows

    def named(attack: str) -> str:
        return " and ".join(
            share(rows.value(measure, attack=attack)) for measure in ("recognised_share", "recognised_ssim_share")
        )

    nothing = ("noise", *PRIOR_NULLS) if config.attack == "prior" else ("noise",)
    own, other = (rows.value(m, attack=config.attack) for m in ("recognised_share", "recognised_ssim_share"))
    said = [
        f"The attacked model, {data_words(config)}, {learnt_words(result.numbers)}.",
        f"Of one drawing a label, an independent judge and the most similar held-out picture (SSIM) name "
        f"{named(config.attack)} right, by the {DRAWN[config.attack]}; "
        f"{', '.join(f'of {DRAWN[name]} {named(name)}' for name in nothing)}.",
    ]
    if abs(own - other) >= 0.4:
        said.append("The two disagree: look at the drawings (--arrays) before you believe either.")
    return said


def of_comparison(config: Any, result: Result) -> list[str]:
    shares = [
        f"{words} {with_ends(result.rows.row('recognised_share', attack=who))}"
        for who, words in inversion_comparison.CONTENDERS.items()
    ]
    return [
        f"The attacked model, {data_words(config)}, {learnt_words(result.numbers)}; seeds: {config.repeats}.",
        f"Drawings that an independent judge names right: {', '.join(shares)}.",
    ]


def of_training(config: Any, result: Result) -> list[str]:
    numbers = result.numbers
    return [
        f"After {numbers['steps']:.0f} steps of private training, {data_words(config)}, {learnt_words(numbers)}.",
        f"Promised: {promised(config, numbers, config.unit)}.",
    ]


def of_hiding(config: Any, result: Result) -> list[str]:
    said = []
    for model, words in hiding.MODELS.items():
        rows = result.rows.where(defence=model)
        numbers = {row.measure: row.value for row in rows if not row.attack}
        unit = config.unit if model == "unit" else "record"
        promise = "" if model == "vanilla" else f", {promised(config, numbers, unit)}"
        seen = ", ".join(share(rows.value("recognised_mean", attack=attack)) for attack in BOTH)
        accuracy = f"{words[0].upper()}{words[1:]}: accuracy {share(numbers['accuracy'])}"
        said.append(f"{accuracy}{promise}; drawings recognised {seen}.")
    return [
        f"The attacked models are {data_words(config)}; recognised by an independent judge are the drawings of the "
        f"enhanced and of a stronger attack, {hiding.STRONGER[config.stronger]} "
        f"(guessing: {share(result.numbers['chance'])}).",
        *said,
    ]


def of_operating_point(config: Any, result: Result) -> list[str]:
    rows = result.rows
    told = {row.measure: row.value for row in rows if not row.attack}
    hidden = "no unit hidden" if not config.private else promised(config, told, config.unit)
    seen = ", ".join(
        f"{words} {share(rows.value('recognised_share', attack=attacker))}"
        for attacker, words in as_published.ATTACKERS.items()
    )
    return [
        f"The attacked convolutional network on {Path(config.data).name} is right on {share(told['accuracy'])} of new "
        f"digits (guessing: {share(result.numbers['chance'])}); {hidden}.",
        f"Drawings that an independent judge names right: {seen}.",
    ]


def of_privacy_sweep(config: Any, result: Result) -> list[str]:
    arrays = result.arrays
    varied, accuracy = arrays[config.vary], arrays["accuracy"]
    found = [
        f"{len(varied)} settings of {config.vary} from {number(varied.min())} to {number(varied.max())}, "
        f"{data_words(config)}: accuracy from {share(accuracy.min())} to {share(accuracy.max())}."
    ]
    if "epsilon_tight" in arrays:
        values = arrays["epsilon_tight"]
        spent = f"Its ε for a {config.unit} goes from {epsilon(values.min())} to {epsilon(values.max())}"
        found.append(f"{spent} ({config.neighbours}; δ below 1/units; tight accountant, PLD).")
    return found


def of_membership(config: Any, result: Result) -> list[str]:
    rows = result.rows.where(protocol="alike")
    best = rows.best("auc")
    found = rows.value("tpr1", attack=best.attack)
    said = [
        f"The attacked model, {data_words(config)}, defence {config.defence}, {learnt_words(result.numbers)}.",
        f"The strongest of {len(rows.all('attack'))} attacks is the {DRAWN[best.attack]}: AUC {number(best.value)} "
        f"(guessing: 0.5), and {share(found)} of the members found at 1 % false alarms.",
    ]
    if "epsilon_tight" in result.numbers:
        said.append(f"Promised: {promised(config, result.numbers, 'record')}.")
    if "epsilon_record" in result.numbers:
        whole, part = (epsilon(result.numbers[name]) for name in ("epsilon_record", "epsilon_i"))
        how = f"replace one; δ = 0; {FEATURES_ONLY}"
        said.append(f"Promised: local ε = {whole} for a record, {part} for one bit, edge or cell ({how}).")
    return said


def of_mechanisms(config: Any, result: Result) -> list[str]:
    def at(defence: str, measure: str, attack: str = "") -> float:
        return result.rows.value(measure, defence=defence, attack=attack, protocol="alike" if attack else "")

    def words(defence: str) -> str:
        accuracy, auc = at(defence, "test_accuracy"), at(defence, "auc", "white_box")
        return f"accuracy {share(accuracy)}, AUC {number(auc)}"

    defences = result.rows.all("defence")
    ends = []
    for mechanism in mechanisms.MECHANISMS[1:]:
        own = [defence for defence in defences if mechanisms.point_of(defence)[0] == mechanism]
        if own:
            strengths = dict.fromkeys((own[0], own[-1]))
            ends.append("; ".join(f"{mechanisms.setting_words(one)}: {words(one)}" for one in strengths))
    return [
        f"Without a defence, {data_words(config)}: {words('none')}. AUC is the white-box attack's; guessing has 0.5.",
        *(f"{end[0].upper()}{end[1:]}." for end in ends),
    ]


def of_evaluation(config: Any, result: Result) -> list[str]:
    rows, numbers = result.rows, result.numbers

    def recognised(group: str, attack: str) -> str:
        return share(rows.value("impact_mean", defence=group, attack=attack, protocol="judge"))

    def by_filter(group: str) -> str:
        return share(rows.value("impact_mean", defence=group, attack="published", protocol="matched"))

    with_public = [
        f"With public pictures the network recognises {recognised('private', 'prior')}, from models of pure noise "
        f"{recognised('noise', 'prior')}."
    ] if config.prior else []  # fmt: skip
    promise = Guarantee(numbers["epsilon"], "record", config.neighbours, numbers["delta"], config.accountant).words()
    right = share(rows.value("test_accuracy", defence="private"))
    return [
        f"{config.models} private models on {data_words(config)}: {right} right on new pictures "
        f"(guessing: {share(numbers['chance'])}). Promised: {promise}.",
        f"Paper E's network recognises {recognised('private', 'published')} of a model's people from the published "
        f"attack's drawings and {recognised('private', 'smoothed')} once they are blurred, a matched filter "
        f"{by_filter('private')}; from models of pure noise {recognised('noise', 'published')}, "
        f"{recognised('noise', 'smoothed')} and {by_filter('noise')}.",
        *with_public,
    ]


def utility_words(rows: Rows, defence: str = "") -> str:
    """How good the model is, as released, with the plain one beside it where that is known."""
    if rows.has("test_error", defence=defence):
        off, error = (rows.value(name, defence=defence) for name in ("test_off", "test_error"))
        others = [row.value for row in rows.where(measure="test_error_plain") if row.value != error]
        plain = f" (without a defence {number(others[0])})" if others else ""
        return f"off by {number(off)} on average; mean squared error {number(error)}{plain}"
    return f"right on {share(rows.value('test_accuracy', defence=defence))} of test people"


def of_attributes(config: Any, result: Result) -> list[str]:
    rows, numbers = result.rows, result.numbers

    def right(attack: str, protocol: str = "test") -> str:
        return share(rows.value("attack_accuracy", attack=attack, protocol=protocol))

    chance = f" (always the commonest outcome: {share(numbers['chance'])})" if "chance" in numbers else ""
    words = attributes.defence_of(config).words()
    said = [
        f"The attacked model, {TABLE_MODELS[config.model]} on {Path(config.data).name}, {words}, is "
        f"{utility_words(rows)}{chance}; means over {config.splits} splits.",
        f"Without any model the sensitive value is guessed right of {right('prior')} of test people by taking the "
        f"commonest, of {right('imputation')} from their other attributes, of {right('imputation_outcome')} from the "
        "true outcome too.",
        f"With the model, paper B's attack guesses {right('map')} ({right('map', 'train')} of training people), a "
        f"calibrating attacker {right('calibrated')}, and one who sees the model's own answer {right('map_answer')}.",
    ]
    promise = attributes.defence_of(config).promise(round(numbers["people_trained"]))
    return [*said, f"Promised: {promise.words()}."] if promise is not None else said


def of_attribute_curves(config: Any, result: Result) -> list[str]:
    rows = result.rows
    points = rows.all("defence")

    def words(point: str) -> str:
        naive, refitted = (
            share(rows.value("attack_accuracy", defence=point, attack=attack, protocol="test"))
            for attack in ("map", "calibrated")
        )
        return f"{utility_words(rows, point)}; secrets guessed {naive}, by a calibrating attacker {refitted}"

    known = rows.value("attack_accuracy", defence=points[0], attack="imputation_outcome", protocol="test")
    return [
        f"{TABLE_MODELS[config.model][0].upper()}{TABLE_MODELS[config.model][1:]} on {Path(config.data).name} with "
        f"{len(points)} settings of defences, {config.splits} splits each; imputation from the other attributes and "
        f"the outcome, without a model, guesses {share(known)} of test people's secrets.",
        *(f"{point[0].upper()}{point[1:]}: {words(point)}." for point in dict.fromkeys((points[0], points[-1]))),
    ]


def of_confidences(config: Any, result: Result) -> list[str]:
    rows, numbers = result.rows, result.numbers

    def seen(attack: str, measure: str = "recognised", protocol: str = "test") -> str:
        return share(rows.value(measure, attack=attack, protocol=protocol))

    words = confidences.defence_of(config).words()
    said = [
        f"The attacked model, {data_words(config)}, {words}, {learnt_words(numbers)}; its expected calibration error "
        f"is {number(numbers['ece'])}.",
        f"An independent judge recognises {seen('alignment')} of the pictures that a decoder draws from one answer "
        f"each ({seen('alignment_label')} from the label alone), and {seen('gmi')} of the people that GMI draws; "
        f"adapted, {seen('gmi_adapted')}.",
    ]
    if rows.has("recognised", attack="alignment_averaged"):
        said.append(
            f"Whoever asks {config.answers} times and averages draws {seen('alignment_averaged')}; through the mean "
            f"{seen('alignment_mean')}."
        )
    if config.updates:
        said.append(
            f"From the change of answers after an update on one picture, {seen('update', 'label_named')} of the labels "
            f"are named, {seen('update', 'label_named', 'renamed')} where somebody takes another's name, and "
            f"{seen('update', protocol='renamed')} of these are recognised."
        )
    said.append(
        f"Without the model: the mean of public pictures {seen('average_face')}, the prior alone {seen('prior_alone')}."
    )
    if "epsilon_tight" in numbers:
        said.append(f"Promised: {promised(config, numbers, 'record')}.")
    return said


def of_confidence_curves(config: Any, result: Result) -> list[str]:
    rows = result.rows
    points = [point for point in rows.all("defence") if rows.has("test_accuracy", defence=point)]

    def words(point: str) -> str:
        own, attacks = rows.where(defence=point, protocol="test"), ("alignment", "gmi", "gmi_adapted")
        seen = ", ".join(share(own.value("recognised", attack=attack)) for attack in attacks)
        return f"accuracy {share(rows.value('test_accuracy', defence=point))}; recognised {seen}"

    return [
        f"{data_words(config)[0].upper()}{data_words(config)[1:]}, with {len(points)} settings of defences; seeds: "
        f"{config.repeats}. Recognised are drawings by alignment from one answer, by GMI, and by GMI adapted "
        f"(guessing: {share(result.numbers['chance'])}).",
        *(f"{point[0].upper()}{point[1:].replace('_', ' ')}: {words(point)}." for point in (points[0], points[-1])),
    ]


def of_fooling(config: Any, result: Result) -> list[str]:
    rows, numbers, name = result.rows, result.numbers, config.defence

    def auc(attack: str, protocol: str, defence: str = name) -> float:
        return rows.value("auc", defence=defence, attack=attack, protocol=protocol)

    best = max(fooling.TURNS, key=lambda attack: auc(attack, "turns"))
    caught = rows.value("tpr1", defence=name, attack=best, protocol="turns")
    said = [
        f"The attacked model, {data_words(config)}, {fooling_words(config)}, {learnt_words(numbers)}; the epoch kept "
        f"is {numbers['kept_epoch']:.0f} of {config.epochs}.",
        f"Paper D's own discriminator has an AUC of {number(auc('own_d', 'alike'))} (guessing: 0.5), the best of the "
        f"paper's attacks {number(max(auc(attack, 'alike') for attack in fooling.PAPER))}.",
        f"With every model attacked in its turn, the {fooling.ATTACKS[best]} has {number(auc(best, 'turns'))} and "
        f"finds {share(caught)} of the members at 1 % false alarms.",
    ]
    if config.canaries:
        kinds = ", ".join(
            f"{share(rows.value('tpr1', defence=name, attack=best, protocol=kind))} of the {kind}"
            for kind in ("mislabelled", "atypical")
        )
        said.append(f"Of the canaries it finds {kinds}.")
    if "matched_gain" in numbers:
        gain, stopped = numbers["matched_gain"], number(numbers["matched_auc"])
        verdict = f"{number(abs(gain))} {'more' if gain > 0 else 'less'} than the defence's"
        said.append(f"Undefended models stopped early where they are as accurate have an AUC of {stopped}: {verdict}.")
    if "epsilon_tight" in numbers:
        said.append(f"Promised: {promised(config, numbers, 'record')}.")
    return said


def fooling_words(config: Any) -> str:
    from dpmia_lab.game.settings import defence_of

    return f"defence {defence_of(config).words()}"


def of_fooling_table(config: Any, result: Result) -> list[str]:
    rows, names = result.rows, config.chosen()

    def words(name: str) -> str:
        accuracy = share(rows.value("accuracy", defence=name))
        return f"accuracy {accuracy}, AUC {number(fooling.strongest(rows, name))}"

    compared = []
    for name in names[1:]:
        found = fooling_table.beats_stopping(rows, name, config.repeats)
        if found is not None:
            compared.append(f"{fooling_table.COLUMNS[name].words} {found[0]:+.3f}")
    said = [
        f"{capitalised(model_words(config.model))} on {Path(config.data).name}, {len(names)} "
        f"defences, seeds: {config.repeats}; AUC is the best likelihood ratio's, every model in its turn.",
        f"Without a defence: {words('none')}.",
    ]
    if compared:
        told = "; ".join(compared)
        said.append(f"AUC below that of early stopping at equal accuracy (below 0: stopping is better): {told}.")
    return said


def of_comparing(config: Any, result: Result) -> list[str]:
    rows = result.rows
    worst = rows.best("tpr1", protocol="turns")
    canary = rows.best("tpr1", protocol="mislabelled") if rows.has("tpr1", protocol="mislabelled") else None
    said = [
        f"{config.shadows} models on {Path(config.data).name} with the defence {config.defence}, each the target in "
        f"its turn: {share(rows.value('accuracy'))} of new records named right.",
        f"The attack that is worst for ordinary records ({worst.attack}) catches {share(worst.value)} "
        f"of members at 1 % false alarms, where guessing catches 1 %"
        + (f"; of mislabelled canaries {share(canary.value)} are caught." if canary else "."),
    ]
    if rows.has("recognised"):
        drawn = rows.best("recognised", protocol="test")
        chance = share(rows.value("recognised", attack="nothing"))
        said.append(f"{share(drawn.value)} of people are recognised ({drawn.attack}); {chance} in pictures of nobody.")
    if rows.has("attack_over_imputation"):
        over = rows.where(measure="attack_over_imputation", protocol="train")
        guessed = max((row for row in over if row.attack not in NO_MODEL), key=lambda row: row.value)
        said.append(f"Secrets are guessed right {100 * guessed.value:+.1f} points above imputation ({guessed.attack}).")
    return said


def of_playground(config: Any, result: Result) -> list[str]:
    rows, chance = result.rows, share(result.numbers["chance"])
    people = playground.prepared(config)
    judges = [judge for judge in playground.JUDGES if rows.has("recognised", protocol=judge)]
    named = ", ".join(f"{share(rows.value('recognised', protocol=one))} by {playground.JUDGES[one]}" for one in judges)
    said = [
        f"Softmax regressions on {Path(config.data).name}, {config.shadows} of them, defence "
        f"{playground.defence_of(config, people).words()}: right on {share(rows.value('accuracy'))} of new records "
        f"(guessing: {chance}).",
        f"Of the drawings, these are recognised (by chance {chance}): {named}.",
        f"Likelihood ratios, each model attacked in its turn by the others, have an AUC of {number(rows.value('auc'))} "
        f"(guessing: 0.5) and find {share(rows.value('tpr1'))} of the members at 1 % false alarms.",
    ]
    promised = playground.promise_of(config, people)
    return said if promised is None else [*said, f"Promised: {promised.words()}."]


SENTENCES: dict[str, Callable[[Any, Result], list[str]]] = {
    "inversion": of_inversion,
    "inversion_comparison": of_comparison,
    "private_training": of_training,
    "hiding": of_hiding,
    "as_published": of_operating_point,
    "privacy_sweep": of_privacy_sweep,
    "membership": of_membership,
    "mechanisms": of_mechanisms,
    "evaluation": of_evaluation,
    "attributes": of_attributes,
    "attribute_curves": of_attribute_curves,
    "confidences": of_confidences,
    "confidence_curves": of_confidence_curves,
    "comparing": of_comparing,
    "fooling": of_fooling,
    "fooling_table": of_fooling_table,
    "playground": of_playground,
}
