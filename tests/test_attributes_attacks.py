"""Attacks on one attribute and their measures, against Bayes' rule by enumeration, hand cases and scikit-learn."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, roc_auc_score

from dpmia_lab.attacks.attributes import ATTRIBUTE_ATTACKS, attacks_on
from dpmia_lab.attacks.attributes.calibrated import log_confusion, refitted
from dpmia_lab.attacks.attributes.evidence import Evidence
from dpmia_lab.attacks.attributes.imputation import fitted_logistic, imputer, log_chances
from dpmia_lab.metrics.attributes import guess_accuracy, guess_auroc, guess_f1
from dpmia_lab.stages import drain


def rng(seed=0):
    return np.random.default_rng(seed)


def evidence(**changes) -> Evidence:
    """One split, one person, two values, a regression that says 10 for the first and 20 for the second."""
    usual = dict(
        outcome=np.array([[14.0]]),
        asked=np.array([[[10.0, 20.0]]]),
        answer=np.array([[20.0]]),
        blur=0.0,
        prior=np.log([[0.3, 0.7]]),
        imputed=np.log([[[0.9, 0.1]]]),
        imputed_outcome=np.log([[[0.5, 0.5]]]),
        spread=np.array([4.0]),
        confusion=np.zeros((1, 1, 1)),
        public_outcome=np.array([[1.0, 2.0, 3.0]]),
        public_answer=np.array([[1.0, 2.0, 3.0]]),
    )
    return Evidence(**usual | changes)


def posterior(scores):
    chances = np.exp(scores - scores.max(-1, keepdims=True))
    return chances / chances.sum(-1, keepdims=True)


# ---- maximum a posteriori
def test_naive_map_is_bayes_rule_for_a_gaussian():
    from scipy.stats import norm

    weights = np.array([0.3, 0.7]) * norm.pdf(14.0, [10.0, 20.0], 4.0)
    found = posterior(ATTRIBUTE_ATTACKS["map"].scores(evidence()))[0, 0]
    assert found == pytest.approx(weights / weights.sum())
    weights = np.array([0.9, 0.1]) * norm.pdf(14.0, [10.0, 20.0], 4.0)
    found = posterior(ATTRIBUTE_ATTACKS["imputation_map"].scores(evidence()))[0, 0]
    assert found == pytest.approx(weights / weights.sum())


def test_naive_map_on_a_classifier_is_bayes_rule_on_a_joint_table():
    """All of a small joint table P(secret, x, outcome), where given the model's answer the outcome is independent of x.

    The model names a class g(x, v), and P(outcome | answer) is a confusion matrix: Bayes' rule enumerated.
    """
    prior = np.array([0.2, 0.5, 0.3])
    confusion = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.25, 0.25, 0.5]])  # (said, true)
    said = np.array([[0, 1, 2], [1, 1, 0]])  # (x, v)
    for x in (0, 1):
        for y in (0, 1, 2):
            joint = {v: prior[v] * confusion[said[x, v], y] for v in range(3)}
            expected = [joint[v] / sum(joint.values()) for v in range(3)]
            one = evidence(
                outcome=np.array([[y]]), asked=np.eye(3)[said[x]][None, None], answer=np.zeros((1, 1, 3)),
                prior=np.log(prior)[None], confusion=np.log(confusion)[None],
            )  # fmt: skip
            assert posterior(ATTRIBUTE_ATTACKS["map"].scores(one))[0, 0] == pytest.approx(expected)


def test_counts_are_bayes_rule_with_the_leafs_shares():
    one = evidence(counted=np.log([[[0.25, 0.5]]]))
    found = posterior(ATTRIBUTE_ATTACKS["map_counts"].scores(one))[0, 0]
    assert found == pytest.approx([0.3 * 0.25 / (0.3 * 0.25 + 0.7 * 0.5), 0.7 * 0.5 / (0.3 * 0.25 + 0.7 * 0.5)])


def test_a_calibrating_attacker_does_not_care_about_scale_and_shift():
    """The same guesses from a model and from the same shrunk to a tenth and moved by 50."""
    draw = rng(1)
    asked, known = draw.normal(30, 10, (4, 60, 3)), draw.normal(30, 10, (4, 40))
    outcome, truth = draw.normal(30, 12, (4, 60)), known + draw.normal(0, 5, (4, 40))
    plain = evidence(asked=asked, outcome=outcome, prior=np.zeros((4, 3)), public_answer=known, public_outcome=truth,
                     spread=np.full(4, 5.0))  # fmt: skip
    shrunk = evidence(asked=50 + asked / 10, outcome=outcome, prior=np.zeros((4, 3)), public_answer=50 + known / 10,
                      public_outcome=truth, spread=np.full(4, 12.0))  # fmt: skip
    attack = ATTRIBUTE_ATTACKS["calibrated"]
    assert attack.scores(shrunk) == pytest.approx(attack.scores(plain))
    naive = ATTRIBUTE_ATTACKS["map"]
    assert (naive.scores(shrunk).argmax(-1) != naive.scores(plain).argmax(-1)).mean() > 0.2


def test_refitting_is_least_squares():
    draw = rng(2)
    answers = draw.normal(size=(2, 50))
    outcomes = 3 + 2 * answers + draw.normal(size=(2, 50))
    slope, start, spread = refitted(answers, outcomes)
    for place in (0, 1):
        (b, a), left, *_ = np.linalg.lstsq(np.stack([np.ones(50), answers[place]], 1), outcomes[place], rcond=None)
        assert (slope[place], start[place]) == pytest.approx((a, b))
        assert spread[place] == pytest.approx(np.sqrt(left[0] / 48))


def test_confusion_is_counted_with_one_more_of_each():
    said, truth = np.array([[0, 0, 1, 1, 1]]), np.array([[0, 1, 1, 1, 1]])
    assert np.exp(log_confusion(said, truth, 2))[0] == pytest.approx(np.array([[0.5, 0.5], [0.2, 0.8]]))


def test_csmia_follows_its_three_rules():
    def guess(confidences, outcome):
        asked = np.array(confidences)[None, None]
        one = evidence(asked=asked, outcome=np.array([[outcome]]), answer=asked[:, :, 0])
        return int(ATTRIBUTE_ATTACKS["csmia"].scores(one).argmax(-1)[0, 0])

    assert guess([[0.9, 0.1], [0.4, 0.6]], outcome=1) == 1  # only the second value makes the model right
    assert guess([[0.4, 0.6], [0.1, 0.9]], outcome=1) == 1  # both do: the more confident
    assert guess([[0.9, 0.1], [0.6, 0.4]], outcome=1) == 1  # none does: the less confident


def test_the_models_own_answer_gives_the_secret_away():
    assert ATTRIBUTE_ATTACKS["map_answer"].scores(evidence()).argmax() == 1
    rounded = evidence(asked=np.array([[[20.0, 20.0]]]), prior=np.log([[0.8, 0.2]]))  # both round to the same answer
    assert posterior(ATTRIBUTE_ATTACKS["map_answer"].scores(rounded))[0, 0] == pytest.approx([0.8, 0.2])


def test_attacks_without_a_model_never_look_at_one():
    blind = evidence(asked=np.full((1, 1, 2), np.nan), answer=np.full((1, 1), np.nan))
    for attack in attacks_on("regression").values():
        assert np.isfinite(attack.scores(blind)).all() == (not attack.asks)


def test_each_model_has_its_attacks():
    assert {"map_counts", "csmia"} & set(attacks_on("regression")) == set()
    assert "map_counts" not in attacks_on("mlp") and set(attacks_on("tree")) == set(ATTRIBUTE_ATTACKS)


# ---- imputation
def test_imputation_is_scikit_learns_logistic_regression():
    """The same penalty; the constant, penalised here by 1e-3, moves chances by less than 0.005."""
    draw = rng(3)
    x = np.concatenate([np.ones((2, 400, 1)), draw.normal(size=(2, 400, 3))], 2)
    y = (x @ np.array([[0, 0.5, -0.5], [1, 0, -1], [0, 1, 0], [0, 0, 0]]) + draw.gumbel(size=(2, 400, 3))).argmax(-1)
    w = drain(fitted_logistic(x, y, 3, ridge=2.0))
    for place in (0, 1):
        other = LogisticRegression(C=1 / 2.0, max_iter=1000, tol=1e-8).fit(x[place, :, 1:], y[place])
        ours = np.exp(log_chances(x[[place]], w[[place]]))[0]
        assert ours == pytest.approx(other.predict_proba(x[place, :, 1:]), abs=0.005)


def test_imputation_without_a_signal_is_the_commonest_value_and_with_one_it_is_not_held_back():
    """100 people with 30 useless bits: chances within .1 of the shares; with a clear one as good as without penalty."""
    draw = rng(6)
    x = np.concatenate([np.ones((6, 100, 1)), draw.integers(0, 2, (6, 100, 30))], 2)
    y = (draw.random((6, 100)) < 0.2).astype(int)
    told = np.exp(log_chances(x, drain(imputer(x, y, 2))))[..., 1]
    assert np.abs(told - y.mean(1, keepdims=True)).mean() < 0.1
    clear = x[..., 1].astype(int)
    told = log_chances(x, drain(imputer(x, clear, 2)))
    assert (told.argmax(-1) == clear).mean() > 0.97


# ---- measures
@pytest.mark.parametrize("values", [2, 3, 4])
def test_measures_are_scikit_learns(values):
    """Scores with many ties, two splits at once."""
    draw = rng(4)
    chances = (1 + draw.multinomial(8, np.ones(values) / values, (2, 300))) / (8 + values)  # only nine different ones
    truth = draw.integers(0, values, (2, 300))
    areas, f1 = guess_auroc(np.log(chances), truth), guess_f1(chances.argmax(-1), truth, values)
    for place in (0, 1):
        score = chances[place, :, 1] if values == 2 else chances[place]
        assert areas[place] == pytest.approx(roc_auc_score(truth[place], score, multi_class="ovr"), abs=1e-9)
        how = "binary" if values == 2 else "macro"
        assert f1[place] == pytest.approx(f1_score(truth[place], chances[place].argmax(-1), average=how))


def test_scores_that_know_nothing_have_chance_and_perfect_ones_all():
    truth = rng(5).integers(0, 3, (3, 900))
    nothing, everything = np.zeros((3, 900, 3)), 9.0 * np.eye(3)[truth]
    assert guess_auroc(nothing, truth) == pytest.approx(0.5)
    assert guess_accuracy(nothing, truth) == pytest.approx((truth == 0).mean(1))
    assert (guess_auroc(everything, truth) == 1).all() and (guess_accuracy(everything, truth) == 1).all()
