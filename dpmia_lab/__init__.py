"""dpmia_lab: see how models leak their training data, and what each defence costs."""

__version__ = "0.3.0"
