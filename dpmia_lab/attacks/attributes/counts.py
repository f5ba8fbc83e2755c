"""Maximum a posteriori with counts (Fredrikson, Jha & Ristenpart 2015; paper B's B5): the tree and how many are where.

Who has the tree itself knows, for each value the secret may have, at which leaf a person would be, and how many of the
training people there have the person's outcome.
"""

import numpy as np

from dpmia_lab.attacks.attributes.evidence import Evidence, everyone


def map_counts_scores(evidence: Evidence) -> np.ndarray:
    return everyone(evidence.prior, evidence) + evidence.counted
