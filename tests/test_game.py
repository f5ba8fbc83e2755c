"""Every defence against every attack that fits; and what an attack is given, and is not."""

import numpy as np
import pytest

from dpmia_lab.data import Dataset
from dpmia_lab.data.population import load_population
from dpmia_lab.defences import DEFENCES, Undefended
from dpmia_lab.defences.base import Task
from dpmia_lab.experiments import inversion
from dpmia_lab.game.attacks import ATTACKS, FOOLING, INVERSION, MEMBERSHIP
from dpmia_lab.game.candidates import candidates_of
from dpmia_lab.game.evidence import NEEDS, Evidence, Given
from dpmia_lab.game.play import attacked
from dpmia_lab.game.settings import Settings, recipe_of, task_of
from dpmia_lab.game.trainer import Trainer
from dpmia_lab.rows import Rows
from dpmia_lab.seeds import numpy_generator
from dpmia_lab.stages import Progress, drain

SMALL = Settings(data="digits", model="mlp", width=32, records=60, epochs=30, rate=0.02, batch=16)
# Settings at which each leaves something to see.
SMALLEST = {
    "regularised": {"dropout": 0.5},
    "central": {"sigma": 0.5},
    "units": {"sigma": 0.5},
    "local": {"epsilon_i": 5.0, "cell": 2},
    "masking": {"digits": 2},
    "relaxloss": {"alpha": 0.1},
    "smoothing": {"share": 0.3},
    "stopping": {"after": 20},
    "dap": {"teachers": 2, "keep": "last"},
}
TRAINED_ALIKE = ("masking",)  # which says less, and learns the same


@pytest.fixture(scope="module")
def population():
    return load_population("digits", seed=0)


@pytest.fixture(scope="module")
def candidates(population):
    return candidates_of(SMALL, population)


@pytest.fixture(scope="module")
def pictures(population, candidates):
    """The same people as a set of pictures: who was trained on, and who was not."""
    members, others = candidates.alike.members, candidates.pool
    return Dataset("digits", members.x, members.y, others.x, others.y, population.class_names, "")


@pytest.fixture(scope="module")
def judge(pictures):
    return drain(inversion.trained_judge(inversion.SMALL, pictures))


def evidence_of(defence, population, candidates, shadows=2, both=4):
    """Of a target that was trained under that defence."""
    trainer = Trainer(defence, task_of(SMALL, population), recipe_of(SMALL), SMALL.seed)
    target = trainer.fresh("target")
    drain(trainer.train(target, candidates.alike.members, candidates.validation, "target"))
    return Evidence(trainer, target, candidates, shadows=shadows, both=both, most=SMALL.records)


@pytest.fixture(scope="module")
def undefended(population, candidates):
    """Shared by the tests that leave it as it is."""
    return evidence_of(Undefended(), population, candidates)


@pytest.fixture(scope="module")
def matrix(population, candidates, pictures, judge):
    """Answers by defence and attack, and all rows."""
    answers, rows, shared, discriminator = {}, [], {}, None
    for name, kind in DEFENCES.items():
        evidence = evidence_of(kind(**SMALLEST.get(name, {})), population, candidates)
        evidence.found |= shared  # what does not depend on the defence
        evidence.trainer.discriminator = discriminator
        for called, attack in ATTACKS.items():
            assert attack.fits(evidence.trainer.task) == ""
            if attack.draws and name in TRAINED_ALIKE:
                continue
            given = drain(evidence.gathered(attack.needs, "alike", called))
            answer = answers[name, called] = drain(attack.run(given))
            truth = (pictures, judge) if attack.draws else (candidates.alike.member, numpy_generator(0, called))
            rows += drain(attack.judged(answer, *truth, defence=name, attack=called))
        shared = {"unadapted": evidence.found["unadapted"]}
        discriminator = discriminator or evidence.trainer.discriminator
    return answers, Rows(tuple(rows))


def test_every_defence_meets_every_attack(matrix):
    _, rows = matrix
    assert rows.all("defence") == list(DEFENCES) and rows.all("attack") == list(ATTACKS)
    for name in DEFENCES:
        drawn = set() if name in TRAINED_ALIKE else set(INVERSION)
        assert {row.attack for row in rows.where(defence=name, measure="auc")} == {*MEMBERSHIP, *FOOLING}
        assert {row.attack for row in rows.where(defence=name, measure="similarity_mean")} == drawn


@pytest.mark.parametrize("name", DEFENCES)
def test_no_attack_returns_mostly_ties(matrix, name):
    answers, _ = matrix
    for called, attack in ATTACKS.items():
        if attack.coarse or (attack.draws and name in TRAINED_ALIKE):
            continue
        answer = answers[name, called]
        values = answer.x.reshape(len(answer.x), -1) if attack.draws else answer[~np.isnan(answer)]
        if name == "masking" and not attack.draws:
            continue  # that is what it does
        assert len(np.unique(values, axis=0)) > len(values) / 2, called


def test_defences_differ_and_the_undefended_model_leaks(matrix):
    _, rows = matrix
    auc = {row.defence: row.value for row in rows.where(measure="auc", attack="lira_fixed")}
    drawn = {row.defence: row.value for row in rows.where(measure="similarity_mean", attack="enhanced")}
    assert auc["none"] > 0.6 and min(auc, key=auc.get) != "none"
    assert len(set(auc.values())) == len(DEFENCES)
    assert len(set(drawn.values())) == len(DEFENCES) - len(TRAINED_ALIKE)


# ---- evidence
def test_an_attack_is_given_what_it_needs_and_nothing_else(undefended):
    for called, attack in ATTACKS.items():
        given = drain(undefended.gathered(attack.needs, "alike", called))
        for need in NEEDS:
            if need in attack.needs:
                getattr(given, need)
            else:
                with pytest.raises(AttributeError, match="the attack was not given"):
                    getattr(given, need)


@pytest.mark.parametrize("name", {**MEMBERSHIP, **FOOLING})
def test_an_attack_says_all_that_it_needs(name, undefended):
    """Without any one piece it cannot be made: none is asked for in vain."""
    attack = ATTACKS[name]
    full = drain(undefended.gathered(attack.needs, "alike", name))
    for need in attack.needs:
        rest = Given({other: getattr(full, other) for other in attack.needs - {need}}, full.seed, full.path)
        with pytest.raises(AttributeError, match="it must say that it needs it"):
            drain(attack.run(rest))


def test_evidence_is_computed_once_however_many_attacks_ask_and_progress_rises(population, candidates):
    evidence, trained, events = evidence_of(Undefended(), population, candidates), [], []
    ask_many = evidence.trainer.ask_many
    evidence.trainer.ask_many = lambda *arguments: trained.append(arguments[-1]) or ask_many(*arguments)
    scores = drain(attacked(evidence, MEMBERSHIP), events.append)
    assert sorted(trained) == ["inside", "shadow"] and len(scores) == len(MEMBERSHIP)
    asked = evidence.found["outputs"]["alike"]
    assert drain(evidence.gathered({"outputs"}, "alike", "loss")).outputs is asked
    progress = [event for event in events if isinstance(event, Progress)]
    shares = [event.done / event.total for event in progress]
    assert (np.diff(shares) > -1e-9).all() and 0.9 < shares[-1] <= 1
    assert {"training shadow models", "attacking: white box"} <= {event.label for event in progress}


def test_whoever_knows_half_is_told_nothing_about_the_other_half(undefended, candidates):
    half = drain(undefended.gathered({"half"}, "alike", "white_box")).half
    assert not half.member[~half.known].any()
    assert (half.member[half.known] == candidates.alike.member[half.known]).all()
    assert 0.3 < half.known.mean() < 0.7


def test_attacks_without_enough_shadow_models_are_left_out(population, candidates):
    alone = evidence_of(Undefended(), population, candidates, shadows=0, both=0)
    without = [name for name, attack in MEMBERSHIP.items() if not attack.needs & {"shadows", "both"}]
    assert [name for name, _ in drain(attacked(alone, MEMBERSHIP))] == without and "white_box" in without
    one = evidence_of(Undefended(), population, candidates, shadows=1, both=0)
    assert "lira_offline" not in {name for name, _ in drain(attacked(one, MEMBERSHIP))}


def test_only_pictures_can_be_drawn():
    bits, through_a_core = Task("bits", (12,), 3, "mlp"), Task("pictures", (1, 8, 8), 3, "mlp", features=(16,))
    for attack in INVERSION.values():
        assert attack.fits(bits) == f"{attack.words}: the model must take pictures themselves; it takes bits."
        assert attack.fits(through_a_core).endswith("it takes features of pictures.")
    assert all(attack.fits(bits) == attack.fits(through_a_core) == "" for attack in MEMBERSHIP.values())


def test_an_attack_has_words_and_known_needs():
    assert len({attack.words for attack in ATTACKS.values()}) == len(ATTACKS)
    for attack in ATTACKS.values():
        assert attack.needs and attack.needs <= set(NEEDS)
