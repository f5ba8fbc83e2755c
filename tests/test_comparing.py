"""One protocol for every defence and attack: what fits is tried, and noise is not taken for risk."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from dpmia_lab.attacks.membership import shadow, white_box
from dpmia_lab.checks import Mistake
from dpmia_lab.commands.command_line import main
from dpmia_lab.defences.compared import COMPARED, EVERY, TABLE_ONLY
from dpmia_lab.experiments import comparing, comparing_membership, comparing_people, comparing_pictures
from dpmia_lab.experiments.comparing_attributes import BASELINES
from dpmia_lab.experiments.comparing_columns import DATA, columns_for
from dpmia_lab.experiments.comparing_config import Config, defence_of
from dpmia_lab.experiments.comparing_fits import attack_words, defence_fits, fits
from dpmia_lab.experiments.comparing_membership import most_at_risk, rmia_in_turn, unadapted_in_turn
from dpmia_lab.experiments.comparing_models import Said, said_by_all, trainer_for
from dpmia_lab.experiments.comparing_people import case_of
from dpmia_lab.experiments.comparing_pictures import NOTHING
from dpmia_lab.experiments.comparing_promise import promise_of
from dpmia_lab.game import picture_roles
from dpmia_lab.game.candidates import candidate_halves
from dpmia_lab.metrics.membership import auc
from dpmia_lab.privacy.dp_sgd import DpSgd
from dpmia_lab.stages import drain
from dpmia_lab.sweeps.comparison import base_of, chosen_columns, compared
from dpmia_lab.training import discriminator


@pytest.fixture(autouse=True, scope="module")
def quick_attackers():
    """Attack networks need not learn anything here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(discriminator, "STEPS", 10)
        patch.setattr(shadow, "STEPS", 5)
        patch.setattr(white_box, "EPOCHS", 1)
        patch.setattr(comparing_pictures, "JUDGE_STEPS", 10)
        patch.setattr(picture_roles, "PUBLIC_PEOPLE", 20)
        yield


def result_of(data: str, **changes):
    return drain(comparing.run(replace(base_of(data, small=True)[1], **changes)))


def one_of_each(data: str):
    """Of every defence the first column of every model and kind of answer."""
    found = {}
    for name, column in columns_for(data).items():
        kind = column.family, column.changes.get("model"), column.changes.get("mask") == "temperature"
        found.setdefault(kind, name)
    return found.values()


# ---- every defence against every attack
@pytest.mark.parametrize(("data", "name"), [(data, name) for data in DATA for name in one_of_each(data)])
def test_every_attack_is_tried_or_has_a_sentence(data, name):
    column = columns_for(data)[name]
    rows = result_of(data, **column.changes).rows
    tried = {row.attack for row in rows} - {"", NOTHING}
    fitting = {attack for attack in attack_words() if not fits(column, attack, data)}
    assert tried == fitting
    assert all(np.isfinite(row.value) for row in rows)
    assert rows.has("accuracy", protocol="test") and rows.has("train_accuracy")
    for protocol in ("turns", "mislabelled", "atypical", "worst"):
        assert rows.has("auc", attack="lira_fixed", protocol=protocol)


@pytest.mark.parametrize("data", DATA)
def test_every_defence_has_columns_or_a_sentence(data):
    families = {str(column.changes["defence"]) for column in columns_for(data).values()}
    for defence in EVERY:
        why_not = [fits(defence, attack, data) for attack in attack_words()]
        assert all(sentence == "" or sentence.endswith(".") for sentence in why_not)
        assert (defence in families) != all(why_not)
    assert all(not defence_fits(column, data) for column in columns_for(data).values())


def test_one_name_space():
    assert set(TABLE_ONLY).isdisjoint(COMPARED)
    with pytest.raises(Mistake, match="model must be one of regression, tree for ridge"):
        Config(defence="ridge")
    with pytest.raises(Mistake, match="data must be a table"):
        drain(comparing.run(Config(model="tree")))
    with pytest.raises(Mistake, match="sensitive column"):
        drain(comparing.run(replace(comparing.SMALL, defence="drop")))
    with pytest.raises(Mistake, match="shadows must be even"):
        Config(shadows=7)


# ---- one protocol
@pytest.mark.parametrize("data", DATA)
def test_all_defences_of_a_seed_meet_the_same_people(data):
    base = base_of(data, small=True)[1]
    cases = []
    for defence in ("none", "dap"):
        comparing_people.KEPT_CASES.clear()  # so that it is not merely the same object
        cases.append(drain(case_of(replace(base, defence=defence))))
    first, second = cases
    assert first is not second
    np.testing.assert_array_equal(first.people.x, second.people.x)
    np.testing.assert_array_equal(first.people.y, second.people.y)
    np.testing.assert_array_equal(first.inside, second.inside)
    np.testing.assert_array_equal(first.what, second.what)
    np.testing.assert_array_equal(first.held.x, second.held.x)
    assert (first.inside[::2] ^ first.inside[1::2]).all()  # of every pair of models, each candidate is in one


@pytest.mark.parametrize("data", DATA)
def test_nobody_is_held_aside_and_asked_about(data):
    case = drain(case_of(base_of(data, small=True)[1]))
    ordinary = case.people.x[case.ordinary].reshape(case.ordinary.sum(), -1)
    if data == "faces":  # of bits, two people may be alike
        held = case.held.x.reshape(len(case.held), -1)
        roles = case.roles
        others = [held, *(getattr(roles, role).x.reshape(-1, held.shape[1]) for role in ("test", "judge", "auxiliary"))]
        everybody = np.concatenate([ordinary, *others])
        assert len(np.unique(everybody, axis=0)) == len(everybody)
    assert len(case.held) >= 12


def test_what_is_kept_changes_no_number():
    column = columns_for("carts")["hamp_0.9"].changes
    comparing_people.KEPT_CASES.clear()
    fresh = result_of("carts", **column)
    kept = result_of("carts", **column)
    assert fresh.numbers == kept.numbers
    assert len(comparing_people.KEPT_CASES) <= comparing_people.KEPT


# ---- nothing is found where there is nothing
def said_of_nothing(seed: int, models: int = 16, people: int = 500) -> tuple[Said, Said]:
    """Models that were trained on nobody, asked about people of whom some are easier than others."""
    rng = np.random.default_rng(seed)
    inside = candidate_halves(models, people, rng)
    ease = 2 * rng.normal(size=people)
    signals = ease + rng.normal(size=inside.shape) + rng.normal(size=(models, 1))
    plain = ease + rng.normal(size=inside.shape) + inside  # the attacker's own, which were trained
    return Said(inside, {"one": signals}, signals > 0), Said(inside, {"one": plain}, plain > 0)


def test_models_trained_on_nobody_give_nobody_away():
    found: dict[tuple[str, str], list[float]] = {}
    for seed in range(6):
        said, plain = said_of_nothing(seed)
        signals = said.signals["one"]
        scores = {
            "loss": signals,
            "lira_fixed": said.family().scores_in_turn(0, "plain"),
            "lira_levelled": said.family().scores_in_turn(0, "levelled"),
            "rmia": rmia_in_turn(said),
            "lira_unadapted": unadapted_in_turn(said, plain),
        }
        for attack, own in scores.items():
            found.setdefault((attack, "turns"), []).append(auc(own.ravel(), said.inside.ravel()))
            worst, truth = most_at_risk(own, said.inside, signals)
            found.setdefault((attack, "worst"), []).append(auc(worst.ravel(), truth.ravel()))
    for values in found.values():
        assert np.mean(values) == pytest.approx(0.5, abs=0.03)


def test_the_records_most_at_risk_are_found():
    """One record in twenty is learnt by heart: those are chosen, and they are told apart."""
    said, _ = said_of_nothing(0)
    risky = np.arange(500) < 25
    signals = said.signals["one"] + 6 * (said.inside & risky)
    scores = replace_signal(said, signals).family().scores_in_turn(0, "plain")
    chosen, truth = most_at_risk(scores, said.inside, signals)
    assert chosen.shape == (16, 25)
    assert auc(chosen.ravel(), truth.ravel()) > 0.9
    assert risky[np.argsort(-comparing_membership.risks(signals, said.inside))[:25]].sum() > 20


def replace_signal(said: Said, signals: np.ndarray) -> Said:
    return Said(said.inside, {"one": signals}, signals > 0)


def test_the_label_alone_leaves_a_threshold_with_ties():
    case_config = replace(base_of("carts", small=True)[1], defence="masking", mask="label")
    case = drain(case_of(case_config))
    said = drain(said_by_all(case_config, case))
    for own in said.signals["one"]:
        assert len(np.unique(own)) == 2  # right or wrong, and no more
    assert len(np.unique(said.signals["weights"][0])) > 20
    assert (said.labels >= 0).all() and (said.labels <= 1).all()


# ---- secrets
def test_a_model_without_the_sensitive_column_adds_nothing_to_imputation():
    rows = result_of("patients", defence="drop").rows
    baseline = rows.value("attack_accuracy", attack="imputation", protocol="train")
    assert rows.value("attack_accuracy", attack="imputation_map", protocol="train") == pytest.approx(baseline)
    for attack in BASELINES:
        assert rows.has("attack_over_imputation", attack=attack, protocol="test")
    assert rows.value("attack_over_imputation", attack="imputation_outcome", protocol="test") == 0


# ---- grids
def test_a_comparison_is_stored_cell_by_cell_and_goes_on(tmp_path):
    like, base = base_of("patients", small=True)
    columns = chosen_columns(like, ["adassp", "regression"])
    del columns["none"]
    events = []
    grid, failed = drain(compared("patients", base, columns, 1, folder=tmp_path, workers=1), events.append)
    assert not failed
    assert list(grid.columns) == ["regression", "adassp_1", "adassp_4"]
    assert grid.promises["adassp_4"]["epsilon"] == 4 and "regression" not in grid.promises
    assert "for a record" in grid.promises["adassp_4"]["words"]
    again = []
    same, _ = drain(compared("patients", base, columns, 1, folder=tmp_path, workers=1), again.append)
    assert next(event.values["stored"] for event in reversed(again) if "stored" in event.values) == 3
    assert same.values.keys() == grid.values.keys()
    for key, values in grid.values.items():
        np.testing.assert_array_equal(values, same.values[key])


def test_the_command_tells_what_fits_and_what_came_out(tmp_path, capsys):
    assert main(["compare", "--fits", "--data", "faces"]) == 0
    told = capsys.readouterr().out
    assert "answers are not drawn anew" in told and "RMIA" in told
    file = tmp_path / "grid.json"
    arguments = ["--data", "patients", "--small", "--defence", "tree", "--folder", str(tmp_path), "--json", str(file)]
    assert main(["compare", *arguments, "--workers", "1"]) == 0
    told = capsys.readouterr().out
    assert "a tree, no defence" in told and "Nothing is promised." in told
    assert file.exists()
    assert main(["compare", "--defence", "nonsense"]) == 2
    assert "defence must be one of" in capsys.readouterr().err


@pytest.mark.parametrize(("unit", "units"), [("class", 4), ("subclass", 12)])
def test_a_promise_and_its_risk_are_of_the_same_units(unit, units):
    """The σ, q and T that risk is worked out from give the very ε that is promised."""
    config = replace(comparing.SMALL, defence="units", unit=unit, k_sub=3)
    case = drain(case_of(config))
    told = promise_of(config, case)
    dp = DpSgd(told["sigma"], told["q"], 1.0, told["steps"], told["delta"], told["neighbours"])
    assert defence_of(config).count(case.task) == units
    assert dp.epsilon() == told["epsilon"] and told["unit"] == unit


def test_noise_on_answers_follows_from_the_seed():
    """The same seed, the same answers; another seed, other noise."""
    config = replace(comparing.SMALL, defence="uniform_noise")
    case = drain(case_of(config))
    x = torch.zeros(3, 5)
    first, again, other = (
        trainer_for(replace(config, seed=seed), case).answers(torch.nn.Identity(), x) for seed in (0, 0, 1)
    )
    assert torch.equal(first, again) and not torch.equal(first, other)
