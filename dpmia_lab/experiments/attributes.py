"""Lesson 7's experiment: guess one sensitive attribute of people from a model of their outcomes (paper B, 4 and 5).

Many splits at once: half of the people train the model, a quarter is public, a quarter is tested. Every attack guesses
the secrets of test people, whom the model never saw, and of as many training people.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace

import numpy as np

from dpmia_lab.attacks.attributes import ATTRIBUTE_ATTACKS, attacks_on
from dpmia_lab.checks import Mistake, one_of, positive, whole
from dpmia_lab.data.table_files import load_table
from dpmia_lab.data.tables import Table
from dpmia_lab.defences.base import Recipe
from dpmia_lab.defences.tables import TABLE_DEFENCES
from dpmia_lab.defences.tables.base import MODELS, Growth, TableDefence
from dpmia_lab.experiments.tree_arrays import tree_arrays
from dpmia_lab.game.table_models import DecisionTrees, TableModels, TableRecipe, evidence_of, trained_models
from dpmia_lab.game.table_people import GROUPS, TablePeople
from dpmia_lab.metrics.attributes import guess_accuracy, guess_auroc, guess_f1
from dpmia_lab.options import option
from dpmia_lab.rows import PlainNames, Row, Rows
from dpmia_lab.seeds import numpy_generator
from dpmia_lab.stages import Progress, Stage, part
from dpmia_lab.store import Result
from dpmia_lab.training.id3 import CRITERIA

TITLE = "Guess a sensitive attribute from a model of a table: attacks, imputation without a model, defences"
ATTACKS = {name: attack.words for name, attack in ATTRIBUTE_ATTACKS.items()}  # words for pages
MEASURES = ("attack_accuracy", "attack_auc", "attack_f1", "attack_over_prior", "attack_over_imputation")
NAMES = PlainNames(("measure", "attack", "protocol", "end"), frozenset({"test"}))
SHOWN = 400  # test people of the first split whose predictions a page can show


@dataclass(frozen=True)
class Config:
    data: str = option("warfarin_like", "a table (dpmia-lab data list), or a .csv or .npz of yours")
    outcome: str = option("", "the column that is predicted (your own table; others have one)")
    sensitive: str = option("", "the column that is guessed (your own table; others have one)")
    bounds: str = option("", "public bounds of columns of numbers, such as age=18:100,dose=0:120")
    people: int = option(3400, "how many people are generated")
    model: str = option("regression", "regression, tree (ID3) or mlp (one hidden layer)")
    defence: str = option("none", "one of " + ", ".join(TABLE_DEFENCES))
    lam: float = option(0.6, "mid: λ; of a regression in variances of its plain predictions, of a tree in bits a bit")
    sigma_mid: float = option(0.86, "mid, regression: σ of eq. 4, in standard deviations of the plain predictions")
    stop: bool = option(False, "mid, tree: ask nothing where that scores highest (the paper always asks)")
    epsilon: float = option(1.0, "adassp, dp_id3, dp_sgd: ε for a record")
    delta: float = option(1e-5, "adassp, dp_sgd: δ")
    joint: bool = option(True, "adassp: calibrate the three noises together; else in thirds, as published")
    dp_depth: int = option(3, "dp_id3: questions a path")
    dp_score: str = option("max", "dp_id3: max (right guesses) or gain (information), by which questions are drawn")
    clip: float = option(1.0, "dp_sgd: the norm a record's gradient is clipped to")
    priority: int = option(0, "priority: the only depth at which the sensitive question is asked (-1: never)")
    ridge: float = option(0.1, "ridge: weight of the squared coefficients")
    rounding: float = option(5.0, "rounding: step answers are rounded to, in their unit (confidences: of 1)")
    noise: float = option(5.0, "noise: standard deviation of the noise on an answer, in its unit (confidences: of 1)")
    criterion: str = option("gain", "tree: gain (information) or gini")
    leaf: int = option(20, "tree: a node of fewer people is not divided")
    depth: int = option(20, "tree: most questions a path")
    width: int = option(16, "mlp: hidden units")
    epochs: int = option(30, "mlp: times each record is seen")
    rate: float = option(0.01, "mlp: η, size of a step")
    batch: int = option(64, "mlp: records a step")
    splits: int = option(20, "divisions into training, public and test people, each with its own model")
    known: int = option(100, "public people by whom the calibrating attacker refits")
    seed: int = option(0, "fixes every random choice")

    def __post_init__(self) -> None:
        whole(100, 100_000, people=self.people)
        one_of(tuple(MODELS), model=self.model)
        one_of(tuple(TABLE_DEFENCES), defence=self.defence)
        one_of(CRITERIA, criterion=self.criterion)
        whole(1, 10_000, leaf=self.leaf)
        whole(1, 60, depth=self.depth)
        whole(1, 1024, width=self.width)
        whole(1, 1000, epochs=self.epochs)
        positive(rate=self.rate)
        whole(1, 10_000, batch=self.batch)
        whole(1, 1000, splits=self.splits)
        whole(10, 10_000, known=self.known)
        whole(0, 2**31 - 1, seed=self.seed)
        for defence in TABLE_DEFENCES.values():
            chosen(defence, self)
        if why := defence_of(self).fits(self.model):
            raise Mistake(why)


def chosen(defence: type[TableDefence], config: Config) -> TableDefence:
    """Such a defence with its fields as they stand in the configuration."""
    return defence(**{field.name: getattr(config, field.name) for field in fields(defence)})


def defence_of(config: Config) -> TableDefence:
    return chosen(TABLE_DEFENCES[config.defence], config)


def recipe_of(config: Config) -> TableRecipe:
    growth = Growth(config.criterion, config.leaf, config.depth)
    return TableRecipe(growth, Recipe(config.epochs, config.rate, config.batch), config.width)


SMALL = Config(people=200, splits=3, known=20)
PRESETS = {
    "patients": Config(),
    "survey": Config(data="survey_like", model="tree", rounding=0.2, noise=0.2),
    "steak": Config(data="steak", model="tree", leaf=1, rounding=0.2, noise=0.2),
    "marriage": Config(data="marriage", model="tree", leaf=150, rounding=0.2, noise=0.2),
}


# ---- people
PEOPLE = ("data", "outcome", "sensitive", "bounds", "people", "splits", "known", "seed")


class Prepared:
    """People, what an attacker knows without a model, and the plain model: made once for any defence and strength."""

    def __init__(self, config: Config) -> None:
        self.config = config
        table = load_table(config.data, config.outcome, config.sensitive, config.people, config.bounds, config.seed)
        self.people = TablePeople(table, config.splits, config.known, config.seed)
        self.plain: dict[tuple, TableModels] = {}
        self.plainly_guessed: dict[tuple, dict[tuple[str, str, str], np.ndarray]] = {}

    def fits(self, config: Config) -> bool:
        return all(getattr(config, name) == getattr(self.config, name) for name in PEOPLE)

    def plain_models(self, config: Config) -> Stage[TableModels]:
        """Without a defence."""
        key = config.model, recipe_of(config)
        if key not in self.plain:
            undefended = replace(config, defence="none")
            self.plain[key] = yield from models_of(undefended, self.people)
        return self.plain[key]


    def guessed_plainly(self, config: Config, plain: TableModels) -> dict[tuple[str, str, str], np.ndarray]:
        """(S,) for each measure and attack: how secrets of test people are guessed where nothing protects them."""
        key = config.model, recipe_of(config)
        if key not in self.plainly_guessed:
            self.plainly_guessed[key] = attacked(replace(config, defence="none"), plain, "test")
        found = self.plainly_guessed[key].items()
        return {(measure, attack, "plain"): values for (measure, attack, _), values in found if measure in MEASURES[:3]}


def check_table(config: Config, table: Table) -> None:
    """What only the table can tell of a configuration: one sentence if they do not go together."""
    if config.model == "regression" and table.target.kind != "number":
        rule = f"tree or mlp where the outcome ({table.outcome}) is no number"
        raise Mistake(f"model must be {rule}; it is {config.model!r}.")
    if defence_of(config).promise(len(table) // 2) is not None:
        numbers = [column for column in table.columns if column.kind == "number" and not column.public]
        if numbers:
            rule = f"public bounds of {numbers[0].name} for this defence, as such read off the data would leak"
            raise Mistake(f"bounds must hold {rule}; it is {config.bounds!r}.")


def models_of(config: Config, people: TablePeople) -> Stage[TableModels]:
    return (yield from trained_models(config.model, people, defence_of(config), recipe_of(config), config.seed))


# ---- the run
def run(config: Config, prepared: Prepared | None = None) -> Stage[Result]:
    """Numbers: the model's error or accuracy, and of every attack accuracy, AUROC, F1 and advantages, mean over splits.

    Arrays: the same by the same names, (S,) each; ``shown_…`` of test people of the first split; of trees ``tree_…``.
    """
    yield Progress(0, 1, "loading data")
    prepared = prepared if prepared is not None and prepared.fits(config) else Prepared(config)
    check_table(config, prepared.people.table)
    yield from part(prepared.people.impute(), 0.0, 0.3)
    plain = yield from part(prepared.plain_models(config), 0.3, 0.5, "learning without a defence")
    models = plain
    if config.defence != "none":
        models = yield from part(models_of(config, prepared.people), 0.5, 0.7, "learning with the defence")
    yield Progress(0.7, 1, "attacking")
    measured = {}
    for place, group in enumerate(GROUPS):
        measured |= attacked(config, models, group)
        yield Progress(0.7 + 0.3 * (place + 1) / len(GROUPS), 1, "attacking")
    if config.defence != "none":
        measured |= prepared.guessed_plainly(config, plain)
    return result_of(config, models, plain, measured)


def attacked(config: Config, models: TableModels, group: str) -> dict[tuple[str, str, str], np.ndarray]:
    """(S,) for each measure, attack and group."""
    evidence, people = evidence_of(models, group, config.seed), models.people
    truth = people.secret[people.places(group)]
    found = {}
    for name, attack in attacks_on(config.model).items():
        scores = attack.scores(evidence)
        found["attack_accuracy", name, group] = guess_accuracy(scores, truth)
        found["attack_auc", name, group] = guess_auroc(scores, truth)
        found["attack_f1", name, group] = guess_f1(scores.argmax(-1), truth, people.values)
    for name in attacks_on(config.model):
        accuracy = found["attack_accuracy", name, group]
        found["attack_over_prior", name, group] = accuracy - found["attack_accuracy", "prior", group]
        known = found["attack_accuracy", "imputation_outcome", group]
        found["attack_over_imputation", name, group] = accuracy - known
    return found


def quality(models: TableModels, seed: int) -> Iterator[tuple[str, np.ndarray]]:
    """How good answers are as released, (S,) each: errors of numbers; accuracy and F1 of classes."""
    rng = numpy_generator(seed, "released", "quality")
    for group, places in (("test", models.people.splits.test), ("train", models.people.splits.train)):
        answers = models.defence.released(models.answers(places), rng)
        truth = models.outcome[places]
        if answers.ndim == 2:
            yield f"{group}_error", ((answers - truth) ** 2).mean(1)
            yield f"{group}_off", np.abs(answers - truth).mean(1)
        else:
            said, classes = answers.argmax(-1), answers.shape[-1]
            yield f"{group}_accuracy", (said == truth).mean(1)
            yield f"{group}_f1", guess_f1(said, truth, classes)


def result_of(config: Config, models: TableModels, plain: TableModels, measured: dict) -> Result:
    arrays = {NAMES.of(Row(measure, 0.0, attack=attack, protocol=group)): values
              for (measure, attack, group), values in measured.items()}  # fmt: skip
    own = dict(quality(models, config.seed))
    own |= {f"{name}_plain": values for name, values in quality(plain, config.seed) if name.startswith("test")}
    rows = [row_of(name, values) for name, values in own.items()]
    rows += [row_of(*key[:1], values, *key[1:]) for key, values in measured.items()]
    arrays |= own | shown_arrays(config, models, plain)
    if isinstance(models, DecisionTrees):
        arrays |= tree_arrays(models)
    return Result(about_numbers(config, models), arrays, Rows(tuple(rows), NAMES))


def row_of(measure: str, values: np.ndarray, attack: str = "", group: str = "") -> Row:
    """The mean over splits, and the standard deviation where there are several."""
    spread = float(values.std(ddof=1)) if len(values) > 1 else None
    return Row(measure, float(values.mean()), attack=attack, protocol=group, spread=spread)


def about_numbers(config: Config, models: TableModels) -> dict[str, float]:
    """Whom it is about, and what was promised to them."""
    splits = models.people.splits
    numbers = {
        "people_trained": float(splits.train.shape[1]),
        "people_public": float(splits.public.shape[1]),
        "people_tested": float(splits.test.shape[1]),
        "sensitive_values": float(models.people.values),
    }
    if models.outcome.dtype.kind != "f":
        test = models.outcome[splits.test]
        numbers["chance"] = float(np.mean([np.bincount(own).max() / len(own) for own in test]))
    promise = models.defence.promise(splits.train.shape[1])
    if promise is not None:
        numbers |= {"epsilon": float(promise.epsilon), "delta": float(promise.delta)}
    return numbers


def shown_arrays(config: Config, models: TableModels, plain: TableModels) -> dict[str, np.ndarray]:
    """Of test people of the first split: outcome, secret, and what the model says as released and says without defence.

    ``shown_plain``, ``shown_answer``: numbers (P,), or confidences (P, K). ``shown_asked``: (P, V[, K]), what is said
    were the secret v.
    """
    people = models.people
    places = people.places("test")[:, :SHOWN]
    rng = numpy_generator(config.seed, "released", "shown")
    return {
        "shown_outcome": models.outcome[places][0],
        "shown_secret": people.secret[places][0],
        "shown_plain": plain.answers(places)[0],
        "shown_answer": models.defence.released(models.answers(places)[0], rng),
        "shown_asked": models.defence.released(models.asked(places)[0], rng),
        "secret_labels": np.array(people.table.secret.labels),
    }
