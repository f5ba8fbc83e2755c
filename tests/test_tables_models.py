"""Models of tables and their defences, against slow loops, hand-worked cases, scikit-learn and integrals."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize
from scipy.stats import chisquare
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.tree import DecisionTreeClassifier

from dpmia_lab.defences.tables import TABLE_DEFENCES
from dpmia_lab.defences.tables.adassp import AdaSsp, sums_of
from dpmia_lab.defences.tables.base import Growth
from dpmia_lab.defences.tables.dp_id3 import DpId3, exponential_draws
from dpmia_lab.defences.tables.mid import Mid
from dpmia_lab.defences.tables.priority import Priority
from dpmia_lab.defences.tables.undefended import Undefended
from dpmia_lab.metrics.audit import epsilon_lower_bound
from dpmia_lab.stages import drain
from dpmia_lab.training.entropy import binned_entropy, entropy_penalised, exact_entropy
from dpmia_lab.training.id3 import Categories, grown, purest
from dpmia_lab.training.regression import Problem, least_squares, predictions


def rng(seed=0):
    return np.random.default_rng(seed)


def regression_problem(splits=3, n=300, d=4, seed=0) -> Problem:
    draw = rng(seed)
    x = np.concatenate([np.ones((splits, n, 1)), draw.uniform(-1, 1, (splits, n, d - 1))], 2)
    y = x @ np.arange(1.0, d + 1) + draw.normal(size=(splits, n))
    return Problem(x, y, np.sqrt(d), -15.0, 20.0)


# ---- regression
def test_regression_of_all_splits_is_scikit_learns_of_each():
    problem = regression_problem()
    for ridge in (0.0, 0.3):
        ours = least_squares(problem, ridge)
        for x, y, own in zip(problem.x, problem.y, ours, strict=True):
            other = Ridge(ridge * len(y)) if ridge else LinearRegression()
            theirs = other.fit(x[:, 1:], y)
            assert own == pytest.approx([theirs.intercept_, *theirs.coef_], abs=1e-6)


# ---- eq. 4
def slow_entropy(f, sigma):
    """Eq. 4 as it stands, in a double loop (with 1/σ for the printed 1/σ²)."""
    total = 0.0
    for a in f:
        inner = sum(np.exp(-0.5 * ((a - b) / sigma) ** 2) / (np.sqrt(2 * np.pi) * sigma) for b in f) / len(f)
        total -= np.log(inner) / len(f)
    return total


def test_eq_4_is_the_double_loop_and_its_gradient_the_numerical_one():
    f = rng(2).normal(size=40)
    value, gradient = exact_entropy(f, 0.5)
    assert value == pytest.approx(slow_entropy(f, 0.5), abs=1e-12)
    for place in (0, 7, 39):
        step = np.zeros(40)
        step[place] = 1e-5
        slope = (slow_entropy(f + step, 0.5) - slow_entropy(f - step, 0.5)) / 2e-5
        assert gradient[place] == pytest.approx(slope, abs=1e-8)


def test_eq_4_approaches_the_mixtures_integrated_entropy():
    """A zeroth-order Taylor term: for a Gaussian it lacks ½σ²/(τ² + σ²), measured by integrating −p log p.

    Tolerance 0.02: five times the sampling error of 4,000 predictions, √(½/4000) ≈ 0.011 shared by both sides.
    """
    f = rng(3).normal(size=4000)
    for sigma in (0.3, 1.0):

        def integrand(z, sigma=sigma):
            p = np.mean(np.exp(-0.5 * ((z - f) / sigma) ** 2)) / (np.sqrt(2 * np.pi) * sigma)
            return -p * np.log(p) if p > 1e-300 else 0.0

        integrated = quad(integrand, -9, 9, limit=60, epsabs=1e-4)[0]
        lacking = 0.5 * sigma**2 / (f.var() + sigma**2)
        assert exact_entropy(f, sigma)[0] + lacking == pytest.approx(integrated, abs=0.02)


@pytest.mark.parametrize("sigma", [0.1, 0.3, 0.86, 3.0])
def test_the_binned_entropy_is_the_exact_one(sigma):
    """Stated: the entropy within 1e-3; its gradient within 2 % of its own length."""
    f = rng(4).standard_t(5, size=(3, 500)) * np.array([[1.0], [5.0], [0.2]])
    sigmas = sigma * f.std(1)
    values, gradients = binned_entropy(f, sigmas)
    for own, s, value, gradient in zip(f, sigmas, values, gradients, strict=True):
        exact, slope = exact_entropy(own, s)
        assert value == pytest.approx(exact, abs=1e-3)
        assert np.linalg.norm(gradient / len(own) - slope) < 0.02 * np.linalg.norm(slope)


@pytest.mark.parametrize("lam", [0.4, 1.1, 3.0])
def test_mid_finds_the_minimum_of_the_exact_objective(lam):
    """Against scipy's minimiser on the double sum: predictions within 1 % of the plain ones' spread."""
    problem = regression_problem(splits=2, n=250)
    ours = drain(entropy_penalised(problem, lam, 0.86))
    plain = least_squares(problem)
    for x, y, own, start in zip(problem.x, problem.y, ours, plain, strict=True):
        spread = (x @ start).std()

        def cost(a, x=x, y=y, spread=spread):
            entropy, slope = exact_entropy(x @ a, 0.86 * spread)
            value = ((y - x @ a) ** 2).mean() + lam * spread**2 * entropy
            return value, -2 * x.T @ (y - x @ a) / len(y) + lam * spread**2 * x.T @ slope

        best = minimize(cost, start, jac=True, method="BFGS").x
        assert np.abs(x @ own - x @ best).max() < 0.02 * spread
        assert (x @ own - x @ best).std() < 0.01 * spread


def test_mid_is_the_plain_regression_scaled():
    """Measured before: correlation ≥ .9997 with least squares; the factor is that of the one-dimensional formula."""
    problem = regression_problem(splits=2, n=1500)
    f = predictions(problem.x, least_squares(problem))
    for lam in (0.4, 0.6, 1.1):
        g = predictions(problem.x, drain(entropy_penalised(problem, lam, 0.86)))
        scales = np.linspace(0.01, 1, 1000)
        for plain, own in zip(f, g, strict=True):
            assert np.corrcoef(plain, own)[0, 1] > 0.999
            v = scales**2 + 0.86**2  # in units of the variance
            cost = (1 - scales) ** 2 + lam * (0.5 * np.log(v) + 0.5 * scales**2 / v)
            assert own.std() / plain.std() == pytest.approx(scales[cost.argmin()], abs=0.06)
            assert own.mean() == pytest.approx(plain.mean(), abs=0.02 * plain.std())


def test_no_penalty_is_no_defence():
    problem = regression_problem()
    assert drain(entropy_penalised(problem, 0.0, 0.86)) == pytest.approx(least_squares(problem), abs=1e-6)


# ---- AdaSSP
@pytest.mark.parametrize("joint", [True, False])
def test_adassp_with_a_huge_budget_is_least_squares(joint):
    problem = regression_problem(n=2000)
    found = drain(AdaSsp(epsilon=1e5, joint=joint).coefficients(problem, rng()))
    assert found == pytest.approx(least_squares(problem), abs=0.02)


def test_calibrating_jointly_needs_less_noise_than_thirds():
    """Measured before: 1.3 to 1.9 times less."""
    for epsilon in (0.5, 1.0, 3.0):
        ratio = AdaSsp(epsilon, joint=False).deviation / AdaSsp(epsilon, joint=True).deviation
        assert 1.2 < ratio < 2.2


def releases(defence, problem, draws, seed):
    """(draws, …): all that is told, flat."""
    gram, moments = (np.repeat(part[:1], draws, 0) for part in sums_of(problem))
    least, told, sums = defence.noisy_sums(gram, moments, rng(seed))
    upper = np.triu_indices(gram.shape[-1])
    return np.concatenate([least[:, None], told[:, upper[0], upper[1]], sums], 1)


def audited(defence, noise_share=1.0):
    """The ε that the best test between two neighbours proves; ``noise_share`` < 1 pretends that noise is larger."""
    problem = regression_problem(splits=1, n=30)
    extreme = np.concatenate([problem.x, np.full((1, 1, 4), 1.0)], 1), np.append(problem.y, [[problem.high]], 1)
    other = Problem(*extreme, problem.norm, problem.low, problem.high)
    one, two = releases(defence, problem, 20_000, 1), releases(defence, other, 20_000, 2)
    exact = [np.concatenate([np.linalg.eigvalsh(g)[0][:1], g[0][np.triu_indices(4)], m[0]]) for g, m in
             (sums_of(problem), sums_of(other))]  # fmt: skip
    direction = exact[1] - exact[0]  # the likelihood ratio of Gaussians is a projection
    scores = np.concatenate([two, one]) @ direction
    member = np.arange(40_000) < 20_000
    return epsilon_lower_bound(scores, member, defence.delta, rng(3)), direction


@pytest.mark.parametrize("joint", [True, False])
def test_adassp_keeps_its_promise_on_neighbours(joint):
    """20,000 releases each with and without the most extreme record: the proved ε stays below the promised one."""
    defence = AdaSsp(epsilon=1.5, delta=1e-3, joint=joint)
    proved, direction = audited(defence)
    assert proved <= 1.5
    assert np.linalg.norm(direction) <= np.sqrt(3) + 1e-9  # each of the three by at most 1


def test_the_audit_would_see_too_little_noise(monkeypatch):
    """The same audit refutes the same promise where the noise is a quarter of what it should be."""
    monkeypatch.setattr(AdaSsp, "deviation", AdaSsp(epsilon=1.5, delta=1e-3).deviation / 4)
    assert audited(AdaSsp(epsilon=1.5, delta=1e-3))[0] > 1.5


def test_promises_say_what_they_are_of():
    assert AdaSsp(2.0).promise(100).words() == "ε = 2 for a record (add or remove one; δ = 1e-5; tight accountant, PLD)"
    told = AdaSsp(2.0, joint=False).promise(100).words()
    assert told == "ε = 2 for a record (add or remove one; δ = 1e-5; sum of thirds)"
    told = DpId3(2.0).promise(100).words()
    assert told == "ε = 2 for a record (add or remove one; δ = 0; sum over 3 levels and the leaves)"


# ---- ID3
# Quinlan's "play tennis": outlook, temperature, humidity, wind; whether to play.
TENNIS = """sunny hot high weak no
sunny hot high strong no
overcast hot high weak yes
rain mild high weak yes
rain cool normal weak yes
rain cool normal strong no
overcast cool normal strong yes
sunny mild high weak no
sunny cool normal weak yes
rain mild normal weak yes
sunny mild normal strong yes
overcast mild high strong yes
overcast hot normal weak yes
rain mild high strong no"""


def tennis() -> Categories:
    words = np.array([line.split() for line in TENNIS.splitlines()])
    codes = np.stack([np.unique(column, return_inverse=True)[1] for column in words.T], 1)
    return Categories(codes[None, :, :4], codes[None, :, 4], (3, 3, 2, 2), 2, secret=3)


def test_id3_grows_quinlans_tree():
    """Known by hand: outlook first (gain .247); overcast is pure; sunny asks humidity, rain asks wind; five leaves."""
    data = tennis()
    trees = drain(grown(data, purest("gain"), 9))
    assert trees.feature[0] == 0
    overcast, rain, sunny = trees.children[0]
    assert (trees.feature[overcast], trees.feature[rain], trees.feature[sunny]) == (-1, 3, 2)
    assert len(trees.feature) == 8 and (trees.feature < 0).sum() == 5
    assert (trees.shares[trees.reached(data.x)].argmax(-1) == data.y).all()


def test_gains_are_the_known_ones():
    seen = []
    drain(grown(tennis(), lambda level: seen.append(level) or purest("gain")(level), 1))
    from dpmia_lab.training.id3 import purities

    assert purities(seen[0], "gain")[0] == pytest.approx([0.2467, 0.0292, 0.1518, 0.0481], abs=1e-4)


@pytest.mark.parametrize(("ours", "theirs"), [("gain", "entropy"), ("gini", "gini")])
def test_on_bits_it_asks_what_scikit_learn_asks(ours, theirs):
    """Depth 2 on bits, where a question once asked is no use again; ties would differ, so weights make none."""
    draw = rng(7)
    x = draw.integers(0, 2, (5, 400, 6))
    y = (x @ np.array([3, 2, 1, 0, 0, 0]) + draw.normal(0, 1.5, (5, 400)) > 3).astype(int)
    trees = drain(grown(Categories(x, y, (2,) * 6, 2), purest(ours), 2))
    reached = trees.shares[trees.reached(x)]
    for split in range(5):
        other = DecisionTreeClassifier(criterion=theirs, max_depth=2, random_state=0).fit(x[split], y[split])
        assert trees.feature[split] == other.tree_.feature[0]
        assert reached[split] == pytest.approx(other.predict_proba(x[split]), abs=1e-6)


def test_trees_of_many_splits_are_those_of_each_alone():
    draw = rng(8)
    x, y = draw.integers(0, 3, (4, 120, 5)), draw.integers(0, 3, (4, 120))
    together = drain(grown(Categories(x, y, (3,) * 5, 3), purest("gain", 5), 9))
    answers = together.shares[together.reached(x)]
    for split in range(4):
        alone = drain(grown(Categories(x[[split]], y[[split]], (3,) * 5, 3), purest("gain", 5), 9))
        assert alone.shares[alone.reached(x[[split]])][0] == pytest.approx(answers[split])


def planted(n=2000, splits=4) -> Categories:
    """The last feature is the secret and matters most."""
    draw = rng(9)
    x = draw.integers(0, 2, (splits, n, 5))
    y = (x[..., 4] * 2 + x[..., 0] + x[..., 1] + draw.normal(0, 1, (splits, n)) > 2).astype(int)
    return Categories(x, y, (2,) * 5, 2, secret=4)


def asked_at(trees) -> set[int]:
    return set(trees.depth[trees.feature == 4].tolist())


def test_priority_asks_the_secret_where_it_is_told_to():
    data = planted()
    for depth in (0, 1, 3):
        assert asked_at(drain(Priority(depth).trees(data, Growth(), rng()))) == {depth}
    assert asked_at(drain(Priority(-1).trees(data, Growth(), rng()))) == set()
    assert asked_at(drain(Undefended().trees(data, Growth(), rng()))) == {0}


def test_mid_without_a_weight_is_id3_and_with_a_stop_says_one_thing():
    """As printed, trees grow as large at any λ; with "ask nothing" a large λ leaves nothing that changes an answer."""
    data, growth = planted(), Growth(leaf=1)
    plain = drain(Undefended().trees(data, growth, rng()))
    same = drain(Mid(0.0).trees(data, growth, rng()))
    assert (same.feature == plain.feature).all()
    printed, stopping = (drain(Mid(100.0, stop=stop).trees(data, growth, rng())) for stop in (False, True))
    assert len(printed.feature) > 0.5 * len(plain.feature)
    said = stopping.shares[stopping.reached(data.x)].argmax(-1)
    assert (said == said[:, :1]).all() and 4 not in stopping.feature


def test_mids_entropy_is_that_of_the_whole_trees_answers():
    """At the second level, against growing the tree by that question and asking it of all training people."""
    from dpmia_lab.defences.tables.mid import entropies
    from dpmia_lab.training.id3 import entropy

    data, seen = planted(n=300, splits=1), []

    def choose(level):
        seen.append(level)
        return purest("gain")(level)

    drain(grown(data, choose, 2))
    after, now = entropies(seen[1])

    def told(trees):
        said = trees.shares[trees.reached(data.x)].argmax(-1)
        return entropy(np.bincount(said.ravel(), minlength=2).astype(float))

    assert now[0] == pytest.approx(told(drain(grown(data, purest("gain"), 1))))
    for feature in (0, 1, 2, 3):

        def one_only(level, feature=feature):
            chosen = purest("gain")(level)
            return chosen if level.depth == 0 else np.array([feature] + [-1] * (len(chosen) - 1))

        assert after[0, feature] == pytest.approx(told(drain(grown(data, one_only, 2))))


# ---- DP-ID3
def test_questions_are_drawn_as_the_exponential_mechanism_says():
    """χ² over 20,000 draws against exp(εu/2Δ); 1e-3 is the chance that a right one fails."""
    scores = np.array([3.0, 1.0, 0.0, -np.inf])
    drawn = exponential_draws(np.tile(scores, (20_000, 1)), 0.8, 1.0, rng(5))
    weights = np.exp(0.8 * scores[:3] / 2)
    counts = np.bincount(drawn, minlength=4)
    assert counts[3] == 0
    assert chisquare(counts[:3], 20_000 * weights / weights.sum()).pvalue > 1e-3


def test_leaf_noise_is_laplace_of_the_two_shares_left():
    """Mean absolute noise is 1/(2·share); 6,400 draws give it within 5 %."""
    data, defence = planted(n=400, splits=200), DpId3(epsilon=8.0, dp_depth=3)
    trees = drain(grown(data, lambda level: np.full(len(level.people), level.depth), 3, private=True))
    noisy = defence.leaf_counts(trees, rng(1))
    leaves = trees.feature < 0
    assert np.abs(noisy - trees.counts)[leaves].mean() == pytest.approx(1 / (2 * defence.share), rel=0.05)
    root = noisy[trees.children[0]].sum(0)  # of its two children
    assert noisy[0] == pytest.approx(root)


def test_one_person_changes_scores_by_no_more_than_said():
    """Every record of a random table left out once."""
    draw = rng(6)
    x, y = draw.integers(0, 3, (1, 25, 4)), draw.integers(0, 2, (1, 25))
    for score in ("max", "gain"):
        defence = DpId3(1.0, dp_score=score)

        def scores(x, y, defence=defence):
            seen = []
            drain(grown(Categories(x, y, (3,) * 4, 2), lambda level: seen.append(level) or -np.ones(1, int), 1))
            return defence.scores(seen[0], 25)

        whole, sensitivity = scores(x, y)
        for left_out in range(25):
            kept = np.arange(25) != left_out
            assert np.abs(scores(x[:, kept], y[:, kept])[0] - whole).max() <= sensitivity


def test_a_private_tree_with_a_huge_budget_learns_and_with_a_tiny_one_asks_nothing():
    data = planted()
    rich, poor = (drain(DpId3(epsilon).trees(data, Growth(), rng())) for epsilon in (1e4, 1e-3))
    right = (rich.shares[rich.reached(data.x)].argmax(-1) == data.y).mean()
    assert right > 0.8 and len(poor.feature) < 0.5 * len(rich.feature)


# ---- all of them
@pytest.mark.parametrize("name", TABLE_DEFENCES)
def test_every_defence_has_words_and_says_what_it_is_for(name):
    defence = TABLE_DEFENCES[name]()
    assert defence.title and defence.words()
    told = [defence.fits(model) for model in ("regression", "tree", "mlp")]
    assert any(not sentence for sentence in told)
    assert all(sentence == "" or sentence.endswith(".") for sentence in told)
