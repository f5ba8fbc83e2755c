"""Lesson 8's experiment: who has which pictures, measures against what they must be, chance levels, refusals."""

from dataclasses import fields, replace

import numpy as np
import pytest

from dpmia_lab import devices  # noqa: F401 (one thread)
from dpmia_lab.checks import Mistake
from dpmia_lab.defences.networks import NETWORK_DEFENCES
from dpmia_lab.experiments import confidence_curves, confidences
from dpmia_lab.experiments.confidence_attacks import ATTACKS, NULLS, Attacker
from dpmia_lab.experiments.confidence_claims import checked, clearly_above, leaks_less_than_dp
from dpmia_lab.experiments.confidence_updates import renamed
from dpmia_lab.game.network_answers import Answers
from dpmia_lab.game.picture_judge import Drawings, measured_rows
from dpmia_lab.game.picture_roles import SHARES, mirrored, shared_out
from dpmia_lab.metrics.calibration import reliability
from dpmia_lab.metrics.spread import spread_over_draws, spread_over_inputs
from dpmia_lab.options import options_of
from dpmia_lab.reference import shipped_or_nothing
from dpmia_lab.seeds import numpy_generator
from dpmia_lab.stages import Progress, Snapshot, drain

SMALL = confidences.SMALL


@pytest.fixture(scope="module")
def prepared():
    return confidences.Prepared(SMALL)


@pytest.fixture(scope="module")
def events():
    return []


@pytest.fixture(scope="module")
def plain(prepared, events):
    return drain(confidences.run(SMALL, prepared), events.append)


@pytest.fixture(scope="module")
def noisy(prepared):
    return drain(confidences.run(replace(SMALL, defence="mid", lam=0.05), prepared))


# ---- who has which pictures
def same_pictures(one, other):
    return {x.tobytes() for x in one} & {x.tobytes() for x in other}


def test_nobodys_pictures_are_anothers():
    roles = drain(shared_out("faces", 5, 10, 20, 0))
    parts = [getattr(roles, role).x for role in SHARES] + [roles.public]
    assert [len(part) for part in parts] == [20, 10, 10, 10, 1000]
    assert not any(same_pictures(a, b) for i, a in enumerate(parts) for b in parts[:i])
    assert roles.others and all(np.bincount(getattr(roles, role).y).min() > 0 for role in SHARES)


def test_half_of_the_att_people_are_public():
    roles = drain(shared_out("att_faces", 40, 10, 28, 0))
    assert roles.classes == 20 and len(roles.public) == 2 * 200 and len(roles.train) == 80
    everyone = np.concatenate([getattr(roles, role).x for role in SHARES])
    assert not same_pictures(everyone, roles.public)
    assert mirrored(np.arange(3.0).reshape(1, 1, 1, 3)).ravel().tolist() == [0, 1, 2, 2, 1, 0]


def test_of_digits_the_attackers_share_is_public(prepared):
    roles = drain(prepared.roles.result())
    assert not roles.others and np.array_equal(roles.public, roles.auxiliary.x)


def test_rounds_show_every_class_before_any_twice(prepared):
    roles = drain(prepared.roles.result())
    assert roles.first_of_all("test", 25).y.tolist() == [*range(10), *range(10), *range(5)]
    assert len(roles.first_of_all("test", 10**6)) == len(roles.test)


def test_own_pictures_are_shared_out_and_too_few_are_refused(tmp_path):
    x = numpy_generator(0).random((24, 12, 12))
    np.savez(tmp_path / "my.npz", X=x, y=np.arange(24) % 3)
    config = replace(SMALL, data=str(tmp_path / "my.npz"))
    result = drain(confidences.run(config))
    assert result.arrays["truth"].shape == (3, 1, 12, 12) and "recognised_gmi" in result.numbers
    np.savez(tmp_path / "few.npz", X=x[:9], y=np.arange(9) % 3)
    with pytest.raises(Mistake, match=r"^few\.npz: every class must have at least 4 pictures; 0 has 3\.$"):
        drain(confidences.run(replace(config, data=str(tmp_path / "few.npz"))))
    np.savez(tmp_path / "tiny.npz", X=x[:, :4, :4], y=np.arange(24) % 3)
    with pytest.raises(Mistake, match="^pictures must be at least 6 x 6 pixels"):
        drain(confidences.run(replace(config, data=str(tmp_path / "tiny.npz"))))


# ---- measures
def test_calibration_error_by_hand():
    p = np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7], [0.5, 0.5]])
    found = reliability(p, np.array([0, 1, 1, 0]), bins=2)
    assert found.count.tolist() == [1, 3]  # ((m − 1)/M, m/M]: one half is in the first bin
    assert found.accuracy == pytest.approx([1, 2 / 3]) and found.confidence == pytest.approx([0.5, 0.8])
    assert found.error == pytest.approx(0.25 * 0.5 + 0.75 * abs(2 / 3 - 0.8))


def test_who_is_as_sure_as_right_has_no_error_and_empty_bins_count_nothing():
    n = 20_000
    sure = numpy_generator(0).uniform(0.5, 1, n)
    y = (numpy_generator(1).random(n) > sure).astype(int)
    assert reliability(np.stack([sure, 1 - sure], 1), y).error < 0.02
    certain = reliability(np.array([[1.0, 0.0]] * 3), np.zeros(3, int))
    assert certain.error == 0 and np.isnan(certain.accuracy[:-1]).all()


def test_spreads_of_answers():
    fixed = np.array([[[1.0, 0.0], [0.0, 1.0]]] * 3)  # three draws of two pictures
    assert spread_over_draws(fixed) == 0 and spread_over_inputs(fixed) == pytest.approx(np.sqrt(0.5))
    swapped = np.array([[[1.0, 0.0]], [[0.0, 1.0]]])  # two draws of one picture
    assert spread_over_draws(swapped) == pytest.approx(np.sqrt(0.5)) and spread_over_inputs(swapped) == 0


def test_the_judge_knows_real_pictures_and_tells_them_from_others(prepared):
    judge, roles = drain(prepared.judge.result()), drain(prepared.roles.result())
    real = roles.first_of_all("test", 100)
    own = drain(judge.measures(Drawings(real.x, real.y, real.x)))
    other = drain(judge.measures(Drawings(real.x, (real.y + 1) % 10, real.x)))
    assert own["recognised"].mean() > 0.8 > 0.1 > other["recognised"].mean()
    assert own["feature_distance"].mean() < 0.6 * other["feature_distance"].mean()
    assert own["feature_distance"].mean() == pytest.approx(own["feature_distance_training"].mean(), rel=0.2)
    assert own["correlation"] == pytest.approx(np.ones(100))


def test_a_share_has_its_interval():
    (row, mean) = measured_rows({"recognised": np.array([True, False] * 10), "correlation": np.ones(3)}, attack="gmi")
    assert (row.value, row.attack) == (0.5, "gmi") and row.low < 0.3 < 0.7 < row.high
    assert mean.low is None


def test_another_name_is_never_ones_own():
    y = np.arange(1000) % 7
    names = renamed(y, 7, numpy_generator(0))
    assert (names != y).all() and set(names) == set(range(7))


# ---- a run
def test_numbers_have_the_names_that_were_promised(plain):
    wanted = {"test_accuracy", "ece", "recognised_alignment", "recognised_gmi", "recognised_gmi_adapted"}
    wanted |= {"recognised_average_face", "recognised_prior_alone", "recognised_alignment_train"}
    wanted |= {"recognised_update_renamed", "label_named_update", "recognised_alignment_low"}
    assert wanted <= set(plain.numbers)


def test_nulls_are_at_chance(plain):
    """Within the interval of as many drawings, or below."""
    for null in NULLS:
        row = plain.rows.row("recognised", attack=null)
        assert row.low <= 0.1, null
    assert plain.rows.value("recognised", attack="average_face") == pytest.approx(0.1)
    assert plain.rows.value("correlation", attack="average_face") == pytest.approx(0, abs=1e-6)


def test_attacks_beat_every_null(plain):
    best = max(plain.rows.value("recognised", attack=null) for null in NULLS)
    for attack in ("alignment", "gmi", "gmi_adapted", "alignment_label"):
        assert plain.rows.row("recognised", attack=attack, protocol="test").low > best


def test_only_a_network_that_answers_anew_is_asked_often(plain, noisy):
    own = {"alignment_averaged", "alignment_mean"}
    assert own & set(plain.rows.all("attack")) == set() and own <= set(noisy.rows.all("attack"))
    assert set(plain.rows.all("attack")) | {*own, "alignment_same"} == set(ATTACKS) | set(NULLS)
    assert plain.numbers["answer_spread"] == 0 < noisy.numbers["answer_spread"]
    assert noisy.numbers["lam_times_code"] == pytest.approx(0.05 * 16) and noisy.numbers["information"] > 0


def test_other_people_are_a_decoder_of_their_own_and_dp_promises():
    config = replace(SMALL, data="faces", people=5, pictures=10, height=20, updates=0, defence="dp_sgd", sigma=1.0)
    result = drain(confidences.run(config))
    assert {"alignment_same", "alignment"} <= set(result.rows.all("attack"))
    assert result.numbers["epsilon_tight"] > 0 and result.numbers["delta"] == pytest.approx(1 / 20)


def test_arrays_can_be_shown(plain):
    pictures = {name for name, array in plain.arrays.items() if array.ndim == 4}
    assert pictures >= {"truth", "alignment", "gmi", "gmi_adapted", "update", *NULLS}
    assert all(plain.arrays[name].shape == (10, 1, 8, 8) for name in pictures)
    assert plain.arrays["answers"].shape == (1, 10) and len(plain.arrays["reliability_count"]) == 15
    assert plain.arrays["reliability_count"].sum() == len(plain.arrays["labels"]) == len(plain.arrays["confidences"])


def test_accuracy_and_the_first_reconstructions_come_early(plain, events):
    names = [event.name if isinstance(event, Snapshot) else event.label for event in events]
    order = [names.index(name) for name in ("truth", "training the network", "alignment", "gmi", "measuring")]
    assert order == sorted(order)
    seen = [e.values["test_accuracy"] for e in events if isinstance(e, Progress) and "test_accuracy" in e.values]
    assert seen[0] < seen[-1] and seen[-1] == pytest.approx(plain.numbers["test_accuracy"])


def test_prepared_people_and_judge_serve_other_settings_and_change_nothing(prepared, plain):
    labels = []
    config = replace(SMALL, defence="rounding", rounding=0.2, updates=0)
    again = drain(confidences.run(config, prepared), lambda e: isinstance(e, Progress) and labels.append(e.label))
    assert "training an independent judge" not in labels and "loading data" not in labels
    assert np.array_equal(again.arrays["gmi"], plain.arrays["gmi"])  # the same network, and the weights are not rounded
    assert prepared.fits(config) and not prepared.fits(replace(SMALL, seed=1))


def test_asked_often_a_noisy_network_tells_its_mean(prepared):
    config, roles = replace(SMALL, defence="uniform_noise", noise=0.2), drain(prepared.roles.result())
    answers = Answers(drain(confidences.trained_network(config, roles)), confidences.defence_of(config), 0)
    x = Attacker(config, roles).truth
    one, many, own = answers.once(x), answers.averaged(x, 200), answers.through_mean(x)
    sure = own > 0.3  # where the noise is never cut at 0
    assert np.abs(many - own)[sure].max() < 0.05 < np.abs(one - own)[sure].max()


# ---- configurations
BAD = [
    {"people": 3},
    {"pictures": 4},
    {"height": 19},
    {"model": "forest"},
    {"defence": "magic"},
    {"view": "all"},
    {"top": 0},
    {"answers": 0},
    {"decoder_steps": 0},
    {"prior": "gan"},
    {"components": 0},
    {"identity": 0.0},
    {"restarts": 0},
    {"gmi_steps": 0},
    {"updates": -1},
    {"probes": 0},
    {"adversarial": -0.1},
    {"lam": -0.1},
    {"smoothing": 1.0},
    {"seed": -1},
]


@pytest.mark.parametrize("wrong", BAD, ids=str)
def test_a_config_refuses_nonsense_in_one_sentence(wrong):
    ((name, value),) = wrong.items()
    with pytest.raises(Mistake, match=rf"^{name} must be .*; it is {value!r}.*\.$"):
        confidences.Config(**wrong)


def test_a_configuration_has_every_option_of_every_defence():
    names = {option.name for option in fields(confidences.Config)}
    assert all(set(options_of(kind)) <= names for kind in NETWORK_DEFENCES.values())


# ---- curves
@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("none; midd 1", "strengths must name a defence first, as in mid 0.01 0.1; one begins with 'midd'"),
        ("none; mid", "strengths must have at least one strength after mid; one is 'mid'."),
        ("none; label_only 3", "strengths must have no strength after label_only; one is 'label_only 3'."),
        ("none; mid x", "strengths must be numbers after the defence's name; one is 'mid x'."),
        ("mid 0.1", "strengths must begin with none, which others are compared with; it is 'mid 0.1'."),
    ],
)
def test_points_that_make_no_sense_are_refused(text, sentence):
    with pytest.raises(Mistake) as refusal:
        confidence_curves.Config(strengths=text)
    assert str(refusal.value).startswith(sentence)


def test_leaks_are_read_where_defences_cost_as_much():
    """Accuracy .9 → .8 → .6 with leaks .8 → .6 → .2: a tenth below .9 the leak is .6, on the way from 0 to 1."""
    mid = confidence_curves.POINTS.index("mid")
    arrays = {
        "defence": np.array([0, mid, mid]),
        "test_accuracy": np.array([[0.9, 0.9], [0.85, 0.95], [0.75, 0.7]]),
        "recognised_alignment": np.array([[0.8, 0.8], [0.7, 0.9], [0.5, 0.4]]),
        "recognised_alignment_mean": np.array([[np.nan, np.nan], [0.8, 0.8], [0.8, 0.8]]),
    }
    at = confidence_curves.at_matched_accuracy
    assert at(arrays, "mid", "recognised_alignment") == pytest.approx([0.6, 0.6])
    assert at(arrays, "mid", "recognised_alignment_mean") == pytest.approx([0.8, 0.8])
    assert np.isnan(at(arrays, "dropout", "recognised_alignment")).all()


def some_curve(mid_leak, seeds=3):
    """Two points of MID and of DP-SGD, either side of a tenth less accuracy; MID's leak as given, DP's .5."""
    places = [confidence_curves.POINTS.index(name) for name in ("none", "mid", "mid", "dp_sgd", "dp_sgd")]
    near = 0.001 * np.arange(seeds)  # seeds differ a little
    column = np.array([[0.9], [0.85], [0.7], [0.85], [0.7]]) + near
    arrays = {"defence": np.array(places), "strength": np.array([np.nan, 0.01, 0.1, 0.1, 0.4]), "test_accuracy": column}
    arrays["recognised_alignment"] = np.array([[0.8], [mid_leak], [mid_leak], [0.5], [0.5]]) + near * near[:, None][:1]
    return arrays


@pytest.mark.parametrize(("mid_leak", "agrees"), [(0.3, True), (0.7, False)])
def test_a_claim_is_decided_by_the_numbers(mid_leak, agrees):
    points = some_curve(mid_leak)
    found = leaks_less_than_dp("recognised_alignment", "recognised")(points)
    assert found.agrees is agrees
    assert "under MID" in found.sentence and f"{mid_leak:.0%}" in found.sentence
    assert leaks_less_than_dp("recognised_gmi", "recognised")(points) is None


def test_what_three_seeds_cannot_tell_is_not_decided():
    assert clearly_above(np.array([0.50, 0.56, 0.53]), np.array([0.5, 0.5, 0.5])) is None  # 1.7 standard errors
    assert clearly_above(np.array([0.52, 0.56, 0.54]), np.array([0.5, 0.5, 0.5])) is None  # 3.5, of the 4.3 asked for
    assert clearly_above(np.array([0.5, 0.6, 0.4]), np.array([0.5, 0.5, 0.5])) is None
    assert clearly_above(np.array([0.5, 0.6, 0.7]), np.array([0.1, 0.2, 0.3])) is True
    assert clearly_above(np.array([0.5]), np.array([0.1])) is None


def test_every_claim_is_checked_against_every_curve_that_ships():
    for name, record in shipped_or_nothing("confidence_curves").items():
        points = confidence_curves.points_from(record["points"])
        found = checked(points)
        assert len(found) >= 5, name
        for claim, finding in found.values():
            assert finding.sentence and "nan" not in finding.sentence and not finding.sentence.endswith(".")
            assert claim.said or finding.agrees is None


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("recognised_alignment_train", ("recognised", "alignment", "train")),
        ("recognised_ssim_gmi_adapted", ("recognised_ssim", "gmi_adapted", "test")),
        ("feature_distance_training_update_renamed", ("feature_distance_training", "update", "renamed")),
        ("ece", ("ece", "", "test")),
    ],
)
def test_plain_names_are_taken_apart(name, parts):
    assert confidence_curves.measure_and_attack(name) == parts
