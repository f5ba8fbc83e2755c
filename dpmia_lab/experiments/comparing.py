"""Lesson 10's experiment, one cell of a comparison: one defence at one strength, one seed, every attack that fits.

One protocol for all: the same people, halves, canaries, model and effort, whatever the defence. All models of a cell
have the defence, and each is the target in its turn, the others being the shadow models of an attacker who knows of it.
"""

import numpy as np

from dpmia_lab.checks import Mistake
from dpmia_lab.experiments.comparing_attributes import attribute_rows
from dpmia_lab.experiments.comparing_case import Case
from dpmia_lab.experiments.comparing_config import TABLE_MODELS, Config, is_table
from dpmia_lab.experiments.comparing_membership import PROTOCOLS, Scores, membership_rows, membership_scores, risks
from dpmia_lab.experiments.comparing_models import Said, accuracies, said_by_all, said_without_defence
from dpmia_lab.experiments.comparing_people import case_of
from dpmia_lab.experiments.comparing_pictures import picture_rows
from dpmia_lab.experiments.comparing_promise import promise_rows
from dpmia_lab.experiments.comparing_tables import table_models_said, table_models_without_defence
from dpmia_lab.rows import PlainNames, Row, Rows
from dpmia_lab.stages import Progress, Stage, part
from dpmia_lab.store import Result

__all__ = ["NAMES", "PRESETS", "PROTOCOLS", "SMALL", "TITLE", "Config", "run"]
TITLE = "One defence at one strength against every attack that fits: membership, inversion, attributes"
NAMES = PlainNames(("measure", "end", "attack", "protocol"))
SMALL = Config(
    classes=4, records=40, width=8, epochs=3, shadows=6, canaries=4, queries=2, answers=2, targets=1, teachers=2,
    steps=10, decoder_steps=10,
)  # fmt: skip
PRESETS = {
    "carts": Config(),
    "faces": Config(data="faces", pictures=65, height=20, rate=0.01, batch=32, targets=1),
    "patients": Config(data="warfarin_like", rate=0.01, epochs=60),
}
MODELS = said_by_all, said_without_defence
SCORES_OF = "lira_levelled"  # the attack whose scores are kept


def run(config: Config) -> Stage[Result]:
    """Rows: accuracy; of every attack on membership AUC and members caught; of inversion and alignment people
    recognised; of attribute inference accuracies; what is promised.

    Arrays: ``risk``, ``kind`` and ``y`` of every candidate; ``scores`` and ``inside`` (models, candidates).
    """
    yield Progress(0, 1, "loading data")
    if config.model in TABLE_MODELS and not is_table(config.data):
        raise Mistake(f"data must be a table for model {config.model}; it is {config.data!r}.")
    case = yield from part(case_of(config), 0.0, 0.1)
    said, plain = yield from part(models_of(config, case), 0.1, 0.6)
    scores = yield from part(membership_scores(config, case, said, plain), 0.6, 0.7)
    rows, arrays = accuracy_rows(case, said), arrays_of(case, said, scores)
    rows += yield from part(membership_rows(case, said, scores), 0.7, 0.75)
    if case.roles is not None:
        found, drawn = yield from part(picture_rows(config, case, said), 0.75, 1.0)
        rows, arrays = rows + found, arrays | drawn
    if case.patients is not None:
        rows += yield from part(attribute_rows(config, case, said), 0.75, 1.0, "guessing secrets")
    rows += promise_rows(config, case)
    yield Progress(1, 1, "measuring")
    return Result({}, arrays, Rows(tuple(rows), NAMES))


def models_of(config: Config, case: Case) -> Stage[tuple[Said, Said]]:
    """With the defence, and without it."""
    of_table = config.model in TABLE_MODELS
    with_it, without = (table_models_said, table_models_without_defence) if of_table else MODELS
    plain = yield from part(without(config, case), 0.0, 0.3)
    if config.defence == "none":
        return plain, plain
    return (yield from part(with_it(config, case), 0.3, 1.0)), plain


def accuracy_rows(case: Case, said: Said) -> list[Row]:
    """Of ordinary records; spread: standard deviation over models."""
    test, train = accuracies(said, case.ordinary)
    return [
        Row("accuracy", float(test.mean()), protocol="test", spread=float(test.std(ddof=1))),
        Row("train_accuracy", float(train.mean()), spread=float(train.std(ddof=1))),
    ]


def arrays_of(case: Case, said: Said, scores: Scores) -> dict[str, np.ndarray]:
    with np.errstate(over="ignore"):  # a defence under which models hardly differ has endless likelihood ratios
        kept = scores[SCORES_OF].astype(np.float32)
    return {
        "risk": risks(said.signals[list(said.signals)[-1]], said.inside),
        "kind": case.what,
        "y": case.people.y,
        "scores": kept,
        "inside": said.inside,
    }
