"""The lessons, as the contract of all of them needs to know them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dpmia_lab.experiments import hiding, inversion, membership, private_training
from dpmia_lab.store import Store
from dpmia_lab.widgets.attributes import panel as attributes_panel
from dpmia_lab.widgets.attributes.panel import AttributesPanel
from dpmia_lab.widgets.choosing import panel as choosing_panel
from dpmia_lab.widgets.choosing.grid import GridPanel
from dpmia_lab.widgets.comparing import panel as comparing_panel
from dpmia_lab.widgets.comparing.data import Board
from dpmia_lab.widgets.confidences import data as confidences_data
from dpmia_lab.widgets.confidences.panel import ConfidencesPanel
from dpmia_lab.widgets.epsilon.panel import TrainingPanel
from dpmia_lab.widgets.fooling import data as fooling_data
from dpmia_lab.widgets.fooling.panel import FoolingPanel
from dpmia_lab.widgets.hiding.panel import HidingPanel
from dpmia_lab.widgets.inversion.panel import InversionPanel
from dpmia_lab.widgets.kit.experiment_panel import ExperimentPanel
from dpmia_lab.widgets.mechanisms import data as mechanisms_data
from dpmia_lab.widgets.mechanisms.panel import MechanismsPanel
from dpmia_lab.widgets.membership.panel import MembershipPanel

Words = tuple[str, str]  # a place within the panel, and what it says


@dataclass(frozen=True)
class Lesson:
    """``file`` is where its own tests are: test_lesson_FILE.py."""

    file: str
    notebook: str
    panel: str  # where its experiment is
    new_panel: Callable[[str, Store], ExperimentPanel]  # from a link's settings
    experiment: Callable[[], Any]  # what the panel runs, and its presets
    quick: dict[str, str]  # settings of a run that takes seconds and can be watched
    odd: dict[str, str]  # settings of every kind, some between a slider's steps
    nonsense: tuple[str, str]  # a setting, and what is answered
    slider: str  # some control that the address follows
    opened: str  # the hook has something to show
    shows: Words  # a finished run
    long: str  # the slider at whose end a run can be stopped
    runs: Words  # such a run, meanwhile
    predicts: int | None = None  # the answer chosen before the run
    goes_stale: bool = True


LESSONS = {
    lesson.file: lesson
    for lesson in (
        Lesson(
            file="inversion",
            notebook="01_model_inversion",
            panel=".dp-inversion",
            new_panel=InversionPanel,
            experiment=lambda: inversion,
            quick={"preset": "faces", "people": "5", "steps": "20", "seed": "3"},
            odd={"preset": "faces", "lam": "0.0007", "seed": "7", "prior": "l1", "box": "false"},
            nonsense=("data=/etc/passwd", "data must be one of faces"),  # a link opens no file
            slider="lam",
            opened=".dp-hook .dp-suspect",
            shows=(".dp-results-numbers", "of 5"),
            long="steps",
            runs=(".dp-status", "attacking"),
        ),
        Lesson(
            file="epsilon",
            notebook="02_what_epsilon_buys",
            panel=".dp-training",
            new_panel=TrainingPanel,
            experiment=lambda: private_training,
            quick={"preset": "faces", "people": "5", "height": "112", "steps": "400", "seed": "3"},
            odd={"preset": "digits", "sigma": "3.3", "delta": "1e-06", "unit": "subclass", "k_sub": "4"},
            nonsense=("unit=family", "unit must be one of record"),
            slider="rate",
            opened=".dp-one-step >> text=stays at home",
            shows=(".dp-results-numbers", "by chance 20.0%"),
            long="steps",
            runs=(".dp-live", "of 2000"),
        ),
        Lesson(
            file="hiding",
            notebook="03_hiding_a_class",
            panel=".dp-hiding",
            new_panel=HidingPanel,
            experiment=lambda: hiding,
            quick={"preset": "faces", "people": "10", "unit": "subclass", "k_sub": "2", "accuracy": "0.5",
                   "steps": "15", "longest": "5", "seed": "3"},
            odd={"preset": "faces", "accuracy": "0.72", "unit": "subclass", "k_sub": "20", "clip": "3.0",
                 "neighbours": "add-remove"},
            nonsense=("unit=family", "unit must be one of class, subclass"),
            slider="clip",
            opened=".dp-matrix img",
            shows=(".dp-results-numbers", "Means over 10 classes"),
            long="steps",
            runs=(".dp-tries", "looking for σ"),
            predicts=2,
        ),
        Lesson(
            file="membership",
            notebook="04_were_you_in",
            panel=".dp-membership",
            new_panel=MembershipPanel,
            experiment=lambda: membership,
            quick={"preset": "faces", "data": "purchases_like", "model": "mlp", "classes": "10", "records": "100",
                   "epochs": "300", "width": "32", "shadows": "2", "inside": "4", "seed": "3"},
            odd={"preset": "faces", "data": "mnist", "model": "cnn", "epochs": "7", "defence": "local", "cell": "2"},
            nonsense=("data=/etc/passwd", "data must be one of mnist, purchases_like"),
            slider="epochs",
            opened=".dp-membership .dp-roc svg",  # the last chart to be drawn
            shows=(".dp-results-numbers", "AUC of the best attack"),
            long="inside",
            runs=(".dp-status", "shadow models"),
        ),
        Lesson(
            file="mechanisms",
            notebook="05_local_or_central",
            panel=".dp-mechanisms",
            new_panel=MechanismsPanel,
            experiment=mechanisms_data.quick_experiment,
            quick={"preset": "skewed-10", "records": "60", "epochs": "2", "central_epochs": "2", "width": "8",
                   "batch": "20", "shadows": "1", "zs": "1", "epsilons": "1"},
            odd={"preset": "purchases", "records": "123", "zs": "0.3,7", "epsilons": "2", "seed": "9"},
            nonsense=("zs=much", "zs must be numbers with commas between them"),
            slider="records",
            opened=".dp-mechanisms .dp-scatter svg",
            shows=(".dp-runs", "Skewed Purchases, 10 classes, about 60 records"),
            long="repeats",
            runs=(".dp-status", ", seed"),
            predicts=2,
            goes_stale=False,
        ),
        Lesson(
            file="evaluation",
            notebook="06_choosing_epsilon",
            panel=".dp-cell",
            new_panel=lambda query, store: choosing_panel.CellPanel(GridPanel(), query, store),
            experiment=choosing_panel.quick_experiment,
            quick={"preset": "faces", "height": "24", "epsilon": "2.0", "models": "4", "others": "2",
                   "ssim_models": "1", "attack_steps": "50"},
            odd={"preset": "faces", "epsilon": "3.3", "sigma": "4.0", "models": "12", "accountant": "tight",
                 "neighbours": "replace-one"},
            nonsense=("epsilon=much", "epsilon must be a number"),
            slider="sigma",
            opened=".dp-choosing-hook img",
            shows=(".dp-cell-first", "The cell ε = 2, σ = 2, 4 models"),
            long="models",
            runs=(".dp-status", "training privately"),
            predicts=2,
        ),
        Lesson(
            file="attributes",
            notebook="07_what_a_dose_says",
            panel=".dp-attributes",
            new_panel=AttributesPanel,
            experiment=attributes_panel.quick_experiment,
            quick={"preset": "survey", "model": "mlp", "people": "3000", "splits": "100", "epochs": "5", "seed": "3"},
            odd={"preset": "survey", "defence": "mid", "lam": "0.7", "stop": "true", "leaf": "33", "seed": "7"},
            nonsense=("defence=magic", "defence must be one of none, mid"),
            slider="known",
            opened=".dp-attributes .dp-guesses-chart svg",
            shows=(".dp-attribute-numbers", "outcomes predicted right"),
            long="epochs",
            runs=(".dp-status", "learning"),
        ),
        Lesson(
            file="confidences",
            notebook="08_turning_confidences_back",
            panel=".dp-confidences",
            new_panel=ConfidencesPanel,
            experiment=confidences_data.quick_experiment,
            quick={"preset": "faces", "people": "5", "pictures": "10", "height": "20", "model": "mlp", "lam": "0.03",
                   "decoder_steps": "50", "components": "20", "restarts": "1", "gmi_steps": "30", "updates": "30",
                   "probes": "5", "seed": "3"},
            odd={"preset": "faces-dp_sgd", "sigma": "0.33", "view": "top", "top": "4", "updates": "0", "seed": "7"},
            nonsense=("defence=magic", "defence must be one of none, mid"),
            slider="gmi_steps",
            opened=".dp-confidences .dp-reliability svg",
            shows=(".dp-network-numbers", "of new pictures named right"),
            long="decoder_steps",
            runs=(".dp-status", "training a decoder"),
        ),
        Lesson(
            file="fooling",
            notebook="09_fooling_the_attacker",
            panel=".dp-fooling",
            new_panel=FoolingPanel,
            experiment=fooling_data.quick_experiment,
            quick={"preset": "carts", "classes": "5", "records": "150", "epochs": "5", "width": "8", "teachers": "2",
                   "inside": "32", "unadapted": "6", "canaries": "6", "looks": "2", "seed": "3"},
            odd={"preset": "carts-hamp", "hamp_entropy": "0.77", "hamp_reorder": "false", "records": "333",
                 "lam": "3.5", "seed": "7"},
            nonsense=("defence=magic", "defence must be one of none, central"),
            slider="lam",
            opened=".dp-fooling .dp-course svg",
            shows=(".dp-results-numbers", "of likelihood ratios"),
            long="epochs",
            runs=(".dp-status", "training"),
        ),
        Lesson(
            file="comparing",
            notebook="10_choosing_a_defence",
            panel=".dp-comparing",
            new_panel=lambda query, store: comparing_panel.ComparingPanel(Board(), query=query, store=store),
            experiment=comparing_panel.quick_experiment,
            quick={"preset": "carts", "classes": "4", "records": "200", "epochs": "3", "width": "8", "shadows": "16",
                   "batch": "8", "canaries": "4", "seed": "3"},
            odd={"preset": "faces", "mid_lam": "0.07", "mid_code": "8", "records": "333", "keep": "last", "seed": "7"},
            nonsense=("defence=magic", "defence must be one of none, central"),
            slider="alpha",
            opened=".dp-comparing-question .dp-asked-chart svg",
            shows=(".dp-results-numbers", "right on new records"),
            long="epochs",
            runs=(".dp-status", "training"),
            predicts=0,
        ),
    )
}  # fmt: skip


def link(settings: dict[str, str]) -> str:
    return "&".join(f"{name}={value}" for name, value in settings.items())
