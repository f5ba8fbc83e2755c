"""The attacker who sees what the model said about the person, not what is true of them.

Paper B's attacks know the true outcome. Who has the model's own answer merely asks it again with each value, and takes
the one that gives the same answer. Noise in both answers is known to be there.
"""

import numpy as np

from dpmia_lab.attacks.attributes.evidence import Evidence, everyone

SAME = 1e-6  # answers as near as this, of their spread, are the same


def map_answer_scores(evidence: Evidence) -> np.ndarray:
    prior = everyone(evidence.prior, evidence)
    if evidence.numeric:
        scale = max(np.sqrt(2) * evidence.blur, SAME * float(np.std(evidence.asked)), 1e-12)
        return prior - 0.5 * ((evidence.answer[..., None] - evidence.asked) / scale) ** 2
    same = evidence.said == evidence.answer.argmax(-1)[..., None]  # the class alone is told
    return prior + np.where(same, 0.0, -50.0)
