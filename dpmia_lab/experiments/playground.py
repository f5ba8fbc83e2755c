"""The playground: a slider position trained, inverted and attacked within a second.

Sixteen softmax regressions of 224 × 20 (generated faces of 20 people; also carts, or a small set of one's own) are
trained with one defence, each on a random half of the candidates. The first is the target whose people are drawn; for
likelihood ratios every one is the target in its turn, and the others are its attacker's shadow models.

``run`` yields, besides progress, and as early as it can:
  Snapshot("pictures", 0, (people, h, w))  drawings of everybody from the target, 0 to 1; carts (classes, bits)
  Snapshot("accuracy", 0, (3,))            share right on records nobody trained on, low, high (of the first two models)
  Snapshot("scores", 0, (2, n))            likelihood ratios, and 1 where it was a member; all models' together
Result arrays: ``pictures``, ``blurred`` (pictures only), ``truth`` (the same shape); ``recognised_JUDGE`` (people,)
bool, of the target's drawings; ``scores`` (n,) float32 and ``member`` (n,) bool, n = models × candidates; ``wrong``
(n,) bool: those with a wrong label; ``fpr`` and ``tpr`` (200,), the ROC at false-alarm rates of 0.001 to 1, log scale.
Rows, all with ``defence``: accuracy · auc, tpr1 (attack "lira", protocol "turns") · recognised (attack "original",
protocol the judge: "filter", the strongest; on pictures also "plain", which looks as the eye does, and "blur", the same
after a blur; mean over all models' drawings; by chance 1/classes), each with low and high · phi, aop_1 … aop_50 (attack
"lira"; phi against the undefended models of the same seed) · where something is promised epsilon (moments accountant),
delta, sigma and q (noise on gradients), or epsilon_record (noise on the data). ``promise_of`` has it in words.
"""

from dpmia_lab.experiments.playground_config import Config, defence_of, prepared, promise_of
from dpmia_lab.experiments.playground_drawing import JUDGES
from dpmia_lab.experiments.playground_people import Prepared
from dpmia_lab.experiments.playground_position import played, undefended_numbers
from dpmia_lab.experiments.playground_rows import LAMBDAS, NAMES, measured
from dpmia_lab.experiments.playground_sliders import PLAYED, Played, Slider
from dpmia_lab.stages import Progress, Stage, part
from dpmia_lab.store import Result

__all__ = [  # what pages and commands read here, whichever file has it
    "JUDGES", "LAMBDAS", "NAMES", "PLAYED", "PRESETS", "SMALL", "TITLE", "WORDS", "Config", "Played", "Prepared",
    "Slider", "defence_of", "prepared", "promise_of", "run",
]  # fmt: skip
TITLE = "Play: one defence, one position of its sliders; drawings, likelihood ratios and accuracy within a second"
ATTACKS = {
    "lira": "likelihood ratio, shadow models with the same defence",
    "original": "model inversion, all people at once",
    "turns": "every model in its turn",
}
WORDS = ATTACKS | JUDGES | {name: played.title for name, played in PLAYED.items()}
SMALL = Config(defence="central", shadows=6)
PRESETS = {
    "faces": Config(),
    "record": Config(defence="central", sigma=2.0),
    "class": Config(defence="units", sigma=1.0),
    "mid": Config(defence="mid", lam=0.1),
    "carts": Config(data="purchases_like", defence="central", sigma=1.0),
}


def run(config: Config) -> Stage[Result]:
    yield Progress(0, 1, "preparing")
    people = prepared(config)
    position = yield from part(played(config, people), 0.02, 0.9)
    undefended = yield from part(undefended_numbers(config, people), 0.9, 0.98)
    result = measured(position, undefended)
    yield Progress(1, 1, "measuring")
    return result
