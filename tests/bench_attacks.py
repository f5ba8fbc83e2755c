"""Membership attacks as a reader meets them: LiRA's time and memory, and a shadow attack beside another toolbox's."""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from dpmia_lab import devices, models  # noqa: F401 (devices: one thread)
from dpmia_lab.attacks.membership.shadow import Known, shadow_scores
from dpmia_lab.data.purchases import purchases_like
from dpmia_lab.metrics.membership import auc
from dpmia_lab.seeds import numpy_generator, torch_generator
from dpmia_lab.stages import drain
from dpmia_lab.training import stacked
from dpmia_lab.training.plain import confidences
from tests.bench_rows import Row, seconds

# A run of its own, so that its memory is its own: prints seconds, megabytes and what it found.
LIRA = """
import json, psutil, time
from dpmia_lab.experiments import membership
from dpmia_lab.stages import drain
config = membership.Config(data="skewed_purchases", classes=10, records=8000, epochs=10, batch=100, rate=0.001,
                           shadows=0, inside=64, white_box=False)
start, process, seen = time.process_time(), psutil.Process(), []
numbers = drain(membership.run(config), lambda _: seen.append(process.memory_info().rss / 1e6)).numbers
print(json.dumps([time.process_time() - start, max(seen), numbers["auc_lira_fixed"], numbers["tpr1_lira_fixed"]]))
"""
SHADOWS, RECORDS, CLASSES, EPOCHS, BATCH, RATE = 4, 500, 10, 10, 50, 0.002
ROUNDS = 3  # of the whole attack: the other toolbox takes long


def attack_rows() -> Iterator[Row | str]:
    yield from lira_rows()
    yield from toolbox_rows()


def lira_rows() -> Iterator[Row | str]:
    ended = subprocess.run([sys.executable, "-c", LIRA], capture_output=True, text=True, check=True)
    took, peak, area, found = json.loads(ended.stdout)
    yield Row("LiRA, 64 shadows, Skewed Purchases, 2 x 8,000 records, whole run", [took], unit="s")
    yield Row("   its memory at most, all libraries loaded", [peak], unit="MB")
    yield f"   (AUC {area:.3f}, members found at 1 % false alarms {found:.1%})"


# ---- against the Adversarial Robustness Toolbox
def toolbox_rows() -> Iterator[Row | str]:
    """Both train as many shadow models on the same records, then an attack on their outputs, and score the same."""
    try:
        import art  # noqa: F401
    except ImportError as error:
        yield Row("ART's shadow attack ÷ ours", [], problem=str(error))
        return
    x, y = purchases_like(CLASSES, 2 * RECORDS + 2 * SHADOWS * RECORDS, 0)
    case = Case(x.astype(np.float32), y, trained([(x[:RECORDS].astype(np.float32), y[:RECORDS])], "target")[0])
    member = np.arange(2 * RECORDS) < RECORDS
    found = {"ART's": case.theirs(), "ours": case.ours()}
    ratios = [seconds(case.theirs) / seconds(case.ours) for _ in range(ROUNDS)]
    yield Row(f"ART's shadow attack ÷ ours: {SHADOWS} x MLP 600-128-10, whole attack", ratios)
    yield f"   (AUC: {', '.join(f'{who} {auc(scores, member):.3f}' for who, scores in found.items())})"


@dataclass(frozen=True)
class Case:
    """The first 2 x RECORDS are asked about, the first half of them members; the rest is the attacker's."""

    x: np.ndarray
    y: np.ndarray
    target: nn.Sequential

    def theirs(self) -> np.ndarray:
        from art.attacks.inference.membership_inference import MembershipInferenceBlackBox, ShadowModels

        one_hot = np.eye(CLASSES, dtype=np.float32)[self.y]
        fresh = models.new_model("mlp", (600,), CLASSES, torch_generator(0, "bench", "art"))
        shadows = ShadowModels(art_classifier(fresh), SHADOWS, disjoint_datasets=True, random_state=0)
        inside, outside = shadows.generate_shadow_dataset(self.x[2 * RECORDS :], one_hot[2 * RECORDS :])
        attack = MembershipInferenceBlackBox(art_classifier(self.target), attack_model_type="nn")
        attack.fit(inside[0], inside[1], outside[0], outside[1], inside[2], outside[2])
        return attack.infer(self.x[: 2 * RECORDS], one_hot[: 2 * RECORDS], probabilities=True).ravel()

    def ours(self) -> np.ndarray:
        order = numpy_generator(0, "bench").permutation(np.arange(2 * RECORDS, len(self.x)))
        places = np.split(order, 2 * SHADOWS)
        shadows = trained([(self.x[p], self.y[p]) for p in places[:SHADOWS]], "shadow")
        said = [self.said(model, place) for model, place in zip(shadows * 2, places, strict=True)]
        inside = np.repeat([True, False], SHADOWS * RECORDS)
        known = Known(np.concatenate(said), self.y[order], inside)
        asked = np.arange(2 * RECORDS)
        generator = torch_generator(0, "bench", "attack")
        return drain(shadow_scores(known, self.said(self.target, asked), self.y[asked], generator))

    def said(self, model: nn.Module, places: np.ndarray) -> np.ndarray:
        return confidences(model, torch.from_numpy(self.x[places])).numpy()


def art_classifier(model: nn.Module):
    """Its models answer with logits, target and shadows alike; its trainer is told the same epochs and batch."""
    from art.estimators.classification import PyTorchClassifier

    class Classifier(PyTorchClassifier):
        def fit(self, x, y, **_):
            return super().fit(x, y, batch_size=BATCH, nb_epochs=EPOCHS)

    optimizer = torch.optim.Adam(model.parameters(), lr=RATE)
    return Classifier(model, nn.CrossEntropyLoss(), (600,), CLASSES, optimizer, device_type="cpu")


def trained(sets: list[tuple[np.ndarray, np.ndarray]], name: str) -> list[nn.Sequential]:
    found = [models.new_model("mlp", (600,), CLASSES, torch_generator(0, name, i)) for i in range(len(sets))]
    tensors = [(torch.from_numpy(x), torch.from_numpy(y)) for x, y in sets]
    orders = [torch_generator(0, name, "order", i) for i in range(len(sets))]
    drain(stacked.train(found, tensors, epochs=EPOCHS, rate=RATE, batch=BATCH, generators=orders))
    return found
