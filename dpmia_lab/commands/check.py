"""``dpmia-lab check FILE…``: are records as a page wrote them, and do their runs come out the same here?"""

import argparse
from pathlib import Path

from dpmia_lab.commands.examples import EXAMPLES, with_examples

ABOUT = """\
A record is a lesson's, or the whole course's. Its digest shows accidental changes, not who made the file; so every run
inside is run again, each distinct one once for all files, and its numbers are compared. What was repeated is kept:
after Ctrl-C the same command goes on from there.

Exit code 0: every record is as a page wrote it, and every run came out the same. 1: some are not, or could not be
repeated; the output says which. 2: the command was not given as it must be."""


def add_check(commands) -> None:
    one = commands.add_parser(
        "check",
        help="check records that readers have handed in: unchanged? do their runs come out the same?",
        **with_examples(EXAMPLES["check"], ABOUT),
    )
    one.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a record, or a folder of them (*.json)")
    one.add_argument("--read-only", action="store_true", help="run nothing: only verify, and tell what is inside")
    words = "seconds that a run may take before it is given up (default 600)"
    one.add_argument("--longest", type=float, default=600.0, metavar="SECONDS", help=words)
    one.add_argument("--csv", type=Path, metavar="FILE", help="write a row for each file here")
    one.set_defaults(action=check_records)


def check_records(chosen: argparse.Namespace) -> int:
    from dpmia_lab.commands.checking import checked  # what pages are made of takes a while to load

    return checked(chosen)
