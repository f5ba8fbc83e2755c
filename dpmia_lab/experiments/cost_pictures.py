"""What the experiments on pictures of lessons 1 to 3 cost: training, attacking, judging, over and over."""

from dpmia_lab.cost import Cost, Terms, summed, together
from dpmia_lab.data.sizes import Size, picture_size
from dpmia_lab.experiments import as_published, hiding, inversion, inversion_comparison, privacy_sweep, private_training
from dpmia_lab.experiments.cost_parts import multiplications, parameters, records_seen
from dpmia_lab.experiments.matching import MOST_TRIES
from dpmia_lab.game.drawing import BASELINES, PRIOR_NULLS, PriorDrawing

PUBLIC = 1000  # pictures of strangers
AT_ONCE = 1024  # records before the judge
SECONDS = {
    "account": 0.14,
    "attack cnn": 1.5e-10,
    "attack mlp": 1.3e-10,
    "attack pixels": 2e-09,
    "attack softmax": 3e-11,
    "attack step": 0.00029,
    "class": 0.0001,
    "cluster": 8.8e-09,
    "cnn": 9.3e-11,
    "code": 1.6e-10,
    "drawn": 1.1e-07,
    "expected": 1.2e-08,
    "filter": 1e-08,
    "judge": 6e-11,
    "load": 5e-09,
    "mlp": 1.4e-10,
    "near": 4.4e-08,
    "prior": 2e-10,
    "private cnn": 1.4e-10,
    "private mlp": 8.1e-11,
    "private softmax": 1e-10,
    "private step": 0.0004,
    "private weights": 3e-10,
    "softmax": 4.9e-10,
    "ssim": 6e-09,
    "start": 0.02,
    "step": 0.00044,
    "units": 1.9e-07,
    "weights": 3.5e-09,
}
BYTES = {
    "batch": 8,
    "drawings": 16,
    "judge": 13,
    "judged": 67,
    "layers": 11,
    "start": 7.9e+07,
    "values": 7.7,
    "weights": 33,
}


def cost_of_terms(work: Terms, held: Terms) -> Cost:
    return Cost(summed(work, SECONDS), summed(held, BYTES))


def size_of(config: inversion.PicturesConfig) -> Size:
    return picture_size(config.data, config.people, config.pictures, config.height)


# ---- parts
def loaded(data: str, size: Size, public: bool = False) -> Terms:
    strangers = PUBLIC * public
    drawn = (size.records + strangers) * size.values if data == "faces" else 0
    return {"start": 1, "load": (size.records + strangers) * size.values, "drawn": drawn}


def trained(model: str, size: Size, seen: float, batch: int = 32) -> Terms:
    kind, steps = kind_of(model), seen / batch
    return {
        "step": steps,
        kind: seen * multiplications(model, size.shape, size.classes),
        "weights": steps * parameters(model, size.shape, size.classes),
    }


def target(model: str, size: Size) -> Terms:
    steps, recipe = inversion.recipe_of(model)
    return trained(model, size, records_seen(steps, recipe.batch, size.train), recipe.batch)


def judge(size: Size, steps: int = inversion.JUDGE_STEPS) -> Terms:
    batch = inversion.JUDGE_RECIPE.batch
    return trained("judge", size, records_seen(steps, batch, size.test), batch)


def privately(config, size: Size, steps: int, tries: int = 1) -> Terms:
    """Of ``tries`` models for any unit; subclasses are found first."""
    seen, kind = tries * steps * config.q * size.train, kind_of(config.model)
    return {
        "private step": tries * steps,
        f"private {kind}": seen * multiplications(config.model, size.shape, size.classes),
        "private weights": tries * steps * parameters(config.model, size.shape, size.classes),
        "cluster": clusters(config, size) * size.values * size.train / size.classes,
        "units": tries * steps * size.train,
        "account": 1,
    }


def clusters(config, size: Size) -> float:
    return size.classes * min(config.k_sub, size.train / size.classes) if config.unit == "subclass" else 0


def attacked(config: inversion.Config, size: Size) -> Terms:
    work = config.steps * size.classes * multiplications(config.model, size.shape, size.classes)
    if config.attack == "prior":
        steps, found = PriorDrawing.steps, config.components * size.values
        work = steps * size.classes * multiplications(config.model, size.shape, size.classes)
        prior = {"prior": PUBLIC * size.values * config.components, "code": steps * size.classes * found}
        return {"attack step": steps, f"attack {kind_of(config.model)}": work, **prior}
    pixels = config.steps * size.classes * size.values
    filtered = pixels if config.process != "none" else 0
    expected = pixels if config.attack == "enhanced" and config.prior in ("btv", "l1+tv") else 0
    ways = {"attack step": config.steps, f"attack {kind_of(config.model)}": work}
    return {**ways, "attack pixels": pixels, "filter": filtered, "expected": expected}


def compared(size: Size, subjects: int, with_test: bool = True) -> Terms:
    """Subjects (one picture a class each) with training pictures of their class, and all test pictures."""
    ssim = subjects * size.classes * size.test * size.values * with_test
    return {"ssim": ssim, "near": subjects * size.train * size.values, "class": subjects * size.classes}


def kind_of(model: str) -> str:
    return {"softmax": "softmax", "mlp": "mlp", "judge": "judge"}.get(model, "cnn")


def held(model: str, size: Size, together: float = 0.0) -> Terms:
    """``together``: records that are in one step."""
    layers = {"softmax": size.classes, "mlp": 128 + size.classes}.get(model, 25 * size.values)
    return {
        "start": 1,
        "values": size.records * size.values,
        "judge": parameters("judge", size.shape, size.classes),
        "judged": min(AT_ONCE, size.records) * size.values,
        "drawings": size.classes * size.values,
        "weights": parameters(model, size.shape, size.classes),
        "batch": together * size.values,
        "layers": together * layers,
    }


# ---- experiments
def inversion_cost(config: inversion.Config) -> Cost:
    size, public = size_of(config), config.attack == "prior"
    subjects = 1 + len(BASELINES) + (len(PRIOR_NULLS) if public else 0)
    parts = loaded(config.data, size, public), target(config.model, size), judge(size), compared(size, subjects)
    return cost_of_terms(together(*parts, attacked(config, size)), held(config.model, size, size.classes))


def comparison_cost(config: inversion_comparison.Config) -> Cost:
    size, contenders = size_of(config), inversion_comparison.CONTENDERS
    attacks = [attacked(config.attack(contender, 0), size) for contender in contenders]
    known = target(config.model, size), judge(size), compared(size, len(contenders) + len(BASELINES))
    work = together(loaded(config.data, size), *known, *attacks)
    return cost_of_terms(work, held(config.model, size, size.classes)) * config.repeats


def training_cost(config: private_training.Config) -> Cost:
    size = size_of(config)
    looks = {kind_of(config.model): 7 * size.test * multiplications(config.model, size.shape, size.classes)}
    work = together(loaded(config.data, size), privately(config, size, config.steps), looks)
    return cost_of_terms(work, held(config.model, size, config.q * size.train))


def hiding_cost(config: hiding.Config) -> Cost:
    size = size_of(config)
    attacks = [attacked(config.attack(attacker, 0), size) for attacker in hiding.ATTACKERS] * len(hiding.MODELS)
    steps = hiding.JUDGE_STEPS if size.classes > 40 else inversion.JUDGE_STEPS
    tried = privately(config, size, config.steps, MOST_TRIES)  # of twice as many at most
    subjects = len(hiding.MODELS) * len(hiding.ATTACKERS) + len(BASELINES) + len(PRIOR_NULLS) * config.knows_public
    known = target(config.model, size), judge(size, steps), compared(size, subjects, with_test=False)
    work = together(loaded(config.data, size, config.knows_public), tried, *known, *attacks)
    return cost_of_terms(work, held(config.model, size, config.q * size.train)) * config.repeats


def published_cost(config: as_published.Config) -> Cost:
    size, training = picture_size(config.data), config.training() if config.private else None
    half = Size(size.train, size.test // 2, size.shape, size.classes)
    learnt = trained("cnn", size, 3 * size.train, 64) if config.unit == "none" else {}
    if training is not None:
        learnt = privately(training, size, config.steps)
    attacks = [attacked(config.attack(attacker), size) for attacker in as_published.CONTENDERS]
    last = attacked(inversion.Config(data=config.data, model="cnn", attack="prior"), size)
    judged = trained("judge", half, 8 * half.test, 32), compared(size, 6, with_test=False)
    work = together(loaded(config.data, size), learnt, *attacks, last, *judged)
    batch = config.q * size.train if config.private else 64
    return cost_of_terms(work, held("cnn", size, batch)) * config.repeats


def privacy_sweep_cost(config: privacy_sweep.Config) -> Cost:
    size = size_of(config)
    total = Cost()
    for one in config.settings():
        work = together(loaded(config.data, size), privately(one, size, config.steps))
        if config.attacked:
            attacks = [attacked(hiding.attack_on(config, attacker), size) for attacker in hiding.ATTACKERS]
            work = together(work, *attacks, compared(size, len(attacks), with_test=False))
        total += cost_of_terms(work, held(config.model, size, config.q * size.train))
    return total * config.repeats
