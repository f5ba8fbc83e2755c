"""Lesson 9's game: canaries, families, equal accuracy, attackers, whole runs, and what ships."""

from dataclasses import replace

import numpy as np
import pytest

from dpmia_lab import devices  # noqa: F401 (one thread)
from dpmia_lab.attacks.membership.classifiers import classifier_scores
from dpmia_lab.attacks.membership.lira import levelled
from dpmia_lab.checks import Mistake
from dpmia_lab.commands.command_line import main
from dpmia_lab.data.objects import CIFAR_BYTES, CIFAR_FILES, drawn_objects
from dpmia_lab.data.population import load_population
from dpmia_lab.defences.base import Recipe
from dpmia_lab.experiments import fooling, fooling_table, fooling_turns
from dpmia_lab.experiments.fooling_target import QUICK, STRONG
from dpmia_lab.game.canaries import KINDS, with_canaries
from dpmia_lab.game.candidates import candidate_halves, candidates_of
from dpmia_lab.game.families import Family
from dpmia_lab.game.settings import Settings
from dpmia_lab.metrics.membership import auc
from dpmia_lab.metrics.tradeoffs import aop
from dpmia_lab.reference import shipped
from dpmia_lab.seeds import numpy_generator
from dpmia_lab.stages import Progress, Snapshot, drain
from tests.fooling_parts import quick_discriminator  # noqa: F401 (used by every test)

RECIPE = Recipe(epochs=4, rate=0.01, batch=8)


# ---- canaries
def test_canaries_are_as_many_as_asked_for_and_keep_their_coins():
    config = Settings(records=100)
    population = load_population("purchases_like", classes=10, records=600)
    candidates = candidates_of(config, population)
    planted = with_canaries(candidates, 20, "bits", 10, numpy_generator(0))
    before, after = candidates.alike, planted.candidates.alike
    wrong, odd, usual = (planted.places(kind) for kind in ("mislabelled", "atypical", "ordinary"))
    assert [int(planted.places(kind).sum()) for kind in KINDS] == [160, 20, 20]
    assert np.array_equal(before.member, after.member)
    assert (after.records.y[wrong] != before.records.y[wrong]).all()
    assert np.array_equal(after.records.x[~odd], before.records.x[~odd])
    assert np.array_equal(after.records.y[~wrong], before.records.y[~wrong])
    assert after.records.x[odd].mean() == pytest.approx(0.5, abs=0.03) and before.records.x.mean() < 0.15
    assert len(planted.candidates.test) == (usual & ~after.member).sum()
    shares = [with_canaries(candidates, 20, "bits", 10, numpy_generator(s)).places("atypical") for s in range(40)]
    inside = np.mean([before.member[places].mean() for places in shares])
    assert inside == pytest.approx(before.member.mean(), abs=0.06)  # who becomes one does not depend on the coin
    with pytest.raises(Mistake, match="canaries must be at most a quarter of the 200 candidates"):
        with_canaries(candidates, 51, "bits", 10, numpy_generator(0))


def test_atypical_pictures_and_graphs_stay_pictures_and_graphs():
    for name in ("digits", "collaboration"):
        population = load_population(name, records=400)
        candidates = candidates_of(Settings(records=60), population)
        planted = with_canaries(candidates, 10, population.kind, population.classes, numpy_generator(1))
        x = planted.candidates.alike.records.x
        assert x.min() >= 0 and x.max() <= 1 and x.dtype == population.x.dtype
        assert population.kind != "graphs" or np.array_equal(x, x.transpose(0, 2, 1))


# ---- families
def test_members_are_not_told_apart_where_there_is_nothing_to_tell():
    """Scores in turn are fair: leaving out one of a pair alone would push members down."""
    found = {kind: [] for kind in ("plain", "levelled", "stopped")}
    for seed in range(20):
        rng = np.random.default_rng(seed)
        inside = candidate_halves(6, 300, rng)
        family = Family(inside)
        sure = 2 * rng.standard_normal((6, 1))
        for moment in (0, 1, 2):
            family.logits[moment] = rng.standard_normal(inside.shape) + sure + rng.standard_normal(300)
        for kind, aucs_found in found.items():
            aucs_found.append(auc(family.scores_in_turn(0, kind).ravel(), inside.ravel()))
    for kind, values in found.items():
        assert abs(np.mean(values) - 0.5) < 4 * np.std(values) / np.sqrt(20) + 0.003, kind


def test_levelling_takes_out_how_sure_a_model_is_of_everybody():
    rng = np.random.default_rng(0)
    inside = candidate_halves(8, 400, rng)
    signal = 1.5 * inside + rng.standard_normal(inside.shape)
    sure = np.exp(rng.standard_normal((8, 1)))
    family = Family(inside, {0: signal * sure + 3 * rng.standard_normal((8, 1))})
    plain, level = (auc(family.scores_in_turn(0, kind).ravel(), inside.ravel()) for kind in ("plain", "levelled"))
    assert level > plain + 0.1 and level > 0.7
    assert np.allclose(np.median(levelled(signal), 1), 0, atol=0.01)


def test_shadow_models_are_taken_when_they_were_as_sure_as_the_target():
    family = Family(candidate_halves(6, 10, np.random.default_rng(0)))
    for moment in (0, 1, 2):
        family.logits[moment] = np.tile(np.arange(10.0) + 10 * moment, (6, 1))
    everyone = np.ones(6, dtype=bool)
    assert [family.as_sure(np.arange(10.0) + level, everyone) for level in (-3, 9, 40)] == [0, 1, 2]


# ---- equal accuracy
def test_early_stopping_at_equal_accuracy_by_hand():
    curve = {"stopping_accuracy": np.array([0.2, 0.4, 0.6, 0.5]), "stopping_auc": np.array([0.5, 0.6, 0.8, 0.9])}
    found = [fooling_turns.auc_at_accuracy(a, *curve.values()) for a in (0.1, 0.2, 0.3, 0.5, 0.6, 0.7)]
    assert found == pytest.approx([0.5, 0.5, 0.55, 0.7, 0.8, 0.8])
    matched = fooling_turns.matched_numbers(np.array([0.3, 0.5]), 0.6, curve)
    assert matched == {"matched_auc": pytest.approx(0.625), "matched_gain": pytest.approx(0.025)}
    assert fooling_turns.matched_numbers(np.array([0.7]), 0.6, curve) == {}


# ---- attackers of the target
def test_classifiers_learn_from_the_known_half_and_are_judged_on_the_other():
    rng = np.random.default_rng(0)
    member, known = rng.random(400) < 0.5, rng.random(400) < 0.5
    p = rng.dirichlet(np.ones(3), 400)
    p[member] = 0.3 * p[member] + 0.7 * np.eye(3)[0]
    y = np.zeros(400, dtype=int)
    for kind in ("regression", "forest"):
        scores = drain(classifier_scores(kind, p, y, member & known, known, 3))
        assert np.isnan(scores[known]).all() and auc(scores[~known], member[~known]) > 0.85
        again = drain(classifier_scores(kind, p, y, member & known, known, 3))
        assert np.array_equal(scores, again, equal_nan=True)
    with pytest.raises(Mistake, match="known must hold members and outsiders"):
        drain(classifier_scores("forest", p, y, member & False, known, 3))


# ---- the experiment
@pytest.fixture(scope="module")
def run():
    events = []
    config = fooling.Config(records=150, epochs=12, width=32, inside=8, unadapted=8, canaries=15, looks=4, teachers=4)
    return config, drain(fooling.run(config), events.append), events


def test_every_epoch_is_told_with_both_losses(run):
    config, result, events = run
    curves = [event for event in events if isinstance(event, Snapshot) and event.name == "curve"]
    assert [event.array.shape for event in curves] == [(e, len(fooling.CURVE)) for e in range(1, 13)]
    told = [event.values for event in events if isinstance(event, Progress) and "auc_loss" in event.values]
    assert [values["ended"] for values in told] == list(range(1, 13))
    assert all(set(fooling.CURVE) <= set(values) for values in told)
    assert result.arrays["curve_epoch"].tolist() == list(range(1, 13))
    best = 1 + int(np.argmax(result.arrays["curve_aop"]))
    assert result.numbers["kept_epoch"] == best


def test_a_defence_that_does_not_watch_itself_is_watched_alike():
    """RelaxLoss with α = 0 and regularisation by nothing are no defence: epoch by epoch what an undefended run tells.

    The undefended one's epochs are told by training itself, from logits; these by whoever looks on, from confidences.
    """
    plain, *others = (
        drain(fooling.run(replace(fooling.SMALL, canaries=0, **changes))).arrays
        for changes in ({"defence": "none"}, {"defence": "relaxloss", "alpha": 0.0}, {"defence": "regularised"})
    )
    for watched in others:
        for name in ("epoch", "validation_loss", "accuracy", "auc", "aop", "test_accuracy", "auc_loss"):
            assert watched[f"curve_{name}"] == pytest.approx(plain[f"curve_{name}"], abs=1e-4), name
        assert watched["look_epoch"][-1] == fooling.SMALL.epochs
        assert watched["look_auc"][-1] == pytest.approx(plain["look_auc"][-1], abs=1e-6)


def test_attacks_come_from_weak_to_strong_and_a_first_picture_early(run):
    _, _, events = run
    names = [event.name for event in events if isinstance(event, Snapshot) and event.name != "curve"]
    assert names == ["member", *(f"scores_{attack}" for attack in (*QUICK, *STRONG))]


def test_rows_of_all_attacks_and_protocols(run):
    config, result, _ = run
    rows = result.rows
    assert {row.attack for row in rows.where(protocol="alike")} == {*QUICK, *STRONG}
    for defence in ("dap", "none"):
        for protocol in ("turns", "mislabelled", "atypical"):
            for attack in (*fooling.TURNS, "loss"):
                assert 0 <= rows.value("auc", defence=defence, attack=attack, protocol=protocol) <= 1
    kind = result.arrays["kind"]
    assert [int((kind == place).sum()) for place in range(3)] == [270, 15, 15]
    assert result.arrays["turns_inside"].shape == (9, 300) and (result.arrays["turns_inside"][:8].sum(0) == 4).all()
    assert rows.value("auc", defence="none", attack="lira_fixed", protocol="turns") > 0.7
    accuracy = rows.value("accuracy", defence="dap", protocol="turns")
    assert rows.value("aop_5", defence="dap", attack="best") == pytest.approx(
        aop(accuracy, fooling.strongest(rows, "dap"), 5)
    )


def test_a_model_that_learnt_nothing_gives_nobody_away_to_anybody():
    """All attackers, also with every model in its turn, within four standard errors."""
    config = fooling.Config(
        records=120, epochs=1, rate=1e-9, width=16, inside=6, unadapted=6, canaries=0, looks=1, teachers=2
    )
    rows = drain(fooling.run(config)).rows
    for row in rows.where(measure="auc"):
        assert abs(row.value - 0.5) <= (row.high - row.low) + 0.02, row


@pytest.mark.parametrize(("changes", "words"), [
    ({"inside": 7}, "inside must be even, as models come in pairs; it is 7."),
    ({"inside": 4}, "inside must be a whole number from 6 to 512; it is 4."),
    ({"patience": 2}, "patience must be 0 here, where stopping is a defence; it is 2."),
    ({"looks": 0}, "looks must be a whole number from 1 to 100; it is 0."),
    ({"r": -1.0}, "r must be from 0 to 1000; it is -1.0."),
    ({"defence": "dapp"}, r"defence must be one of .*; it is 'dapp' \(did you mean dap\?\)."),
])  # fmt: skip
def test_nonsense_is_refused_in_one_sentence(changes, words):
    with pytest.raises(Mistake, match=words):
        fooling.Config(**changes)


def test_the_table_refuses_a_column_it_does_not_know_and_always_has_the_baseline():
    with pytest.raises(Mistake, match=r"columns must be one of .*; it is 'dap_x'"):
        fooling_table.Config(columns="dap_x")
    assert fooling_table.Config(columns="dap_t none").chosen() == ["none", "dap_t"]
    assert fooling_table.Config().chosen() == list(fooling_table.COLUMNS)
    assert set(fooling_table.PUBLISHED.values()) <= set(fooling_table.COLUMNS)


def test_every_column_of_the_table_is_a_valid_setting():
    for name in fooling_table.COLUMNS:
        config = fooling_table.Config().column(name, 3)
        assert config.seed == 3 and config.records == fooling_table.Config().records


def test_means_over_seeds_leave_out_what_is_undefined():
    from dpmia_lab.rows import Row, Rows

    one = Rows((Row("auc", 0.6, "a"), Row("matched_gain", 0.1, "a")))
    other = Rows((Row("auc", 0.8, "a"),))
    found = fooling_table.averaged([one, other])
    assert found.row("auc").value == pytest.approx(0.7) and found.row("auc").spread == pytest.approx(0.1 * 2**0.5)
    assert found.row("matched_gain").value == 0.1 and found.row("matched_gain").spread is None


# ---- the command line
@pytest.mark.parametrize("defence", ["dap", "relaxloss", "hamp", "adversarial", "stopping", "smoothing", "masking"])
def test_every_new_defence_on_ones_own_records(defence, tmp_path, capsys):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    np.savez(tmp_path / "my.npz", X=(rng.random((300, 30)) < 0.2 + 0.2 * y[:, None]).astype(np.uint8), y=y)
    quick = ["--records", "50", "--epochs", "2", "--shadows", "2", "--inside", "4", "--teachers", "2"]
    place, data = tmp_path / "result.json", str(tmp_path / "my.npz")
    assert main(["run", "membership", "--defence", defence, "--data", data, *quick, "--json", str(place)]) == 0
    assert place.exists()
    assert f"defence {defence}" in capsys.readouterr().out


# ---- pictures in colour
def test_objects_are_coloured_pictures_in_turn_and_the_same_however_many():
    x, y = drawn_objects(250, 3)
    assert x.shape == (250, 3, 32, 32) and x.dtype == np.float32 and 0 <= x.min() and x.max() <= 1
    assert y[:12].tolist() == [*range(10), 0, 1]
    assert np.array_equal(drawn_objects(60, 3)[0], x[:60]) and not np.array_equal(drawn_objects(60, 4)[0], x[:60])
    assert load_population("objects", records=100).shape == (3, 32, 32)


def test_cifar_is_read_from_the_readers_own_files(tmp_path):
    rng = np.random.default_rng(0)
    for place, name in enumerate(CIFAR_FILES):
        rows = rng.integers(0, 256, (5, CIFAR_BYTES)).astype(np.uint8)
        rows[:, 0] = place
        rows.tofile(tmp_path / f"{name}.bin")
    population = load_population(f"cifar10:{tmp_path}")
    assert population.x.shape == (30, 3, 32, 32) and sorted(set(population.y.tolist())) == [0, 1, 2, 3, 4, 5]
    assert population.classes == 10 and population.x.max() <= 1
    (tmp_path / "test_batch.bin").write_bytes(b"123")
    with pytest.raises(Mistake, match="test_batch.bin must hold 3,073 bytes a picture; it has 3 bytes"):
        load_population(f"cifar10:{tmp_path}")
    with pytest.raises(Mistake, match="data_batch_1.bin is not there"):
        load_population("cifar10:nowhere")


def test_an_attacked_model_of_pictures_in_colour():
    config = replace(fooling.PRESETS["objects"], records=20, epochs=1, canaries=3, looks=1, teachers=1, width=8)
    result = drain(fooling.run(config))
    assert result.rows.has("auc", defence="dap", attack="own_d", protocol="alike")


# ---- what ships
@pytest.mark.parametrize("name", fooling_table.PRESETS)
def test_the_shipped_table_is_of_five_seeds_and_answers_what_was_asked(name):
    """Every column, every attacker; whether each beats early stopping where the two are equally accurate."""
    record = shipped("fooling_table")[name]
    config = fooling_table.Config(**record["config"])
    assert config == replace(fooling_table.PRESETS[name], repeats=5)
    rows = fooling_table.rows_of(record["results"])
    assert len(rows) + sum(row.spread is not None for row in rows) == len(record["results"])
    for column in fooling_table.COLUMNS:
        own = rows.where(defence=column)
        assert own.row("accuracy", protocol="turns").spread is not None
        assert {row.attack for row in own.where(measure="auc", protocol="alike")} == {*QUICK, *STRONG}, column
        worth = aop(own.value("accuracy"), fooling.strongest(own, column), 1)
        assert own.value("aop_1", attack="best") == pytest.approx(worth, abs=0.03)
    gain, error = fooling_table.beats_stopping(rows, "dap_t", config.repeats)
    assert abs(gain) < 0.05 and error < 0.05  # DAP is worth what its choice of an epoch is worth
    assert fooling_table.beats_stopping(rows, "dap_last", config.repeats)[0] < 0  # without that choice, less
    assert fooling_table.beats_stopping(rows, "dp_little", config.repeats)[0] > 0.01
    assert np.array(record["points"]["accuracy"]).shape == (5, len(fooling_table.COLUMNS))
