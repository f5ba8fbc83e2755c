"""The experiment of lesson 4: who is asked about, what must and what must not be found, every defence on every kind."""

from dataclasses import replace

import numpy as np
import pytest

from dpmia_lab.attacks.membership import shadow
from dpmia_lab.checks import Mistake
from dpmia_lab.commands.command_line import main
from dpmia_lab.data.population import Population
from dpmia_lab.experiments import membership
from dpmia_lab.experiments.membership import ATTACKS, Config
from dpmia_lab.game import attackers
from dpmia_lab.game.candidates import candidate_halves, candidates_of, shadow_halves
from dpmia_lab.game.defended import Defended, Workshop
from dpmia_lab.stages import Snapshot, drain

QUICK = Config(records=150, epochs=12, width=32, batch=32, shadows=2, inside=0, white_box=False)


def ran(config=QUICK, **changes):
    return drain(membership.run(replace(config, **changes)))


def numbered(count: int, shifted: bool = False) -> Population:
    """Records that carry their own number in their bits, so that they can be told apart."""

    def bits(start: int) -> np.ndarray:
        places = np.arange(start, start + count)[:, None]
        return ((places >> np.arange(16)) & 1).astype(np.uint8)

    more = {"test_x": bits(count), "test_y": np.arange(count) % 3} if shifted else {}
    return Population("numbered", "bits", bits(0), np.arange(count) % 3, ("a", "b", "c"), "", **more)


def numbers_in(records) -> set[int]:
    return set((records.x.astype(np.int64) << np.arange(16)).sum(1).tolist())


# ---- who is asked about
@pytest.mark.parametrize("shifted", [False, True])
def test_nobody_is_on_two_sides(shifted):
    candidates = candidates_of(Defended(records=100), numbered(1000, shifted))
    same = candidates.same
    members = numbers_in(same.members)
    outsiders = numbers_in(same.records) - members
    assert len(members | outsiders) == 200 and len(members) + len(outsiders) == 200
    everybody = [members, outsiders, numbers_in(candidates.pool), numbers_in(candidates.reserve)]
    if shifted:
        strangers = numbers_in(candidates.shifted.records) - members
        assert strangers == numbers_in(candidates.test)
        everybody += [strangers, numbers_in(candidates.shifted_pool), numbers_in(candidates.validation)]
    assert sum(map(len, everybody)) == len(set().union(*everybody))


def test_membership_is_a_fair_coin_for_each_candidate():
    members = [candidates_of(Defended(records=100, seed=s), numbered(1000)).same.member for s in range(50)]
    share = np.mean(members)
    assert share == pytest.approx(0.5, abs=4 * 0.5 / np.sqrt(50 * 200))  # four standard deviations
    assert len({int(m.sum()) for m in members}) > 5  # not a fixed number


def test_shadow_models_never_train_on_what_is_evaluated(monkeypatch):
    """Shokri's classifiers learn from the attacker's own records alone; the white box is judged on its unknown half."""
    trained_on, known = [], []
    whole = Workshop.training_set
    monkeypatch.setattr(
        Workshop, "training_set", lambda self, r, *path: (trained_on.append((path, r)), whole(self, r, *path))[1]
    )
    learn = shadow.shadow_scores
    monkeypatch.setattr(shadow, "shadow_scores", lambda k, *rest: (known.append(k), learn(k, *rest))[1])
    monkeypatch.setattr(membership, "load_population", lambda *_, **__: numbered(600))
    result = ran(data="numbered", records=60, epochs=2, white_box=True, inside=4)
    candidates = candidates_of(replace(QUICK, records=60), numbered(600))
    asked = numbers_in(candidates.same.records)
    for path, records in trained_on:
        inside = numbers_in(records) & asked
        assert inside == (set() if path[0] == "shadow" else numbers_in(records)), path
    assert len(known[0].y) == 2 * 2 * 60  # two models, in and out, and no candidate among them
    judged = np.isfinite(result.arrays["scores_white_box"])
    assert judged.mean() == pytest.approx(0.5, abs=0.15)


def test_halves():
    inside = candidate_halves(6, 40, np.random.default_rng(0))
    assert (inside.sum(1) == 20).all() and (inside.sum(0) == 3).all()
    for own, out in shadow_halves(3, 50, 100, np.random.default_rng(0)):
        assert len(own) == len(out) == 25 and not set(own) & set(out)


# ---- what must not be found, and what must
def test_a_model_that_learned_nothing_gives_nobody_away():
    """AUC within four standard errors of .5, for every attack and both protocols' members."""
    numbers = ran(data="purchases_without_skew", classes=10, records=300, epochs=1, rate=1e-9, white_box=True, inside=4)
    numbers = numbers.numbers
    for attack in ATTACKS:
        half_width = (numbers[f"auc_high_{attack}"] - numbers[f"auc_low_{attack}"]) / 2
        assert abs(numbers[f"auc_{attack}"] - 0.5) <= max(2 * half_width, 1e-9), attack
        assert numbers[f"epsilon_bound_{attack}"] == 0


def test_a_model_that_memorises_is_caught():
    """Many classes, few records, long training: training accuracy 1, and the attacks know it."""
    numbers = ran(data="purchases_like", classes=50, records=200, epochs=60, width=128, inside=16).numbers
    assert numbers["train_accuracy"] == 1 and numbers["test_accuracy"] < 0.6
    assert numbers["auc_loss"] >= 0.9 and numbers["auc_black_box"] >= 0.9 and numbers["auc_lira_fixed"] >= 0.95


def test_the_likelihood_ratio_beats_the_threshold_where_few_may_be_accused():
    """At 1 % false alarms, for each of five seeds (it finds several times as many)."""
    for seed in range(5):
        numbers = ran(classes=20, records=300, epochs=30, inside=16, shadows=0, seed=seed).numbers
        assert numbers["tpr1_lira_fixed"] > numbers["tpr1_loss"] + 0.02, seed


def test_epochs_raise_the_gap_and_the_leak_together():
    result = ran(classes=20, records=300, epochs=40)
    gap = result.arrays["curve_train_accuracy"] - result.arrays["curve_test_accuracy"]
    leak = result.arrays["curve_auc"]
    assert gap[-1] > gap[0] + 0.1 and leak[-1] > leak[0] + 0.1
    assert result.arrays["curve_epoch"][-1] == 40


def test_members_and_shifted_outsiders_are_told_apart_without_any_leak():
    """SPEC C6: on Skewed Purchases the paper's outsiders differ in distribution; those of the same one do not."""
    numbers = ran(data="skewed_purchases", classes=10, records=400, epochs=8, white_box=True).numbers
    assert numbers["auc_white_box_shifted"] > 0.95 and numbers["auc_loss_shifted"] > 0.95
    assert numbers["auc_loss"] < 0.7
    assert "epsilon_bound_white_box_shifted" not in numbers  # no ε is at stake there


# ---- defences
def test_central_noise_lowers_the_leak_and_keeps_its_promise():
    plain = ran(records=300, epochs=30, inside=8).numbers
    private = ran(records=300, epochs=30, inside=8, defence="central", z=2.0, rate=0.01)
    numbers = private.numbers
    assert numbers["auc_lira_fixed"] < plain["auc_lira_fixed"] - 0.1
    assert numbers["epsilon_tight"] <= numbers["epsilon"]
    for attack in ("loss", "black_box", "lira_fixed", "rmia"):
        assert numbers[f"epsilon_bound_{attack}"] <= numbers["epsilon_tight"]
    fpr, fnr = private.arrays["promise_fpr"], private.arrays["promise_fnr"]
    assert (np.diff(fnr) <= 1e-12).all() and (fpr + fnr <= 1 + 1e-9).all()


def test_under_local_noise_models_train_on_answers_and_are_asked_about_truths(monkeypatch):
    asked = []
    whole = attackers.outputs
    monkeypatch.setattr(attackers, "outputs", lambda w, m, r: (asked.append(r), whole(w, m, r))[1])
    sets = []
    train = Workshop.training_set
    monkeypatch.setattr(Workshop, "training_set", lambda s, r, *p: (sets.append((r, train(s, r, *p))), sets[-1][1])[1])
    numbers = ran(defence="local", epsilon_i=0.5, epochs=2).numbers
    assert numbers["epsilon_record"] == pytest.approx(600 * 0.5) and numbers["delta"] == 0
    for records, (x, _) in sets:
        flipped = np.mean(x.numpy() != records.x)
        assert flipped == pytest.approx(1 / (1 + np.exp(0.5)), abs=0.01)
    # Two shadow models that see the same record see two different answers of it.
    assert not np.array_equal(sets[1][1][0], sets[2][1][0])
    density = np.mean([r.x.mean() for r in asked])
    assert density < 0.12  # of truths; answers at ε_i = .5 would be near .41


KINDS = {
    "bits": {"data": "hospital_like", "classes": 5},
    "pictures": {"data": "digits", "model": "cnn"},
    "transfer": {"data": "faces", "people": 4, "pictures": 40, "height": 20, "model": "transfer"},
    "graphs": {"data": "collaboration", "model": "graph"},
}
DEFENDED = {
    "none": {},
    "central": {"defence": "central", "z": 1.0},
    "local": {"defence": "local", "epsilon_i": 2.0},
    "regularised": {"defence": "regularised", "dropout": 0.3, "decay": 1e-4, "patience": 2},
}


@pytest.mark.parametrize("defence", DEFENDED)
@pytest.mark.parametrize("kind", KINDS)
def test_every_defence_works_on_every_kind(kind, defence):
    small = {"records": 40, "epochs": 2, "batch": 20, "shadows": 2, "inside": 4, "white_box": True}
    if defence == "regularised" and kind in ("pictures", "transfer"):
        small["augment"] = kind == "pictures"
    numbers = ran(**small, **KINDS[kind], **DEFENDED[defence]).numbers
    assert all(0 <= numbers[f"auc_{attack}"] <= 1 for attack in ATTACKS)


def test_regularisation_narrows_what_leaks():
    plain = ran(records=300, epochs=40).numbers
    numbers = ran(records=300, epochs=40, defence="regularised", dropout=0.5).numbers
    assert numbers["auc_loss"] < plain["auc_loss"] - 0.05
    assert numbers["test_accuracy"] > plain["test_accuracy"] - 0.1


# ---- the first curve, and mistakes
def test_scores_are_shown_as_soon_as_they_are_there():
    events = []
    drain(membership.run(replace(QUICK, inside=4)), events.append)
    names = [event.name for event in events if isinstance(event, Snapshot)]
    assert names[:2] == ["member", "scores_loss"]
    done = next(event.done for event in events[events.index(next(e for e in events if isinstance(e, Snapshot))) :]
                if not isinstance(event, Snapshot))  # fmt: skip
    assert done < 0.7  # shadow models are still to come


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"model": "graph"}, r"model \(for bits\) must be one of mlp, softmax; it is 'graph'"),
        ({"data": "collaboration"}, r"model \(for graphs\) must be one of graph"),
        ({"defence": "regularised", "augment": True}, "augment must be false unless the data are pictures"),
        ({"data": "digits", "records": 5000}, "records must be a whole number from 1 to 896; it is 5000"),
        ({"data": "nowhere.npz"}, "nowhere.npz"),
        ({"inside": 3}, "inside must be 0, or at least 4, .* it is 3"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_sentence(changes, words):
    with pytest.raises(Mistake, match=words):
        ran(**changes)


# ---- the reader's own file
@pytest.mark.parametrize("kind", ["bits", "pictures"])
def test_own_files_from_the_command_line(kind, tmp_path, capsys):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 240)
    x = (rng.random((240, 30)) < 0.2 + 0.2 * y[:, None]).astype(np.uint8) if kind == "bits" else rng.random((240, 8, 8))
    np.savez(tmp_path / "my.npz", X=x, y=y)
    quick = ["--records", "50", "--epochs", "2", "--shadows", "1", "--inside", "4", "--white_box", "false"]
    assert main(["run", "membership", "--data", str(tmp_path / "my.npz"), *quick]) == 0
    assert "auc_lira_fixed" in capsys.readouterr().out
