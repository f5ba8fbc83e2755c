"""Paper D's table beside the lab's own, and where the two agree: computed, not written."""

from html import escape

import ipywidgets as widgets

from dpmia_lab.experiments import fooling_claims
from dpmia_lab.experiments.fooling import LAMBDAS
from dpmia_lab.experiments.fooling_claims import ours_of, paper_table, printed_means
from dpmia_lab.experiments.fooling_table import COLUMNS, PUBLISHED
from dpmia_lab.privacy.accounting import ACCOUNTANTS, NEIGHBOURS
from dpmia_lab.reference import shipped_or_nothing
from dpmia_lab.widgets.fooling.data import SETS
from dpmia_lab.widgets.kit.claims import Claim, claim_html, verdict
from dpmia_lab.widgets.kit.parts import card, fold, text
from dpmia_lab.widgets.kit.tables import Html, Row, table_html

PAPER = "eight picture sets, means"
OURS = f"for a record ({NEIGHBOURS['add-remove']}; δ = 1/n; {ACCOUNTANTS['moments'].words})"  # whose ε ours is


def published_card() -> widgets.VBox:
    tables = shipped_or_nothing("fooling_table")
    intro = (
        "<h3>Paper D’s table beside ours</h3><p>Its columns and its own attackers, the best of a threshold, a logistic "
        "regression and a random forest. Grey: as printed. Its pictures are not here, and neither are its networks: "
        f"levels need not be the same, orders may be compared. Our ε is {OURS}; the paper’s is as printed.</p>"
    )
    claims = "".join(claim_html(claim) for claim in paper_claims(tables))
    rule = (
        "<p class='dp-soft'>± is a standard deviation over seeds. A difference counts where Student’s 95 % interval "
        "leaves out 0; a claim of several differences agrees where all do.</p>"
    )
    agreement = fold("Where the two agree", text(rule + claims))
    return card(text(intro + table_beside(tables)), agreement, name="dp-published")


def table_beside(tables: dict) -> Html:
    """A group of rows a measure: the paper's, then ours of every data set."""
    names, ours = list(PUBLISHED.values()), {words_of(one): ours_of(one) for one in tables.values()}
    rows = []
    for title, printed, of in measures():
        rows.append(Row([title + ": " + PAPER, *(f"{printed[name]:.3f}" for name in names)], "reference"))
        for words, own in ours.items():
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


def paper_claims(tables: dict) -> list[Claim]:
    """What its table says, each checked on every data set."""
    checked = {words_of(one): {c.title: c for c in fooling_claims.claims(one) if c.said} for one in tables.values()}
    itself = fooling_claims.adds_up()
    told = [Claim(itself.title, "D", itself.said, lambda: {PAPER: verdict(itself.agrees, escape(itself.found))})]
    titles = {title: claim.said for claims in checked.values() for title, claim in claims.items()}
    for title, said in titles.items():
        found = {data: verdict(own[title].agrees, escape(own[title].found)) for data, own in checked.items()}
        told.append(Claim(title, "D", said, lambda found=found: found))
    return told


def words_of(table: dict) -> str:
    return f"{SETS[table['config']['data']]}, {table['config']['repeats']} seeds"
