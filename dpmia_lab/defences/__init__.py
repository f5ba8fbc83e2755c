"""The defences, by the names configurations give them; each is one file, and whatever plays with one plays with all."""

from dpmia_lab.defences.base import Defence
from dpmia_lab.defences.central import Central
from dpmia_lab.defences.local import Local
from dpmia_lab.defences.regularised import Regularised
from dpmia_lab.defences.undefended import Undefended
from dpmia_lab.defences.units import LargerUnits

DEFENCES: dict[str, type[Defence]] = {
    "none": Undefended,
    "central": Central,
    "local": Local,
    "regularised": Regularised,
    "units": LargerUnits,
}
