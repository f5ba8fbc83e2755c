"""The lab inside somebody's Jupyter: what Jupyter Server Proxy is told, by the entry point in pyproject.toml.

It starts a lab for that person alone when they first ask for …/dpmia-lab/, and ends it with their Jupyter server; who
may ask, Jupyter (on a hub: the hub) has checked before. The lab listens on a file that only this person can open: on
a machine of many, a port would let everybody in.
"""

import sys
from pathlib import Path

PATH = "dpmia-lab/"
ICON = Path(__file__).parent / "hosting" / "icon.svg"
PAGES = 4  # of one person, who shares the machine with others


def behind_jupyter() -> dict:
    """The fields that Jupyter Server Proxy documents for a server; it fills in what stands in braces."""
    program = [sys.executable, "-m", "dpmia_lab.commands.command_line", "app"]
    place = ["--socket", "{unix_socket}", "--base-url", "{base_url}" + PATH]
    sizes = ["--pages", str(PAGES), "--each", str(PAGES), "--training", "1"]
    return {
        "command": [*program, *place, *sizes],
        "unix_socket": True,
        "absolute_url": True,
        "timeout": 60.0,  # seconds until it must answer, on a busy machine too
        "new_browser_tab": True,
        # Every open page asks this all the time: not a sign that somebody is there.
        "exclude_last_activity_patterns": [r"/alive(/|$)"],
        "launcher_entry": {"title": "Privacy lab", "icon_path": str(ICON), "path_info": PATH},
    }
