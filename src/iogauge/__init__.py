"""iogauge: which file API, with which buffer size; how sure, and why."""

__version__ = "0.1.0"
