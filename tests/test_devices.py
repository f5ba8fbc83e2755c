"""Every tensor on the chosen device, proven without a GPU.

Torch's "meta" device holds shapes and no numbers. On it the whole experiment runs under a watch that
refuses any operation on tensors of two devices, as a GPU would, and makes up the numbers it is asked for.
"""

import copy
from dataclasses import replace
from functools import partial

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from dpmia_lab import devices, models
from dpmia_lab.attacks.inversion import costs, enhanced, filters, original
from dpmia_lab.experiments import inversion
from dpmia_lab.stages import drain

META, CPU = torch.device("meta"), torch.device("cpu")
aten = torch.ops.aten


class Watch(TorchDispatchMode):
    """Refuses operations across devices; numbers read from the meta device are 1, pictures brought back black."""

    def __init__(self):
        super().__init__()
        self.brought_back = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        tensors = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor)]
        if function is aten._local_scalar_dense.default and tensors[0].is_meta:
            return 1
        if function is aten._to_copy.default:
            source, wanted = tensors[0], kwargs.get("device") or tensors[0].device
            if source.is_meta and wanted == CPU:
                self.brought_back += 1
                return torch.zeros(source.shape, dtype=kwargs.get("dtype") or source.dtype)
        elif len({tensor.device for tensor in tensors if tensor.dim()}) > 1:
            raise RuntimeError(f"{function} got tensors on different devices")
        return function(*args, **kwargs)


@pytest.fixture
def on_meta(monkeypatch):
    """The lab believes that the meta device is the best; training takes a few steps instead of hundreds."""
    monkeypatch.setattr(devices, "best_device", lambda: META)
    monkeypatch.setattr(inversion, "LEAST_EPOCHS", 1)
    short = {name: (1, replace(recipe, batch=600)) for name, (_, recipe) in inversion.RECIPES.items()}
    monkeypatch.setattr(inversion, "RECIPES", short)
    monkeypatch.setattr(inversion, "JUDGE_RECIPE", replace(inversion.JUDGE_RECIPE, batch=300))
    monkeypatch.setattr(inversion, "trained_judge", partial(inversion.trained_judge, steps=1))
    with Watch() as watch:
        yield watch


SHORT = replace(inversion.SMALL, steps=4)


@pytest.mark.parametrize(
    "config",
    [SHORT, replace(SHORT, model="cnn", smooth=1.0), replace(SHORT, model="mlp", attack="original")],
    ids=["softmax", "cnn", "mlp"],
)
def test_a_whole_run_stays_on_its_device(on_meta, config):
    result = drain(inversion.run(config))
    assert on_meta.brought_back > 10
    assert not result.arrays["reconstruction"].any()  # black: it did come from the meta device


@pytest.fixture(scope="module")
def target():
    return models.mlp((1, 8, 8), 10, torch.Generator().manual_seed(0)).to(META)


@pytest.mark.parametrize("box", [True, False])
@pytest.mark.parametrize("prior", inversion.PRIORS)
def test_the_enhanced_attack_stays_on_its_device(target, prior, box):
    labels = torch.arange(10, device=META)
    with Watch():
        stage = enhanced.enhanced(target, labels, (1, 8, 8), steps=3, rate=0.1, prior=prior, weight=0.1, box=box)
        drawn = drain(stage)
    assert drawn.x.device == drawn.cost.device == drawn.steps.device == META


@pytest.mark.parametrize("process", inversion.PROCESSES)
def test_the_original_attack_stays_on_its_device(target, process):
    labels = torch.arange(10, device=META)
    with Watch():
        drawn = drain(original.fredrikson(target, labels, (1, 8, 8), steps=3, rate=0.1, process=process))
    assert drawn.x.device == drawn.cost.device == drawn.steps.device == META


def test_filters_stay_on_their_device():
    x = torch.rand(2, 3, 8, 8, device=META)
    with Watch():
        assert {filters.processed(x, name).device for name in inversion.PROCESSES} == {META}
        assert filters.smoothed(x, 1.5).device == META


def wrong_prior(name, x):
    return torch.zeros(x.shape)


def wrong_filter(x, name):
    return x + torch.ones(x.shape)


@pytest.mark.parametrize(
    ("place", "name", "wrong", "config"),
    [
        (costs, "prior_gradients", wrong_prior, SHORT),
        (original, "processed", wrong_filter, replace(SHORT, attack="original")),
    ],
    ids=["prior_gradients", "processed"],
)
def test_the_watch_catches_a_tensor_made_on_the_wrong_device(on_meta, monkeypatch, place, name, wrong, config):
    monkeypatch.setattr(place, name, wrong)
    with pytest.raises(RuntimeError, match="different devices|same device"):
        drain(inversion.run(config))


def test_the_watch_catches_labels_left_on_the_processor(target):
    with Watch(), pytest.raises(RuntimeError, match="different devices"):
        costs.costs(target, torch.zeros(10, 1, 8, 8, device=META), torch.arange(10))


def test_the_watch_catches_a_model_left_on_the_processor(target):
    left = models.mlp((1, 8, 8), 10, torch.Generator().manual_seed(0))
    with Watch(), pytest.raises(RuntimeError, match="different devices"):
        copy.deepcopy(left)(torch.zeros(10, 1, 8, 8, device=META))


# ---- which device


@pytest.mark.parametrize(
    ("cuda", "mps", "best"), [(True, True, "cuda"), (True, False, "cuda"), (False, True, "mps"), (False, False, "cpu")]
)
def test_the_best_device_is_a_gpu_where_there_is_one(monkeypatch, cuda, mps, best):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)
    assert devices.best_device().type == best


def test_devices_are_described_in_words(monkeypatch):
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda _: "Fast 9000")
    assert devices.described(torch.device("cuda")) == "GPU: Fast 9000"
    assert devices.described(torch.device("mps")) == "GPU: Apple (Metal)"
    assert devices.described(CPU).startswith("no GPU; ") and "core" in devices.described(CPU)


@pytest.mark.parametrize(("cores", "words"), [({0}, "1 processor core "), ({0, 1, 5}, "3 processor cores ")])
def test_only_cores_we_may_use_are_counted(monkeypatch, cores, words):
    monkeypatch.setattr(devices.os, "sched_getaffinity", lambda _: cores, raising=False)
    assert words in devices.described(CPU)


def test_torch_works_with_one_thread():
    assert torch.get_num_threads() == 1
