"""The contract of every experiment, and what lesson 1's experiment must show."""

import random
import re
import time
from dataclasses import fields, replace
from functools import cache

import numpy as np
import pytest
import torch

from dpmia_lab import models
from dpmia_lab.checks import Mistake
from dpmia_lab.commands import summary
from dpmia_lab.commands.sentences import sentences
from dpmia_lab.experiments import EXPERIMENTS, inversion, inversion_comparison, inversion_measures
from dpmia_lab.experiments.repeats import averaged
from dpmia_lab.game import drawing
from dpmia_lab.options import as_dict, changed_from, text_of, value_from_text, with_text_values
from dpmia_lab.stages import Progress, Snapshot, Stopped, drain
from dpmia_lab.store import Result, Store

every_experiment = pytest.mark.parametrize("name", EXPERIMENTS)
MEASURES = ("distance_mean", "ssim_distance_mean", "similarity_mean", "confidence_mean")
MEASURES += ("recognised_share", "recognised_ssim_share")
WITHOUT_PICTURES = ("membership", "mechanisms", "attributes", "attribute_curves", "fooling", "fooling_table")
WITHOUT_PICTURES += ("comparing", "playground")  # they have their own
BASELINES = ("noise", "blank", "class_mean", "other_class")


def assert_same(one: Result, other: Result):
    """Bit for bit."""
    assert one.numbers == other.numbers
    assert one.arrays.keys() == other.arrays.keys()
    assert all(array.tobytes() == other.arrays[name].tobytes() for name, array in one.arrays.items())


def global_state():
    """What a stage must leave alone: grad mode, and every global random state."""
    return (
        torch.is_grad_enabled(),
        torch.is_inference_mode_enabled(),
        torch.get_default_dtype(),
        torch.random.get_rng_state().numpy().tobytes(),
        np.random.get_state()[1].tobytes(),
        random.getstate(),
    )


class Watched:
    """A whole run of an experiment's SMALL configuration: its result, its events, and the processor time until each."""

    def __init__(self, name):
        self.before, self.states, self.events, self.times = global_state(), set(), [], []
        experiment = EXPERIMENTS[name]
        self.result = drain(experiment.run(experiment.SMALL), self.see)
        self.after = global_state()

    def see(self, event):
        self.times.append(time.thread_time())
        self.states.add(global_state())
        self.events.append(event)


@cache
def watched(name) -> Watched:
    """Of each experiment one run, made when a test first asks for it."""
    return Watched(name)


@every_experiment
def test_the_same_config_gives_the_same_bits_and_interleaved_runs_do_not_disturb_each_other(name):
    """The same once more, in turns with a run of another seed."""
    experiment = EXPERIMENTS[name]
    other, turns = experiment.run(replace(experiment.SMALL, seed=7)), []
    result = drain(experiment.run(experiment.SMALL), lambda _: turns.append(next(other, None)))
    assert_same(result, watched(name).result)
    assert len([event for event in turns if event]) > 0.5 * len(turns)  # the other did run beside it


@every_experiment
def test_progress_rises_to_its_total(name):
    progress = [event for event in watched(name).events if isinstance(event, Progress)]
    share = np.array([event.done / event.total for event in progress])
    assert share[0] == 0 and share[-1] == pytest.approx(1)
    assert (np.diff(share) > -1e-12).all()
    assert all(event.label for event in progress)


@every_experiment
def test_nothing_global_changes_at_any_event(name):
    run = watched(name)
    assert run.states == {run.before} and run.after == run.before


@every_experiment
def test_events_come_often_enough_to_stop_and_to_watch(name):
    """The contract says every 0.2 s. Here in processor time, which a busy machine lengthens too, and but for one gap,
    in which something may be loaded."""
    gaps = np.sort(np.diff(watched(name).times))
    assert gaps[-2] < 0.5
    assert np.median(gaps) < 0.05


@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if name not in WITHOUT_PICTURES])
def test_snapshots_are_pictures_that_can_be_shown(name):
    snapshots = [event for event in watched(name).events if isinstance(event, Snapshot)]
    sides = (28, 28) if EXPERIMENTS[name].SMALL.data == "mnist" else (8, 8)
    assert snapshots[0].name == "truth"
    for event in snapshots:
        assert event.array.shape == (10, 1, *sides)
        assert 0 <= event.array.min() and event.array.max() <= 1


@every_experiment
@pytest.mark.parametrize("share", [0.0, 0.05, 0.6])
def test_a_run_stopped_midway_leaves_nothing_behind(name, share, tmp_path, monkeypatch):
    stop_at, seen = 1 + int(share * len(watched(name).events)), []
    monkeypatch.chdir(tmp_path)
    before, stage = global_state(), EXPERIMENTS[name].run(EXPERIMENTS[name].SMALL)
    with pytest.raises(Stopped):
        drain(stage, seen.append, lambda: len(seen) >= stop_at)
    assert next(stage, "closed") == "closed"
    assert global_state() == before
    assert list(tmp_path.iterdir()) == []


@every_experiment
def test_config_and_result_survive_the_store(name, tmp_path):
    store, result, config = Store(tmp_path), watched(name).result, EXPERIMENTS[name].SMALL
    store.put(name, as_dict(config), result)
    kept, record = store.get(name, as_dict(config))
    assert_same(kept, result)
    assert kept.rows == result.rows
    assert EXPERIMENTS[name].Config(**record["config"]) == config


@every_experiment
def test_every_preset_is_a_valid_config_that_text_can_carry(name):
    experiment = EXPERIMENTS[name]
    for preset in experiment.PRESETS.values():
        assert with_text_values(experiment.Config(), changed_from(preset, experiment.Config())) == preset


@every_experiment
def test_every_option_explains_itself(name):
    assert all(option.metadata["help"] for option in fields(EXPERIMENTS[name].Config))


@every_experiment
def test_every_number_has_a_full_name_and_a_unit(name):
    """No two have the same one, no plain name is left in it, and values and ends are the result's own."""
    result, config = watched(name).result, EXPERIMENTS[name].SMALL
    told = summary.all_numbers(name, config, result)
    assert all(one["full_name"] and one["unit"] and "_" not in one["full_name"].split(";")[0] for one in told)
    assert len({one["full_name"] for one in told}) == len(told)
    own = {one["name"]: one for one in told if one["name"] in result.numbers}
    ends = {name for name in result.numbers if name not in own}
    assert all(own[name]["value"] == result.numbers[name] for name in own)
    assert len(ends) == sum(end in one for one in own.values() for end in ("sd", "low", "high"))


@every_experiment
def test_a_result_is_told_in_sentences_and_a_short_table(name):
    """Every ε says for what unit; nothing is left to plain names; the table fits a terminal."""
    result, config = watched(name).result, EXPERIMENTS[name].SMALL
    said, table = sentences(name, config, result), summary.table_text(name, result)
    assert 2 <= len(said) <= 6 and all(sentence.endswith(".") and not sentence[0].islower() for sentence in said)
    assert all(" for a " in sentence for sentence in said if "ε = " in sentence)
    assert not any(f" {plain} " in " ".join(said) for plain in result.numbers if "_" in plain)
    assert 2 <= len(table.splitlines()) <= 24 and max(map(len, table.splitlines())) <= 160
    assert "_" not in re.sub("k_sub|ε_i|DAP_[tv]", "", table)


@every_experiment
def test_numbers_are_plain_finite_floats(name):
    numbers = watched(name).result.numbers
    assert numbers and all(type(value) is float and np.isfinite(value) for value in numbers.values())


def test_the_inversion_measures_itself_and_every_baseline():
    expected = {"train_accuracy", "test_accuracy", "judge_accuracy", "chance", *MEASURES}
    expected |= {f"{measure}_{baseline}" for measure in MEASURES for baseline in BASELINES}
    assert set(watched("inversion").result.numbers) == expected


def test_the_comparison_measures_every_contender_and_baseline_with_its_spread():
    who = ("original", "published", "enhanced", "ours", *BASELINES)
    expected = {"train_accuracy", "test_accuracy", "judge_accuracy", "chance"}
    expected |= {f"{measure}_{one}" for measure in MEASURES for one in who}
    expected |= {f"{name}_sd" for name in expected}
    assert set(watched("inversion_comparison").result.numbers) == expected


def test_numbers_are_the_means_of_the_arrays():
    result = watched("inversion").result
    assert result.numbers["distance_mean"] == pytest.approx(result.arrays["distance"].mean())
    assert result.numbers["recognised_share_blank"] == pytest.approx(result.arrays["recognised_blank"].mean())


def test_baselines_are_what_they_are_called():
    """No attack needed to know: the class's own mean is near it, and a black picture is like no class."""
    numbers = watched("inversion").result.numbers
    assert numbers["similarity_mean_blank"] == 0
    assert numbers["recognised_share_blank"] == pytest.approx(0.1)
    assert numbers["similarity_mean_class_mean"] > 0.8 > numbers["similarity_mean_noise"]
    assert numbers["recognised_share_other_class"] < 0.2
    assert numbers["chance"] == 0.1


def test_frames_tell_the_story_from_the_first_step_to_the_last():
    arrays = watched("inversion").result.arrays
    assert arrays["frame_steps"][0] == 1 and arrays["frame_steps"][-1] == inversion.SMALL.steps
    assert arrays["frames"].dtype == np.uint8 and len(arrays["frames"]) == len(arrays["frame_steps"])
    last = arrays["frames"][-1] / 255
    assert last == pytest.approx(arrays["reconstruction"], abs=0.003)


def test_the_comparison_of_one_seed_knows_no_spread():
    one = Result({"a": 2.0}, {"v": np.array([1.0, 2.0]), "picture": np.ones((1, 1, 2, 2))})
    other = Result({"a": 4.0}, {"v": np.array([3.0, 2.0]), "picture": np.zeros((1, 1, 2, 2))})
    assert averaged([one]).numbers == {"a": 2.0}
    both = averaged([one, other])
    assert both.numbers == {"a": 3.0, "a_sd": pytest.approx(2**0.5)}
    assert both.arrays["v"].tolist() == [2.0, 2.0]
    assert both.arrays["picture"].all()


def test_a_contender_attacks_the_data_and_model_of_the_comparison():
    config = inversion_comparison.Config(data="mnist", model="cnn", longest=700, seed=3)
    attack = config.attack("published", 2)
    assert (attack.data, attack.model, attack.seed, attack.steps) == ("mnist", "cnn", 5, 700)
    assert (attack.prior, attack.lam, attack.rate) == ("l1", 0.05, 0.1)


def test_published_settings_are_those_of_the_papers():
    faces, digits = inversion.PRESETS["faces-published"], inversion.PRESETS["digits-published"]
    assert (faces.steps, faces.rate, faces.lam, faces.prior, faces.model) == (100, 0.05, 0.001, "btv", "softmax")
    assert (digits.steps, digits.rate, digits.lam, digits.prior, digits.model) == (5000, 0.1, 0.05, "l1", "cnn")
    assert faces.box and digits.box


@pytest.fixture(scope="module")
def digits():
    return inversion.loaded(inversion.SMALL)


def weights(model):
    return [parameter.detach().numpy() for parameter in model.parameters()]


@pytest.mark.parametrize(
    ("stage", "unseen"), [(inversion.trained_judge, "train_x"), (inversion.trained_target, "test_x")]
)
def test_judge_and_target_share_no_picture(digits, stage, unseen):
    """Each learns the same when the other's pictures are all black."""
    without = replace(digits, **{unseen: np.zeros_like(getattr(digits, unseen))})
    one, same = (weights(drain(stage(inversion.SMALL, data))) for data in (digits, without))
    assert all(np.array_equal(a, b) for a, b in zip(one, same, strict=True))


def test_an_attack_on_a_recogniser_that_was_attacked_before_gives_the_same_bits():
    """Nothing of it is trained again, and no attack leaves a trace: the first one's result comes back."""
    recogniser = inversion.Recogniser(inversion.SMALL)
    other = replace(inversion.SMALL, attack="original", prior="none", steps=3)
    drain(inversion.run(other, recogniser))
    labels = []
    again = drain(
        inversion.run(inversion.SMALL, recogniser),
        lambda event: labels.append(event.label) if isinstance(event, Progress) else None,
    )
    assert_same(again, watched("inversion").result)
    assert set(labels) == {"attacking", "measuring"}


@pytest.mark.parametrize("change", [{"people": 5}, {"seed": 1}, {"model": "mlp"}, {"data": "mnist"}, {"height": 40}])
def test_another_recogniser_is_another_one(change):
    recogniser = inversion.Recogniser(inversion.SMALL)
    assert not recogniser.fits(replace(inversion.SMALL, **change))
    assert recogniser.fits(replace(inversion.SMALL, prior="l1", lam=0.1, steps=7, rate=1.0, box=False, smooth=1.0))


def test_every_random_choice_comes_from_the_seed_by_a_path_of_its_own(digits, monkeypatch):
    asked = []

    def spied(make):
        return lambda seed, *path: asked.append((seed, *path)) or make(seed, *path)

    for place, name in ((inversion, "torch_generator"), (drawing, "numpy_generator")):
        monkeypatch.setattr(place, name, spied(getattr(place, name)))
    config = replace(inversion.SMALL, seed=5)
    for stage in (inversion.trained_target(config, digits), inversion.trained_judge(config, digits)):
        next(stage)
        stage.close()
    drawing.baseline_pictures(digits, config.seed)
    assert {seed for seed, *_ in asked} == {5}
    assert len(asked) == len(set(asked)) == 5


# ---- configurations

BAD = [
    {"people": 1},
    {"pictures": 3},
    {"height": 15},
    {"height": 225},
    {"model": "forest"},
    {"attack": "magic"},
    {"prior": "l2"},
    {"process": "blur"},
    {"lam": -1.0},
    {"lam": float("nan")},
    {"steps": 0},
    {"steps": 1.5},
    {"rate": 0.0},
    {"rate": float("inf")},
    {"box": 1},
    {"smooth": 11.0},
    {"seed": -1},
    {"seed": 2**31},
]


@pytest.mark.parametrize("wrong", BAD, ids=str)
def test_a_config_refuses_nonsense_in_one_sentence(wrong):
    ((name, value),) = wrong.items()
    with pytest.raises(Mistake, match=rf"^{name} must be .*; it is {value!r}\.$".replace("+", r"\+")):
        inversion.Config(**wrong)


@pytest.mark.parametrize(
    "wrong", [{"repeats": 0}, {"longest": 0}, {"model": "x"}, {"people": 1}, {"seed": -1}], ids=str
)
def test_a_comparison_refuses_nonsense_too(wrong):
    with pytest.raises(Mistake, match=f"^{next(iter(wrong))} must be"):
        inversion_comparison.Config(**wrong)


def test_a_comparison_whose_last_seed_would_be_too_large_is_refused_before_the_work():
    inversion_comparison.Config(seed=2**31 - 5, repeats=5)
    with pytest.raises(Mistake, match="^seed must be"):
        inversion_comparison.Config(seed=2**31 - 5, repeats=6)


@pytest.mark.parametrize(
    ("text", "value"), [("true", True), ("True", True), ("1", True), ("yes", True), ("no", False), ("0", False)]
)
def test_words_for_true_and_false(text, value):
    option = next(option for option in fields(inversion.Config) if option.name == "box")
    assert value_from_text(option, text) is value
    assert value_from_text(option, text_of(value)) is value


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        ({"steps": "many"}, "steps must be a whole number; it is 'many'."),
        ({"steps": "1.5"}, "steps must be a whole number; it is '1.5'."),
        ({"lam": "low"}, "lam must be a number; it is 'low'."),
        ({"lam": "nan"}, "lam must be 0 or more; it is nan."),
        ({"box": "maybe"}, "box must be true or false; it is 'maybe'."),
        ({"colour": "red"}, "option must be one of data, people"),
    ],
)
def test_text_that_is_no_value_is_answered_in_one_sentence(texts, sentence):
    with pytest.raises(Mistake) as refusal:
        with_text_values(inversion.Config(), texts)
    assert str(refusal.value).startswith(sentence)


def test_pictures_too_small_for_the_judge_are_refused_before_the_work(tmp_path):
    np.savez(tmp_path / "tiny.npz", X=np.zeros((8, 5, 9)), y=np.arange(8) % 2)
    with pytest.raises(Mistake, match=r"at least 6 x 6 pixels; those of tiny\.npz are 5 x 9\.$"):
        drain(inversion.run(inversion.Config(data=str(tmp_path / "tiny.npz"))))


def test_unknown_data_is_a_mistake():
    with pytest.raises(Mistake, match="^data must be .*; it is 'pictures of cats'.$"):
        drain(inversion.run(inversion.Config(data="pictures of cats")))


# ---- does it leak?


@pytest.fixture(scope="module")
def faces():
    """Ten generated people, small pictures: the attacked recogniser and, beside it, one that learnt nothing."""
    config = inversion.Config(people=10, height=32, steps=60)
    data = inversion.loaded(config)
    model = drain(inversion.trained_target(config, data))
    judge = drain(inversion.trained_judge(config, data))
    ignorant = models.softmax_regression(data.shape, data.classes)
    subjects = {
        "attack": drain(inversion.attacked(config, data, model))[0],
        "ignorant": drain(inversion.attacked(config, data, ignorant))[0],
        **drawing.baseline_pictures(data, config.seed),
    }
    return drain(inversion_measures.measured(data, model, judge, subjects)).numbers


def test_the_enhanced_attack_draws_recognisable_faces(faces):
    assert faces["test_accuracy"] >= 0.9 and faces["judge_accuracy"] >= 0.6
    for recognised in ("recognised_share", "recognised_ssim_share"):
        assert faces[f"{recognised}_attack"] >= 0.7
        assert faces[f"{recognised}_noise"] <= 0.3
    assert faces["similarity_mean_attack"] > faces["similarity_mean_noise"] + 0.2


def test_a_model_that_learnt_nothing_gives_nobody_away(faces):
    """Null case: all its pictures are alike, so just one of the ten is named right."""
    assert faces["recognised_share_ignorant"] == pytest.approx(faces["chance"]) == pytest.approx(0.1)
    assert faces["recognised_ssim_share_ignorant"] == pytest.approx(0.1)
    assert faces["similarity_mean_ignorant"] == 0


def test_more_generated_pixels_than_memory_bears_are_refused():
    with pytest.raises(Mistake, match="people times pictures times height squared must be at most"):
        inversion.Config(people=1000, pictures=1000, height=224)
