"""The defences of a network's answers, by the names configurations give them; each is one file."""

from dpmia_lab.defences.networks.base import NetworkDefence
from dpmia_lab.defences.networks.dp_sgd import DpSgd
from dpmia_lab.defences.networks.dropout import Dropout
from dpmia_lab.defences.networks.early_stopping import EarlyStopping
from dpmia_lab.defences.networks.label_only import LabelOnly
from dpmia_lab.defences.networks.label_smoothing import LabelSmoothing
from dpmia_lab.defences.networks.mid import Mid
from dpmia_lab.defences.networks.rounding import Rounding
from dpmia_lab.defences.networks.undefended import Undefended
from dpmia_lab.defences.networks.uniform_noise import UniformNoise

NETWORK_DEFENCES: dict[str, type[NetworkDefence]] = {
    "none": Undefended,
    "mid": Mid,
    "dp_sgd": DpSgd,
    "early_stopping": EarlyStopping,
    "dropout": Dropout,
    "label_smoothing": LabelSmoothing,
    "rounding": Rounding,
    "uniform_noise": UniformNoise,
    "label_only": LabelOnly,
}
