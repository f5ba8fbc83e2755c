"""How Voilà is set up for the lab: the look of the pages, and the life of the kernels behind them.

The lab's own server and Binder (binder/jupyter_server_config.py) both take their settings from here.
"""

import os
from pathlib import Path

from traitlets.config import Config

from dpmia_lab.serve.client import QuickClient
from dpmia_lab.serve.language import prepare_page
from dpmia_lab.widgets.kit.look import script, stylesheet

SHARE = Path(__file__).parent / "share" / "jupyter"


def announce_template() -> None:
    """Let Voilà find our template: it looks along JUPYTER_PATH."""
    paths = [str(SHARE), os.environ.get("JUPYTER_PATH", "")]
    os.environ["JUPYTER_PATH"] = os.pathsep.join(path for path in paths if path)


def formulas_from_here(page_config: dict, **context) -> dict:
    """Without an address for MathJax, Voilà sets formulas with the copy that it brings along."""
    return page_config | {"mathjaxConfig": None, "fullMathjaxUrl": None}


def page_settings() -> Config:
    """One look for every page, which no visitor and no notebook can change."""
    config = Config()
    config.VoilaConfiguration.template = "dpmia"
    config.VoilaConfiguration.theme = "light"
    config.VoilaConfiguration.allow_template_override = "NO"
    config.VoilaConfiguration.allow_theme_override = "NO"
    config.VoilaConfiguration.file_allowlist = []
    # The page comes at once with all its prose; cells run, and show, while it is being read. A cell that
    # raises then leaves a gap, where otherwise it would take the rest of the page with it.
    config.VoilaConfiguration.progressive_rendering = True
    # Colours code, which is not shown; and what a hub's machine has for JupyterLab, which fails outside it.
    config.VoilaConfiguration.extension_denylist = ["jupyterlab_pygments", "@jupyterhub/jupyter-server-proxy"]
    config.VoilaConfiguration.prelaunch_hook = prepare_page
    config.VoilaConfiguration.page_config_hook = formulas_from_here
    config.VoilaConfiguration.resources = {"lab": {"css": stylesheet(), "js": script()}}
    # On a busy machine the last outputs of a cell may come seconds after its end (at first: dropped after 4).
    config.VoilaExecutor.iopub_timeout = 60
    config.VoilaExecutor.cell_error_instruction = "This part of the page is missing; reload it to try again."
    return config


def kernel_settings(idle_seconds: int, check_seconds: int) -> Config:
    """A kernel ends when nobody has read its page and it has said nothing for ``idle_seconds``."""
    config = Config()
    config.MappingKernelManager.cull_idle_timeout = idle_seconds
    config.MappingKernelManager.cull_interval = check_seconds
    # An open but forgotten tab stays connected for days; a running experiment keeps sending its progress.
    config.MappingKernelManager.cull_connected = True
    config.MappingKernelManager.cull_busy = False
    # A fresh kernel would know nothing of the widgets on the page: better to say that the old one is gone.
    config.KernelManager.autorestart = False
    # Files that only this user can open, instead of ports that anyone on the machine can reach.
    config.KernelManager.transport = "ipc"
    config.AsyncKernelManager.client_factory = QuickClient
    # Beyond the limit, 1 MB/s at first, messages are dropped: charts sent ten times a second come near it.
    config.ZMQChannelsWebsocketConnection.iopub_data_rate_limit = 20e6
    return config
