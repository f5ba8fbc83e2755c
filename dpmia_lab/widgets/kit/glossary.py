"""The lab's words: each term with one sentence; the glossary page has a picture of each.

A page links a term where it first uses it: ``term("epsilon")`` in HTML; in a notebook's prose
``python -m dpmia_lab.commands.link_terms`` writes the links.
"""

from dataclasses import dataclass
from html import escape

from dpmia_lab.words.said import marked, said

PAGE = "glossary.ipynb"


@dataclass(frozen=True)
class Term:
    """``words`` (a pattern) and ``maths`` are how prose writes it; ``means_else`` are lessons that use the word
    for something else."""

    name: str
    sentence: str
    words: str
    maths: str = ""
    means_else: tuple[int, ...] = ()


MODELS_AND_ATTACKS = {
    "model": Term(
        marked("model"),
        marked("A formula with many numbers in it, the weights, set by training so that its answers fit the "
        "training records."), "models?"),
    "record": Term(
        "training record",
        marked("One line of the data a model learns from: a photograph, a shopping cart, a hospital stay."),
        "(?:training )?records?"),
    "member": Term(
        "member", "A record that was used to train the model; one that was not is an outsider.", "members?"),
    "model-inversion": Term(
        marked("model inversion"),
        marked("An attack that runs a model backwards: it changes a picture until the model is sure of "
        "a label, and so draws what the model knows of that label."), "model inversion|inversion"),
    "reconstruction": Term(
        "reconstruction", "What an inversion attack draws, to be compared with the training pictures of its label.",
        "reconstructions?"),
    "membership-inference": Term(
        "membership inference", "An attack that asks of a given record: was it among those the model was trained on?",
        "membership inference"),
    "attribute-inference": Term(
        "attribute inference", "An attack that asks for one secret fact about a person of whom everything else is "
        "known.", "attribute inference"),
    "imputation": Term(
        "imputation", "Guessing what is missing about a person from what is known of others like them; it needs no "
        "model to attack, so a model leaks only what goes beyond it.", "[Ii]mputation|[Ii]mputes?"),
    "white-box": Term(
        "white box",
        marked("The attacker holds the model itself, all its weights, and may compute whatever it likes with "
        "them."), "white[ -]box"),
    "black-box": Term(
        "black box", "The attacker sees only what the model answers to questions.", "black[ -]box"),
    "shadow-model": Term(
        "shadow model", "A model that the attacker trains on records of its own, to learn how models treat what they "
        "have seen.", "shadow models?"),
    "likelihood-ratio": Term(
        "likelihood ratio", "How many times likelier the model's answer is if the record was in than if it was not; "
        "above 1 speaks for a member.", "likelihood ratios?|LiRA"),
    "membership-discriminator": Term(
        "membership discriminator", "A small network that learned from shadow models to tell, from what a model "
        "answers and how wrong it is, whether a record was in.", "membership discriminators?|discriminators?"),
    "canary": Term(
        "canary", "A record put among the training data by a coin to measure the worst case: one so odd that a model "
        "can only learn it by heart.", "canar(?:y|ies)"),
    "early-stopping": Term(
        "early stopping", "Ending training before the model has learned its records by heart: the cheapest defence, "
        "and the one that others must beat.", "early stopping|stopped early"),
    "prior": Term(
        marked("prior"),
        marked("What an attacker believes before looking: that pictures are smooth, say, or that one person in "
        "a thousand was in."), "priors?"),
    "generative-prior": Term(
        "generative prior", "A machine that draws likely pictures, learnt from public ones; an attacker lets it draw "
        "until the model is sure of a name.", "generative priors?"),
    "knowledge-alignment": Term(
        "knowledge alignment", "An attack that asks a model about pictures of its own, and learns from the answers to "
        "draw the picture behind any other answer.", "knowledge alignment|alignment"),
    "update-leak": Term(
        "update leak", "What a model was taught last, read off how its answers about other pictures changed.",
        "update leaks?"),
    "information-bottleneck": Term(
        "information bottleneck", "A layer that lets only a noisy code of the input through, so that one answer tells "
        "little about it.", "information bottlenecks?"),
    "judge": Term(
        "judge",
        marked("A recogniser trained on other pictures of the same people, which puts a name to every drawing; "
        "a weak judge makes an attack look weak."), "judges?"),
}  # fmt: skip

MEASURES = {
    "chance-level": Term(
        "chance level", "What somebody who knows nothing would score; a number that is no better shows no leak.",
        "chance levels?|by chance"),
    "true-positive-rate": Term(
        "true positive rate", "Of all members, the share that the attacker rightly calls members; high is bad for "
        "them.", "true positive rate|true positives?|TPR"),
    "false-positive-rate": Term(
        "false positive rate", "Of all outsiders, the share that the attacker wrongly calls members: its false "
        "alarms.", "false positive rate|false positives?|false alarms?|FPR"),
    "roc": Term(
        "ROC curve", "True positives against false alarms, for every threshold the attacker might choose; on the "
        "diagonal it guesses.", "ROC(?: curves?)?"),
    "auc": Term(
        "AUC", "The area under the ROC curve: the chance that a member scores above an outsider; 0.5 is guessing, "
        "1 is certainty.", "AUC"),
    "correlation": Term(
        "correlation", "How alike two pictures are once brightness and contrast are set aside: 1 is the same shape, "
        "0 is nothing in common.", "correlations?"),
    "ssim": Term(
        "SSIM",
        marked("Structural similarity: brightness, contrast and pattern compared in small windows; 1 is the same "
        "picture."), "SSIM"),
    "calibration": Term(
        "calibration (ECE)", "Whether a model is right as often as it says it is sure; the expected calibration error "
        "is how far the two are apart on average, 0 being best.",
        "expected calibration error|calibration(?: errors?)?|calibrated|ECE", means_else=(7,)),
    "audit": Term(
        "audit", "Attacking a model to prove that its ε cannot be smaller than some number; a failed attack proves "
        "nothing.", "audit(?:s|ed|ing)?"),
    "phi": Term(
        "φ", "Of the attacker's advantage, the share that a defence took away, over the share of accuracy it cost; "
        "above 1 more was gained than lost.", "φ", r"\varphi"),
    "aop": Term(
        "AOP", "Accuracy over privacy: accuracy divided by how far the attacker is above guessing, to the power λ "
        "that says how much privacy weighs.", "AOP"),
    "pareto-front": Term(
        "Pareto front", "Of several bargains those that no other beats: whoever leaks less is less useful, whoever is "
        "more useful leaks more.", "Pareto fronts?"),
}  # fmt: skip

PRIVACY = {
    "differential-privacy": Term(
        "differential privacy", marked("A promise about training: whether or not one unit took part, every outcome is "
        "about equally likely."), "differential(?:ly)? priva(?:cy|te)"),
    "epsilon": Term(
        "ε (epsilon)", "How much likelier, at most, any outcome may become through one unit: up to e to the power ε "
        "times; small is private, 0 is perfect.", "ε", r"\varepsilon"),
    "delta": Term(
        "δ (delta)", "How much probability may lie outside the factor that ε allows; it should be far below one over "
        "the number of units.", "δ", r"\delta"),
    "sigma": Term(
        "σ (sigma)", "How much noise is added in a step, measured in the most that one unit can change; more noise "
        "hides more and teaches less.", "σ|noise multipliers?", r"\sigma"),
    "clipping": Term(
        "clipping", "Shortening what a unit adds to a training step to a fixed length at most, so that no unit can "
        "change the model much.", "clip(?:ping|ped)"),
    "sampling-rate": Term(
        "sampling rate q", "The chance with which each unit joins a training step; who may not have been there is "
        "hidden better.", "sampling rates?", "q"),
    "unit": Term(
        "unit", "What is hidden as a whole: one record, a subclass (a group of similar records) or a class (all "
        "records of a person or a label).", "units?"),
    "neighbour": Term(
        "neighbour", "Two data sets that differ in one unit, added, removed or replaced: those that the promise "
        "compares.", "neighbours?", means_else=(1,)),
    "accountant": Term(
        "accountant", "A method that adds up what all training steps together spend of ε; a better one proves "
        "a smaller ε for the same training.", "accountants?"),
    "central": Term(
        "central noise", "Noise added during training: the collector sees every record, the world sees only the "
        "noisy model.", "central(?: (?:noise|privacy|differential privacy))?"),
    "local": Term(
        "local noise", "Noise added to each record before it leaves its owner: nobody needs to be trusted.",
        "local(?: (?:noise|privacy|differential privacy))?"),
    "randomised-response": Term(
        "randomised response", "Answering truthfully only when a coin says so, so that any single answer can be "
        "denied.", "randomised response"),
    "trade-off-curve": Term(
        "trade-off curve (μ)", "For every rate of false alarms, the least share of members that any attacker must "
        "miss; μ is how far apart two bell curves are that are as easy to tell apart.", "trade-off curves?"),
}  # fmt: skip

GROUPS = {
    "Models and attacks": MODELS_AND_ATTACKS,
    "What is measured": MEASURES,
    "What is promised": PRIVACY,
}
TERMS: dict[str, Term] = {key: one for group in GROUPS.values() for key, one in group.items()}


def term(key: str, words: str = "") -> str:
    """The word, linked to its picture in the glossary; its sentence shows on hovering."""
    one = TERMS[key]
    title = escape(said(one.sentence))
    return f'<a class="dp-term" href="{PAGE}#{key}" title="{title}">{escape(words or said(one.name))}</a>'


@dataclass(frozen=True)
class Linked:
    """A term as the field of a text: ``{epsilon}``, or ``{epsilon:ε}`` in the words after the colon."""

    key: str

    def __format__(self, words: str) -> str:
        return term(self.key, words)


LINKED = {key: Linked(key) for key in TERMS}
