"""A user's own model: one contract, and a sentence for everything that breaks it."""

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from dpmia_lab.checks import Mistake
from dpmia_lab.commands.command_line import main
from dpmia_lab.defences import Central, Dap, Regularised
from dpmia_lab.defences.base import Task, new_model
from dpmia_lab.defences.networks.mid import Mid
from dpmia_lab.experiments import inversion, membership
from dpmia_lab.models import Dropout
from dpmia_lab.own_code import refuse_own_model
from dpmia_lab.stages import drain
from dpmia_lab.store import config_key
from dpmia_lab.training.stacked import can_stack
from dpmia_lab.widgets.kit.links import config_or_default

CODE = '''
import random, numpy as np, torch
from math import prod
from torch import nn
from torch.nn import functional as F

def small_net(shape, classes):
    return nn.Sequential(nn.Flatten(), nn.Linear(prod(shape), 12), nn.ReLU(), nn.Linear(12, classes))

class Own(nn.Module):
    def __init__(self, shape, classes, norm=True, p=0.5):
        super().__init__()
        self.first, self.norm = nn.Linear(prod(shape), 8), nn.BatchNorm1d(8) if norm else nn.LayerNorm(8)
        self.drop, self.out = nn.Dropout(p), nn.Linear(8, classes)
        self.scale = float(np.random.rand() + random.random())
    def forward(self, x):
        return self.out(self.drop(torch.relu(self.norm(self.first(x.flatten(1))))))

def normed(shape, classes): return Own(shape, classes)
def layered(shape, classes): return Own(shape, classes, norm=False)
def text(shape, classes): return "a model"
def nothing(shape, classes): pass
def broken(shape, classes): raise RuntimeError("out of ideas")
def narrow(shape, classes): return small_net(shape, classes + 1)
def flat(shape, classes): return nn.Linear(shape[0] + 1, classes)
def two(shape, classes): return Fed(small_net(shape, classes), lambda z: (z, z))
def infinite(shape, classes): return Fed(small_net(shape, classes), lambda z: z / 0)
def detached(shape, classes): return Fed(small_net(shape, classes), lambda z: z.detach())
def mixing(shape, classes): return Fed(small_net(shape, classes), lambda z: z - z.mean(0))
def dropping(shape, classes): return Fed(small_net(shape, classes), None)
def rrelu(shape, classes): return nn.Sequential(nn.Flatten(), nn.Linear(prod(shape), classes), nn.RReLU())
def frozen(shape, classes): return small_net(shape, classes).requires_grad_(False)
def idle(shape, classes):
    model = Fed(small_net(shape, classes), lambda z: z)
    model.spare = nn.Linear(2, 2)
    return model
COUNT = 0
def wandering(shape, classes):
    global COUNT
    COUNT += 1
    model = small_net(shape, classes)
    nn.init.constant_(model[1].bias, COUNT)
    return model
def twice(shape, classes):
    class Twice(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.out = nn.Linear(prod(shape), prod(shape)), nn.Linear(prod(shape), classes)
        def forward(self, x):
            return self.out(self.a(torch.relu(self.a(x.flatten(1)))))
    return Twice()
def headless(shape, classes):
    return Fed(nn.Sequential(nn.Unflatten(1, (1, shape[0])), nn.Conv1d(1, classes, 3)), lambda z: z.mean(2))

class Fed(nn.Module):
    def __init__(self, inner, then):
        super().__init__()
        self.inner, self.then = inner, then or (lambda z: F.dropout(z, 0.5, self.training))
    def forward(self, x):
        return self.then(self.inner(x))
'''
BITS = Task("bits", (6,), 3, "my_models:small_net")


@pytest.fixture
def here(tmp_path: Path, monkeypatch) -> Path:
    (tmp_path / "my_models.py").write_text(CODE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fresh(function: str, seed: int = 0, task: Task = BITS) -> torch.nn.Module:
    return new_model(replace(task, model=f"my_models:{function}"), torch.Generator().manual_seed(seed))


def test_same_seed_same_start_and_nothing_leaks(here):
    states = torch.get_rng_state(), np.random.get_state()[1].copy(), random.getstate()
    one, same, other = fresh("normed", 3), fresh("normed", 3), fresh("normed", 4)
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), same.parameters(), strict=True))
    assert one.scale == same.scale != other.scale
    assert not torch.equal(one.first.weight, other.first.weight)
    assert torch.equal(torch.get_rng_state(), states[0]) and random.getstate() == states[2]
    assert np.array_equal(np.random.get_state()[1], states[1])


def test_dropout_becomes_the_labs_own(here):
    model = fresh("normed")
    assert isinstance(model.drop, Dropout)
    x = torch.rand(4, 6)
    first, again = fresh("normed", 1).train()(x), fresh("normed", 1).train()(x)
    assert torch.equal(first, again)


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        ("text", "my_models:text must return an nn.Module; it returns a str."),
        ("nothing", "my_models:nothing must return an nn.Module; it returns nothing."),
        ("broken", "it raises RuntimeError: out of ideas."),
        ("narrow", "must answer with logits (5, 3) for records (5, 6); it gives (5, 4)."),
        ("two", "must answer with logits (5, 3) for records (5, 6); it gives a tuple."),
        ("flat", "must take floats (5, 6); it raises RuntimeError"),
        ("infinite", "must answer with finite numbers; it gives"),
        ("detached", "must be differentiable; its logits have no gradient."),
        ("mixing", "its answers change with the other records of the batch."),
        ("dropping", "must draw nothing while it trains but by nn.Dropout"),
        ("rrelu", "2 is a RReLU."),
        ("frozen", "must have a parameter to train; it has none."),
        ("idle", "the logits do not depend on spare.weight."),
        ("wandering", "must start alike whenever it is seeded alike; two models differ in 1.bias."),
        ("smal_net", "'smal_net' is none (did you mean small_net?)."),
    ],
)
def test_refusals_are_one_sentence(here, function, sentence):
    with pytest.raises(Mistake) as refused:
        fresh(function)
    assert sentence in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("my_models:", "model must be given as module:function, such as my_models:small_net; it is 'my_models:'."),
        ("os.system('x'):f", "model must be given as module:function"),
        ("no_such_file:net", "there is no 'no_such_file'."),
        ("half:net", "model must name code that can be imported; 'half' raises SyntaxError"),
        ("math:nothing", "model must name a function of math; 'nothing' is none."),
    ],
)
def test_names_that_lead_nowhere(here, name, sentence):
    (here / "half.py").write_text("def net(:")
    with pytest.raises(Mistake, match=None) as refused:
        new_model(replace(BITS, model=name), torch.Generator())
    assert sentence in str(refused.value)


def test_a_file_of_a_modules_name_takes_nobodys_place(here):
    (here / "json.py").write_text(CODE)
    import json

    new_model(replace(BITS, model="json:small_net"), torch.Generator().manual_seed(0))
    assert json.loads("[1]") == [1]


def test_changed_code_is_read_again_and_changes_the_key(here):
    config = {"data": "purchases_like", "model": "my_models:small_net"}
    before, key = len(fresh("small_net")), config_key("membership", config)
    assert key == config_key("membership", config)
    (here / "my_models.py").write_text(CODE.replace("nn.ReLU(), nn.Linear(12", "nn.ReLU(), nn.Tanh(), nn.Linear(12"))
    assert len(fresh("small_net")) == before + 1
    assert config_key("membership", config) != key


def test_changed_data_change_the_key(here):
    np.savez(here / "my.npz", X=np.eye(4), y=np.arange(4))
    key = config_key("membership", {"data": "my.npz"})
    np.savez(here / "my.npz", X=np.eye(5), y=np.arange(5))
    assert config_key("membership", {"data": "my.npz"}) != key


# ---- defences
def test_a_defence_that_does_not_fit_names_the_layer(here):
    def why(defence, function):
        return defence.fits(replace(BITS, model=f"my_models:{function}"))

    assert why(Central(), "small_net") == why(Central(), "layered") == why(Dap(), "normed") == ""
    assert "norm is a BatchNorm1d" in why(Central(), "normed")
    assert "a is used again" in why(Central(), "twice")
    assert "Conv1d" in why(Central(), "headless") and "Linear layer" in why(Dap(), "headless")
    assert "it is a Own." in why(Regularised(dropout=0.5), "layered") and why(Regularised(), "layered") == ""
    assert "it is a Own." in why(Mid(), "layered") and why(Mid(), "small_net") == ""
    for sentence in (why(Central(), "normed"), why(Mid(), "layered"), why(Dap(), "headless")):
        assert sentence.endswith(".") and "\n" not in sentence


def test_only_plain_sequences_are_stacked(here):
    assert can_stack(fresh("small_net")) and not can_stack(fresh("layered"))


QUICK = replace(membership.SMALL, records=41, batch=20)


@pytest.mark.parametrize(
    ("function", "defence"),
    [
        ("small_net", "central"),
        ("layered", "central"),
        ("headless", "none"),
        ("normed", "stopping"),
    ],
)
def test_the_game_is_played_with_any_module(here, function, defence):
    numbers = drain(membership.run(replace(QUICK, model=f"my_models:{function}", defence=defence))).numbers
    assert 0 <= numbers["auc_lira_fixed"] <= 1 and "auc_white_box" in numbers


def test_the_same_seed_gives_the_same_bits(here):
    config = replace(QUICK, model="my_models:normed", shadows=0, white_box=False)
    assert drain(membership.run(config)).numbers == drain(membership.run(config)).numbers


def test_what_does_not_fit_is_refused_before_training(here):
    with pytest.raises(Mistake, match="norm is a BatchNorm1d"):
        drain(membership.run(replace(QUICK, model="my_models:normed", defence="central")))


def test_inversion_draws_from_it(here):
    result = drain(inversion.run(replace(inversion.SMALL, model="my_models:layered", steps=2)))
    assert result.arrays["reconstruction"].shape[1:] == (1, 8, 8)


def test_command_line(here, capsys):
    words = ["--data", "skewed_purchases", "--classes", "10", "--records", "30", "--epochs", "2", "--shadows", "0"]
    words += ["--inside", "4", "--white_box", "false"]
    assert main(["run", "membership", *words, "--model", "my_models:small_net"]) == 0
    assert "your own model my_models:small_net" in capsys.readouterr().out
    assert main(["run", "membership", *words, "--model", "my_models:text"]) == 2
    assert capsys.readouterr().err.strip().endswith("it returns a str.")


# ---- who may choose code
def test_a_link_cannot(here):
    config, complaint = config_or_default("model=my_models:small_net", membership, ("purchases_like",))
    assert config.model == "mlp" and "model must be one of the lab's own here" in complaint


def test_a_panel_cannot(here):
    """Whatever a browser sends it."""
    from dpmia_lab.widgets.kit.experiment_panel import ExperimentPanel
    from dpmia_lab.widgets.membership.panel import MembershipPanel

    panel = MembershipPanel(query="")
    with pytest.raises(Mistake, match="model"):
        panel.config(**{**panel.controls.values(), "model": "my_models:small_net"})
    with pytest.raises(Mistake, match="command line alone"):
        ExperimentPanel.config(panel, model="my_models:small_net")


def test_a_handed_in_record_cannot(here):
    from dpmia_lab.commands.repeating import config_of

    config = vars(replace(membership.SMALL, model="my_models:small_net"))
    with pytest.raises(Mistake, match="command line alone"):
        config_of({"experiment": "membership", "config": config, "own file": False, "numbers": {}})


def test_refusing_lets_the_labs_own_pass():
    refuse_own_model(membership.SMALL)
    refuse_own_model(object())
