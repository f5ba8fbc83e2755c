"""The defences, by the names configurations give them; each is one file, and whatever plays with one plays with all."""

from dpmia_lab.defences.adversarial import Adversarial
from dpmia_lab.defences.base import Defence
from dpmia_lab.defences.central import Central
from dpmia_lab.defences.dap import Dap
from dpmia_lab.defences.hamp import Hamp
from dpmia_lab.defences.local import Local
from dpmia_lab.defences.masking import Masking
from dpmia_lab.defences.regularised import Regularised
from dpmia_lab.defences.relaxloss import RelaxLoss
from dpmia_lab.defences.smoothing import Smoothing
from dpmia_lab.defences.stopping import Stopping
from dpmia_lab.defences.undefended import Undefended
from dpmia_lab.defences.units import LargerUnits

DEFENCES: dict[str, type[Defence]] = {
    "none": Undefended,
    "central": Central,
    "local": Local,
    "regularised": Regularised,
    "units": LargerUnits,
    # ---- tried in lesson 9: none of them promises anything
    "stopping": Stopping,
    "smoothing": Smoothing,
    "masking": Masking,
    "relaxloss": RelaxLoss,
    "hamp": Hamp,
    "adversarial": Adversarial,
    "dap": Dap,
}
EMPIRICAL = tuple(DEFENCES)[5:]
