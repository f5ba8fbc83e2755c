"""Paper D's table beside the lab's own, and where the two agree: computed, not written."""

from functools import cache
from html import escape

from dpmia_lab.experiments import fooling_claims
from dpmia_lab.experiments.fooling import LAMBDAS
from dpmia_lab.experiments.fooling_claims import Ours, ours_of, paper_table, printed_means
from dpmia_lab.experiments.fooling_table import COLUMNS, PUBLISHED
from dpmia_lab.experiments.paper_claims import Finding, PaperClaim
from dpmia_lab.reference import shipped_or_nothing
from dpmia_lab.widgets.fooling.table import ACCOUNTED, table
from dpmia_lab.widgets.kit.claims import NOT_CLAIMED, NOT_MEASURED, Claim, Verdict, verdict
from dpmia_lab.widgets.kit.tables import Html, Row, table_html

PAPER = "eight picture sets, means"


@cache
def ours() -> dict[str, Ours]:
    """The lab's table of every data set, by what it is called; read once for all claims."""
    return {table(name).words(name): ours_of(one) for name, one in shipped_or_nothing("fooling_table").items()}


def published_html() -> Html:
    return (
        "<p>Paper D's columns and its own attackers, the best of a threshold, a logistic regression and a random "
        "forest. Grey: as printed. Its pictures are not here, and neither are its networks: levels need not be the "
        f"same, orders may be compared. Our ε is {ACCOUNTED}; the paper's is as printed.</p>{table_beside()}"
    )


def table_beside() -> Html:
    """A group of rows a measure: the paper's, then ours of every data set."""
    names, rows = list(PUBLISHED.values()), []
    for title, printed, of in measures():
        rows.append(Row([title + ": " + PAPER, *(f"{printed[name]:.3f}" for name in names)], "reference"))
        for words, own in ours().items():
            rows.append(Row([f"{title}: {words}", *(f"{of(own, name).value:.3f}" for name in names)]))
    return table_html(["", *(COLUMNS[name].words for name in names)], rows, "", "dp-published-table")


def measures() -> list[tuple]:
    """What each is called, the paper's numbers by column, and where ours are."""
    found = [
        ("accuracy", printed_means("accuracy"), lambda own, name: own.accuracy(name)),
        ("AUC", printed_means("auc"), lambda own, name: own.paper_auc(name)),
    ]
    for lam in LAMBDAS:
        printed = dict(zip(PUBLISHED.values(), paper_table()["aop"][str(lam)], strict=True))
        found.append((f"AOP({lam})", printed, lambda own, name, lam=lam: own.aop(name, lam)))
    return found


def claims() -> list[Claim]:
    """What its table says, each checked on every data set; and what only this lab asks."""
    return [
        Claim("The paper's AOP follows from its own ACC and AUC", "D",
              "AOP = ACC / (2·max(AUC, ½))^λ, averaged over eight picture sets",
              lambda: {PAPER: verdict_of(fooling_claims.adds_up())}),
        *(claim_of(claim) for claim in fooling_claims.paper_claims()),
    ]  # fmt: skip


def claim_of(claim: PaperClaim) -> Claim:
    def checked() -> dict[str, Verdict]:
        found = {words: claim.check(own) for words, own in ours().items()}
        return {words: verdict_of(one, bool(claim.said)) for words, one in found.items()}

    return Claim(claim.title, "D", claim.said or NOT_MEASURED, checked)


def verdict_of(found: Finding, claimed: bool = True) -> Verdict:
    sentence = escape(found.sentence)
    return verdict(found.agrees, sentence) if claimed else Verdict(NOT_CLAIMED, sentence)
