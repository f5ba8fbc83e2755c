"""Voilà inside Binder's own Jupyter server: the same pages as `make app` serves."""

from dpmia_lab.serve.settings import page_settings

c.merge(page_settings())  # noqa: F821 (Jupyter puts "c" into its settings files)
