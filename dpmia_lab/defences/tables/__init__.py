"""The defences of models of tables, by the names configurations give them; each is one file."""

from dpmia_lab.defences.tables.adassp import AdaSsp
from dpmia_lab.defences.tables.base import TableDefence
from dpmia_lab.defences.tables.dp_id3 import DpId3
from dpmia_lab.defences.tables.dp_sgd import TableDpSgd
from dpmia_lab.defences.tables.drop import Drop
from dpmia_lab.defences.tables.mid import Mid
from dpmia_lab.defences.tables.noise import Noise
from dpmia_lab.defences.tables.priority import Priority
from dpmia_lab.defences.tables.ridge import Ridge
from dpmia_lab.defences.tables.rounding import Rounding
from dpmia_lab.defences.tables.undefended import Undefended

TABLE_DEFENCES: dict[str, type[TableDefence]] = {
    "none": Undefended,
    "mid": Mid,
    "adassp": AdaSsp,
    "dp_id3": DpId3,
    "dp_sgd": TableDpSgd,
    "priority": Priority,
    "ridge": Ridge,
    "drop": Drop,
    "rounding": Rounding,
    "noise": Noise,
}
